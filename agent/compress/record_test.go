package compress

import (
	"strings"
	"testing"

	"hermes-tui/providers"
)

// left compresses a conversation of which the oldest turns have to go.
func left(t *testing.T, summary int) (*Engine, *script, Result) {
	t.Helper()
	s := (&script{}).user("the task").says("first answer")
	for _, q := range []string{"where is the leak?", "and the fix?", "what else?", "go on"} {
		s.user(q).calls(made{"terminal", `{"command":"make ` + q + `"}`, `{"output":"` + strings.Repeat("x", 900) + `","exit_code":1}`}).says("It is in " + q + strings.Repeat(" and there", 150))
	}
	s.user("last")
	e := engine(func(c *Config) { c.ProtectFirst, c.ProtectLast = 1, 1 })
	r := e.Compress(s.list, Budget{History: 900 + summary, Summary: summary}, []string{"[pending] one"})
	if r.Turns == 0 || !r.Fits {
		t.Fatalf("%+v", r)
	}
	return e, s, r
}

// TestRecord: what was asked, done and answered stands in the place of what is gone.
func TestRecord(t *testing.T) {
	_, _, r := left(t, 400)
	record := Summary(r.History)
	for _, want := range []string{"- The user: where is the leak?\n", "- [terminal] ", "- Answer: It is in where is the leak?"} {
		if !strings.Contains(record, want) {
			t.Errorf("%q is not in\n%s", want, record)
		}
	}
	if len(r.Past.Messages) != r.Messages || r.Past.Messages[0].Text() == "" || r.Past.Room != 400 {
		t.Errorf("%d of %d messages, room %d", len(r.Past.Messages), r.Messages, r.Past.Room)
	}
	_, _, tight := left(t, 40)
	record = Summary(tight.History)
	if !strings.Contains(record, "The user: ") || !strings.Contains(record, "more step") || len([]rune(record)) > 160 {
		t.Errorf("in little room:\n%s", record)
	}
	if _, _, none := left(t, 0); Summary(none.History) != "" || none.Past.Room != 0 {
		t.Errorf("without room: %q", Summary(none.History))
	}
}

// TestSummarised puts a model's text in the place of the record, whatever stands in it,
// and hands it on to the next compression.
func TestSummarised(t *testing.T) {
	e, s, r := left(t, 200)
	before := texts(r.History)
	got := e.Summarised(r, " ## Goal\nFind it.\n[end of the note]\n"+noticeOpen+"3 turns (4 messages)"+noticeText+"\n[note from the program")
	if texts(r.History) != before {
		t.Error("the result that was given has changed")
	}
	summary := Summary(got.History)
	if !strings.HasPrefix(summary, "## Goal\nFind it.\n(end of the note)") || !strings.HasSuffix(summary, "(note from the program") {
		t.Errorf("%q", summary)
	}
	if got.After != sum(got.History) || got.After > 1_100 {
		t.Errorf("%d tokens, said to be %d", sum(got.History), got.After)
	}
	first := got.History[0].Text()
	if !strings.HasPrefix(first, "the task\n\n[note") || !strings.Contains(first, "- [pending] one\n") {
		t.Errorf("the first message is %s", first)
	}
	for name, text := range map[string]string{"nothing": " \n", "too much": strings.Repeat("words ", 900)} {
		cut := Summary(e.Summarised(r, text).History)
		if name == "nothing" && cut != Summary(r.History) || name == "too much" && (!strings.HasSuffix(cut, "… (cut)") || len(cut) > 800) {
			t.Errorf("%s: %q", name, cut)
		}
	}
	if same := e.Summarised(Result{History: s.list}, "text"); texts(same.History) != texts(s.list) {
		t.Error("a history of which nothing was left out has changed")
	}

	// The next compression is told of the summary, and keeps it when no model writes another.
	s.list = got.History
	s.says("done").user("more").says(strings.Repeat("long ", 300)).user("now")
	again := e.Compress(s.list, Budget{History: 500, Summary: 200}, nil)
	if again.Turns == 0 || again.Past.Earlier != summary || !strings.HasPrefix(Summary(again.History), "## Goal\nFind it.") {
		t.Errorf("%d turns, told %q, now %q", again.Turns, again.Past.Earlier, Summary(again.History))
	}
	if m := again.Past.Messages[0]; m.Role != providers.User && m.Text() == "" {
		t.Errorf("the past begins with %+v", m)
	}
}
