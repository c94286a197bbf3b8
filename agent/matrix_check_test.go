package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// check holds what is true at the end.
func (w *world) check() {
	var newest json.RawMessage
	for i, r := range w.server.Requests() {
		if err := checkRequest(r.Body); err != nil {
			w.t.Errorf("request %d is not valid: %v\n%s", i, err, messagesOf(r.Body))
		}
		newest = r.Body
	}
	w.checkHistory()
	if d := differ(normalState(w.state), normalState(w.revive().State)); d != "" {
		w.t.Errorf("the screen and the journal differ: %s", d)
	}
	var stored, model strings.Builder
	for _, m := range w.messages() {
		fmt.Fprintln(&stored, m.Content)
	}
	model.WriteString(messagesOf(newest))
	compressed := slices.ContainsFunc(w.state.Root().Blocks, func(b *event.Block) bool { return b.Kind == event.BlockCompact })
	for _, s := range w.said {
		n, sent, shown := strings.Count(stored.String(), s.text), strings.Count(model.String(), s.text), strings.Count(w.spoken(), s.text)
		if n > 1 || s.sure && !s.back && n != 1 || s.back && n != 0 || shown != n || sent > n || sent < n && !compressed {
			w.t.Errorf("%+v is %d times in the store, %d times before the model, %d times on the screen", *s, n, sent, shown)
		}
	}
	if a := w.state.Root(); a.Model != w.state.Model.Name || a.Context.Max != w.state.Model.ContextMax {
		w.t.Errorf("between turns the model is %s with %d tokens, want %+v", a.Model, a.Context.Max, w.state.Model)
	}
	w.checkEffects()
	w.checkJournal()
	if w.t.Failed() {
		w.t.Logf("transcript:\n%s", w.dump())
	}
}

// spoken is the transcript without what takes the place of turns that were left out.
func (w *world) spoken() string {
	var b strings.Builder
	for _, x := range w.state.Root().Blocks {
		if x.Kind != event.BlockCompact {
			b.WriteString(x.Text.String() + "\n")
		}
	}
	return b.String()
}

// checkHistory checks what is stored, all of it and the part that the model gets.
func (w *world) checkHistory() {
	w.t.Helper()
	if !w.tight { // an id may come again once the model has forgotten it
		if err := checkRows(w.messages()); err != nil {
			w.t.Errorf("the stored history is not valid: %v", err)
		}
	}
	rows, err := w.db.Context(w.t.Context(), string(w.conv.Session()))
	if err == nil {
		err = checkRows(rows)
	}
	if err != nil {
		w.t.Errorf("the history for the model is not valid: %v", err)
	}
}

// effect finds what a command writes into the file that shows what ran.
var effect = regexp.MustCompile(`echo ([0-9-]+) >> proof`)

// checkEffects checks that no command ran twice, and that the model is told the
// truth about those that ended early.
func (w *world) checkEffects() {
	text, err := os.ReadFile(filepath.Join(w.work, "proof"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	ran := strings.Fields(string(text))
	slices.Sort(ran)
	if len(slices.Compact(slices.Clone(ran))) != len(ran) {
		w.t.Errorf("commands ran twice: %q", ran)
	}
	said := map[string]string{} // what a call writes, by its id
	outcomes := map[string]event.Outcome{}
	for _, b := range w.state.Root().Blocks {
		if b.Call != nil {
			outcomes[string(b.Call.ID)] = b.Call.Outcome
		}
	}
	for _, m := range w.messages() {
		var calls []struct {
			ID       string
			Function struct{ Arguments string }
		}
		if m.ToolCalls != "" {
			if err := json.Unmarshal([]byte(m.ToolCalls), &calls); err != nil {
				w.t.Fatal(err)
			}
		}
		for i, c := range calls {
			delete(said, c.ID) // a call that compression left out may have had it, too
			if match := effect.FindStringSubmatch(c.Function.Arguments); match != nil {
				said[c.ID] = match[1]
				outcomes[c.ID] = outcomes[m.CallIDs[i]]
			}
		}
		if m.Role != "tool" || said[m.ToolCallID] == "" {
			continue
		}
		did := slices.Contains(ran, said[m.ToolCallID])
		denies := strings.Contains(m.Content, "did not run") || strings.Contains(m.Content, "Not run")
		unsure := strings.Contains(m.Content, "may have run")
		if did && denies || unsure && outcomes[m.ToolCallID] != event.OutcomeUnknown || !did && outcomes[m.ToolCallID] == event.OutcomeOK {
			w.t.Errorf("of %s, which ran: %v, and ended %s, the model is told %q", said[m.ToolCallID], did, outcomes[m.ToolCallID], m.Content)
		}
	}
}

// checkJournal checks that calls start and end once.
func (w *world) checkJournal() {
	seen := map[string]bool{}
	err := w.db.EachEvent(w.t.Context(), string(w.conv.ID()), 0, func(row sessions.Event) error {
		e, err := new(event.Decoder).UnmarshalAs(event.Type(row.Type), row.Body)
		if err != nil {
			return err
		}
		var what string
		switch e := e.(type) {
		case *event.ToolStarted:
			what = "start of " + string(e.Call)
		case *event.ToolFinished:
			what = "end of " + string(e.Call)
		case *event.MessageCommitted:
			if !e.Steer { // a part of another one
				what = "message " + string(e.Message)
			}
		}
		if what != "" && seen[what] {
			w.t.Errorf("the %s is in the journal twice", what)
		}
		seen[what] = true
		return nil
	})
	if err != nil {
		w.t.Error(err)
	}
}
