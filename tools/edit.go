package tools

import "context"

// TextFiles reads and changes text files for tools that edit. Encodings, byte
// order marks, line ends, modes, protected paths and stale reads are its
// business: an editor sees text. It is safe for concurrent use.
type TextFiles interface {
	// Text reads the file that a path argument names. A path at which nothing is
	// gives a Text that does not exist; what cannot be edited as text is an error
	// written for the model.
	Text(path string) (Text, error)
	// Change carries changes out, all of them or none: each is encoded and checked
	// before the first file is touched, and what was done is taken back when a
	// later step fails. c is the running call, whose permit covers all paths. The
	// error is written for the model and says what is on the disk now.
	Change(ctx context.Context, c Call, changes []TextChange) (TextReport, error)
}

// Text is a file as an editor sees it.
type Text struct {
	// Name is the absolute path as it was meant.
	Name string
	// Real is the path behind all links.
	Real   string
	Exists bool
	// Body is the text without byte order mark. Lines end with "\n" where all lines
	// of the file end alike; in a file of mixed line ends they stand as they are.
	Body string
	// Partly says that the agent has seen only a part of the file so far.
	Partly bool
	// State identifies what was read; only the TextFiles that gave it understands
	// it.
	State any
}

// TextOp is what happens to a file.
type TextOp int

// The operations.
const (
	OpWrite  TextOp = iota // give the file, which may be new, another body
	OpDelete               // delete it
	OpMove                 // move it to To, with another body if Body differs
)

// TextChange is a change of one file.
type TextChange struct {
	Op   TextOp
	File Text   // as it was read
	Body string // afterwards (OpWrite, OpMove)
	To   Text   // where it goes (OpMove); it must not exist
}

// TextReport is what came of changes.
type TextReport struct {
	// Modified are absolute real paths, in the order of the changes.
	Modified []string
	// Created are such paths, too; a move creates one.
	Created []string
	// Deleted are such paths, too; a move deletes one.
	Deleted []string
	// Diff is a unified diff of all changes.
	Diff string
	// Summary is a few words about it.
	Summary string
	// Lint is what checking the syntax of a written file has found, by real path;
	// a file that is not checked is missing.
	Lint map[string]any
	// Warning is what the model should know, empty for nothing.
	Warning string
}
