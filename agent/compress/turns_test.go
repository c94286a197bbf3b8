package compress

import (
	"fmt"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// TestOneLongTurn sums up the calls of a turn that never ends: the oldest go, in whole
// groups, the newest stay, and the message of the user with its image does.
func TestOneLongTurn(t *testing.T) {
	s := (&script{}).user("do the whole migration")
	s.list[0].Parts = append(s.list[0].Parts, providers.Part{Image: &providers.Image{}})
	for i := range 400 {
		s.calls(made{"write_file", encode(map[string]any{"path": fmt.Sprint("f", i), "content": strings.Repeat("code ", 300)}), encode(map[string]any{"bytes_written": 1_500})})
		s.list[len(s.list)-2].Parts = providers.TextParts(strings.Repeat("I think about what to do next here. ", 20))
	}
	e, g, w := engine(), &Gauge{}, Window{Max: 128_000}
	g.Request(providers.Request{Messages: s.list})
	for _, b := range []Budget{e.Budget(g, w), e.Tighter(g, w)} {
		r := compressTo(t, e, s.list, b)
		if !r.Fits || r.Turns != 0 || len(r.Past.Messages) != r.Messages || r.Messages < 500 || r.Messages%2 != 0 {
			t.Fatalf("%d of %d tokens, %d messages left out, %d of them to sum up", r.After, r.Before, r.Messages, len(r.Past.Messages))
		}
		r = e.Summarised(r, "## Goal\nMove everything")
		first, last := r.History[0], r.History[len(r.History)-1]
		if Summary(r.History) != "## Goal\nMove everything" || !shows(&first) || last.ID != s.list[len(s.list)-1].ID {
			t.Errorf("%s\n…\n%s", first.Text(), last.ID)
		}
		if want := fmt.Sprintf("%d messages, some of them after", r.Messages); !strings.Contains(first.Text(), want) || !strings.Contains(r.Summary(), fmt.Sprintf("%d messages left out", r.Messages)) {
			t.Errorf("%s\n%s", first.Text(), r.Summary())
		}
		// It goes on, and is compressed once more: what was left out before counts too.
		more := append(r.History[:len(r.History):len(r.History)], deepCopy(s.list[1:401])...)
		for i := range more[len(r.History):] {
			m := &more[len(r.History)+i]
			m.ID, m.CallID = "again "+m.ID, "again "+m.CallID
			for k := range m.Calls {
				m.Calls[k].ID = "again " + m.Calls[k].ID
			}
		}
		next := e.Compress(more, b, nil)
		if _, n := splitNotice(next.History[0].Text()); n.messages != r.Messages+next.Messages || next.Past.Earlier != "## Goal\nMove everything" || fault(next.History) != "" {
			t.Errorf("the notice counts %d messages of %d and %d: %s", n.messages, r.Messages, next.Messages, fault(next.History))
		}
	}
}

// TestLastAnswerStays keeps what the user saw last with what it answers, though the
// calls in between go.
func TestLastAnswerStays(t *testing.T) {
	s := &script{}
	for turn := range 30 {
		s.user(fmt.Sprint("please do step ", turn))
		for i := range 6 {
			s.calls(made{"read_file", encode(map[string]any{"path": fmt.Sprint(i)}), encode(map[string]any{"content": strings.Repeat("line of it\n", 200)})})
		}
		s.says(fmt.Sprint("ANSWER ", turn, strings.Repeat(" what was found", 300)))
	}
	s.user("next " + strings.Repeat("word ", 3_000))
	e, g := engine(), &Gauge{}
	g.Request(providers.Request{Messages: s.list})
	for _, b := range []Budget{e.Tighter(g, Window{Max: 20_000}), e.Budget(g, Window{Max: 20_000}), {History: sum(s.list) / 2, Summary: 2_000}, {}} {
		r := compressTo(t, e, s.list, b)
		if left := texts(r.History); !strings.Contains(left, "please do step 29") || find(t, r.History, find(t, s.list, s.list[len(s.list)-2].ID).ID).Text() == "" || r.Turns == 0 && b.Summary != 2_000 {
			t.Errorf("budget %+v leaves\n%s", b, left)
		}
	}
}
