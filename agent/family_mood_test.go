package agent_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hermes-tui/agent/event"
)

// mood is a model that does anything.
type mood struct {
	safe atomic.Bool // it only says that it is done
	mark string      // the argument of processes that would run for ever

	mu       sync.Mutex
	rng      *rand.Rand
	n        int
	commands map[string]bool // all that it wrote
}

func newMood(seed uint64) *mood {
	return &mood{rng: rand.New(rand.NewPCG(seed, 23)), mark: fmt.Sprintf("5000.%d%04d", os.Getpid(), seed), commands: map[string]bool{}}
}

func (m *mood) wrote(command string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.commands[command]
}

// answer is what the server does.
func (m *mood) answer(a *ask) {
	if m.safe.Load() {
		a.say("Done.")
		return
	}
	m.mu.Lock()
	do := m.pick(a)
	pause := time.Duration(m.rng.IntN(6)) * time.Millisecond
	m.mu.Unlock()
	late := time.NewTimer(pause)
	defer late.Stop()
	select {
	case <-late.C:
		do(a)
	case <-a.r.Context().Done():
	}
}

// pick decides on an answer. The caller holds the lock.
func (m *mood) pick(a *ask) func(*ask) {
	m.n++
	n := m.n
	if a.answers() == 0 && a.goal() == "" && m.rng.IntN(3) > 0 {
		return calls(m.spawns()...)
	}
	switch m.rng.IntN(24) {
	case 0, 1, 2, 3:
		return says(fmt.Sprintf("Answer %d.", n))
	case 4:
		return func(a *ask) { a.fail([]int{400, 401, 500, 503}[n%4], "It did not work out.") }
	case 5:
		return func(a *ask) { a.part(); a.reset() }
	case 6:
		return func(a *ask) { a.part(); a.stall() }
	case 7:
		return calls(wire{"clarify", map[string]any{"question": "ready?"}})
	case 8, 9, 10:
		return calls(m.command("rm -rf gone-%d; echo %[1]d >> proof"))
	case 11:
		return calls(m.command("echo %d >> proof; sleep " + m.mark))
	case 12:
		return calls(m.command("sleep 0.02; echo %d >> proof"), m.command("echo %d >> proof"))
	case 13, 14, 15, 16, 17:
		return calls(m.spawns()...)
	}
	return calls(m.command("echo %d >> proof"))
}

// command is one that no other is like.
func (m *mood) command(form string) wire {
	m.n++
	text := fmt.Sprintf(form, m.n)
	m.commands[text] = true
	return runs(text)
}

// spawns are calls for subagents.
func (m *mood) spawns() (list []wire) {
	for range 1 + m.rng.IntN(2) {
		if m.rng.IntN(4) == 0 {
			m.n++
			list = append(list, behind(fmt.Sprintf("g%d", m.n)))
			continue
		}
		var tasks []any
		for range 1 + m.rng.IntN(3) {
			m.n++
			t := map[string]any{"goal": fmt.Sprintf("g%d", m.n)}
			if m.rng.IntN(2) == 0 {
				t["role"] = "orchestrator"
			}
			tasks = append(tasks, t)
		}
		list = append(list, wire{"delegate_task", map[string]any{"tasks": tasks}})
	}
	return list
}

// risk finds the commands that are asked about.
var risk = regexp.MustCompile(`^rm -rf gone-([0-9]+); echo ([0-9]+) >> proof$`)

// number finds what a command writes.
var number = regexp.MustCompile(`echo ([0-9]+) >> proof`)

// checkRan checks that no command ran twice, that those which are asked about ran
// only when they were allowed, and that the models are told the truth.
func (k *tribe) checkRan() {
	ran := k.lines("proof")
	slices.Sort(ran)
	if len(slices.Compact(slices.Clone(ran))) != len(ran) {
		k.t.Errorf("commands ran twice: %q", ran)
	}
	k.mood.mu.Lock()
	defer k.mood.mu.Unlock()
	for text := range k.mood.commands {
		if m := risk.FindStringSubmatch(text); m != nil && slices.Contains(ran, m[1]) && k.allowed[text] != 1 {
			k.t.Errorf("%q ran and was allowed %d times", text, k.allowed[text])
		}
	}
	for _, a := range k.state.Agents {
		if a.Session != "" {
			k.checkTold(a, ran)
		}
	}
}

// checkTold checks what an agent is told of its commands against what ran.
func (k *tribe) checkTold(a *event.Agent, ran []string) {
	rows, err := k.db.Messages(k.t.Context(), string(a.Session))
	k.must(err)
	wrote := map[string]string{}
	for _, m := range rows {
		var list []struct {
			ID       string
			Function struct{ Arguments string }
		}
		if m.ToolCalls != "" {
			k.must(json.Unmarshal([]byte(m.ToolCalls), &list))
		}
		for _, c := range list {
			if n := number.FindStringSubmatch(c.Function.Arguments); n != nil {
				wrote[c.ID] = n[1]
			}
		}
		n, is := wrote[m.ToolCallID]
		if m.Role != "tool" || !is {
			continue
		}
		did := slices.Contains(ran, n)
		denies := strings.Contains(m.Content, "did not run") || strings.Contains(m.Content, "Not run") || strings.Contains(m.Content, `"denied"`)
		if did && denies || !did && strings.Contains(m.Content, `"exit_code":0`) {
			k.t.Errorf("of %s, which ran: %v, the model is told %q", n, did, m.Content)
		}
	}
}

// checkProcesses checks that nothing runs any more that an agent has started.
func (k *tribe) checkProcesses() {
	var left []string
	for ends := time.Now().Add(5 * time.Second); time.Now().Before(ends); <-time.After(10 * time.Millisecond) {
		left = nil
		files, err := filepath.Glob("/proc/[0-9]*/cmdline")
		k.must(err)
		for _, f := range files {
			if text, err := os.ReadFile(f); err == nil && strings.Contains(string(text), k.mood.mark) {
				left = append(left, strings.ReplaceAll(string(text), "\x00", " "))
			}
		}
		if len(left) == 0 {
			return
		}
	}
	k.t.Errorf("processes are left: %q", left)
}
