// Package patch holds the tool that edits text files: it replaces a quoted text,
// or applies a patch in the V4A form to several files.
//
// A quoted text is found by the first of seven strategies that finds anything; see
// [Replace]. What lies outside the places found stays as it is, byte for byte,
// line breaks included. A patch is judged as a whole before anything is written:
// every header is understood, every path judged, every file read, every hunk
// found; see [Parse] and [MakePlan]. One failing part fails it, and the answer
// lists them all.
//
// The gate sees the real paths of all files that a call names, read from the same
// parse that is carried out. Between judging and running the edit is worked out
// again from what is then on the disk, and refused when its paths have changed.
//
// Reading, encodings, protected paths and writing are the business of the
// tools.TextFiles that the tool is given. Comparing texts for likeness is bounded
// in work: a search that would take longer than about a second finds nothing.
//
// [Replace], [Parse] and [MakePlan] are pure and safe for concurrent use; so is a
// [Patcher], which belongs to one agent and remembers which files it failed to
// edit.
package patch

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Toolset is the toolset of the tool of this package.
const Toolset = "file"

// name is the name of the tool.
const name = "patch"

const parameters = `{"type":"object","properties":{
"mode":{"type":"string","enum":["replace","patch"],"default":"replace"},
"path":{"type":"string","description":"replace: the file"},
"old_string":{"type":"string","description":"replace: the text to find, quoted from the file with enough around it to stand there only once"},
"new_string":{"type":"string","description":"replace: the text to put in its place, empty to delete"},
"replace_all":{"type":"boolean","description":"replace: every place, not just one","default":false},
"patch":{"type":"string","description":"patch: the text, as in\n*** Begin Patch\n*** Update File: a.py\n@@ def f():\n     x = 1\n-    return x\n+    return x + 1\n*** Add File: b.py\n+print(1)\n*** Delete File: c.py\n*** Move File: d.py -> e.py\n*** End Patch\nLines of a hunk begin with a blank (stays), - or +; behind @@ may stand a line above the place."}}}`

// Patcher makes the tool of one agent.
type Patcher struct {
	files  tools.TextFiles
	memory memory
}

// New makes the tool of one agent, which edits through files.
func New(files tools.TextFiles) *Patcher {
	return &Patcher{files: files, memory: newMemory()}
}

// Tool is patch.
func (p *Patcher) Tool() tools.Tool {
	return tools.Tool{
		Name: name, Toolset: Toolset, Scripts: &tools.Scripts{},
		Description: "Edit text files. Mode replace finds a text in one file, forgiving small mistakes in quoting, and puts another in its place. " +
			"Mode patch changes, adds, deletes and moves files in one go: all of it or nothing. The result is a diff; check it.",
		Guidance: "To change an existing file use patch, not write_file and not sed; quote from what read_file has shown, without its line numbers. " +
			"Changes that belong together go into one call with mode patch.",
		Parameters: json.RawMessage(parameters),
		Class:      tools.PathScoped,
		Summarise:  summarise,
		Preview: func(args json.RawMessage) tools.View {
			return tools.View{Kind: tools.KindWrite, Subject: subject(args)}
		},
		Action: p.action,
		Files:  p.shown,
		Run: func(ctx context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			return p.run(ctx, c), nil
		},
	}
}

// arguments are those of a call.
type arguments struct {
	Mode  string  `json:"mode"`
	Path  string  `json:"path"`
	Old   *string `json:"old_string"`
	New   *string `json:"new_string"`
	All   bool    `json:"replace_all"`
	Patch string  `json:"patch"`
}

// patches reports whether a call is in mode patch. A call that names no mode is
// understood by what it gives.
func (a *arguments) patches() bool {
	return a.Mode == "patch" || a.Mode == "" && a.Patch != "" && a.Old == nil
}

// subject names what a call changes, for a screen, from any arguments.
func subject(raw json.RawMessage) string {
	var a arguments
	if json.Unmarshal(raw, &a) != nil {
		return ""
	}
	if !a.patches() {
		return a.Path
	}
	parts, err := Parse(a.Patch)
	if err != nil {
		return a.Path
	}
	seen := map[string]bool{}
	for _, part := range parts {
		seen[part.Path] = true
	}
	switch first := parts[0]; {
	case len(seen) > 1:
		return fmt.Sprintf("%d files", len(seen))
	case first.Op == MoveFile && first.To != "":
		return strings.Join([]string{first.Path, first.To}, " → ")
	default:
		return first.Path
	}
}

// maxSummaryMode is how much of a mode a summary shows, in characters.
const maxSummaryMode = 40

// summarise says how a call changed which file.
func summarise(args, _ tools.Members) (did, came string) {
	mode := args.Text("mode")
	if mode == "" {
		mode = "replace"
	}
	did = shorten.Line(mode, maxSummaryMode)
	if args.Text("path") != "" {
		did += " in " + args.Path()
	}
	return did, ""
}
