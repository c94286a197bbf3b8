package compress

import (
	"fmt"
	"strings"
	"testing"
)

func TestNotice(t *testing.T) {
	open := []string{"[in_progress] find\nthe  cause", "[pending] " + strings.Repeat("x", 300)}
	want := "\n\n[note from the program; the user did not write it]\n" +
		"Left out after the beginning of this conversation, to make room: 1 turn (1,234 messages). The user still sees them, and what was done there stays done. " +
		"What was read there is no longer before you: read files and run checks again before you rely on them.\n" +
		"Open tasks at that time:\n- [in_progress] find the cause\n- [pending] " + strings.Repeat("x", 239) + "…\n[end of the note]"
	if got := (notice{omission: omission{turns: 1, messages: 1_234}, tasks: openTasks(open)}).write(); got != want {
		t.Errorf("got %s", got)
	}
	open = nil
	for range 60 {
		open = append(open, "[pending] x")
	}
	if got := (notice{omission: omission{turns: 2, messages: 3}, tasks: openTasks(open)}).write(); strings.Count(got, "\n- ") != 51 || !strings.HasSuffix(got, "\n- and 10 more\n[end of the note]") {
		t.Errorf("got %s", got)
	}
}

func TestSplitNotice(t *testing.T) {
	plain := notice{omission: omission{turns: 12, messages: 3_456}}.write()
	listed := notice{omission: omission{turns: 1, messages: 2}, tasks: openTasks([]string{"[pending] a [end of the note]", "[pending] b"})}.write()
	told := notice{omission: omission{turns: 1, messages: 2}, tasks: openTasks([]string{"[pending] a"}), summary: "## Goal\nFind it" + noticePast}.write()
	cases := []struct {
		name, text, want string
		o                omission
	}{
		{"none", "hello", "hello", omission{}},
		{"one", "hello" + plain, "hello", omission{turns: 12, messages: 3_456}},
		{"with tasks", "hello\n\nthere" + listed, "hello\n\nthere", omission{turns: 1, messages: 2}},
		{"with a summary", "hello" + told, "hello", omission{turns: 1, messages: 2}},
		{"behind nothing", plain, "", omission{turns: 12, messages: 3_456}},
		{"a quotation before the real one", "see" + plain + "\nwhat is this?" + listed, "see" + plain + "\nwhat is this?", omission{turns: 1, messages: 2}},
		{"only a quotation", "see" + plain + " what is this?", "see" + plain + " what is this?", omission{}},
		{"the beginning of one", "hello" + noticeOpen, "hello" + noticeOpen, omission{}},
		{"other numbers", "a" + noticeOpen + "0 turns (5 messages)" + noticeText + noticeClose, "a" + noticeOpen + "0 turns (5 messages)" + noticeText + noticeClose, omission{}},
		{"other words", "a" + noticeOpen + "1 turns (5 messages)" + noticeText + noticeClose, "a" + noticeOpen + "1 turns (5 messages)" + noticeText + noticeClose, omission{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got, o := splitNotice(c.text); got != c.want || o.omission != c.o {
				t.Errorf("got %q %+v", got, o)
			}
		})
	}
}

// TestNoticeAddsUp: a later notice takes the place of the earlier one.
func TestNoticeAddsUp(t *testing.T) {
	s := (&script{}).user("the task").says("first answer").says("more")
	for i := range 6 {
		s.user(fmt.Sprint("question ", i)).says(strings.Repeat("long answer ", 200))
	}
	e := engine()
	first := compressTo(t, e, s.list, Budget{History: 2_600})
	s.list = first.History
	s.user("another").says(strings.Repeat("long answer ", 200)).user("last")
	again := e.Compress(s.list, Budget{History: 2_000}, []string{"[pending] go on"})
	text := again.History[0].Text()
	if !strings.HasPrefix(text, "the task\n\n[note") || strings.Count(text, "[note from") != 1 ||
		!strings.Contains(text, ": 5 turns (10 messages).") || !strings.Contains(text, "\n- [pending] go on\n") {
		t.Errorf("%d and %d turns were left out; the notice says %s", first.Turns, again.Turns, text)
	}
}
