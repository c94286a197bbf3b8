package agent_test

import (
	"os"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// TestFailedWritesAreReported names at the end of a turn what was not written,
// and leaves out what was written in the end.
func TestFailedWritesAreReported(t *testing.T) {
	put := func(path string) script.Call {
		return call("write_file", map[string]any{"path": path, "content": "x"})
	}
	r := newRig(t, rounds(
		steps(put("plain.txt/below.txt")), steps(put("second.txt/below.txt")), steps(call("terminal", map[string]any{"command": "rm second.txt"})),
		steps(put("second.txt/below.txt")), steps(script.Text{Text: "All written."}),
	), withMode(event.ModeOff), func(c *agent.Config) { c.VerifyEdits = true })
	write(t, r.work, "plain.txt", "a file, no folder")
	write(t, r.work, "second.txt", "a file, no folder")
	r.submit("go")
	r.idle(1)
	f := r.last()
	if f.Outcome != event.TurnCompleted || !strings.Contains(f.Explain, "plain.txt/below.txt") || strings.Contains(f.Explain, "second.txt") {
		t.Errorf("turn ended %+v", f)
	}
	r.wants("answer All written.", "notice Not written")
}

// TestResultsOfAMessageAreBounded cuts the largest results when all together are
// too much, and keeps them in files.
func TestResultsOfAMessageAreBounded(t *testing.T) {
	line := strings.Repeat("x", 990) + "\n"
	var calls []script.Step
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		calls = append(calls, call("read_file", map[string]any{"path": name}))
	}
	r := newRig(t, rounds(calls, steps(script.Text{Text: "Read."})))
	for name, n := range map[string]int{"a.txt": 85, "b.txt": 90, "c.txt": 80} {
		write(t, r.work, name, strings.Repeat(line, n))
	}
	r.submit("go")
	r.idle(1)
	rows := r.messages()
	for i, cut := range []bool{false, true, false} {
		got := rows[2+i].Content
		if strings.Contains(got, "<persisted-output>") != cut || !cut && len(got) < 79_000 {
			t.Errorf("result %d has %d bytes: %.200s", i, len(got), got)
		}
		if !cut {
			continue
		}
		_, path, _ := strings.Cut(got, "All of it is in\n")
		path, _, _ = strings.Cut(path, "\n")
		if whole, err := os.ReadFile(path); err != nil || len(whole) < 90*len(line) {
			t.Errorf("the file has %d bytes, %v", len(whole), err)
		}
	}
}
