package prompt

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/ui/composer"
)

// to marks a row of the page by its beginning and takes it.
func (b *bench) to(row string) {
	b.t.Helper()
	for range 10 {
		if o, ok := b.p.views[b.p.current].marked(); ok && strings.Contains(o.lead+o.label, row) {
			b.id, b.answer, b.done = b.p.Accept()
			return
		}
		b.p.Right()
	}
	b.t.Fatalf("there is no row %q", row)
}

// TestEditIsAllThatRuns shows nothing but the text that will run, answers with
// exactly that, and survives a change of who asks.
func TestEditIsAllThatRuns(t *testing.T) {
	b := open(t, editable("1", "rm -rf wrong\necho two"))
	b.wait(Quiet)
	b.to("Edit")
	if b.p.Doing() != Editing {
		t.Fatalf("doing %d", b.p.Doing())
	}
	shown := ansi.Strip(strings.Join(b.p.Rows(nil, 60, 12), "\n"))
	if strings.Count(shown, "rm -rf wrong") != 1 || !strings.Contains(shown, "❯ rm -rf wrong") {
		t.Errorf("shown:\n%s", shown)
	}
	b.p.Edit(composer.KillToStart)
	b.p.Text("echo zwei")
	r := editable("1", "rm -rf wrong\necho two")
	r.Path = []string{"“a title that came later”", "root"}
	b.sync(r)
	if shown := ansi.Strip(strings.Join(b.p.Rows(nil, 60, 12), "\n")); !strings.Contains(shown, "that came") || !strings.Contains(shown, "echo zwei") {
		t.Errorf("shown:\n%s", shown)
	}
	id, a, done := b.p.Accept()
	if !done || id != "1" || a.Choice != event.ChoiceEdit || a.Text != "rm -rf wrong\necho zwei" {
		t.Errorf("answered %q %+v %v", id, a, done)
	}
}

// TestEditOnALowScreen keeps the row of the cursor in sight, and as many of the
// others as there is room for.
func TestEditOnALowScreen(t *testing.T) {
	b := open(t, editable("1", "one\ntwo\nthree"))
	b.wait(Quiet)
	b.to("Edit")
	for h, want := range map[int]string{1: "three", 2: "three", 3: "two", 4: "one"} {
		rows := b.p.Rows(nil, 40, h)
		shown := ansi.Strip(strings.Join(rows, "\n"))
		if len(rows) != h || !strings.Contains(shown, want) || !strings.Contains(shown, "three") {
			t.Errorf("%d rows:\n%s", h, shown)
		}
		if _, y, ok := b.p.Cursor(); !ok || !strings.Contains(ansi.Strip(rows[y]), "three") {
			t.Errorf("%d rows: the cursor is in row %d", h, y)
		}
	}
}

// TestDoing tells what keys do on every page.
func TestDoing(t *testing.T) {
	secret := event.Request{ID: "1", Kind: event.RequestSecret, Path: []string{"root"}, Secret: &event.Secret{Label: "password"}}
	many := strings.Fields("a b c d e f g h i j")
	for name, c := range map[string]struct {
		requests []event.Request
		keys     func(b *bench)
		want     Doing
	}{
		"approval":    {[]event.Request{editable("1", "x")}, nil, Judging},
		"trust":       {[]event.Request{folder("1", "/x")}, nil, Judging},
		"reason":      {[]event.Request{editable("1", "x")}, func(b *bench) { b.to("Deny with") }, Explaining},
		"always":      {[]event.Request{ruled("1", "x", "x *")}, func(b *bench) { b.to("Always") }, Considering},
		"all":         {[]event.Request{approval("1", "x"), approval("2", "y")}, func(b *bench) { b.to("All 2") }, Considering},
		"question":    {[]event.Request{question("1", "x", "a", "b")}, nil, Picking},
		"free":        {[]event.Request{question("1", "x")}, nil, Answering},
		"other":       {[]event.Request{question("1", "x", "a")}, func(b *bench) { b.to("2 Other") }, Describing},
		"filter":      {[]event.Request{question("1", "x", many...)}, func(b *bench) { b.p.Text("a") }, Filtering},
		"no filter":   {[]event.Request{question("1", "x", many...)}, nil, Picking},
		"password":    {[]event.Request{secret}, nil, Password},
		"put off":     {[]event.Request{approval("1", "x")}, func(b *bench) { b.p.Later() }, Nothing},
		"none":        {nil, nil, Nothing},
		"went back":   {[]event.Request{editable("1", "x")}, func(b *bench) { b.to("Edit"); b.p.Escape() }, Judging},
		"of 2, later": {[]event.Request{approval("1", "x"), question("2", "y")}, func(b *bench) { b.p.Later() }, Answering},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, c.requests...)
			b.wait(Quiet)
			if c.keys != nil {
				c.keys(b)
			}
			b.draw(80, 20)
			if got := b.p.Doing(); got != c.want {
				t.Errorf("doing %d, want %d", got, c.want)
			}
		})
	}
}
