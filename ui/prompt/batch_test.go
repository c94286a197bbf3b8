package prompt

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/ui/composer"
)

// several is a question of which several choices may be taken.
func several(id, text string, choices ...string) event.Request {
	r := question(id, text, choices...)
	r.Clarify.Multi = true
	return r
}

// batch is one question about a database, one about tests of which several may be
// taken, one for a free answer, and one with more choices than digits reach.
func batch(id string) event.Request {
	r := question(id, "Which database?", "SQLite", "Postgres")
	r.Clarify.More = []event.ClarifyMore{
		{Question: "Which tests?", Choices: []string{"unit", "race", "fuzz"}, Multi: true},
		{Question: "What is it called?"},
		{Question: "Which branch?", Choices: branches(12)},
	}
	return r
}

func branches(n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("branch %d", i))
	}
	return list
}

func parts(list ...[]string) event.Answer {
	for i := range list {
		if list[i] == nil {
			list[i] = []string{}
		}
	}
	return event.Answer{Choice: event.ChoiceText, Parts: list}
}

func TestAnswersInParts(t *testing.T) {
	m, q := several("q", "Which?", "a", "b", "c"), batch("q")
	long := several("q", "Which?", branches(12)...)
	for _, c := range []struct {
		name    string
		request event.Request
		keys    string
		want    event.Answer // zero: none
	}{
		{"a blank takes", m, " ,down,down, ,enter", parts([]string{"a", "c"})},
		{"a digit takes", m, "3,1,enter", parts([]string{"a", "c"})},
		{"a digit takes and sends nothing", m, "1,2,3", event.Answer{}},
		{"twice gives back", m, "1,2,1,enter", parts([]string{"b"})},
		{"done sends", m, "2,down,down,down,enter", parts([]string{"b"})},
		{"nothing taken sends nothing", m, "enter,enter,enter", event.Answer{}},
		{"nothing taken and done sends nothing", m, "1,1,down,down,down,down,enter", event.Answer{}},
		{"a text is one more", m, "2,4,mine,enter,enter", parts([]string{"b", "mine"})},
		{"two texts", m, "4,one,enter,5,two,enter,enter", parts([]string{"one", "two"})},
		{"a text can be given back", m, "1,4,mine,enter, ,enter", parts([]string{"a"})},
		{"a text that is offered", m, "4,b,enter,enter", parts([]string{"b"})},
		{"a blank on other writes", m, "down,down,down, ,x,enter,enter", parts([]string{"x"})},
		{"an empty text is none", m, "1,4,enter,esc,enter", parts([]string{"a"})},
		{"blanks in a text", m, "4,x, ,y,enter,enter", parts([]string{"x y"})},
		{"digits in a text", m, "4,1,2,enter,enter", parts([]string{"12"})},
		{"esc leaves a text", m, "1,4,x,esc,enter", parts([]string{"a"})},
		{"esc gives no answer", m, "1,2,esc", choice(event.ChoiceNone)},
		{"left and right are up and down", m, "right, ,enter", parts([]string{"b"})},
		{"a filter takes", long, "11,enter,down,enter", parts([]string{"branch 11"})},
		{"a blank takes in a filter", long, "1, ,down, ,esc,enter", parts([]string{"branch 1", "branch 10"})},
		{"enter with a filter sends nothing", long, "7,enter", event.Answer{}},
		{"esc clears the filter", long, "7, ,esc", event.Answer{}},
		{"a filter without a match writes", long, "mine,enter,enter,enter", parts([]string{"mine"})},

		{"all of a batch", q, "2,enter,1,3,enter,name,enter,11,enter,enter", parts([]string{"Postgres"}, []string{"unit", "fuzz"}, []string{"name"}, []string{"branch 11"})},
		{"a batch is reviewed first", q, "2,enter,1,enter,name,enter,11,enter", event.Answer{}},
		{"some are left open", q, "right,right,name,enter,right,enter", parts(nil, nil, []string{"name"}, nil)},
		{"none is no answer", q, "right,right,right,right,enter", choice(event.ChoiceNone)},
		{"esc at once is no answer", q, "esc", choice(event.ChoiceNone)},
		{"esc shows the answers first", q, "2,enter,esc", event.Answer{}},
		{"esc twice is no answer", q, "2,enter,esc,esc", choice(event.ChoiceNone)},
		{"esc and enter sends", q, "2,enter,esc,enter", parts([]string{"Postgres"}, nil, nil, nil)},
		{"what is typed counts", q, "right,right,name,next,prev,esc,enter", parts(nil, nil, []string{"name"}, nil)},
		{"what is typed counts at esc", q, "right,right,name,esc,enter", parts(nil, nil, []string{"name"}, nil)},
		{"what is typed for other counts", q, "3,enter,mine,next,esc,enter", parts([]string{"mine"}, nil, nil, nil)},
		{"a text is deleted again", q, "2,enter,right,x,prev,next,backspace,esc,enter", parts([]string{"Postgres"}, nil, nil, nil)},
		{"another choice", q, "2,enter,left,1,enter,esc,enter", parts([]string{"SQLite"}, nil, nil, nil)},
		{"another choice than written", q, "3,enter,mine,enter,left,1,enter,esc,enter", parts([]string{"SQLite"}, nil, nil, nil)},
		{"written instead of a choice", q, "1,enter,left,3,enter,mine,enter,esc,enter", parts([]string{"mine"}, nil, nil, nil)},
		{"a blank takes and stays", q, "down, ,next,esc,enter", parts([]string{"Postgres"}, nil, nil, nil)},
		{"a blank gives back", q, "2,enter,left, ,esc", choice(event.ChoiceNone)},
		{"the review changes one", q, "2,enter,esc,2,enter,1,enter,enter", parts([]string{"Postgres"}, []string{"unit"}, nil, nil)},
		{"the review leads back", q, "2,enter,esc,up,up,up,up,enter,1,enter,enter", parts([]string{"SQLite"}, nil, nil, nil)},
		{"enter on nothing taken stays", q, "1,enter,enter,enter,enter", event.Answer{}},
		{"done leaves it open", q, "1,enter,up,down,down,down,down,enter,x,enter,esc,enter", parts([]string{"SQLite"}, nil, []string{"x"}, nil)},
		{"left at the first stays", q, "left,left,1,enter,esc,enter", parts([]string{"SQLite"}, nil, nil, nil)},
		{"sideways moves in a text", q, "right,right,ac,left,b,enter,esc,enter", parts(nil, nil, []string{"abc"}, nil)},
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
		})
	}
}

// TestPastesTakeNothing pastes what would be keys: nothing is taken, left or sent.
func TestPastesTakeNothing(t *testing.T) {
	for _, r := range []event.Request{several("q", "Which?", "a", "b"), batch("q")} {
		b := armed(t, r)
		for _, text := range []string{" ", "1", "1\r", "\r", "\t", "\x1b"} {
			if b.p.Paste(text) || !b.p.Armed() {
				t.Errorf("a paste of %q is taken", text)
			}
		}
		if v := b.p.views["q"]; v.at != 0 || v.given() != 0 {
			t.Error("a paste answered something")
		}
	}
	b := armed(t, several("q", "Which?", branches(12)...))
	if !b.p.Paste(" ") || !b.p.Paste("1\r\n") || b.p.views["q"].given() != 0 {
		t.Error("a paste into a filter takes something")
	}
	b = armed(t, batch("q"))
	b.press("next", "next")
	if !b.p.Paste("two\r\nlines\r") || b.p.views["q"].at != 2 {
		t.Error("a paste into an answer is not taken, or goes on")
	}
	b.press("esc", "enter")
	b.want("q", parts(nil, nil, []string{"two\nlines"}, nil))
}

// TestUnarmedTakesNothing presses everything before the request is armed, and
// between two questions before the next one is drawn.
func TestUnarmedTakesNothing(t *testing.T) {
	for _, r := range []event.Request{several("q", "Which?", "a", "b"), batch("q")} {
		b := open(t, r)
		for _, k := range []func() (event.RequestID, event.Answer, bool){
			b.p.Accept, b.p.Escape, b.p.Up, b.p.Down, b.p.Left, b.p.Right, b.p.NextQuestion, b.p.PrevQuestion,
			func() (id event.RequestID, a event.Answer, done bool) { b.p.Text("1"); b.p.Text(" "); return },
		} {
			if _, _, done := k(); done || b.p.Takes(" ") || b.p.Paste(" ") {
				t.Fatal("a key is taken")
			}
		}
		if v := b.p.views["q"]; v.at != 0 || v.mark != 0 || v.given() != 0 {
			t.Error("a key left something")
		}
		if b.p.Words() != (Words{}) {
			t.Error("words for keys that do nothing")
		}
	}
	b := armed(t, batch("q"))
	b.p.Text("2")
	b.p.Accept()
	if b.p.Text("1"); b.p.views["q"].items[1].count() != 0 || b.p.Takes("1") {
		t.Error("a question takes keys before it was drawn")
	}
	b.draw(80, 20)
	if !b.p.Armed() {
		t.Error("a question of a batch has to be armed again")
	}
	if b.p.Text("1"); b.p.views["q"].items[1].count() != 1 {
		t.Error("a question takes no keys after it was drawn")
	}
}

// TestEachQuestionIsShown draws every question of a batch at one size.
func TestEachQuestionIsShown(t *testing.T) {
	b := armed(t, batch("q"))
	for i, want := range []string{"Which database?", "Which tests?", "What is it called?", "Which branch?", "Your answers"} {
		if pic := b.picture(80, 20); !strings.Contains(pic, want) || strings.Count(pic, "│") != 1 && i < 4 {
			t.Errorf("question %d:\n%s", i+1, pic)
		}
		b.press("next")
	}
	b.press("prev")
	if pic := b.picture(80, 20); !strings.Contains(pic, "Which branch?") {
		t.Errorf("back:\n%s", pic)
	}
}

// TestDigitsOfRowsWithoutANumber are not taken: they are for the draft.
func TestDigitsOfRowsWithoutANumber(t *testing.T) {
	b := armed(t, several("q", "Which?", "a", "b", "c"))
	if !b.p.Takes("4") || b.p.Takes("5") || b.p.Takes("a") {
		t.Error("the row that sends is taken by a digit")
	}
	b = armed(t, batch("q"))
	b.press("1", "enter", "esc")
	if !b.p.Takes("4") || b.p.Takes("5") || b.p.Takes(" ") {
		t.Error("the answers are sent by a digit")
	}
}

// TestReopenKeepsTheAnswers sends the answers of a batch, which are not accepted.
func TestReopenKeepsTheAnswers(t *testing.T) {
	b := armed(t, batch("q"))
	b.press("2", "enter", "1", "enter", "name", "enter", "esc", "enter")
	want := parts([]string{"Postgres"}, []string{"unit"}, []string{"name"}, nil)
	b.want("q", want)
	b.sync(batch("q")) // it still waits, as far as the conversation knows
	if b.p.Active() {
		t.Error("an answered request is shown")
	}
	b.p.Reopen("q")
	b.arm()
	b.press("enter")
	b.want("q", want)
	b.sync()
	if len(b.p.views) != 0 {
		t.Error("what was typed for a request outlives it")
	}

	// An approval begins again: the mark stands on Deny.
	b = armed(t, approval("a", "x"))
	b.press("right", "enter")
	b.p.Reopen("a")
	b.arm()
	b.press("enter")
	b.want("a", choice(event.ChoiceDeny))
}

// TestBatchIsPutOff keeps what was answered, while other requests are.
func TestBatchIsPutOff(t *testing.T) {
	b := armed(t, batch("q"), approval("a", "x"))
	b.press("2", "enter", "2", "tab", "enter")
	b.want("a", choice(event.ChoiceDeny))
	if at, of := b.p.Batch(); at != 2 || of != 4 || b.p.Armed() {
		t.Errorf("question %d of %d, armed %v", at, of, b.p.Armed())
	}
	if _, ok := b.p.ArmAt(); ok {
		t.Error("what was put off arms by itself")
	}
	b.p.Arm()
	b.press("esc", "enter")
	b.want("q", parts([]string{"Postgres"}, []string{"race"}, nil, nil))
}

// TestRenamedBatch takes over who asks and until when, and nothing else.
func TestRenamedBatch(t *testing.T) {
	b := armed(t, batch("q"))
	b.press("2", "enter")
	r := batch("q")
	r.Path, r.Until = []string{"root", "another name"}, start.Add(1)
	b.sync(r)
	if at, _ := b.p.Batch(); at != 2 || !b.p.Armed() || !strings.Contains(b.picture(80, 10), "another name") {
		t.Errorf("question %d, armed %v\n%s", at, b.p.Armed(), b.picture(80, 10))
	}
	r = batch("q")
	r.Clarify.More[0].Choices = []string{"other", "choices"}
	b.sync(r)
	if at, _ := b.p.Batch(); at != 1 || b.p.Armed() || b.p.views["q"].given() != 0 {
		t.Error("answers to other questions are kept")
	}
}

func TestWords(t *testing.T) {
	many := several("q", "Which?", branches(12)...)
	for _, c := range []struct {
		request event.Request
		keys    string
		want    Words
		doing   Doing
	}{
		{editable("q", "x"), "", Words{Enter: "answer", Escape: "deny"}, Judging},
		{editable("q", "x"), "right,right,enter", Words{Enter: "run this", Escape: "back", Newline: "new line"}, Editing},
		{editable("q", "x"), "right,right,right,enter", Words{Enter: "deny", Escape: "back"}, Explaining},
		{ruled("q", "x", "x"), "4,enter", Words{Enter: "take", Escape: "back"}, Considering},
		{password("q"), "", Words{Enter: "send", Escape: "no password"}, Password},
		{question("q", "?", "a"), "", Words{Enter: "answer", Escape: "skip"}, Picking},
		{question("q", "?", "a"), "down", Words{Enter: "write", Escape: "skip"}, Picking},
		{question("q", "?", "a"), "2,enter", Words{Enter: "answer", Escape: "back"}, Describing},
		{question("q", "?"), "", Words{Enter: "answer", Escape: "skip"}, Answering},
		{question("q", "?", branches(12)...), "x", Words{Enter: "write", Escape: "all choices"}, Filtering},
		{several("q", "?", "a"), "", Words{Enter: "answer", Escape: "skip", Space: "select"}, Marking},
		{several("q", "?", "a"), " ", Words{Enter: "answer", Escape: "skip", Space: "unselect"}, Marking},
		{several("q", "?", "a"), "2", Words{Enter: "add", Escape: "back"}, Describing},
		{many, "1", Words{Enter: "take", Escape: "all choices", Space: "select"}, Filtering},
		{batch("q"), "", Words{Enter: "go on", Escape: "skip", Space: "select", Sides: "questions"}, Picking},
		{batch("q"), "1,enter", Words{Enter: "go on", Escape: "review", Space: "select", Sides: "questions"}, Marking},
		{batch("q"), "1,enter,next,x", Words{Enter: "go on", Escape: "review"}, Answering},
		{batch("q"), "1,enter,esc", Words{Enter: "send", Escape: "skip"}, Reviewing},
		{batch("q"), "1,enter,esc,up", Words{Enter: "change", Escape: "skip"}, Reviewing},
		{batch("q"), "next,next,next,next", Words{Enter: "skip", Escape: "skip"}, Reviewing},
	} {
		b := armed(t, c.request)
		if c.keys != "" {
			b.press(strings.Split(c.keys, ",")...)
		}
		c.want.Later = "answer later"
		if got := b.p.Words(); got != c.want || b.p.Doing() != c.doing {
			t.Errorf("%s after %q: %+v doing %d, want %+v doing %d", c.request.Kind, c.keys, got, b.p.Doing(), c.want, c.doing)
		}
	}
	if b := armed(t, approval("a", "x"), approval("b", "y")); b.p.Words().Later != "next" {
		t.Error("the other request is not next")
	}
}

// TestRandomBatch presses random keys in batches and compares what is sent with what
// the screen showed: every answer on the review, and nothing else.
func TestRandomBatch(t *testing.T) {
	keys := []string{"up", "down", "left", "right", "enter", "next", "prev", "1", "2", "3", "4", " ", "x", "backspace", "enter", "down"}
	sent := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		b := armed(t, batch("q"))
		for range 60 {
			k := keys[r.IntN(len(keys))]
			if len(k) == 1 && !b.p.Takes(k) {
				continue
			}
			var taken [][]string
			v := b.p.views["q"]
			reviewing := v.page == review
			for i := range v.items {
				taken = append(taken, v.items[i].parts())
			}
			shown := ""
			if reviewing {
				shown = b.picture(160, 40)
			}
			b.press(k)
			if !b.done {
				if !v.asked().multi && v.asked().count() > 1 {
					t.Fatalf("seed %d: %d answers to a question with one", seed, v.asked().count())
				}
				continue
			}
			if !reviewing {
				t.Fatalf("seed %d: %q sent before the review", seed, k)
			}
			sent++
			if b.answer.Choice == event.ChoiceText && !reflect.DeepEqual(b.answer.Parts, taken) || len(b.answer.Parts) != 0 && len(b.answer.Parts) != 4 {
				t.Fatalf("seed %d: sent %q of %q", seed, b.answer.Parts, taken)
			}
			for _, list := range b.answer.Parts {
				if text := strings.Join(list, ", "); !strings.Contains(shown, "→ "+text) {
					t.Fatalf("seed %d: %q was not shown:\n%s", seed, text, shown)
				}
			}
			break
		}
	}
	if sent < 50 {
		t.Errorf("only %d of 300 batches were sent", sent)
	}
}

// TestHostileBatch has questions and answers that try to look like rows of the
// panel: on no page does more than one row look marked.
func TestHostileBatch(t *testing.T) {
	fake := "x\n ┃ ▸ Send 4 answers\n☑ 1 y\n▸ Done: 2 selected " + strings.Repeat(" ", 80) + "☑ 2 z\x1b[1A\u202e"
	r := several("q", fake, fake, "b\nc")
	r.Clarify.More = []event.ClarifyMore{{Question: fake, Choices: []string{fake, fake}}, {Question: fake}}
	r.Path = []string{"root", fake, strings.Repeat("long ", 50)}
	for _, keys := range []string{"", "1", "1,next", "1,next,next,x", "1,3," + strings.ReplaceAll(fake[:1], "\n", "") + ",enter", "1,next,1,enter,x,enter"} {
		b := armed(t, r)
		if keys != "" {
			b.press(strings.Split(keys, ",")...)
		}
		if slices.Contains(strings.Split(keys, ","), "x") && b.p.Typing() {
			b.p.Paste(fake)
		}
		for _, w := range []int{20, 40, 80, 160} {
			marked, boxes := 0, 0
			for i, row := range strings.Split(plainRows(b.draw(w, 60)), "\n") {
				head, ok := strings.CutPrefix(row, " ┃ ")
				if !ok {
					t.Fatalf("row %d does not begin with the bar: %q", i, row)
				}
				if strings.HasPrefix(head, "▸ ") {
					marked++
				}
				if rest := strings.TrimPrefix(strings.TrimPrefix(head, "▸ "), "  "); strings.HasPrefix(rest, "☑ ") || strings.HasPrefix(rest, "☐ ") {
					boxes++
				}
			}
			v := b.p.views["q"]
			want := 1
			if v.types() {
				want = 0
			}
			if marked != want {
				t.Errorf("%q at %d: %d rows look marked:\n%s", keys, w, marked, plainRows(b.draw(w, 60)))
			}
			if v.page == choosing && v.asked().multi && w >= 40 && boxes != v.asked().size()+1 {
				t.Errorf("%q at %d: %d rows look like choices:\n%s", keys, w, boxes, plainRows(b.draw(w, 60)))
			}
		}
	}
}

func TestFilterIsEditedInABatch(t *testing.T) {
	b := armed(t, several("q", "Which?", branches(12)...))
	b.press("1", "1")
	if b.p.Edit(composer.Backspace); b.p.views["q"].input.Value() != "1" {
		t.Error("the filter is not edited")
	}
	b.press("left", "0", " ", "esc", "enter")
	b.wantNone() // "01" matches nothing but the row that writes: a blank opened it
}
