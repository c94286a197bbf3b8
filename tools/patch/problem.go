package patch

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind says what is wrong with an edit, for programs.
type Kind string

// What can be wrong with a replacement.
const (
	EmptyOld    Kind = "empty_old"
	Identical   Kind = "identical"
	NotFound    Kind = "not_found"
	Ambiguous   Kind = "ambiguous"
	EscapeDrift Kind = "escape_drift" // also with a hunk
)

// What can be wrong with a patch.
const (
	EmptyPatch    Kind = "empty_patch"
	Syntax        Kind = "syntax"
	NoHunks       Kind = "no_hunks"
	NotFoundFile  Kind = "not_found_file"
	Exists        Kind = "exists"
	HunkNotFound  Kind = "hunk_not_found"
	AmbiguousHunk Kind = "ambiguous_hunk"
	HintNotFound  Kind = "hint_not_found"
	HintAmbiguous Kind = "hint_ambiguous"
	NoChange      Kind = "no_change"
	PathOutside   Kind = "path_outside"
	ProtectedPath Kind = "protected_path"
	Unreadable    Kind = "unreadable" // the file cannot be edited as text
	Tangled       Kind = "tangled"    // moved files and new ones take each other's places
)

// Problem is why an edit is not made. Its text is written for the model.
type Problem struct {
	Kind Kind
	// Path is the file of a patch it is about, as the patch names it.
	Path    string
	Message string
	// Matches is how many places there are where one is wanted (Ambiguous,
	// AmbiguousHunk).
	Matches int
	// real is the file behind all links, where one was looked at.
	real string
}

func (p *Problem) Error() string { return p.Message }

func problem(kind Kind, format string, args ...any) *Problem {
	return &Problem{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// maxListed is how many places a message names.
const maxListed = 10

// listLines names lines: "lines 3, 17 and 20".
func listLines(numbers []int) string {
	words := make([]string, 0, maxListed+1)
	for _, n := range numbers[:min(len(numbers), maxListed)] {
		words = append(words, strconv.Itoa(n))
	}
	if more := len(numbers) - maxListed; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	last := len(words) - 1
	if last == 0 {
		return "line " + words[0]
	}
	return "lines " + strings.Join(words[:last], ", ") + " and " + words[last]
}
