package recall

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"hermes-tui/tools"
)

// Toolset is the toolset of the tools of this package.
const Toolset = "memory"

// Learning is something that failed, and what to do instead.
type Learning struct {
	Failed string   `json:"failed"`
	Fix    string   `json:"fix"`
	Tags   []string `json:"tags,omitempty"`
}

// Learnings keeps what agents learn.
type Learnings interface {
	// Save keeps a learning; known tells that it was there already. An error is for
	// the model to read.
	Save(ctx context.Context, l Learning) (known bool, err error)
	// Search gives at most limit learnings that fit some words, the best first.
	Search(query string, limit int) []Learning
}

// maxFound is how many learnings a search gives.
const maxFound = 8

const learningParameters = `{"type":"object","properties":{
"action":{"type":"string","enum":["save","search"]},
"failed":{"type":"string","description":"save: the command or call that fails, and what it says"},
"fix":{"type":"string","description":"save: what works instead, or what has to be done first"},
"tags":{"type":"array","items":{"type":"string"}},
"query":{"type":"string","description":"search: words of the command or the error"}},"required":["action"]}`

// NewLearnings makes learnings.
func NewLearnings(store Learnings) tools.Tool {
	return tools.Tool{
		Name: "learnings", Toolset: Toolset,
		Description: "Keep what made a failing call work, for all later sessions, or look for it. Fixes that are only another way to make a call are kept by themselves and shown when it fails again.",
		Guidance:    "Save a learning when you have found out why something failed and others would fail of it again; not what only this task needs.",
		Parameters:  json.RawMessage(learningParameters),
		ReadsOnly:   true, Changes: notesDown, Housekeeping: true, RootOnly: true,
		Preview: previewLearning,
		Run: func(ctx context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			return runLearnings(ctx, store, c), nil
		},
	}
}

// learningArgs are the arguments of learnings.
type learningArgs struct {
	Action, Query string
	Learning
}

func previewLearning(raw json.RawMessage) tools.View {
	var a learningArgs
	if json.Unmarshal(raw, &a) != nil {
		return tools.View{}
	}
	return tools.View{Subject: strings.TrimSpace(a.Action + " " + a.Failed + a.Query)}
}

func runLearnings(ctx context.Context, store Learnings, c tools.Call) tools.Result {
	var a learningArgs
	view := previewLearning(c.Args)
	if err := c.Decode(&a); err != nil {
		return tools.Failure(view, err.Error())
	}
	if a.Action == "search" {
		if strings.TrimSpace(a.Query) == "" {
			return tools.Failure(view, "search needs a query")
		}
		found := store.Search(a.Query, maxFound)
		view.Summary = fmt.Sprintf("%d found", len(found))
		return tools.Result{Content: tools.JSON(map[string]any{"learnings": append([]Learning{}, found...)}), View: view}
	}
	known, err := store.Save(ctx, a.Learning)
	if err != nil {
		return tools.Failure(view, err.Error())
	}
	if view.Summary = "kept"; known {
		view.Summary = "known already"
	}
	view.Body = a.Failed + "\n→ " + a.Fix
	return tools.Result{Content: tools.JSON(map[string]string{"status": view.Summary}), View: view}
}
