package app

import (
	"errors"
	"os"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// TestFork begins a session with what another one holds: all of it, up to an answer, or
// up to a prompt, which becomes the draft. The other one stays as it is.
func TestFork(t *testing.T) {
	server := serve(t, "m")
	b := newBox(t)
	b.config("model: {provider: custom, base_url: " + server.URL() + ", default: m}\nagent: {auto_title: false}\n")
	a, c := b.begin()
	for _, text := range []string{"one", "two", "three"} {
		say(t, c, text)
	}
	before := history(t, server)
	session := string(c.Session())
	texts := func(c Conversation) string {
		var list []string
		for _, b := range c.State().Root().Blocks {
			if b.Kind == event.BlockUser || b.Kind == event.BlockAnswer {
				list = append(list, b.Text.String())
			}
		}
		return strings.Join(list, " ")
	}
	var second event.MessageID
	var answer event.MessageID
	for _, b := range c.State().Root().Blocks {
		switch {
		case b.Text.String() == "two":
			second = b.Message
		case b.Kind == event.BlockAnswer && answer == "":
			answer = b.Message
		}
	}
	for name, f := range map[string]struct {
		message      event.MessageID
		holds, draft string
	}{
		"all":              {"", "one ok two ok three ok", ""},
		"before a prompt":  {second, "one ok", "two"},
		"behind an answer": {answer, "one ok", ""},
	} {
		id, err := a.Fork(t.Context(), session, string(f.message))
		if err != nil {
			t.Fatal(name, err)
		}
		branch, err := a.Resume(t.Context(), id)
		if err != nil {
			t.Fatal(name, err)
		}
		draft, err := branch.Draft(t.Context())
		if got := texts(branch); got != f.holds || draft != f.draft || err != nil {
			t.Errorf("%s: holds %q, draft %q, %v", name, got, draft, err)
		}
		say(t, branch, "more")
		if got, n := history(t, server), strings.Count(f.holds, " ")+1; len(got) != n+1 || strings.Join(got[:n], "") != strings.Join(append(before, `{"role":"assistant","content":"ok"}`)[:n], "") {
			t.Errorf("%s: the model got %s", name, got)
		}
		if err := branch.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if got := texts(c); got != "one ok two ok three ok" {
		t.Errorf("the other one holds %q", got)
	}
	var gone *sessions.NotFoundError
	if _, err := a.Fork(t.Context(), session, "m_nothing"); !errors.As(err, &gone) {
		t.Errorf("no such message: %v", err)
	}
}

// TestDeleteSession deletes at the end, unless that is taken back, and never what is open.
func TestDeleteSession(t *testing.T) {
	server := serve(t, "m")
	b := newBox(t)
	b.config("model: {provider: custom, base_url: " + server.URL() + ", default: m}\nagent: {auto_title: false}\n")
	a, c := b.begin()
	var ids []string
	for _, text := range []string{"goes", "stays", "open"} {
		if len(ids) > 0 {
			var err error
			if c, err = a.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		say(t, c, text)
		ids = append(ids, string(c.Session()))
		if text == "open" {
			break
		}
		if text == "goes" {
			if err := os.MkdirAll(b.home.Results(string(c.ID())), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	listed := func(a *App, hidden bool) string {
		t.Helper()
		all, err := a.Sessions(t.Context(), "", 10, hidden)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, s := range all {
			list = append(list, s.Preview)
		}
		return strings.Join(list, " ")
	}
	for _, id := range ids[:2] {
		if err := a.DeleteSession(t.Context(), id, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.DeleteSession(t.Context(), ids[2], false); err == nil || !strings.Contains(err.Error(), "open here") {
		t.Errorf("one that is open: %v", err)
	}
	if got := listed(a, false); got != "open" {
		t.Errorf("listed %q", got)
	}
	if list, err := a.Sessions(t.Context(), "", 1, false); err != nil || len(list) != 1 {
		t.Errorf("with a limit: %v, %v", list, err)
	}
	if got := listed(a, true); got != "open stays goes" {
		t.Errorf("all are %q", got)
	}
	if err := a.DeleteSession(t.Context(), ids[1], true); err != nil {
		t.Fatal(err)
	}
	closed(t, a)
	if left, err := os.ReadDir(b.home.Cache() + "/results"); err != nil || len(left) != 0 {
		t.Errorf("results left: %v, %v", left, err)
	}
	if got := listed(b.open(), true); got != "open stays" {
		t.Errorf("left are %q", got)
	}
}
