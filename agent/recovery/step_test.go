package recovery

import (
	"fmt"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// line writes a step in a line.
func line(s Step) string {
	out := string(s.Kind)
	if s.Max > 0 {
		out += fmt.Sprintf(" %d/%d", s.Attempt, s.Max)
	}
	if s.MaxOutput > 0 {
		out += fmt.Sprintf(" max %d", s.MaxOutput)
	}
	if s.Reason != "" {
		out += " " + s.Reason
	}
	return out
}

// checkStep holds what is true of every step.
func checkStep(t *testing.T, s Step) {
	t.Helper()
	if (s.Kind == StepStop) != (s.Sentence != "") {
		t.Errorf("%s with the sentence %q", s.Kind, s.Sentence)
	}
	if s.Sentence != "" && (!strings.HasSuffix(s.Sentence, ".") || strings.ContainsAny(s.Sentence, "\n%")) {
		t.Errorf("no clean sentence: %q", s.Sentence)
	}
	for i, m := range s.Extra {
		if m.Text() == "" || strings.Contains(m.Text(), "%") {
			t.Errorf("extra message %q", m.Text())
		}
		if last := i == len(s.Extra)-1; last != (m.Role == providers.User) {
			t.Errorf("message %d of %d is of the %s", i+1, len(s.Extra), m.Role)
		}
	}
}

// decisions lets l decide about one thing after the other.
func decisions[L any, F any](t *testing.T, l L, decide func(L, F) (Step, L), things []F) string {
	t.Helper()
	var out []string
	for _, f := range things {
		var s Step
		s, l = decide(l, f)
		checkStep(t, s)
		out = append(out, line(s))
	}
	return strings.Join(out, " · ")
}

func times[F any](n int, f F) []F {
	var out []F
	for range n {
		out = append(out, f)
	}
	return out
}

func TestTruncation(t *testing.T) {
	calls := []string{"write_file"}
	for _, c := range []struct {
		name string
		cuts []Cut
		want string
	}{
		{"text", times(4, Cut{Text: true, MaxOutput: 1000}),
			"continue 1/3 max 2000 length · continue 2/3 max 3000 length · continue 3/3 max 4000 length · stop length"},
		{"text without a cap", times(3, Cut{Text: true}),
			"continue 1/3 max 8192 length · continue 2/3 max 12288 length · continue 3/3 max 16384 length"},
		{"text without a cap that was long", times(2, Cut{Text: true, Used: 16_000}),
			"continue 1/3 max 32000 length · continue 2/3 max 32768 length"},
		{"a cap is never lowered", times(1, Cut{Text: true, MaxOutput: 64_000}), "continue 1/3 max 64000 length"},
		{"beyond all caps", times(3, Cut{Text: true, MaxOutput: 1 << 62}),
			"continue 1/3 max 4611686018427387904 length · continue 2/3 max 4611686018427387904 length · continue 3/3 max 4611686018427387904 length"},
		{"the model's own limit", times(2, Cut{Text: true, MaxOutput: 6000, Ceiling: 8192}),
			"continue 1/3 max 8192 length · continue 2/3 max 8192 length"},
		{"call", times(4, Cut{Text: true, Calls: calls, MaxOutput: 2000}),
			"again 1/3 max 4000 tool_call_truncated · again 2/3 max 6000 tool_call_truncated · again 3/3 max 8000 tool_call_truncated · stop tool_call_truncated"},
		{"only thinking", []Cut{{MaxOutput: 2000}}, "stop thinking_exhausted"},
		{"text and calls count for themselves", []Cut{{Text: true}, {Calls: calls}, {Text: true}, {Calls: calls}},
			"continue 1/3 max 8192 length · again 1/3 max 8192 tool_call_truncated · continue 2/3 max 12288 length · again 2/3 max 12288 tool_call_truncated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decisions(t, Truncation{}, Truncation.Decide, c.cuts); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestContinuationNotes(t *testing.T) {
	if s, _ := (Truncation{}).Decide(Cut{Text: true}); len(s.Extra) != 1 || s.Extra[0].Text() != NoteContinue {
		t.Errorf("got %+v", s.Extra)
	}
	if s, _ := (Truncation{}).Decide(Cut{Calls: []string{"a"}}); s.Extra != nil {
		t.Errorf("a silent retry says %+v", s.Extra)
	}
	text := with(lost(), func(f *Fault) { f.Text = true })
	inCall := with(text, func(f *Fault) { f.Calls = []string{"write_file", "patch", "c", "d"} })
	for _, c := range []struct {
		name   string
		f      Fault
		action Action
		want   string // empty: what had arrived is taken back
	}{
		{"no text", lost(), Resend{}, ""},
		{"text", text, Resend{}, NoteBrokeOff},
		{"text, after a wait", text, Wait{}, NoteBrokeOff},
		{"text, from another service", text, FallBack{}, NoteBrokeOff},
		{"text that a filter ended", with(text, func(f *Fault) { f.Retryable = false }), FallBack{}, ""},
		{"in a call, at once", inCall, Resend{}, ""},
		{"in a call, after a wait", inCall, Wait{}, "a call of write_file, patch, c, so that call did not run"},
	} {
		note, ok := c.f.GoOn(c.action)
		if ok != (c.want != "") || !strings.Contains(note.Text(), c.want) {
			t.Errorf("%s: %v %q", c.name, ok, note.Text())
		}
	}
}

func TestEmpty(t *testing.T) {
	thought := Silence{Reasoning: "I should read the file."}
	for _, c := range []struct {
		name string
		all  []Silence
		want string
	}{
		{"said earlier", []Silence{{Earlier: true, AfterTools: true}}, "use_earlier fallback_prior_turn_content"},
		{"after tools: one nudge, then retries", times(5, Silence{AfterTools: true}),
			"again 1/1 empty · again 1/3 empty · again 2/3 empty · again 3/3 empty · stop empty_response_exhausted"},
		{"only reasoning: two prefills, then retries", times(6, thought),
			"again 1/2 reasoning_only · again 2/2 reasoning_only · again 1/3 empty · again 2/3 empty · again 3/3 empty · stop empty_response_exhausted"},
		{"blank reasoning is none", []Silence{{Reasoning: " \n"}}, "again 1/3 empty"},
		{"the nudge comes before the prefill", times(2, Silence{AfterTools: true, Reasoning: "hm"}), "again 1/1 empty · again 1/2 reasoning_only"},
		{"other services", []Silence{{Fallbacks: 2}, {Fallbacks: 2}, {Fallbacks: 2}, {Fallbacks: 2}, {Fallbacks: 1}, {Fallbacks: 1}, {Fallbacks: 1}, {Fallbacks: 1}, {}, {}, {}, {}},
			"again 1/3 empty · again 2/3 empty · again 3/3 empty · fall_back empty · again 1/3 empty · again 2/3 empty · again 3/3 empty · fall_back empty · " +
				"again 1/3 empty · again 2/3 empty · again 3/3 empty · stop empty_response_exhausted"},
		{"a fall back that did not happen", times(8, Silence{Fallbacks: 2}),
			"again 1/3 empty · again 2/3 empty · again 3/3 empty · fall_back empty · again 1/3 empty · again 2/3 empty · again 3/3 empty · stop empty_response_exhausted"},
		{"one nudge only, however many services", []Silence{{AfterTools: true}, {}, {}, {}, {Fallbacks: 1}, {AfterTools: true}},
			"again 1/1 empty · again 1/3 empty · again 2/3 empty · again 3/3 empty · fall_back empty · again 1/3 empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decisions(t, Empty{}, Empty.Decide, c.all); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	s, _ := Empty{}.Decide(Silence{AfterTools: true})
	if len(s.Extra) != 2 || s.Extra[0].Text() != SaidNothing || s.Extra[1].Text() != NoteAnswer {
		t.Errorf("nudge %+v", s.Extra)
	}
	s, _ = Empty{}.Decide(thought)
	if len(s.Extra) != 2 || s.Extra[0].Reasoning != thought.Reasoning || s.Extra[1].Text() != NoteWrite {
		t.Errorf("prefill %+v", s.Extra)
	}
}

func TestMalformed(t *testing.T) {
	unknown, garbled, cut, fine := Batch{Unknown: []string{"x"}}, Batch{Garbled: []string{"x"}}, Batch{CutOff: []string{"x"}}, Batch{}
	for _, c := range []struct {
		name string
		all  []Batch
		want string
	}{
		{"unknown: twice answered, then the end", times(3, unknown), "answer 1/2 unknown_tool · answer 2/2 unknown_tool · stop unknown_tool"},
		{"in a row only", []Batch{unknown, unknown, fine, unknown},
			"answer 1/2 unknown_tool · answer 2/2 unknown_tool · proceed · answer 1/2 unknown_tool"},
		{"names before arguments", []Batch{{Unknown: []string{"x"}, Garbled: []string{"y"}, CutOff: []string{"z"}}}, "answer 1/2 unknown_tool"},
		{"cut off before garbled", []Batch{{Garbled: []string{"y"}, CutOff: []string{"z"}}}, "cut tool_call_truncated"},
		{"cut off counts elsewhere", times(4, cut), "cut tool_call_truncated · cut tool_call_truncated · cut tool_call_truncated · cut tool_call_truncated"},
		{"garbled: twice again, then answered, and so on to the end", times(12, garbled),
			"again 1/2 invalid_arguments · again 2/2 invalid_arguments · answer 1/3 invalid_arguments · " +
				"again 1/2 invalid_arguments · again 2/2 invalid_arguments · answer 2/3 invalid_arguments · " +
				"again 1/2 invalid_arguments · again 2/2 invalid_arguments · answer 3/3 invalid_arguments · " +
				"again 1/2 invalid_arguments · again 2/2 invalid_arguments · stop invalid_arguments"},
		{"one good answer forgives", []Batch{garbled, garbled, fine, garbled},
			"again 1/2 invalid_arguments · again 2/2 invalid_arguments · proceed · again 1/2 invalid_arguments"},
		{"changing mistakes end too", []Batch{garbled, garbled, unknown, garbled, unknown, unknown, unknown},
			"again 1/2 invalid_arguments · again 2/2 invalid_arguments · answer 1/2 unknown_tool · answer 1/3 invalid_arguments · " +
				"answer 1/2 unknown_tool · answer 2/2 unknown_tool · stop unknown_tool"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decisions(t, Malformed{}, Malformed.Decide, c.all); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	if got := UnknownTool("serch", []string{"patch", "search_files"}); got != `There is no tool "serch". The tools are: patch, search_files.` {
		t.Errorf("got %s", got)
	}
	if got := UnknownTool("x", nil); !strings.Contains(got, "without tools") {
		t.Errorf("got %s", got)
	}
}

func TestUnclosed(t *testing.T) {
	open := "<REASONING_SCRATCHPAD>\nfirst I"
	closed := open + " look</reasoning_scratchpad> Done."
	got := decisions(t, Unclosed{}, Unclosed.Decide, []string{"plain", open, open, closed, open, open, closed + open, "plain"})
	want := "proceed · again 1/2 incomplete_scratchpad · again 2/2 incomplete_scratchpad · proceed · " +
		"again 1/2 incomplete_scratchpad · again 2/2 incomplete_scratchpad · stop incomplete_scratchpad · proceed"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestMaskedLimit(t *testing.T) {
	base := Ended{Chat: true, Local: true, Model: "GLM-4.7:cloud", ToolsRan: true, Text: "The three files that matter are"}
	for _, c := range []struct {
		name   string
		change func(*Ended)
		want   bool
	}{
		{"as it is", func(*Ended) {}, true},
		{"Z.ai", func(e *Ended) { e.Model = "z-ai/air" }, true},
		{"another model", func(e *Ended) { e.Model = "qwen3" }, false},
		{"another protocol", func(e *Ended) { e.Chat = false }, false},
		{"not local", func(e *Ended) { e.Local = false }, false},
		{"before any tool", func(e *Ended) { e.ToolsRan = false }, false},
		{"with calls", func(e *Ended) { e.Calls = true }, false},
		{"short", func(e *Ended) { e.Text = "The three files of" }, false},
		{"one word", func(e *Ended) { e.Text = strings.Repeat("a", 40) }, false},
		{"only blanks", func(e *Ended) { e.Text = strings.Repeat(" ", 40) }, false},
		{"full stop", func(e *Ended) { e.Text += " these. \n" }, false},
		{"code", func(e *Ended) { e.Text += "\n```go\nx\n```" }, false},
		{"bracket", func(e *Ended) { e.Text += " (a, b)" }, false},
		{"Chinese", func(e *Ended) { e.Text += " 这些。" }, false},
		{"picture", func(e *Ended) { e.Text += " 🎉" }, false},
		{"comma", func(e *Ended) { e.Text += " a," }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := base
			if c.change(&e); MaskedLimit(e) != c.want {
				t.Errorf("not %v for %q", c.want, e.Text)
			}
		})
	}
}
