package prompt

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/themes"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/rows"
)

func approval(id, command string) event.Request {
	return event.Request{
		ID: event.RequestID(id), Kind: event.RequestApproval, Path: []string{"root"},
		Approval: &event.Approval{Action: "run", Text: command, SHA256: "00", Reason: "rewrites the remote branch", Dir: "~/src/app"},
	}
}

func ruled(id, command, rule string) event.Request {
	r := approval(id, command)
	r.Approval.Rule = rule
	return r
}

// reaching asks about a host, outside about a run with all rights.
func reaching(id string) event.Request {
	r := approval(id, "registry.npmjs.org:443\nfor: npm install")
	r.Approval.Action, r.Approval.Reason = "connect to", "connects to a host that is not allowed yet"
	r.Approval.Confinement, r.Approval.Rule = "stays confined: what it can read, it can send there", "connect to registry.npmjs.org"
	r.Approval.Scopes = []event.Scope{{Label: "this host", Rule: "connect to registry.npmjs.org"}, {Label: "*.npmjs.org", Rule: "connect to *.npmjs.org"}}
	return r
}

func outside(id string) event.Request {
	r := approval(id, "npm install -g left-pad")
	r.Approval.Action = "run again outside"
	r.Approval.Reason, r.Approval.Rule = "was not let write to /usr/lib/node_modules/left-pad", "npm install -g left-pad"
	r.Approval.Confinement, r.Approval.Confinable, r.Approval.Again = "ran confined and failed, changing nothing; outside it has all your rights", true, true
	r.Approval.Scopes = []event.Scope{{Label: "this command", Rule: "npm install -g left-pad"}, {Label: "this program", Rule: "npm *"}}
	return r
}

func question(id, text string, choices ...string) event.Request {
	return event.Request{
		ID: event.RequestID(id), Kind: event.RequestClarify, Path: []string{"root", "explore"},
		Clarify: &event.Clarify{Question: text, Choices: choices},
	}
}

func folder(id, root string, files ...string) event.Request {
	return event.Request{ID: event.RequestID(id), Kind: event.RequestTrust, Path: []string{"root"}, Trust: &event.Trust{Root: root, Files: files}}
}

// start is when the tests begin.
var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// bench is a panel with a clock.
type bench struct {
	t   *testing.T
	p   *Panel
	now time.Time
	// id, answer and done are what the newest key gave.
	id     event.RequestID
	answer event.Answer
	done   bool
}

func open(t *testing.T, requests ...event.Request) *bench {
	t.Helper()
	b := &bench{t: t, p: New(rows.NewStyles(themes.Dark())), now: start}
	b.sync(requests...)
	return b
}

func (b *bench) sync(requests ...event.Request) {
	b.t.Helper()
	b.p.Sync(requests)
	b.p.Observe(b.now, false, true)
	b.draw(80, 20)
}

// wait lets time pass and does what the root does at the time that the panel
// asked for.
func (b *bench) wait(d time.Duration) {
	b.now = b.now.Add(d)
	if at, ok := b.p.ArmAt(); ok && !b.now.Before(at) {
		b.p.Observe(b.now, false, true)
	}
}

func armed(t *testing.T, requests ...event.Request) *bench {
	t.Helper()
	b := open(t, requests...)
	b.arm()
	return b
}

func (b *bench) arm() {
	b.t.Helper()
	b.draw(80, 20)
	b.p.Observe(b.now, false, true)
	b.wait(Quiet)
	if !b.p.Armed() {
		b.t.Fatal("not armed")
	}
}

// draw draws the panel and checks that its rows are exact.
func (b *bench) draw(w, h int) []string {
	b.t.Helper()
	list := b.p.Rows([]string{"before"}, w, h)
	if list[0] != "before" || len(list) != h+1 {
		b.t.Fatalf("%d rows of %d", len(list)-1, h)
	}
	for i, row := range list[1:] {
		if rows.Width(row) != w || strings.ContainsAny(row, "\n\t\r") {
			b.t.Fatalf("row %d of %d x %d has %d cells: %q", i, w, h, rows.Width(row), row)
		}
	}
	if x, y, ok := b.p.Cursor(); ok && (x < 0 || x >= w || y < 0 || y >= h) {
		b.t.Fatalf("cursor at %d, %d of %d x %d", x, y, w, h)
	}
	return list[1:]
}

// press gives keys to the panel as the root does, and draws after each.
func (b *bench) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.p.Observe(b.now, true, true)
		verbs := map[string]func() (event.RequestID, event.Answer, bool){
			"up": b.p.Up, "down": b.p.Down, "left": b.p.Left, "right": b.p.Right, "enter": b.p.Accept,
			"esc": b.p.Escape, "tab": b.p.Later, "backspace": b.p.Backspace, "next": b.p.NextQuestion, "prev": b.p.PrevQuestion,
		}
		switch verb := verbs[k]; {
		case verb != nil:
			b.id, b.answer, b.done = verb()
		case k == "pgdn":
			b.p.PageDown()
		case k == "pgup":
			b.p.PageUp()
		case !b.p.Takes(k):
			b.t.Fatalf("%q is not taken", k)
		default:
			b.id, b.answer, b.done = "", event.Answer{}, false
			b.p.Text(k)
		}
		b.draw(80, 20)
	}
}

func (b *bench) want(id string, a event.Answer) {
	b.t.Helper()
	if !b.done || b.id != event.RequestID(id) || !equal(b.answer, a) {
		b.t.Errorf("got %q %+v (%v), want %q %+v", b.id, b.answer, b.done, id, a)
	}
}

func (b *bench) wantNone() {
	b.t.Helper()
	if b.done || b.id != "" || !isNone(b.answer) {
		b.t.Errorf("got %q %+v (%v), want no answer", b.id, b.answer, b.done)
	}
}

// equal compares answers.
func equal(a, b event.Answer) bool { return reflect.DeepEqual(a, b) }

func isNone(a event.Answer) bool { return equal(a, event.Answer{}) }

func text(s string) event.Answer { return event.Answer{Choice: event.ChoiceText, Text: s} }

func choice(c event.Choice) event.Answer { return event.Answer{Choice: c} }

func TestAnswers(t *testing.T) {
	a, ruledA := approval("a", "git push"), ruled("a", "git push", "git push *")
	q, free := question("q", "Which one?", "first", "second"), question("q", "Why?")
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("entry %d", i))
	}
	long := question("q", "Which of them?", many...)
	f := folder("f", "/src/app", "AGENTS.md")
	net, out, before := reaching("n"), outside("o"), outside("b")
	before.Approval.Again = false
	for _, c := range []struct {
		name    string
		request event.Request
		keys    string
		want    event.Answer // zero: none
	}{
		{"enter denies", a, "enter", choice(event.ChoiceDeny)},
		{"esc denies", a, "esc", choice(event.ChoiceDeny)},
		{"esc denies on an allowing row", ruledA, "down,esc", choice(event.ChoiceDeny)},
		{"once", a, "right,enter", choice(event.ChoiceOnce)},
		{"once by digit", a, "2,enter", choice(event.ChoiceOnce)},
		{"a digit only marks", ruledA, "3", event.Answer{}},
		{"session", ruledA, "down,down,enter", choice(event.ChoiceSession)},
		{"a session asks for its scope", net, "3,enter", event.Answer{}},
		{"the narrowest scope of a session", net, "3,enter,2,enter", event.Answer{Choice: event.ChoiceSession, Text: "connect to registry.npmjs.org"}},
		{"a wider scope for good", net, "4,enter,down,down,enter", event.Answer{Choice: event.ChoiceAlways, Text: "connect to *.npmjs.org"}},
		{"back from a scope, then the other page", net, "3,enter,1,enter,4,enter,2,enter", event.Answer{Choice: event.ChoiceAlways, Text: "connect to registry.npmjs.org"}},
		{"left as it ended", out, "enter", choice(event.ChoiceConfined)},
		{"esc denies what would run again", out, "esc", choice(event.ChoiceDeny)},
		{"run confined", before, "5,enter", choice(event.ChoiceConfined)},
		{"denied before it runs", before, "enter", choice(event.ChoiceDeny)},
		{"once, outside", out, "2,enter", choice(event.ChoiceOnce)},
		{"always asks once more", ruledA, "4,enter", event.Answer{}},
		{"always stands on back", ruledA, "4,enter,enter", event.Answer{}},
		{"back stands on deny", ruledA, "4,enter,enter,enter", choice(event.ChoiceDeny)},
		{"always", ruledA, "4,enter,down,enter", choice(event.ChoiceAlways)},
		{"always by digit", ruledA, "4,enter,2,enter", choice(event.ChoiceAlways)},
		{"esc leaves always", ruledA, "4,enter,down,esc", event.Answer{}},
		{"esc twice denies", ruledA, "4,enter,down,esc,esc", choice(event.ChoiceDeny)},
		{"without a rule the third row gives a reason", a, "3,enter,n,o,enter", event.Answer{Choice: event.ChoiceDeny, Text: "no"}},
		{"a reason", ruledA, "5,enter,not ,now,enter", event.Answer{Choice: event.ChoiceDeny, Text: "not now"}},
		{"digits are text in a reason", ruledA, "5,enter,2,enter", event.Answer{Choice: event.ChoiceDeny, Text: "2"}},
		{"arrows move in a reason", ruledA, "5,enter,ac,left,b,up,down,right,d,backspace,enter", event.Answer{Choice: event.ChoiceDeny, Text: "abc"}},
		{"no reason", ruledA, "5,enter,enter", choice(event.ChoiceDeny)},
		{"esc leaves a reason", ruledA, "5,enter,x,esc", event.Answer{}},
		{"the mark stops at the ends", ruledA, "left,left,right,right,right,right,right,right,right,enter,x,enter", event.Answer{Choice: event.ChoiceDeny, Text: "x"}},
		{"a choice by enter", q, "enter", text("first")},
		{"a choice by arrow", q, "down,enter", text("second")},
		{"a digit only marks a choice", q, "2", event.Answer{}},
		{"a choice by digit", q, "2,enter", text("second")},
		{"other by digit", q, "3,enter,my own,enter", text("my own")},
		{"other by arrow", q, "down,down,down,enter,x,enter", text("x")},
		{"esc leaves other", q, "3,enter,x,esc", event.Answer{}},
		{"esc leaves other and then the question", q, "3,enter,x,esc,esc", choice(event.ChoiceNone)},
		{"esc gives no answer", q, "esc", choice(event.ChoiceNone)},
		{"free text", free, "be,cause,backspace,enter", text("becaus")},
		{"digits in free text", free, "1,0,enter", text("10")},
		{"no free text", free, "enter", event.Answer{}},
		{"blanks are no free text", free, " ,enter", event.Answer{}},
		{"esc gives no free text", free, "x,esc", choice(event.ChoiceNone)},
		{"a filter", long, "7,enter", text("entry 7")},
		{"a filter and an arrow", long, "y 1,down,enter", text("entry 10")},
		{"a filter is case-blind", long, "ENTRY 19,enter", text("entry 19")},
		{"a filter is edited", long, "x1,left,backspace,enter", text("entry 1")},
		{"a filter without matches is the other answer", long, "mine,enter,enter", text("mine")},
		{"esc clears a filter", long, "9,esc,enter", text("entry 0")},
		{"esc without a filter", long, "9,esc,esc", choice(event.ChoiceNone)},
		{"a folder is not trusted by enter", f, "enter", choice(event.ChoiceDeny)},
		{"a folder is not trusted by esc", f, "right,esc", choice(event.ChoiceDeny)},
		{"a folder is trusted", f, "down,enter", choice(event.ChoiceAlways)},
		{"a folder is trusted by digit and enter", f, "2,enter", choice(event.ChoiceAlways)},
		{"a digit does not trust", f, "2", event.Answer{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := armed(t, c.request)
			b.press(strings.Split(c.keys, ",")...)
			if isNone(c.want) {
				b.wantNone()
				if !b.p.Active() {
					t.Error("the request is gone")
				}
				return
			}
			b.want(string(c.request.ID), c.want)
			if b.p.Active() || b.p.Armed() {
				t.Error("the request is still there")
			}
		})
	}
}

func TestTextThatIsNotTaken(t *testing.T) {
	for _, c := range []struct {
		request event.Request
		text    string
	}{
		{approval("a", "x"), "x"}, {approval("a", "x"), "a"}, {approval("a", "x"), "4"}, {approval("a", "x"), "0"}, {approval("a", "x"), "12"},
		{question("q", "?", "one"), "3"}, {question("q", "?", "one"), "o"}, {folder("f", "/"), "3"}, {folder("f", "/"), "yes"},
	} {
		b := armed(t, c.request)
		if b.p.Takes(c.text) {
			t.Errorf("%s takes %q", c.request.Kind, c.text)
		}
		b.p.Text(c.text)
		if b.p.Disarm(); b.p.Armed() {
			t.Error("still armed")
		}
		b.wait(Quiet)
		if !b.p.Armed() {
			t.Error("quiet does not arm again")
		}
	}
}

func TestPaste(t *testing.T) {
	for _, r := range []event.Request{approval("a", "x"), question("q", "?", "one"), folder("f", "/")} {
		b := armed(t, r)
		if b.p.Paste("1\r") || !b.p.Armed() {
			t.Errorf("a paste is taken by %s", r.Kind)
		}
	}
	b := armed(t, question("q", "?"))
	if !b.p.Paste("two\r\nlines") {
		t.Error("a paste into an answer is not taken")
	}
	b.press("enter")
	b.want("q", text("two\nlines"))
	b = open(t, question("q", "?"))
	if b.p.Paste("x") || b.p.Takes("x") {
		t.Error("a paste is taken before the request is armed")
	}
}

func TestEdit(t *testing.T) {
	b := armed(t, question("q", "?"))
	b.press("one two")
	for _, a := range []composer.Action{composer.DeleteWordLeft, composer.Home, composer.Undo} {
		if !b.p.Edit(a) {
			t.Errorf("action %d is not taken", a)
		}
	}
	if b.p.Edit(composer.Newline) {
		t.Error("a line break is taken")
	}
	b.press("enter")
	b.want("q", text("one two"))
	if armed(t, approval("a", "x")).p.Edit(composer.Backspace) {
		t.Error("an action without a text is taken")
	}
}

func TestQueue(t *testing.T) {
	a, b, c := approval("a", "1"), approval("b", "2"), approval("c", "3")
	x := armed(t, a, b, c)
	if x.p.Waiting() != 3 {
		t.Errorf("%d wait", x.p.Waiting())
	}
	x.press("tab")
	if r, _ := x.p.Current(); r.ID != "b" || !x.p.Armed() {
		t.Errorf("after tab: %s, armed %v", r.ID, x.p.Armed())
	}
	x.press("enter")
	x.want("b", choice(event.ChoiceDeny))
	if r, _ := x.p.Current(); r.ID != "c" || x.p.Armed() {
		t.Errorf("after an answer: %s, armed %v", r.ID, x.p.Armed())
	}
	x.press("enter")
	x.wantNone()
	x.sync(a, b, c) // the answer to b is on its way
	if r, _ := x.p.Current(); r.ID != "c" || x.p.Waiting() != 2 {
		t.Errorf("%s of %d", r.ID, x.p.Waiting())
	}
	x.arm()
	x.press("esc")
	x.want("c", choice(event.ChoiceDeny))
	x.sync(a)
	if _, ok := x.p.ArmAt(); ok {
		t.Error("what was put off arms by itself")
	}
	x.p.Arm()
	x.press("esc")
	x.want("a", choice(event.ChoiceDeny))
	if x.p.Active() {
		t.Error("something waits")
	}
	x.sync()
	x.sync(a)
	if !x.p.Active() {
		t.Error("a request of the same id does not come back")
	}
}

func TestNothingReplacesWhatIsInSight(t *testing.T) {
	a, b, c := ruled("a", "first", "first *"), approval("b", "second"), approval("c", "third")
	x := armed(t, b)
	x.press("right")
	x.sync(a, b, c)
	if r, _ := x.p.Current(); r.ID != "b" || !x.p.Armed() {
		t.Errorf("%s is in sight, armed %v", r.ID, x.p.Armed())
	}
	x.press("enter")
	x.want("b", choice(event.ChoiceOnce))

	// It is withdrawn: what takes its place is not armed and stands on Deny.
	x = armed(t, a, b)
	x.press("right")
	x.sync(b)
	if r, _ := x.p.Current(); r.ID != "b" || x.p.Armed() {
		t.Errorf("%s is in sight, armed %v", r.ID, x.p.Armed())
	}
	x.press("enter")
	x.wantNone()
	x.arm()
	x.press("enter")
	x.want("b", choice(event.ChoiceDeny))

	// The same id asks for something else.
	x = armed(t, a)
	x.press("right")
	x.sync(approval("a", "rm -rf /"))
	x.press("enter")
	x.wantNone()
	x.arm()
	x.press("enter")
	x.want("a", choice(event.ChoiceDeny))
}

// TestTurn shows the request that is expected, which takes no key before it was seen.
func TestTurn(t *testing.T) {
	b := armed(t, approval("a", "one"), approval("b", "two"))
	b.p.Turn("b")
	if now, _ := b.p.Current(); now.ID != "b" || b.p.Armed() {
		t.Fatalf("shows %s, armed %v", now.ID, b.p.Armed())
	}
	b.press("enter")
	b.wantNone()
	b.arm()
	b.p.Turn("b")
	b.p.Turn("gone")
	b.press("right", "enter")
	b.want("b", choice(event.ChoiceOnce))
	if now, _ := b.p.Current(); now.ID != "a" {
		t.Errorf("%s is left", now.ID)
	}
}

func TestStateIsKeptPerRequest(t *testing.T) {
	x := armed(t, approval("a", "1"), question("q", "?"))
	x.press("3", "enter", "because", "tab", "an answer", "tab")
	if x.p.Armed() {
		t.Error("armed after all were put off")
	}
	x.p.Arm()
	x.press("tab", "!", "enter")
	x.want("a", event.Answer{Choice: event.ChoiceDeny, Text: "because!"})
	x.p.Arm()
	x.press("enter")
	x.want("q", text("an answer"))
}

func TestReopen(t *testing.T) {
	a, b := approval("a", "1"), approval("b", "2")
	x := armed(t, a)
	x.press("enter")
	x.p.Reopen("a")
	if r, _ := x.p.Current(); r.ID != "a" || x.p.Armed() {
		t.Errorf("%s is in sight, armed %v", r.ID, x.p.Armed())
	}
	x.p.Reopen("gone")
	x = armed(t, a, b)
	x.press("enter")
	x.p.Reopen("a")
	if r, _ := x.p.Current(); r.ID != "b" || x.p.Waiting() != 2 {
		t.Errorf("%s is in sight of %d", r.ID, x.p.Waiting())
	}
	x.sync()
	x.p.Reopen("a")
	if x.p.Active() {
		t.Error("a request that no longer waits came back")
	}
}

func TestRequestsThatCanNotBeAnswered(t *testing.T) {
	x := open(t,
		event.Request{ID: "1", Kind: event.RequestApproval},
		event.Request{ID: "2", Kind: event.RequestClarify},
		event.Request{ID: "3", Kind: event.RequestTrust},
		event.Request{ID: "4", Kind: "secret"},
	)
	if x.p.Active() || x.p.Height(80, 10) != 0 {
		t.Error("a request without content is shown")
	}
	x.draw(80, 2)
	x.sync(approval("a", "x"), approval("a", "y"))
	if x.p.Waiting() != 1 {
		t.Errorf("%d wait", x.p.Waiting())
	}
}

// editable is an approval whose text may be changed.
func editable(id, command string) event.Request {
	r := approval(id, command)
	r.Approval.Editable = true
	return r
}

func password(id string) event.Request {
	return event.Request{
		ID: event.RequestID(id), Kind: event.RequestSecret, Path: []string{"root"},
		Secret: &event.Secret{Label: "sudo password of anna", Reason: "sudo apt-get install jq"},
	}
}

// TestEditThenRun changes a command before it runs; going back keeps it waiting.
func TestEditThenRun(t *testing.T) {
	b := armed(t, editable("1", "git push -f"))
	b.press("right", "right", "enter")
	b.wantNone()
	b.press("backspace", "backspace", "esc")
	b.wantNone()
	b.press("right", "right", "enter", "backspace", "backspace", "enter")
	b.want("1", event.Answer{Choice: event.ChoiceEdit, Text: "git push "})

	b = armed(t, editable("1", "x"))
	b.press("right", "right", "enter", "backspace", "enter")
	b.wantNone() // there is nothing to run
	if !b.p.Edit(composer.Newline) {
		t.Error("a command cannot have another line")
	}
	if strings.Contains(b.picture(80, 10), "Edit") {
		t.Error("the rows to choose from are shown below the text")
	}
	b = armed(t, approval("1", "x"))
	if strings.Contains(b.picture(80, 10), "Edit") {
		t.Error("what cannot be edited offers it")
	}
}

// TestPassword types one blind: nothing of it is drawn, undone or copied.
func TestPassword(t *testing.T) {
	b := armed(t, password("1"), approval("2", "ls"))
	b.press("enter")
	b.wantNone()
	b.p.Text("hunter2x")
	b.press("backspace")
	if pic := b.picture(80, 10); strings.Contains(pic, "hunter") || !strings.Contains(pic, "•••••••") {
		t.Errorf("the screen shows\n%s", pic)
	}
	for _, a := range []composer.Action{composer.Undo, composer.Yank, composer.Redo} {
		b.p.Edit(a)
	}
	b.press("enter")
	b.want("1", text("hunter2"))

	b = armed(t, password("1"))
	b.p.Text("abc")
	b.p.Edit(composer.KillToStart)
	b.p.Edit(composer.Yank)
	if !b.p.Paste("pasted\r\n") {
		t.Error("a password cannot be pasted")
	}
	b.press("enter")
	b.want("1", text("pasted"))
	b = armed(t, password("1"))
	b.p.Text("abc")
	b.press("esc")
	b.want("1", choice(event.ChoiceNone))
}

// TestAllOfAKind answers several approvals at once, after all of them were in
// sight; others keep waiting.
func TestAllOfAKind(t *testing.T) {
	other := approval("3", "curl x | sh")
	other.Approval.Category = "remote_exec"
	requests := []event.Request{approval("1", "rm -rf a"), approval("2", "rm -rf b"), other, approval("4", "rm -rf c")}
	group := func() *bench {
		b := armed(t, requests...)
		b.press("right", "right", "right", "right", "enter")
		b.wantNone()
		if pic := b.picture(80, 20); !strings.Contains(pic, "rm -rf a") || !strings.Contains(pic, "rm -rf c") || strings.Contains(pic, "curl") {
			t.Errorf("the screen shows\n%s", pic)
		}
		return b
	}
	b := group()
	b.press("right", "right", "enter")
	b.want("1", choice(event.ChoiceOnce))
	more := b.p.More()
	if !reflect.DeepEqual(more, []Answered{{"2", choice(event.ChoiceOnce)}, {"4", choice(event.ChoiceOnce)}}) {
		t.Errorf("along with it %v", more)
	}
	if r, _ := b.p.Current(); r.ID != "3" || b.p.Waiting() != 1 || len(b.p.More()) != 0 {
		t.Errorf("%s is shown, %d wait", r.ID, b.p.Waiting())
	}

	b = group()
	b.sync(requests[0], requests[2], requests[3], approval("5", "rm -rf d")) // one went, one came
	b.press("right", "enter")
	b.want("1", choice(event.ChoiceDeny))
	if more := b.p.More(); !reflect.DeepEqual(more, []Answered{{"4", choice(event.ChoiceDeny)}}) {
		t.Errorf("along with it %v", more)
	}
	b = group()
	b.press("enter")
	b.wantNone()
	long := approval("5", strings.Repeat("rm -rf e\n", 40))
	b = armed(t, requests[0], long)
	b.press("right", "right", "right", "right", "enter", "right", "right", "enter")
	b.wantNone() // not all of it was in sight
	b.press("pgdn", "pgdn", "pgdn", "pgdn", "right", "right", "enter")
	b.want("1", choice(event.ChoiceOnce))
}
