package event

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestExcerptsOfOlderCalls ends many calls: the newest keep what they show, the older
// ones an excerpt of its start, or of its end where they ran a command.
func TestExcerptsOfOlderCalls(t *testing.T) {
	s := &State{}
	head := func(turn TurnID) Meta { return Meta{Agent: "a", Turn: turn} }
	s.Apply(&AgentSpawned{Meta: head("")})
	s.Apply(&TurnStarted{Meta: head("t")})
	const calls = WholeBodies + 50
	body := func(n int) string {
		return fmt.Sprintf("start %d ", n) + strings.Repeat("ä", 3000) + fmt.Sprintf(" end %d", n)
	}
	for n := range calls {
		kind := ViewGeneric
		if n%2 == 0 {
			kind = ViewCommand
		}
		id := CallID(fmt.Sprint("c", n))
		view := CallView{Kind: kind, Name: "x"}
		s.Apply(&MessageCommitted{Meta: head("t"), Message: MessageID(id), Role: RoleAssistant, Calls: []CallHead{{id, view}}})
		view.Body, view.Cut = body(n), 7
		s.Apply(&ToolFinished{Meta: head("t"), Call: id, Outcome: OutcomeOK, View: view})
	}
	held := 0
	for n, b := range s.Root().Blocks {
		v, whole := b.Call.View, body(n)
		held += len(v.Body)
		if n >= calls-WholeBodies {
			if v.Body != whole || v.Cut != 7 {
				t.Fatalf("call %d of %d lost its body", n, calls)
			}
			continue
		}
		want := strings.HasPrefix(whole, v.Body)
		if v.Kind == ViewCommand {
			want = strings.HasSuffix(whole, v.Body)
		}
		if !want || len(v.Body) > ExcerptLimit || len(v.Body) < ExcerptLimit-4 || len(v.Body)+v.Cut != len(whole)+7 || !strings.Contains(v.Body, fmt.Sprint(" ", n)) && v.Kind == ViewCommand {
			t.Errorf("call %d shows %d bytes, %d cut", n, len(v.Body), v.Cut)
		}
	}
	if most := WholeBodies*7000 + 50*ExcerptLimit; held > most {
		t.Errorf("%d bytes are held, at most %d are expected", held, most)
	}
}

// TestTextsShareNoGrowth appends to a text that shares its bytes with a string.
func TestTextsShareNoGrowth(t *testing.T) {
	s := "one two"
	text := NewText(s[:3])
	if got := text.Append(" three").String(); got != "one three" || s != "one two" || text.String() != "one" {
		t.Errorf("%q, %q, %q", got, text.String(), s)
	}
}

// BenchmarkBytesPerCall reports what the fold holds of a call whose body is as long as
// bodies get.
func BenchmarkBytesPerCall(b *testing.B) {
	const calls = 5000
	view := CallView{Kind: ViewCommand, Name: "terminal", Subject: "make test"}
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := &State{}
		s.Apply(&AgentSpawned{Meta: Meta{Agent: "a"}})
		for n := range calls {
			id, head := CallID(fmt.Sprint("call", n)), Meta{Agent: "a", Turn: "t"}
			s.Apply(&MessageCommitted{Meta: head, Message: MessageID(id), Role: RoleAssistant, Calls: []CallHead{{id, view}}})
			s.Apply(&ToolStarted{Meta: head, Call: id, View: view})
			done := view
			done.Body = strings.Repeat("x", BodyLimit)
			s.Apply(&ToolFinished{Meta: head, Call: id, Outcome: OutcomeOK, View: done})
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if s.Root().Tools != calls {
			b.Fatal(s.Root().Tools)
		}
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/calls, "B/call")
}
