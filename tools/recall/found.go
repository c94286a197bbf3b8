package recall

import (
	"context"
	"fmt"
	"strings"

	"hermes-tui/tools"
)

// Found is a text that was noted, learnt or said.
type Found struct {
	From    string `json:"from"`
	Text    string `json:"text"`
	Project string `json:"project,omitempty"` // that it is about
	When    string `json:"when,omitempty"`    // a date
	Session string `json:"session,omitempty"` // in which it was said
	// Near is how near its meaning is, from -1 to 1; 0 where only words count.
	Near float64 `json:"-"`
	// Ref names it among what it is from, Message a message of a session.
	Ref     string `json:"-"`
	Message string `json:"-"`
}

// Head says where a text is from, when it was written and what it is about.
func (f Found) Head() string {
	head := strings.TrimSpace(f.From + " " + f.When)
	if f.Project != "" {
		head += " (only in " + f.Project + ")"
	}
	return head
}

// Finder finds texts by words and by meaning.
type Finder interface {
	// Find gives at most limit texts, the best first. note says what the search could
	// not do, empty for nothing.
	Find(ctx context.Context, text string, limit int) (list []Found, note string, err error)
}

// searchAction is the action of memory that looks for something.
const searchAction = "search"

// maxHits is how many texts a search gives.
const maxHits = 8

// search looks through what was remembered, learnt and said.
func (r *remembering) search(ctx context.Context, query string, view tools.View) (tools.Result, error) {
	if r.o.Finder == nil || strings.TrimSpace(query) == "" {
		return tools.Failure(view, "search needs a query"), nil
	}
	list, note, err := r.o.Finder.Find(ctx, query, maxHits)
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	if err != nil {
		return tools.Failure(view, "the search failed: "+err.Error()), nil //nolint:nilerr // the model is told
	}
	var body strings.Builder
	for _, f := range list {
		body.WriteString(f.Head() + ": " + f.Text + "\n")
	}
	view.Body, view.Summary = body.String()+note, fmt.Sprintf("%d found", len(list))
	content := tools.JSON(struct {
		Found []Found `json:"found"`
		Note  string  `json:"note,omitempty"`
	}{append([]Found{}, list...), note})
	return tools.Result{Content: content, View: view, Untrusted: "earlier sessions"}, nil
}
