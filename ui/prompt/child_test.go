package prompt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// child has an approval come from a subagent of a subagent.
func child(id, command string) event.Request {
	r := approval(id, command)
	r.Path = []string{"root", "read the documents about the write-ahead log of SQLite and say what a checkpoint blocks", "run the examples"}
	return r
}

// TestFramesOfQuestions are the pages of questions and what children ask.
func TestFramesOfQuestions(t *testing.T) {
	tests := several("q", "Which of the tests should run before each commit, and which only at night?", "unit", "the race detector, which takes nine minutes on the machine that runs it", "fuzz")
	soon := batch("q")
	soon.Until = start.Add(4*time.Minute + 31*time.Second)
	timed := child("a", "git push --force-with-lease origin fix/append")
	timed.Until = start.Add(time.Hour + time.Second)
	for _, c := range []struct {
		name     string
		requests []event.Request
		keys     string
	}{
		{"several waiting", []event.Request{tests}, "-"},
		{"several", []event.Request{tests}, "2,down"},
		{"several nothing", []event.Request{tests}, "enter"},
		{"several own", []event.Request{tests}, "2,4,only what has changed,enter"},
		{"several text", []event.Request{tests}, "2,4,only what"},
		{"several filter", []event.Request{several("q", "Which branches?", branches(30)...)}, "2, ,down, "},
		{"batch", []event.Request{batch("q")}, ""},
		{"batch back", []event.Request{batch("q"), approval("a", "x")}, "2,enter,left"},
		{"batch several", []event.Request{soon}, "2,enter,1,3"},
		{"batch free", []event.Request{batch("q")}, "right,right,append"},
		{"batch free empty", []event.Request{batch("q")}, "right,right,enter"},
		{"batch review", []event.Request{soon}, "2,enter,1,3,enter,append,enter,7,enter"},
		{"batch review open", []event.Request{batch("q")}, "2,enter,right,append,esc,up"},
		{"batch review none", []event.Request{batch("q")}, "next,next,next,next"},
		{"put off", []event.Request{batch("q"), child("a", "ls")}, "tab,tab"},
		{"child approval", []event.Request{timed}, ""},
		{"child approval waiting", []event.Request{child("a", "make test"), batch("q")}, "-"},
		{"child question", []event.Request{func() event.Request { r := batch("q"); r.Path = timed.Path; return r }()}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, c.requests...)
			if c.keys != "-" {
				b.arm()
			}
			if c.keys != "-" && c.keys != "" {
				b.press(strings.Split(c.keys, ",")...)
			}
			var s strings.Builder
			for _, w := range []int{40, 70, 100, 160} {
				s.WriteString(b.picture(w, b.p.Height(w, 14)))
			}
			s.WriteString(b.picture(70, 4))
			s.WriteString(b.picture(40, 2))
			golden(t, c.name, s.String())
		})
	}
}

func TestPathIn(t *testing.T) {
	long := "read the documents about the write-ahead log"
	for _, c := range []struct {
		names []string
		w     int
		want  string
	}{
		{[]string{"root"}, 20, "root"},
		{[]string{"root", "fix"}, 10, "root › fix"},
		{[]string{"root", long}, 30, "root › read the do…e-ahead log"},
		{[]string{"root", long, "run the examples"}, 40, "root › read th…ead log › run the…xamples"},
		{[]string{"root", long, "run the examples"}, 24, "root › … › run th…amples"},
		{[]string{"root", long, "run the examples"}, 16, "… › run th…mples"},
		{[]string{"root", long, "run the examples"}, 8, "run …les"},
		{[]string{"root", long, long, "fix"}, 26, "root › … › read… log › fix"},
		{[]string{"root", "漢字漢字漢字漢字漢字"}, 17, "root › 漢字…漢字"},
		{[]string{"root", "fix"}, 3, "fix"},
		{[]string{"root", "fix it"}, 2, "f…"},
		{[]string{"root"}, 0, ""},
	} {
		if got := pathIn(c.names, c.w); rows.Width(got) > c.w || got != c.want {
			t.Errorf("%q in %d: %q (%d), want %q", c.names, c.w, got, rows.Width(got), c.want)
		}
	}
}

// TestCutMiddle keeps both ends and the width, whatever the text.
func TestCutMiddle(t *testing.T) {
	r := random{rand.New(rand.NewPCG(5, 5))}
	for range 5000 {
		s, w := strings.TrimSpace(spell(term.Line(r.text(12)))), r.IntN(40)
		got := cutMiddle(s, w)
		if n := rows.Width(got); n > w || n < min(rows.Width(s), w)-3 {
			t.Fatalf("%q in %d: %q (%d)", s, w, got, n)
		}
		if head, tail, cut := strings.Cut(got, "…"); cut && w >= 4 && (!strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail)) {
			t.Fatalf("%q in %d: %q", s, w, got)
		}
	}
}

// TestTheWholePathIsSomewhere has children with names of any length: the header or
// the content holds all of the path, and the command stays the first row.
func TestTheWholePathIsSomewhere(t *testing.T) {
	squeeze := func(s string) string {
		s = strings.NewReplacer("“", "", "”", "", "┃", "", "│", "", "· ", "", "┊ ", "", " ", "", "\n", "").Replace(s)
		return s
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		q := approval("a", "make test")
		for i := range 1 + r.IntN(5) {
			q.Path = append(q.Path, fmt.Sprintf("agent%d", i)+strings.Repeat("x", r.IntN(60)))
		}
		if r.IntN(2) == 0 {
			q.Until = start.Add(time.Hour)
		}
		b := open(t, q, question("q", "?"))
		if r.IntN(2) == 0 {
			b.arm()
		}
		for _, w := range []int{40, 57, 70, 80, 100, 160} {
			list := strings.Split(plainRows(b.draw(w, 40)), "\n")
			if !strings.Contains(list[1], "make test") || !strings.Contains(list[0], "wants to run") {
				t.Fatalf("at %d:\n%s", w, strings.Join(list, "\n"))
			}
			if all := squeeze(strings.Join(list, "\n")); !strings.Contains(all, squeeze(strings.Join(q.Path[1:], "›"))) {
				t.Fatalf("seed %d: at %d the path %q is not in\n%s", seed, w, q.Path, strings.Join(list, "\n"))
			}
		}
	}
}

// TestALongPathHoldsNothingUp allows a command that was in sight while the path of
// its agent was not.
func TestALongPathHoldsNothingUp(t *testing.T) {
	r := child("a", "make test")
	r.Path[1] = strings.Repeat("a goal of several pages ", 300)
	b := armed(t, r)
	b.draw(80, 8)
	b.press("right")
	if b.id, b.answer, b.done = b.p.Accept(); !b.done {
		t.Fatalf("not answered:\n%s", b.picture(80, 8))
	}
	b.want("a", choice(event.ChoiceOnce))
}

func TestCountdown(t *testing.T) {
	r := question("q", "Which?", "a", "b")
	b := open(t, r)
	if b.p.Animating() || b.p.Tick(start.Add(time.Second)) {
		t.Error("a request without an end animates")
	}
	r.Until = start.Add(4*time.Minute + 32*time.Second)
	b = open(t, r)
	if !b.p.Animating() {
		t.Error("a countdown does not animate")
	}
	for _, c := range []struct {
		after   time.Duration
		shown   string
		changed bool
	}{
		{0, "answer within 4:32", false},
		{time.Millisecond, "answer within 4:32", false},
		{time.Second, "answer within 4:31", true},
		{4 * time.Minute, "answer within 0:32", true},
		{4*time.Minute + 31*time.Second + 1, "answer within 0:01", true},
		{4*time.Minute + 32*time.Second, "answer within 0:00", true},
		{time.Hour, "answer within 0:00", false},
	} {
		if changed := b.p.Tick(start.Add(c.after)); changed != c.changed {
			t.Errorf("after %v: changed %v", c.after, changed)
		}
		if pic := b.picture(80, 6); !strings.Contains(pic, c.shown) {
			t.Errorf("after %v:\n%s", c.after, pic)
		}
	}
	if b.p.Animating() {
		t.Error("a countdown that has ended animates")
	}
	// More time, without anything lost.
	r.Until = start.Add(3 * time.Hour)
	b.sync(r)
	if b.p.Tick(start); !strings.Contains(b.picture(80, 6), "answer within 3:00:00") || !b.p.Animating() {
		t.Errorf("more time:\n%s", b.picture(80, 6))
	}
	b.sync()
	if b.p.Animating() {
		t.Error("nothing animates")
	}
}

// TestGone mentions only what was on the screen and got no answer here.
func TestGone(t *testing.T) {
	a, q := approval("a", "make test"), question("q", "Which?", "x")
	b := open(t, a, q)
	if _, ok := b.p.Gone(); ok {
		t.Error("gone before anything went")
	}
	b.sync(a)
	if r, ok := b.p.Gone(); ok {
		t.Errorf("%s was not in sight", r.ID)
	}
	b.sync()
	if r, ok := b.p.Gone(); !ok || r.ID != "a" {
		t.Errorf("gone is %q (%v)", r.ID, ok)
	}
	if _, ok := b.p.Gone(); ok {
		t.Error("gone twice")
	}
	b = armed(t, a)
	b.press("enter")
	b.sync()
	if _, ok := b.p.Gone(); ok {
		t.Error("an answered request is mentioned")
	}
	b = open(t)
	b.p.Sync([]event.Request{a})
	b.p.Sync(nil)
	if _, ok := b.p.Gone(); ok {
		t.Error("a request that was never drawn is mentioned")
	}
}

func TestEnded(t *testing.T) {
	q := question("q", "Which\none?\x1b[2J", "x")
	many := batch("q")
	many.Path = nil
	for _, c := range []struct {
		r    event.Request
		by   event.Resolver
		want string
	}{
		{reaching("a"), event.ByAsker, "The agent needs no answer any more to its question whether to connect to “registry.npmjs.org:443”: what asked has ended, or has given up."},
		{approval("a", "make test"), event.ByInterrupt, "The agent was stopped; its question whether to run “make test” is withdrawn."},
		{q, event.ByTimeout, "“explore” got no answer in time; its question “Which␤one?” counts as not answered."},
		{q, event.ByUser, "“explore” got an answer elsewhere to its question “Which␤one?”."},
		{many, "", "An agent has withdrawn its 4 questions, the first “Which database?”."},
		{password("a"), event.ByShutdown, "The agent has withdrawn its question for “sudo password of anna”."},
		{folder("f", "/src"), "", "The question whether to trust “/src” is withdrawn."},
		{approval("a", strings.Repeat("漢", 4000)), "", "The agent has withdrawn its question whether to run “" + strings.Repeat("漢", 15) + "…" + strings.Repeat("漢", 14) + "”."},
	} {
		if got := Ended(c.r, c.by); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
