package agent_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"hermes-tui/providers/script"
)

// anything is a scenario that answers each of n requests with something else, and
// all later ones well.
func anything(rng *rand.Rand, n int) *script.Scenario {
	s := &script.Scenario{Name: "anything"}
	for i := range n {
		s.Rules = append(s.Rules, script.Rule{Match: script.Match{Nth: i + 1}, Steps: anyAnswer(rng, i)})
	}
	s.Rules = append(s.Rules, script.Rule{Steps: steps(script.Text{Text: "Done."})})
	return s
}

// anyAnswer begins as answers do and ends as they do or do not.
func anyAnswer(rng *rand.Rand, n int) []script.Step {
	pick := func(of ...[]script.Step) []script.Step { return of[rng.IntN(len(of))] }
	maybe := func(s ...script.Step) []script.Step { return pick(nil, s) }
	text := script.Text{Text: fmt.Sprintf("Answer %d. ", n)}
	switch rng.IntN(120) {
	case 0: // long enough to be saved while it arrives
		return steps(script.Text{Text: strings.Repeat("word ", 16), Pace: script.Pace{Rate: 60}}, script.CutReset)
	case 1:
		return append(steps(script.Reasoning{Text: strings.Repeat("word ", 16), Pace: script.Pace{Rate: 60}}, text), anyCall(rng, n)...)
	}
	if rng.IntN(3) == 0 {
		return append(append(maybe(script.Reasoning{Text: "Hm."}), text), maybe(anyPause(rng))...)
	}
	begin := append(maybe(script.Reasoning{Text: "Hm."}), maybe(anyPause(rng))...)
	begin = append(begin, pick(nil, nil, steps(text), steps(script.Text{Text: " \n"}),
		steps(script.Text{Text: "<think>Two.</think>"}), steps(script.Text{Text: "<think>Two"}),
		steps(script.Text{Text: "<REASONING_SCRATCHPAD> hm"}), steps(script.Text{Text: `<tool_call>{"name":"todo"}</tool_call>`}))...)
	begin = append(begin, maybe(anyPause(rng))...)
	for range rng.IntN(3) {
		begin = append(begin, anyCall(rng, n)...)
	}
	return append(append(begin, maybe(anyPause(rng))...), anyEnd(rng)...)
}

// anyPause gives the user time to do something, or says nothing for too long.
func anyPause(rng *rand.Rand) script.Step {
	if rng.IntN(25) == 0 {
		return script.Stall{}
	}
	return script.Sleep{For: time.Duration(1+rng.IntN(4)) * time.Millisecond}
}

// anyCall is a call that is in order, or not.
func anyCall(rng *rand.Rand, n int) []script.Step {
	unique := rng.Int64()
	id := func() string { return []string{"", "same", fmt.Sprint("id", n)}[rng.IntN(3)] }
	named := func(name, args string) []script.Step { return steps(script.Call{Name: name, Args: args, ID: id()}) }
	shell := fmt.Sprintf(`{"command": "echo %d-%d >> proof"}`, n, unique)
	switch rng.IntN(17) {
	case 0:
		return named("terminal", shell)
	case 1:
		return named("terminal", `{"command": "seq 1000 1700"}`)
	case 2:
		return named("terminal", `{"command": "sleep 0.02; echo `+fmt.Sprint(unique)+` >> proof"}`)
	case 3:
		return named("todo", `{"todos": [{"id": "1", "content": "x", "status": "pending"}]}`)
	case 4:
		return named("clarify", `{"question": "ready?"}`)
	case 5:
		return append(named("read_file", `{"path": "a.txt"}`), named("read_file", `{"path": "a.txt", "limit": 1}`)...)
	case 6: // the same call twice
		return append(named("terminal", shell), named("terminal", shell)...)
	case 7:
		return named("no_such_tool", `{}`)
	case 8:
		return named("get the weather, please!", `{"where": "hère"}`)
	case 9: // without a name
		return steps(script.Raw(`data: ` + callEvent(0, id(), "", `{"a": 1}`) + "\n\n"))
	case 10:
		return named("read_file", `{"path": "a.txt", "limit": }`)
	case 11:
		return named("terminal", `{"command": "echo ha`)
	case 12:
		return named("read_file", `[1]`)
	case 13:
		return named("read_file", ``)
	case 14:
		return named("ReadFile", `{"path": "missing.txt",}`)
	}
	return named("search_files", `{"pattern": "alpha"}`)
}

// anyEnd ends an answer as it should, not at all, or with a failure.
func anyEnd(rng *rand.Rand) []script.Step {
	switch rng.IntN(16) {
	case 0:
		status := []int{400, 401, 402, 404, 413, 429, 500, 503}[rng.IntN(8)]
		return steps(script.Failure{Status: status, Message: "It did not work out."})
	case 1:
		return steps(script.Failure{Status: 400, Message: "maximum context length is 50000 tokens"})
	case 2:
		return steps(script.CutReset)
	case 3:
		return steps(script.CutHalf)
	case 4:
		return steps(script.CutClean)
	case 5:
		return steps(script.Malformed{})
	case 6:
		return steps(script.Finish{Reason: "length"})
	case 7:
		return steps(script.Finish{Reason: []string{"content_filter", "error"}[rng.IntN(2)]})
	case 8:
		return steps(script.Finish{Omit: true})
	case 9:
		return steps(script.Keepalive{N: 3}, script.Stall{})
	}
	return nil
}
