//go:build unix

package ui_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	. "hermes-tui/internal/uitest"
	"hermes-tui/ui"
	"hermes-tui/ui/term"
)

// panicEnv makes the test binary a program whose screen panics, and says where.
const panicEnv = "HERMES_UI_TEST_PANIC"

// places are where a screen can panic: in a command, in Update and in View.
var places = []string{"command", "update", "view"}

// TestPanicProgram is no test but the program that TestPanicRestoresTheTerminal
// runs.
func TestPanicProgram(t *testing.T) {
	t.Parallel()
	where := os.Getenv(panicEnv)
	if where == "" {
		return
	}
	b := &bomb{where: where, lit: make(chan struct{})}
	m, _ := ui.New(ui.Options{
		Now: time.Now, Settings: app.Settings{Theme: "auto", Mouse: true}, Term: term.DetectEnv(os.Environ(), runtime.GOOS), Probe: ui.Driven(),
		Open: func(context.Context, func(*event.State)) (*app.App, app.Conversation, error) {
			return new(app.App), b, nil
		},
	})
	if err := m.Run(context.Background(), os.Stdin, os.Stdout, os.Environ()); err != nil {
		fmt.Fprintln(os.Stderr, "the error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// bomb is a conversation that panics when it was given a text: there, or in what
// the screen does next.
type bomb struct {
	app.Conversation // nil: what the screen is not expected to call panics as well
	where            string
	lit              chan struct{}
	armed            atomic.Bool
}

func (b *bomb) SubmitPasted(string, string, ...event.Attachment) (event.InputID, error) {
	if b.where == "command" {
		panic("boom in command")
	}
	b.armed.Store(true)
	close(b.lit)
	return "", fmt.Errorf("not taken")
}

// Next brings nothing, and an event that panics when it is folded into the state.
func (b *bomb) Next(ctx context.Context) ([]event.Event, error) {
	select {
	case <-b.lit:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if b.where == "update" {
		return []event.Event{folded{}}, nil
	}
	return nil, nil
}

// Handled needs nothing.
func (b *bomb) Handled(*event.State) {}

// Urgent is nothing.
func (b *bomb) Urgent() <-chan struct{} { return nil }

// Pending is asked for by every frame.
func (b *bomb) Pending() bool {
	if b.where == "view" && b.armed.Load() {
		panic("boom in view")
	}
	return false
}

// Skills are asked for when it opens.
func (b *bomb) Skills(context.Context) ([]app.Skill, []app.SkillProblem, error) { return nil, nil, nil }

func (b *bomb) SkillChanges() ([]app.SkillChange, error) { return nil, nil }

func (b *bomb) State() *event.State                     { return &event.State{} }
func (b *bomb) Fold() *event.State                      { return &event.State{} }
func (b *bomb) Draft(context.Context) (string, error)   { return "", nil }
func (b *bomb) SaveDraft(context.Context, string) error { return nil }

// folded is an event that panics.
type folded struct{ event.Event }

func (folded) Head() *event.Meta { panic("boom in update") }

func TestPanicRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	bin, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range places {
		for name, kind := range map[string]Terminal{"usual": {}, "kitty": {Kitty: true}} {
			t.Run(where+" on a "+name+" terminal", func(t *testing.T) {
				d := Start(t, Options{
					Bin: bin, Args: []string{"-test.run=^TestPanicProgram$"}, Env: []string{panicEnv + "=" + where},
					Cols: 80, Rows: 24, Terminal: kind, IgnoreRaces: true,
				})
				d.WaitIdle().Type("go").Press("enter")
				left(t, d, 1)
				for _, want := range []string{"boom in " + where, "panic_test.go:", "go on with hermes-tui --continue"} {
					if !strings.Contains(d.Stderr(), want) {
						t.Errorf("%q is not told:\n%s", want, d.Stderr())
					}
				}
			})
		}
	}
}
