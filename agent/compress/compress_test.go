package compress

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
	"hermes-tui/tools/shorten"
)

// find is a message of a history by its id.
func find(t *testing.T, history []providers.Message, id string) providers.Message {
	t.Helper()
	i := slices.IndexFunc(history, func(m providers.Message) bool { return m.ID == id })
	if i < 0 {
		t.Fatalf("%s is not in the history:\n%s", id, texts(history))
	}
	return history[i]
}

func TestFits(t *testing.T) {
	s := (&script{}).user("a").reads("f", 5_000).says("b")
	r := compressTo(t, engine(), s.list, Budget{History: sum(s.list)})
	if r.Changed() || !r.Fits || r.Effective() || r.Summary() != "" {
		t.Errorf("%+v", r)
	}
	for range 30 {
		s.reads("f", 5_000)
	}
	if r := compressTo(t, engine(), s.list, Budget{History: sum(s.list)}); r.Changed() {
		t.Errorf("what fits was changed: %s", r.Summary())
	}
	if r := engine().Compress(nil, Budget{}, nil); r.Changed() || !r.Fits {
		t.Errorf("nothing: %+v", r)
	}
}

// TestOldResults: what is before the newest messages becomes one line, the rest
// stays as it is.
func TestOldResults(t *testing.T) {
	s := (&script{}).user("look around")
	for i := range 12 {
		s.reads(fmt.Sprint(string(rune('a'+i)), ".go"), 4_000) // 3 ids each
	}
	s.says("seen")
	r := compressTo(t, engine(), s.list, Budget{History: 12_000, Tail: 3_000})
	if r.Results != 2 || r.Turns != 0 || !r.Fits || !r.Effective() {
		t.Errorf("%d results, %d turns\n%s", r.Results, r.Turns, texts(r.History))
	}
	for i, m := range r.History {
		if old := s.list[i]; m.Role == providers.Tool && i < 6 {
			if want := fmt.Sprintf("[read_file] read %c.go from line 1 (4,000 chars)", 'a'+(i-2)/2); m.Text() != want {
				t.Errorf("%s: got %q, want %q", m.ID, m.Text(), want)
			}
		} else if m.Text() != old.Text() {
			t.Errorf("%s changed", m.ID)
		}
	}
	if want := "The model now gets about 10,440 tokens of this session in place of 12,432: 2 tool results shortened. " +
		"Nothing was deleted, and you still see everything."; r.Summary() != want {
		t.Errorf("got %s", r.Summary())
	}
}

// TestLevels: a stronger degree comes only when leaving out turns at a weaker one
// does not help.
func TestLevels(t *testing.T) {
	huge := func(n, each int) *script {
		answer := strings.Repeat("done ", 100)
		s := (&script{}).user("first task").says(answer).user("second").says(answer).user("third").says(answer).user("fourth").says(answer).user("the big one")
		for i := range n {
			s.reads(fmt.Sprint(string(rune('a'+i)), ".go"), each)
		}
		return s
	}
	cases := []struct {
		name                string
		s                   *script
		b                   Budget
		results, turns      int
		whole, cut, dropped string // ids that stay, that are previewed, that go
	}{
		{"shorter results in the last turn before turns go in vain", huge(10, 4_000), Budget{History: 6_000, Tail: 2_000}, 6, 0, "u1 a2 u5 t39", "", ""},
		{"turns go when that is enough", huge(10, 4_000), Budget{History: 10_900, Tail: 2_000}, 0, 1, "u7 a8 t12 t39", "", "u5 a6"},
		{"the newest few stay", huge(10, 4_000), Budget{History: 4_000}, 8, 0, "t36 t39", "", ""},
		{"the protected end may have more messages than its number", huge(12, 4_000), Budget{History: 12_150, Tail: 11_500}, 1, 0, "t15 t45", "", ""},
		{"but not when that is too much", huge(10, 4_000), Budget{History: 5_000, Tail: 8_000}, 6, 0, "t30 t39", "", ""},
		{"a newest result that is huge stays whole if it can", huge(9, 4_000).reads("z.go", 40_000), Budget{History: 12_500}, 8, 0, "t36 t39", "", ""},
		{"one huge result is cut to its ends", huge(1, 40_000), Budget{History: 9_000}, 1, 0, "u1 a6", "t12", ""},
		{"further", huge(1, 40_000), Budget{History: 3_000}, 1, 0, "u1 a6", "t12", ""},
		{"and further", huge(1, 40_000), Budget{History: 1_240}, 1, 0, "u1 a6", "t12", ""},
		{"nothing is enough", huge(1, 40_000), Budget{History: 0}, 1, 1, "u1 u9", "t12", "u5 a6"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := compressTo(t, engine(), c.s.list, c.b)
			if r.Results != c.results || r.Turns != c.turns || r.Fits != (c.b.History > 0) || r.After < c.b.History/2 {
				t.Errorf("%d results, %d turns, %d tokens, fits %v\n%s", r.Results, r.Turns, r.After, r.Fits, texts(r.History))
			}
			for _, id := range strings.Fields(c.whole) {
				if old := find(t, c.s.list, id); !strings.HasPrefix(find(t, r.History, id).Text(), old.Text()) {
					t.Errorf("%s changed", id)
				}
			}
			for _, id := range strings.Fields(c.cut) {
				old, text := find(t, c.s.list, id).Text(), find(t, r.History, id).Text()
				head, rest, ok := strings.Cut(text, previewOpen)
				_, tail, _ := strings.Cut(rest, previewClose)
				if !ok || !strings.HasPrefix(old, head) || !strings.HasSuffix(old, tail) || len(tail) == 0 || len(head) < len(tail) {
					t.Errorf("%s became %q", id, shorten.Line(text, 200))
				}
			}
			if got := strings.Join(r.LeftOut, " "); got != c.dropped {
				t.Errorf("left out: %s", got)
			}
		})
	}
}

// TestTurns: which turns go.
func TestTurns(t *testing.T) {
	filler := strings.Repeat("word ", 400) // 500 tokens
	turns := func(n int) *script {
		s := &script{}
		for i := range n {
			s.user(fmt.Sprint("question ", i)).calls(made{"terminal", `{}`, "ok"}).says(filler)
		}
		return s.user("and now?")
	}
	cases := []struct {
		name    string
		s       *script
		protect int
		budget  int
		dropped string
	}{
		{"the oldest behind the protected beginning", turns(4), 3, 1_200, "a5 u6 a7 t9 a10 u11 a12 t14 a15"},
		{"as few as possible", turns(4), 3, 1_500, "a5 u6 a7 t9 a10"},
		{"the first message stays though nothing is protected", turns(3), 0, 600, "a5 u6 a7 t9 a10 a12 t14"},
		{"a larger beginning", turns(4), 6, 1_500, "a10 u11 a12 t14 a15"},
		{"a beginning that is everything", turns(2), 99, 100, ""},
		{"the newest turn alone", (&script{}).user(filler).says(filler), 0, 10, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := engine(func(s *Config) { s.ProtectFirst = c.protect })
			r := compressTo(t, e, c.s.list, Budget{History: c.budget})
			if got := strings.Join(r.LeftOut, " "); got != c.dropped {
				t.Errorf("left out: %s, %d tokens\n%s", got, r.After, texts(r.History))
			}
			if noted := strings.Contains(r.History[0].Text(), noticeOpen); noted != (c.dropped != "") {
				t.Errorf("notice: %v", noted)
			}
		})
	}
}

// TestSmallTurns: turns that weigh less than the notice stay.
func TestSmallTurns(t *testing.T) {
	s := (&script{}).user("a").says("b").user("c").says("d").user("e")
	if r := compressTo(t, engine(), s.list, Budget{History: 10}); r.Changed() || r.Fits {
		t.Errorf("%s", texts(r.History))
	}
}

// TestKept: what is never shortened, however old.
func TestKept(t *testing.T) {
	said := "\n\n" + saidOpen + "\nnot that file, the other one\n" + saidClose
	long := strings.Repeat("x", 900)
	s := (&script{}).user("go").
		calls(made{"todo", `{}`, `{"todos":"old ` + long + `"}`}).
		calls(made{"todo", `{}`, `{"todos":"new ` + long + `"}`}).
		calls(made{"clarify", `{}`, `{"user_response":"` + long + `"}`}).
		calls(made{"terminal", `{"command":"ls"}`, long + said + said}).
		calls(made{"terminal", `{"command":"ls"}`, long + said + " and more output"}).
		calls(made{"terminal", `{"command":"id"}`, "short"}, made{"terminal", `{"command":"make"}`, long + "y"}, made{"terminal", `{"command":"make"}`, long + "z"})
	for range 10 {
		s.calls(made{"terminal", `{"command":"make"}`, long + "z"})
	}
	r := compressTo(t, engine(), s.list, Budget{History: sum(s.list) - 1})
	want := map[string]string{
		"t4":  "[todo] read the task list (916 chars result)",
		"t7":  `{"todos":"new ` + long + `"}`,
		"t10": `{"user_response":"` + long + `"}`,
		"t13": "[terminal] ran `ls` (900 chars result)" + said + said,
		"t16": "[terminal] ran `ls` (982 chars result)",
		"t19": "short",
		"t21": "[terminal] ran `make` (901 chars result)",
		"t23": "[terminal] the same output as a later call",
	}
	for id, text := range want {
		if got := find(t, r.History, id).Text(); got != text {
			t.Errorf("%s: got %q, want %q", id, got, text)
		}
	}
}

// TestSameAgain: a result is described by its copy only while the copy is whole.
func TestSameAgain(t *testing.T) {
	s := (&script{}).user("go")
	for i := range 10 {
		s.reads("abcdabcdef"[i:i+1], 4_000)
	}
	e := engine(func(c *Config) { c.ProtectLast = 14 })
	gone := compressTo(t, e, s.list, Budget{History: 6_000})
	if got := find(t, gone.History, "t4").Text(); got != "[read_file] read a from line 1 (4,000 chars)" {
		t.Errorf("the copy is gone too, but: %q", got)
	}
	if got := find(t, compressTo(t, e, s.list, Budget{History: 9_000}).History, "t10").Text(); got != "[read_file] the same output as a later call" {
		t.Errorf("got %q", got)
	}
}

// TestArgumentsOfOldCalls: long texts in old calls are cut, those of the newest
// messages are not, and the call before us is not changed.
func TestArgumentsOfOldCalls(t *testing.T) {
	args := encode(map[string]any{"path": "a.go", "content": strings.Repeat("line\n", 400)})
	s := (&script{}).user("write")
	for range 12 {
		s.calls(made{"write_file", args, `{"bytes_written":2000}`})
	}
	r := compressTo(t, engine(), s.list, Budget{History: 7_000, Tail: 1_000})
	if r.Arguments != 2 || r.Results != 0 || !strings.Contains(r.Summary(), ": the arguments of 2 calls shortened.") {
		t.Errorf("%d calls, %d results: %s", r.Arguments, r.Results, r.Summary())
	}
	if got := r.History[1].Calls[0].Arguments; !strings.HasSuffix(got, `...[truncated]","path":"a.go"}`) {
		t.Errorf("got %s", got)
	}
	if s.list[1].Calls[0].Arguments != args || r.History[23].Calls[0].Arguments != args {
		t.Error("too much was cut")
	}
}

// TestTasks: the notice tells which tasks are open.
func TestTasks(t *testing.T) {
	s := (&script{}).user("task").says("yes")
	for range 5 {
		s.user("more").says(strings.Repeat("word ", 400))
	}
	todos := []string{"[in_progress] fix it"}
	b := Budget{History: 1_500}
	r := engine().Compress(s.list, b, todos)
	check(t, engine(), s.list, b, todos, r)
	if text := r.History[0].Text(); !strings.HasSuffix(text, "\nOpen tasks at that time:\n- [in_progress] fix it\n[end of the note]") {
		t.Errorf("got %s", text)
	}
	if want := fmt.Sprintf("%d turns (%d messages) left out", r.Turns, r.Messages); !strings.Contains(r.Summary(), want) {
		t.Errorf("got %s", r.Summary())
	}
}

func TestEffective(t *testing.T) {
	some := make([]providers.Message, 1)
	cases := []struct {
		r    Result
		want bool
	}{
		{Result{Before: 1_000, After: 900, Replaced: some}, true},
		{Result{Before: 1_000, After: 901, Replaced: some}, false},
		{Result{Before: 0, After: 0}, false},
	}
	for _, c := range cases {
		if got := c.r.Effective(); got != c.want {
			t.Errorf("%d to %d: %v", c.r.Before, c.r.After, got)
		}
	}
}
