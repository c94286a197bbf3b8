package guard

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hermes-tui/tools"
)

// played is a call with its result and what the guard should say to both.
type played struct {
	call   Call
	result Result
	before string // "block repeated_exact_failure 5"; empty allows
	after  string // "warn no_progress 2"; empty allows; "-" is not asked
}

// defaults is what the settings say when no one has changed them: it warns and stops
// nothing.
func defaults() Config {
	return Config{
		Warnings:  true,
		WarnAfter: Limits{ExactFailure: 2, SameToolFailure: 3, NoProgress: 2},
		StopAfter: Limits{ExactFailure: 5, SameToolFailure: 8, NoProgress: 5},
	}
}

func read(path string) Call {
	return Call{"read_file", json.RawMessage(fmt.Sprintf(`{"path":%q}`, path)), Reads}
}

func run(command string) Call {
	return Call{"terminal", json.RawMessage(fmt.Sprintf(`{"command":%q}`, command)), MayChange}
}

func edit(text string) Call {
	return Call{"patch", json.RawMessage(fmt.Sprintf(`{"new":%q}`, text)), Changes}
}

func plan(text string) Call {
	return Call{"todo", json.RawMessage(fmt.Sprintf(`{"todos":%q}`, text)), Inward}
}

func ok(s string) Result     { return Result{tools.StatusOK, s} }
func failed(s string) Result { return Result{tools.StatusFailed, s} }

var (
	denied    = Result{tools.StatusDenied, "the user said no"}
	cancelled = Result{tools.StatusCancelled, "stopped"}
)

func say(d Decision) string {
	if d.Kind == Allow {
		return ""
	}
	return fmt.Sprintf("%s %s %d", d.Kind, d.Code, d.Count)
}

// times repeats steps, of which only the last says something.
func times(n int, steps ...played) []played {
	var out []played
	for range n {
		out = append(out, steps...)
	}
	return out
}

func play(t *testing.T, g *Guard, steps []played) {
	t.Helper()
	for i, s := range steps {
		d := g.Before(s.call)
		if say(d) != s.before {
			t.Fatalf("step %d, before %s%s: got %q, want %q", i+1, s.call.Tool, s.call.Args, say(d), s.before)
		}
		if d.Kind != Allow {
			continue
		}
		if got := say(g.After(s.call, s.result)); got != s.after && s.after != "-" {
			t.Fatalf("step %d, after %s%s: got %q, want %q", i+1, s.call.Tool, s.call.Args, got, s.after)
		}
	}
}

func TestWarnings(t *testing.T) {
	a, b := read("a"), read("b")
	for _, c := range []struct {
		name  string
		steps []played
	}{
		{"exact failure at two", []played{
			{run("make"), failed("boom"), "", ""},
			{run("make"), failed("boom"), "", "warn repeated_exact_failure 2"},
			{run("make"), failed("boom"), "", "warn repeated_exact_failure 3"},
		}},
		{"other calls between do not matter", []played{
			{run("make"), failed("boom"), "", ""},
			{a, ok("A"), "", ""},
			{run("make"), failed("boom"), "", "warn repeated_exact_failure 2"},
		}},
		{"another failure is another matter", []played{
			{run("make"), failed("line 1"), "", ""},
			{edit("x"), ok("done"), "", ""},
			{run("make"), failed("line 2"), "", ""},
			{edit("y"), ok("done"), "", ""},
			{run("make"), failed("line 3"), "", ""},
			{edit("z"), ok("done"), "", ""},
			{run("make"), failed("line 4"), "", ""},
		}},
		{"how long it took is not a difference", []played{
			{run("go test"), failed("FAIL x 0.012s"), "", ""},
			{run("go test"), failed("FAIL x 1.4s"), "", "warn repeated_exact_failure 2"},
		}},
		{"success makes a failure new", []played{
			{run("make"), failed("boom"), "", ""},
			{run("make"), ok("built"), "", ""},
			{run("make"), failed("boom"), "", ""},
		}},
		{"same tool at three", []played{
			{a, failed("no a"), "", ""},
			{b, failed("no b"), "", ""},
			{read("c"), failed("no c"), "", "warn same_tool_failure 3"},
			{read("d"), failed("no d"), "", "warn same_tool_failure 4"},
			{read("e"), ok("E"), "", ""},
			{read("f"), failed("no f"), "", ""},
		}},
		{"a success of another tool does not end the row", []played{
			{a, failed("no a"), "", ""},
			{run("ls"), ok("list"), "", ""},
			{b, failed("no b"), "", ""},
			{plan("x"), ok("noted"), "", ""},
			{read("c"), failed("no c"), "", "warn same_tool_failure 3"},
		}},
		{"a change ends the row", []played{
			{run("t1"), failed("1"), "", ""},
			{run("t2"), failed("2"), "", ""},
			{edit("x"), ok("done"), "", ""},
			{run("t3"), failed("3"), "", ""},
		}},
		{"a change that failed does not", []played{
			{run("t1"), failed("1"), "", ""},
			{run("t2"), failed("2"), "", ""},
			{edit("x"), failed("no match"), "", ""},
			{run("t3"), failed("3"), "", "warn same_tool_failure 3"},
		}},
		{"no progress at two", []played{
			{a, ok("A"), "", ""},
			{b, ok("B"), "", ""},
			{a, ok("A"), "", "warn no_progress 2"},
		}},
		{"a file that changed", []played{
			{a, ok("1"), "", ""},
			{a, ok("2"), "", ""},
			{a, ok("1"), "", ""},
			{a, ok("1"), "", "warn no_progress 2"},
		}},
		{"a file in which only a time changed", []played{
			{a, ok("timeout 5s"), "", ""},
			{a, ok("timeout 6s"), "", ""},
		}},
		{"commands and notes may be repeated", []played{
			{run("date"), ok("same"), "", ""},
			{run("date"), ok("same"), "", ""},
			{run("date"), ok("same"), "", ""},
			{plan("x"), ok("noted"), "", ""},
			{plan("x"), ok("noted"), "", ""},
		}},
		{"to and fro", []played{
			{run("a"), ok("1"), "", ""},
			{run("b"), ok("2"), "", ""},
			{run("a"), ok("1"), "", ""},
			{run("b"), ok("2"), "", "warn alternating_calls 2"},
			{run("a"), ok("1"), "", "warn alternating_calls 2"},
			{run("b"), ok("2"), "", "warn alternating_calls 3"},
			{run("c"), ok("3"), "", ""},
		}},
		{"to and fro with a result that changes", []played{
			{run("a"), ok("1"), "", ""},
			{run("b"), ok("2"), "", ""},
			{run("a"), ok("1"), "", ""},
			{run("b"), ok("3"), "", ""},
			{run("a"), ok("1"), "", ""},
			{run("b"), ok("4"), "", ""},
		}},
		{"to and fro of reads", []played{
			{a, ok("A"), "", ""},
			{b, ok("B"), "", ""},
			{a, ok("A"), "", "warn no_progress 2"},
			{b, ok("B"), "", "warn alternating_calls 2"},
		}},
		{"a round of three", append(times(1, played{run("a"), ok("1"), "", ""}, played{run("b"), ok("2"), "", ""}, played{run("c"), ok("3"), "", ""}),
			played{run("a"), ok("1"), "", ""}, played{run("b"), ok("2"), "", ""}, played{run("c"), ok("3"), "", "warn alternating_calls 2"})},
		{"a refusal is held against the call only", []played{
			{run("rm a"), denied, "", ""},
			{run("rm b"), denied, "", ""},
			{run("rm c"), denied, "", ""},
			{run("make"), failed("boom"), "", ""},
			{run("rm a"), denied, "", "warn repeated_exact_failure 2"},
		}},
		{"what was stopped says nothing", times(6, played{run("sleep"), cancelled, "", ""})},
		{"order of keys and blanks do not matter", []played{
			{Call{"read_file", json.RawMessage(`{"path":"a","limit":1.50}`), Reads}, ok("A"), "", ""},
			{Call{"read_file", json.RawMessage(`{ "limit":1.50, "path":"a" }`), Reads}, ok("A"), "", "warn no_progress 2"},
			{Call{"read_file", json.RawMessage(`{"limit":1.5,"path":"a"}`), Reads}, ok("A"), "", ""},
		}},
		{"arguments that are no JSON", []played{
			{Call{"read_file", json.RawMessage(`{"path"`), Reads}, failed("bad"), "", ""},
			{Call{"read_file", json.RawMessage(`{"path":`), Reads}, failed("bad"), "", ""},
			{Call{"read_file", json.RawMessage(`{"path"`), Reads}, failed("bad"), "", "warn repeated_exact_failure 2"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) { play(t, New(defaults()), c.steps) })
	}
}

// strict is a guard that stops.
func strict() Config {
	c := defaults()
	c.HardStops, c.Warnings = true, false
	return c
}

func TestHardStops(t *testing.T) {
	make1 := played{run("make"), failed("boom"), "", ""}
	exact := "block repeated_exact_failure 5"
	for _, c := range []struct {
		name  string
		steps []played
	}{
		{"exact failure at five, then the end", append(times(5, make1),
			played{run("make"), Result{}, exact, ""},
			played{run("make"), Result{}, exact, ""},
			played{run("make"), Result{}, "halt blocked_calls 3", ""})},
		{"another call in between is patience", append(times(5, make1),
			played{run("make"), Result{}, exact, ""},
			played{read("a"), ok("A"), "", ""},
			played{run("make"), Result{}, exact, ""},
			played{read("a"), ok("A"), "", ""},
			played{run("make"), Result{}, exact, ""})},
		{"a change lifts the block", append(times(5, make1),
			played{run("make"), Result{}, exact, ""},
			played{edit("x"), ok("done"), "", ""},
			played{run("make"), failed("boom"), "", ""},
			played{run("make"), Result{}, "block repeated_exact_failure 6", ""})},
		{"a command that did something new lifts the block", append(times(5, make1),
			played{run("sed"), ok(""), "", ""},
			played{run("make"), failed("boom"), "", ""},
			played{run("sed"), ok(""), "", ""},
			played{run("make"), Result{}, "block repeated_exact_failure 6", ""})},
		{"no progress at five", append(times(5, played{read("a"), ok("A"), "", ""}),
			played{read("a"), Result{}, "block no_progress 5", ""},
			played{read("b"), ok("B"), "", ""})},
		{"five rounds", append(times(5, played{run("a"), ok("1"), "", ""}, played{run("b"), ok("2"), "", ""}),
			played{run("a"), Result{}, "block alternating_calls 5", ""},
			played{run("b"), ok("2"), "", ""})},
		{"same tool at eight", append(eight(7),
			played{read("last"), failed("no last"), "", "halt same_tool_failure 8"})},
	} {
		t.Run(c.name, func(t *testing.T) { play(t, New(strict()), c.steps) })
	}
}

// eight reads n files that are not there.
func eight(n int) []played {
	var out []played
	for i := range n {
		out = append(out, played{read(fmt.Sprint(i)), failed(fmt.Sprint("no ", i)), "", ""})
	}
	return out
}

func TestHaltStaysUntilReset(t *testing.T) {
	g := New(strict())
	play(t, g, append(eight(7), played{read("x"), failed("no"), "", "halt same_tool_failure 8"}))
	d, halted := g.Halted()
	if !halted || d.Sentence() == "" || !strings.HasSuffix(d.Sentence(), ".") {
		t.Fatalf("got %+v, %v", d, halted)
	}
	g.After(read("y"), ok("fine"))
	if _, halted := g.Halted(); !halted {
		t.Fatal("forgotten")
	}
	g.Reset()
	if _, halted := g.Halted(); halted {
		t.Fatal("still halted in the next turn")
	}
	play(t, g, eight(7))
}

func TestZeroLimitsAndSwitches(t *testing.T) {
	loop := append(times(40, played{run("make"), failed("boom"), "", ""}), times(40, played{read("a"), ok("A"), "", ""})...)
	off := defaults()
	off.Warnings = false
	t.Run("off", func(t *testing.T) { play(t, New(off), loop) })
	t.Run("zero", func(t *testing.T) { play(t, New(Config{Warnings: true, HardStops: true}), loop) })
}

func TestTexts(t *testing.T) {
	for _, code := range []Code{ExactFailure, SameToolFailure, NoProgress, Alternating} {
		if warning(code, "x") == "" || stop(code, "x") == "" {
			t.Errorf("%s has no text", code)
		}
	}
	d := Decision{Warn, NoProgress, 2, warning(NoProgress, "read_file")}
	if got := d.Annotate("body"); !strings.HasPrefix(got, "body\n\n[no_progress, 2 times: this call of read_file ") || !strings.HasSuffix(got, ".]") {
		t.Errorf("got %q", got)
	}
	if got := (Decision{}).Annotate("body"); got != "body" {
		t.Errorf("got %q", got)
	}
	block := Decision{Block, ExactFailure, 5, stop(ExactFailure, "<x>")}
	var content struct {
		Error, Guardrail string
		Count            int
	}
	if err := json.Unmarshal([]byte(block.Content()), &content); err != nil || content.Error != block.Message || content.Guardrail != "repeated_exact_failure" || content.Count != 5 {
		t.Errorf("got %s, %v", block.Content(), err)
	}
}

func TestEffectOf(t *testing.T) {
	act := func(json.RawMessage) (tools.Action, error) { return tools.Action{}, nil }
	for _, c := range []struct {
		tool tools.Tool
		want Effect
	}{
		{tools.Tool{Class: tools.ReadsPath, Action: act}, Reads},
		{tools.Tool{Class: tools.ReadsTree}, Reads},
		{tools.Tool{Class: tools.ReadOnly}, Reads},
		{tools.Tool{Class: tools.PathScoped, Action: act}, Changes},
		{tools.Tool{Class: tools.Exclusive, Action: act}, MayChange},
		{tools.Tool{Class: tools.Exclusive}, Inward},
		{tools.Tool{Class: tools.Interactive}, Inward},
	} {
		if got := EffectOf(c.tool); got != c.want {
			t.Errorf("%+v: got %v, want %v", c.tool.Class, got, c.want)
		}
	}
}
