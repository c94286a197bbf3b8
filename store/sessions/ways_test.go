package sessions

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestWays keeps every way on which a session was left by taking something back, with what
// was before it then, finds what was said on it, and makes a session of it.
func TestWays(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	seq := 0
	add := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			seq++
			b := say("c", seq)
			b.Messages[0].ID, b.Messages[0].Content = text, "word"+text
			if strings.HasPrefix(text, "a") {
				b.Messages[0].Role = "assistant"
			}
			mustCommit(t, d, b)
		}
	}
	do := func(effects ...Effect) {
		t.Helper()
		seq++
		mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Events: []Event{event(seq)}, Effects: effects})
	}
	texts := func(all []Message, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, m := range all {
			list = append(list, strings.TrimPrefix(m.Content, "word"))
		}
		return strings.Join(list, " ")
	}
	ways := func(want string) {
		t.Helper()
		list, err := d.Ways(t.Context(), "s-c")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range list {
			got = append(got, fmt.Sprintf("%s(%s %d): %s", w.ID, strings.TrimPrefix(w.Preview, "word"), w.Messages, texts(d.WayMessages(t.Context(), w.ID))))
		}
		if strings.Join(got, " | ") != want {
			t.Errorf("ways %q, want %q", got, want)
		}
	}
	add("u1", "a1", "u2", "a2", "u3", "a3")
	do(TakeBack{ID: "r1", From: "u3"})
	ways("r1(u3 2): u1 a1 u2 a2 u3 a3")
	add("u4", "a4")
	do(TakeBack{ID: "r2", From: "u2"}) // takes u4 with it
	ways("r1(u3 2): u1 a1 u2 a2 u3 a3 | r2(u2 4): u1 a1 u2 a2 u4 a4")
	add("u5", "a5")
	do(TakeBack{ID: "r3", From: "u5"})
	do(TakeBack{ID: "r4", From: "u1"})
	ways("r1(u3 2): u1 a1 u2 a2 u3 a3 | r2(u2 4): u1 a1 u2 a2 u4 a4 | r3(u5 2): u1 a1 u5 a5 | r4(u1 2): u1 a1")
	do(BringBack{ID: "r4"})
	do(BringBack{ID: "r3"})
	ways("r1(u3 2): u1 a1 u2 a2 u3 a3 | r2(u2 4): u1 a1 u2 a2 u4 a4")
	if got := texts(d.Messages(t.Context(), "s-c")); got != "u1 a1 u5 a5" {
		t.Errorf("the session holds %s", got)
	}

	for text, want := range map[string]string{"wordu3": "r1", "worda4": "r2", "wordu5": "", "wordu1": ""} {
		found, err := d.Search(t.Context(), Search{Text: text, Left: true})
		if err != nil || len(found) != 1 || found[0].Session != "s-c" || found[0].Hits[0].Way != want {
			t.Errorf("%s: %+v, %v", text, found, err)
		}
		if found, err := d.Search(t.Context(), Search{Text: text}); err != nil || len(found) != map[bool]int{true: 1}[want == ""] {
			t.Errorf("%s, without what was left: %+v, %v", text, found, err)
		}
	}
	do(ShortenContext{Replaced: []Shortened{{ID: "u3", Content: "short"}}}, AddPoint{ID: "p1", Text: "shorter"})
	n := 0
	err := d.ForkWay(t.Context(), "r1", Batch{Conv: "b", Session: "s-b"}, func() string { n++; return fmt.Sprint("copy", n) })
	if err != nil {
		t.Fatal(err)
	}
	if got, gets := texts(d.Messages(t.Context(), "s-b")), texts(d.Context(t.Context(), "s-b")); got != "u1 a1 u2 a2 u3 a3" || gets != "u1 a1 u2 a2 short a3" {
		t.Errorf("the branch holds %s, the model gets %s", got, gets)
	}
	if w, err := d.Way(t.Context(), "r1"); err != nil || w.Branch != "s-b" {
		t.Errorf("%+v, %v", w, err)
	}
	do(SetLabel{ID: "r2", Label: " with\nu4 "}, SetLabel{ID: "p1", Label: "here"})
	if w, err := d.Way(t.Context(), "r2"); err != nil || w.Label != "with u4" {
		t.Errorf("%+v, %v", w, err)
	}
	if p, err := d.Points(t.Context(), "s-c"); err != nil || len(p) != 1 || p[0].Label != "here" || p[0].Text != "shorter" {
		t.Errorf("%+v, %v", p, err)
	}
	do(RestoreContext{})
	if p, err := d.Points(t.Context(), "s-c"); err != nil || len(p) != 0 {
		t.Errorf("%+v, %v", p, err)
	}
	if err := d.Delete(t.Context(), "s-b"); err != nil {
		t.Fatal(err)
	}
	if w, err := d.Way(t.Context(), "r1"); err != nil || w.Branch != "" {
		t.Errorf("its branch was deleted: %+v, %v", w, err)
	}
	if err := d.Delete(t.Context(), "s-c"); err != nil {
		t.Fatal(err)
	}
	wantValue(t, path, "SELECT (SELECT COUNT(*) FROM tui_ways) + (SELECT COUNT(*) FROM tui_points)", "0")
	var gone *NotFoundError
	if _, err := d.Way(t.Context(), "r1"); !errors.As(err, &gone) {
		t.Error(err)
	}
}

// TestEarlierTriggersAreReplaced makes the triggers of an earlier version again.
func TestEarlierTriggersAreReplaced(t *testing.T) {
	path := newPath(t)
	mustClose(t, openWith(t, path, Options{}))
	raw(t, path, "DROP TRIGGER tui_forget_session", "CREATE TRIGGER tui_forget_session BEFORE DELETE ON sessions BEGIN DELETE FROM tui_links WHERE session = old.id; END")
	mustClose(t, openWith(t, path, Options{}))
	wantValue(t, path, "SELECT instr(sql, 'tui_ways') > 0 FROM sqlite_master WHERE name = 'tui_forget_session'", "1")
}
