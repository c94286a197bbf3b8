package recall

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// MemoryName is the name of the tool that changes what is remembered.
const MemoryName = "memory"

// MemoryStep is one step of a change.
type MemoryStep struct {
	Action  string `json:"action"`
	Content string `json:"content"`
	OldText string `json:"old_text"`
	// Project says whether the entry is about the project of the conversation only. With
	// nil a new one is not, and what takes the place of another is as that was.
	Project *bool `json:"project"`
}

// MemoryWritten is what came of a change.
type MemoryWritten struct {
	Message string
	Usage   string
	Count   int
	// Evicted are the entries that made room, the oldest first.
	Evicted []string
	// Diff is what was changed, in the unified form.
	Diff string
	// Pending names a change that waits for the user: nothing was changed yet.
	Pending string
}

// MemoryError is a change that was refused.
type MemoryError struct {
	Text string
	// Matches are the entries that a step can mean, shortened.
	Matches []string
	// Entries are those there are, Usage how full they are.
	Entries []string
	Usage   string
}

// Error implements error.
func (e *MemoryError) Error() string { return e.Text }

// Memory is what is remembered over conversations.
type Memory interface {
	// Write makes the steps of a change together or not at all. Before it does so, it
	// calls allow with what would change, in the unified form, and makes nothing else.
	// What it refuses is a [*MemoryError].
	Write(ctx context.Context, target string, steps []MemoryStep, allow func(diff string) error) (MemoryWritten, error)
	// Stage keeps a change for the user to decide on, and makes nothing of it.
	Stage(target string, steps []MemoryStep) (MemoryWritten, error)
}

// MemoryOptions say how an agent changes what is remembered.
type MemoryOptions struct {
	Store Memory
	// Approve says that the user is asked before each write.
	Approve bool
	// Finder finds what was remembered, learnt and said; nil finds nothing.
	Finder Finder
}

const memoryParameters = `{"type":"object","properties":{
"action":{"type":"string","enum":["add","replace","remove","search"]},
"query":{"type":"string","description":"search: what to look for in memory, its archive, learnings and past sessions"},
"target":{"type":"string","enum":["memory","user"],"description":"memory: your notes; user: who the user is and what they prefer"},
"content":{"type":"string","description":"add, replace: the whole entry"},
"old_text":{"type":"string","description":"replace, remove: a part of the entry that no other has"},
"project":{"type":"boolean","description":"add, replace: whether the entry holds for this project only"},
"operations":{"type":"array","description":"several steps in one, made together or not at all, instead of action","items":{"type":"object","properties":{
"action":{"type":"string","enum":["add","replace","remove"]},"content":{"type":"string"},"old_text":{"type":"string"},"project":{"type":"boolean"}},"required":["action"]}}}}`

// maxMemoryFailures is how many calls of a turn may fail until no more are made.
const maxMemoryFailures = 3

// remembering is the tool of one agent.
type remembering struct {
	o MemoryOptions

	mu       sync.Mutex
	failures int // of this turn, since the last that worked
}

// NewMemory makes memory. It is safe for concurrent use.
func NewMemory(o MemoryOptions) tools.Family {
	r := &remembering{o: o}
	class := tools.Exclusive
	if o.Approve {
		class = tools.Interactive
	}
	return tools.Family{Begin: r.begin, Tools: []tools.Tool{{
		Name: MemoryName, Toolset: Toolset,
		Description: "Change what you remember over sessions, or search it. You see it at the start of a session; a change shows in the next one.",
		Guidance:    "Keep in memory what will still matter in later sessions: what the user prefers and corrects, how a project is built, what surprised you. Not the course of a task. Replace what is outdated instead of adding to it.",
		Parameters:  json.RawMessage(memoryParameters),
		Class:       class, ReadsOnly: true, Changes: notesDown, Housekeeping: true, RootOnly: true,
		Preview: previewMemory, Summarise: summariseMemory,
		Run: func(ctx context.Context, c tools.Call, h tools.Host, _ tools.Sink) (tools.Result, error) {
			return r.run(ctx, c, h)
		},
	}}}
}

// begin counts failures from the beginning, for a new turn.
func (r *remembering) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = 0
}

// failed counts a failure and reports whether calls have to end.
func (r *remembering) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures++
	return r.failures > maxMemoryFailures
}

// memoryArgs are the arguments of memory.
type memoryArgs struct {
	MemoryStep
	Target     string       `json:"target"`
	Query      string       `json:"query"`
	Operations []MemoryStep `json:"operations"`
}

func (a memoryArgs) steps() []MemoryStep {
	if len(a.Operations) > 0 {
		return a.Operations
	}
	return []MemoryStep{a.MemoryStep}
}

// notesDown reports whether a call changes what is remembered over sessions.
func notesDown(raw json.RawMessage) bool {
	var a struct {
		Action string `json:"action"`
	}
	return json.Unmarshal(raw, &a) != nil || a.Action != searchAction
}

// maxShown is how much of an entry a line shows, in characters.
const maxShown = 60

var signs = map[string]string{"add": "+", "replace": "~", "remove": "-"}

func previewMemory(raw json.RawMessage) tools.View {
	var a memoryArgs
	if json.Unmarshal(raw, &a) != nil {
		return tools.View{}
	}
	if a.Action == searchAction {
		return tools.View{Subject: searchAction + " " + shorten.Line(a.Query, maxShown)}
	}
	steps := a.steps()
	if len(steps) > 1 {
		return tools.View{Subject: fmt.Sprintf("%s: %d changes", a.Target, len(steps))}
	}
	text := steps[0].Content
	if text == "" {
		text = steps[0].OldText
	}
	return tools.View{Subject: signs[steps[0].Action] + a.Target + ": " + shorten.Line(text, maxShown)}
}

func summariseMemory(args, result tools.Members) (did, came string) {
	if args.Text("action") == searchAction {
		return "searched memory for " + shorten.Line(args.Text("query"), maxShown), ""
	}
	did = "changed " + MemoryName
	if target := args.Text("target"); target != "" {
		did += " (" + target + ")"
	}
	if failure := result.Text("error"); failure != "" {
		return did, "-> " + shorten.Line(failure, maxShown)
	}
	return did, "-> " + result.Text("usage")
}

func (r *remembering) run(ctx context.Context, c tools.Call, h tools.Host) (tools.Result, error) {
	var a memoryArgs
	view := previewMemory(c.Args)
	if err := c.Decode(&a); err != nil {
		return tools.Failure(view, err.Error()), nil
	}
	if a.Action == searchAction {
		return r.search(ctx, a.Query, view)
	}
	w, err := r.o.Store.Write(ctx, a.Target, a.steps(), func(diff string) error { return r.allow(ctx, h, diff) })
	if errors.Is(err, errUnasked) {
		w, err = r.o.Store.Stage(a.Target, a.steps())
	}
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	if err != nil {
		return r.refused(view, err), nil
	}
	r.begin()
	view.Summary, view.Body, view.Lang = w.Message, w.Diff, "diff"
	if w.Pending != "" {
		view.Summary = "needs your decision under /memory"
	}
	return tools.Result{View: view, Content: tools.JSON(struct {
		Success bool     `json:"success"`
		Done    bool     `json:"done"`
		Staged  bool     `json:"staged,omitempty"`
		Pending string   `json:"pending_id,omitempty"`
		Target  string   `json:"target"`
		Usage   string   `json:"usage"`
		Count   int      `json:"entry_count"`
		Message string   `json:"message"`
		Evicted []string `json:"evicted_entries,omitempty"`
	}{true, true, w.Pending != "", w.Pending, a.Target, w.Usage, w.Count, w.Message, w.Evicted})}, nil
}

// refused is the result of a change that was not made. It shows what there is, so that
// the next call fits.
func (r *remembering) refused(view tools.View, err error) tools.Result {
	answer := struct {
		Success bool     `json:"success"`
		Error   string   `json:"error"`
		Matches []string `json:"matches,omitempty"`
		Entries []string `json:"current_entries,omitempty"`
		Usage   string   `json:"usage,omitempty"`
		Done    bool     `json:"done,omitempty"`
	}{Error: err.Error()}
	if e, ok := errors.AsType[*MemoryError](err); ok {
		answer.Matches, answer.Entries, answer.Usage = e.Matches, e.Entries, e.Usage
	}
	if _, ok := errors.AsType[*denied](err); ok {
		answer.Done = true
	} else if r.failed() {
		answer.Error += " This has failed too often: leave memory alone for the rest of this turn."
		answer.Matches, answer.Entries, answer.Done = nil, nil, true
	}
	view.Summary = err.Error()
	return tools.Result{Content: tools.JSON(answer), Status: tools.StatusFailed, View: view}
}

// denied says that the user does not want a change.
type denied struct{ why string }

func (e *denied) Error() string { return e.why }

// errUnasked says that no one is there to be asked.
var errUnasked = &denied{"No one is there to allow it: nothing was changed."}

// allow asks the user, where that is wanted.
func (r *remembering) allow(ctx context.Context, h tools.Host, diff string) error {
	if !r.o.Approve {
		return nil
	}
	sum := sha256.Sum256([]byte(diff))
	answer, err := h.Ask(ctx, tools.Question{Approval: &tools.Approval{
		Verb: "remember", Text: diff, SHA256: hex.EncodeToString(sum[:]),
		Reasons: []tools.Reason{{Category: "memory", Text: "changes what all later sessions are told"}},
	}})
	switch {
	case err != nil:
		return err
	case answer.Choice == tools.ChoiceNone:
		return errUnasked
	case answer.Choice == tools.ChoiceDeny && answer.Text != "":
		return &denied{"The user does not want this remembered: " + answer.Text}
	case answer.Choice == tools.ChoiceDeny:
		return &denied{"The user does not want this remembered. Go on without it."}
	}
	return nil
}
