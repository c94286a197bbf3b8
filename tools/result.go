package tools

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Kind says which kind of thing a call is, for a screen that does not know tool
// names.
type Kind string

// The kinds of calls.
const (
	KindGeneric Kind = "generic"
	KindCommand Kind = "command"
	KindRead    Kind = "read"
	KindWrite   Kind = "write"
	KindSearch  Kind = "search"
	KindTodo    Kind = "todo"
	KindClarify Kind = "clarify"
	KindCode    Kind = "code"
	KindProcess Kind = "process"
	KindAgent   Kind = "agent" // subagents do the work
)

// View is what a screen shows of a call.
type View struct {
	Kind Kind
	// Subject is the one argument that matters: command, path, pattern.
	Subject string
	// Summary is the result in a few words: "38 lines", "exit 1".
	Summary string
	// Body is the readable result; it may be long, the agent bounds it.
	Body string
	// Lang names the language of Body, empty for plain text. "diff" is a unified
	// diff of one or more files, each with its ---/+++ lines.
	Lang string
	// Exit is a command's exit code.
	Exit *int
	// Dir is where a command runs.
	Dir string
	// Ran says how a command ran, in a place that confines: one of the constants.
	Ran Ran
	// Hosts are those that a confined command was let connect to, each once.
	Hosts []string
	// Online is a program by which one that was not confined uses the network, empty
	// if none is known.
	Online string
}

// Outside says where the output of a command comes from if it had access to more than
// the workspace, for [Result.Untrusted]; empty if it had not.
func (v View) Outside() string {
	switch {
	case len(v.Hosts) > 0:
		return "a command that used the network (" + strings.Join(v.Hosts, ", ") + ")"
	case v.Ran == RanOutside:
		return "a command that ran with all rights"
	case v.Online != "":
		return "a command that uses the network (" + v.Online + ")"
	}
	return ""
}

// Ran is how a command ran.
type Ran string

// The ways a command runs.
const (
	RanPlain    Ran = ""         // it only reads, or nothing confines here
	RanConfined Ran = "confined" // held by the system to workspace and scratch
	RanOutside  Ran = "outside"  // with all rights of the user, after consent
)

// Status says how a call ended.
type Status string

// The ways a call ends.
const (
	StatusOK        Status = ""
	StatusFailed    Status = "failed"
	StatusDenied    Status = "denied"
	StatusCancelled Status = "cancelled"
)

// Result is what a call gives back.
type Result struct {
	// Content goes to the model.
	Content string
	Status  Status
	View    View
	// Untrusted says where the content comes from when strangers may have written it:
	// the network, a place outside the workspace. The model gets it marked, see [Fence].
	Untrusted string
	// Images are pictures that belong to the content, for models that see.
	Images []Image
	// State is the new state of the tool's family when the call changed it, nil
	// otherwise.
	State *Saved
}

// Image is a picture, as it came.
type Image struct{ Data []byte }

// JSON encodes v as the content of a result, without HTML escapes.
func JSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return `{"error":"result could not be encoded"}`
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// Failure is a result that tells the model what went wrong.
func Failure(view View, message string) Result {
	view.Summary = message
	return Result{Content: JSON(map[string]string{"error": message}), Status: StatusFailed, View: view}
}

// Cancelled is the result of a call that was stopped.
func Cancelled(view View, cause string) Result {
	view.Summary = cause
	return Result{
		Content: JSON(map[string]string{"error": cause, "status": "cancelled"}),
		Status:  StatusCancelled, View: view,
	}
}
