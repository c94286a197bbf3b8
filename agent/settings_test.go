package agent_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

// TestTitleBeforeTheFirstMessage names a conversation that has not begun.
func TestTitleBeforeTheFirstMessage(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "x"}))
	if err := r.conv.SetTitle("my work"); err != nil {
		t.Fatal(err)
	}
	r.until("the title", func(s *event.State) bool { return s.Title == "my work" })
	if _, err := r.db.Resolve(t.Context(), "my work"); err == nil {
		t.Error("a conversation that has not begun is stored")
	}
	r.submit("go")
	r.idle(1)
	if info, err := r.db.Resolve(t.Context(), "my work"); err != nil || info.Session != string(r.conv.Session()) || info.Title != "my work" {
		t.Errorf("found %+v, %v", info, err)
	}
	if past := r.revive(); past.State.Title != "my work" {
		t.Errorf("revived as %q", past.State.Title)
	}

	second := newRigBeside(r)
	if err := second.conv.SetTitle("my work"); err == nil {
		t.Error("a title is taken twice")
	} else if _, taken := errors.AsType[*sessions.TitleTakenError](err); !taken {
		t.Error(err)
	}
	if second.conv.State().Title != "" {
		t.Errorf("the refused title shows")
	}
}

// newRigBeside starts another conversation on the store of a rig.
func newRigBeside(r *rig) *rig {
	s := &rig{t: r.t, dir: r.dir, work: r.work, ids: r.ids, db: r.db, server: r.server}
	s.start(nil)
	return s
}

// TestNoticesOfTheProgramAreNotStored shows a notice in a conversation that has
// begun and comes back.
func TestNoticesOfTheProgramAreNotStored(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "x"}))
	r.submit("go")
	r.idle(1)
	r.conv.Notify(event.LevelWarn, "the settings are odd")
	r.until("the notice", func(s *event.State) bool { return s.Root().Blocks[len(s.Root().Blocks)-1].Kind == event.BlockNotice })
	r.wants("the settings are odd")
	for _, b := range r.revive().State.Root().Blocks {
		if b.Kind == event.BlockNotice {
			t.Errorf("stored: %s", b.Text.String())
		}
	}
}

// TestGoingOnReopensTheSession goes on in a session that another program has ended.
func TestGoingOnReopensTheSession(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "x"}))
	r.submit("go")
	r.idle(1)
	end := func() {
		t.Helper()
		db, err := sql.Open("sqlite", filepath.Join(r.dir, "state.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.ExecContext(t.Context(), "UPDATE sessions SET ended_at = started_at, end_reason = 'cli_close'"); err != nil {
			t.Fatal(err)
		}
	}
	open := func() bool {
		t.Helper()
		s, err := r.db.Session(t.Context(), string(r.conv.Session()))
		if err != nil {
			t.Fatal(err)
		}
		return s.Ended.IsZero() && s.EndReason == ""
	}
	end()
	past := r.revive()
	if open() {
		t.Error("looking at a session reopens it")
	}
	r.start(past)
	r.submit("again")
	r.idle(2)
	if !open() {
		t.Error("the session stayed ended, and could be pruned with what is new in it")
	}
	end() // while it is open here
	r.submit("once more")
	r.idle(3)
	if !open() {
		t.Error("the session stayed ended while it was used")
	}
}
