// Package doctor looks at what the program needs around it and says what it found, what
// that means and what to do about it.
//
// A check is a function that gives findings; [Checks] is the list of them, in the order
// of the report. They run at the same time, none longer than [Patience]: it gives what it has
// found until then. One that gives nothing, or panics, is a finding itself. Findings hold no
// secrets: addresses are shown without what may be a key in them.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/app"
	"hermes-tui/ui/term"
)

// Patience is how long one check may take, and grace how long it may take then to give what
// it has found.
const (
	Patience = 10 * time.Second
	grace    = time.Second
)

// State says how good a finding is.
type State string

// The states of findings.
const (
	Good State = "ok"      // as it should be
	Note State = "note"    // good to know, nothing to do
	Weak State = "warning" // the program works, with less than it could
	Bad  State = "error"   // something does not work
)

// Finding is what a check has found.
type Finding struct {
	// Check is the name of the check, About what it is about there.
	Check string `json:"check"`
	About string `json:"about"`
	State State  `json:"state"`
	// Says is a sentence about how it is, Fix one about what to do; empty for nothing.
	Says string `json:"says"`
	Fix  string `json:"fix,omitempty"`
	// Fixed says what was done about it, and is printed in place of Fix.
	Fixed string `json:"fixed,omitempty"`
}

// Check looks at one thing.
type Check struct {
	Name string
	Look func(ctx context.Context, m *Machine) []Finding
}

// Machine is where the program runs.
type Machine struct {
	// App is nil when it could not be opened, for the reason Broken.
	App    *app.App
	Broken error
	Env    func(string) (string, bool)
	Term   term.Env
	// Find finds a program on the PATH, Run runs one and gives what it writes.
	Find func(name string) (path string, err error)
	Run  func(ctx context.Context, argv ...string) (out string, err error)
	// Dir is the folder that the program was called in.
	Dir string
	// In and Out are the terminal; nil for none.
	In, Out *os.File
	// Offline leaves out what needs other machines.
	Offline bool
	// Only is the one service whose models are asked for, empty for all.
	Only string
}

// Checks are those of this package.
func Checks() []Check {
	return []Check{
		{"models", Models}, {"network", network}, {"terminal", terminal}, {"tmux", tmux}, {"clipboard", clipboard},
		{"programs", programs}, {"servers", servers},
	}
}

// Run makes all checks and gives what they find, in their order.
func Run(ctx context.Context, m *Machine, checks []Check) []Finding {
	found := make([][]Finding, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		all.Go(func() { found[i] = look(ctx, m, c) })
	}
	all.Wait()
	var list []Finding
	for _, f := range found {
		list = append(list, f...)
	}
	return list
}

// look makes one check.
func look(ctx context.Context, m *Machine, c Check) []Finding {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	done := make(chan []Finding, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- []Finding{{About: c.Name, State: Bad, Says: fmt.Sprintf("the check itself failed: %v", p)}}
			}
		}()
		done <- c.Look(ctx, m)
	}()
	var list []Finding
	select {
	case list = <-done:
	case <-time.After(Patience + grace):
		list = []Finding{{About: c.Name, State: Weak, Says: fmt.Sprintf("no answer within %v", Patience)}}
	}
	for i := range list {
		list[i].Check = c.Name
		list[i].About, list[i].Says, list[i].Fix = term.Line(list[i].About), term.Line(list[i].Says), term.Line(list[i].Fix)
	}
	return list
}

// marks are the signs of states in a report.
var marks = map[State]string{Good: "✓", Note: "·", Weak: "!", Bad: "✗"}

// Print writes a report, by check, and what to do below each finding, in lines of a width;
// 0 is any.
func Print(w io.Writer, list []Finding, width int) error {
	var b strings.Builder
	line := func(lead, text string) {
		indent := strings.Repeat(" ", ansi.StringWidth(lead))
		if width > len(indent)+20 {
			text = strings.ReplaceAll(ansi.Wrap(text, width-len(indent), ""), "\n", "\n"+indent)
		}
		b.WriteString(lead + text + "\n")
	}
	last := ""
	for _, f := range list {
		if f.Check != last {
			if last != "" {
				b.WriteString("\n")
			}
			b.WriteString(f.Check + "\n")
			last = f.Check
		}
		line("  "+marks[f.State]+" ", f.About+": "+f.Says)
		if do := cmp.Or(f.Fixed, f.Fix); do != "" {
			line("      → ", do)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Count is how many findings have a state.
func Count(list []Finding, s State) (n int) {
	for _, f := range list {
		if f.State == s {
			n++
		}
	}
	return n
}
