//go:build unix

package ui_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

const (
	// childrenAtOnce is how many subagents work at once, childRate how many tokens
	// a second each of them gets.
	childrenAtOnce = 100
	childRate      = 30
	// sharesConfig lets so many work side by side.
	sharesConfig = "delegation:\n  max_concurrent_children: 100\n"
	// childGoal is what they are to do; its number follows.
	childGoal = "stream part"
	// everyone are the tokens a second of all of them together.
	everybody = childrenAtOnce * childRate
)

// streamGoals hands a part to each of the subagents.
func streamGoals() script.Call {
	tasks := make([]any, childrenAtOnce)
	for i := range tasks {
		tasks[i] = map[string]any{"goal": fmt.Sprintf("%s %d", childGoal, i)}
	}
	return call("delegate_task", map[string]any{"tasks": tasks})
}

// resident is how much memory the program holds, in megabytes; 0 where that is
// not to be had.
func resident(d *Driver) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.Pid()))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	var kilobytes float64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		return 0
	}
	return kilobytes / 1024
}

// BenchmarkFamilyProgram types while 100 subagents stream, each at 30 tokens a
// second, and measures the time from writing a key to reading its glyph, the
// processor time and the memory of the program; and for comparison while one agent
// streams as much as all of them, and while nothing happens. Keys are 30 to 90 ms
// apart.
func BenchmarkFamilyProgram(b *testing.B) {
	const long = 300 // seconds that they could stream
	one := script.Tokens{N: long * childRate, Pace: script.Pace{Rate: childRate}}
	all := script.Tokens{N: long * everybody, Pace: script.Pace{Rate: everybody}}
	for _, c := range []struct {
		name  string
		rules []script.Rule
	}{
		{"100 agents", []script.Rule{on("^stream$", streamGoals()), on(childGoal, say("It begins. "), one)}},
		{"one agent", []script.Rule{on("^stream$", say("It begins. "), all)}},
		{"at rest", nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			d, r := measured(b, Options{Scenario: answers(c.rules...), Config: sharesConfig})
			d.WaitIdle()
			switch {
			case len(c.rules) > 1:
				d.Type("stream").Press("enter").WaitFor(Contains("100 · ⚡100"))
			case len(c.rules) > 0:
				d.Type("stream").Press("enter").WaitFor(Contains("It begins."))
			}
			pause(3 * time.Second) // so that they all stream
			load := meter{d: d, r: r}
			load.begin()
			quantiles(b, "", typed(b, d, r), 0, 3)
			load.end(b)
			d.Kill9()
		})
	}
}

// typed types one key for each iteration and returns how long their glyphs took.
func typed(b *testing.B, d *Driver, r *recording) []time.Duration {
	b.Helper()
	dice := rand.New(rand.NewPCG(1, 2))
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		if i%len(glyphs) == 0 {
			d.Press("ctrl+u").WaitSync()
		}
		pause(time.Duration(30+dice.IntN(60)) * time.Millisecond)
		glyph := glyphs[i%len(glyphs)]
		echo := r.expect(glyph)
		began := time.Now()
		d.Type(glyph)
		times = append(times, within(b, "the echo of a key", echo).Sub(began))
	}
	return times
}

// meter measures what the program needs and writes during some time.
type meter struct {
	d     *Driver
	r     *recording
	began time.Time
	cpu   time.Duration
	known bool
}

func (m *meter) begin() {
	m.began = time.Now()
	m.cpu, m.known = m.d.CPU()
}

func (m *meter) end(b *testing.B) {
	b.Helper()
	now := time.Now()
	cpu, _ := m.d.CPU()
	took := now.Sub(m.began)
	size, frames := m.r.count(m.began, now)
	b.ReportMetric(float64(frames)/took.Seconds(), "frames/s")
	b.ReportMetric(float64(size)/took.Seconds()/1024, "KB/s")
	if m.known {
		b.ReportMetric(100*(cpu-m.cpu).Seconds()/took.Seconds(), "cpu-%")
	}
	b.ReportMetric(resident(m.d), "resident-MB")
}

// BenchmarkFamilyIdle leaves the program alone for three seconds after 100
// subagents have done their work and the turn has ended. It should write nothing,
// and need no more than one that has never worked.
func BenchmarkFamilyIdle(b *testing.B) {
	const rest = 3 * time.Second
	done := "All parts are here."
	d, _ := measured(b, Options{Config: sharesConfig, Scenario: answers(
		on("^stream$", streamGoals()), after("^stream$", 1, say(done)),
		on(childGoal, script.Tokens{N: 100, Pace: script.Pace{Rate: 4 * childRate}}),
	)})
	d.WaitIdle().Type("stream").Press("enter").WaitFor(Contains(done)).WaitIdle()
	pause(2 * time.Second) // what still ends after the turn
	var cpu time.Duration
	var size int64
	n := 0
	for b.Loop() {
		n++
		before, _ := d.CPU()
		written := d.Bytes()
		pause(rest)
		now, _ := d.CPU()
		cpu, size = cpu+now-before, size+d.Bytes()-written
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(size)/float64(n), "bytes")
	b.ReportMetric(0, "target-bytes")
	b.ReportMetric(100*cpu.Seconds()/(float64(n)*rest.Seconds()), "cpu-%")
	b.ReportMetric(0.02, "target-cpu-%")
	b.ReportMetric(resident(d), "resident-MB")
	d.Quit().Wait()
}
