//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/internal/uitest/tmux"
	"hermes-tui/providers/script"
)

// session starts the program in a tmux of its own.
func session(t *testing.T, s *script.Scenario) *tmux.Session {
	t.Helper()
	return tmux.Start(t, tmux.Options{Options: Options{Cols: 120, Rows: 36, Config: askDeletions, Scenario: s}})
}

// fromAShell starts the program as a user does: from a shell, which is there
// again afterwards. The settings of the terminal are told before and after.
func fromAShell(t *testing.T, s *script.Scenario) *tmux.Session {
	t.Helper()
	bin := Build(t)
	return tmux.Start(t, tmux.Options{Options: Options{
		Cols: 120, Rows: 36, Config: askDeletions, Scenario: s, Bin: "/bin/sh",
		Args: []string{"-c", `stty -g; "$0"; stty -g; PS1="shell: " exec sh -i`, bin},
	}})
}

// inAShell holds when the shell waits for a command and the terminal is as it
// finds it.
func inAShell() Matcher {
	return Matches("is the main one, with a shell that waits and the settings of before", func(s Screen) bool {
		var settings []string
		for _, line := range s.Lines() {
			if strings.Count(line, ":") > 10 {
				settings = append(settings, line)
			}
		}
		last := s.Line(s.Cursor.Y)
		return !s.Alt && !s.Mouse && s.Cursor.Visible && last == "shell:" && s.Cursor.X == len("shell: ") &&
			len(settings) == 2 && settings[0] == settings[1]
	})
}

// TestInTmux goes through a whole conversation in a real tmux.
func TestInTmux(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^tell$", script.Reasoning{Text: "What could I tell?"}, say("Once upon a time"), script.Stall{}),
		on("^clean up$", say("I will look first."), run("ls -d old")),
		after("^clean up$", 1, run("rm -rf old")),
		after("^clean up$", 2, call("clarify", map[string]any{"question": "Which colour next?", "choices": []string{"red", "green", "blue"}})),
		after("^clean up$", 3, say("It is gone, and you said {{last_tool}}.")),
	)
	p := fromAShell(t, s)
	old := filepath.Join(p.Launch().Dir, "old")
	if err := os.Mkdir(old, 0o755); err != nil {
		t.Fatal(err)
	}
	// An answer is there while it still streams, and esc stops it.
	p.Type("tell").Press("enter").WaitFor(Contains("Once upon a time▍", " answering "))
	p.Press("esc").WaitIdle().Expect(Contains("Once upon a time", "■ interrupted", "○ ready"))

	p.Type("clean up").Press("enter")
	p.WaitFor(Contains("wants to run", "rm -rf old", "▸ 1 Deny"), LineMatches(`● terminal +ls -d old .* ✓`))
	p.Press("right").Expect(Contains("▸ 2 Allow once"))
	if _, err := os.Stat(old); err != nil {
		t.Fatal("it ran before it was allowed")
	}
	p.Press("enter").WaitFor(LineMatches(`▸ 1 red`), LineMatches(`● terminal +rm -rf old .* ✓`))
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Error("it was allowed and did not run")
	}
	p.Press("down").Expect(LineMatches(`▸ 2 green`))
	p.Press("enter").WaitIdle().Expect(Contains("It is gone, and you said", `"green"`), NotContains("The agent asks"))

	p.Resize(50, 14).WaitIdle().Expect(Contains("It is gone", "❯"), NotContains("Agents"), inside())
	p.Resize(120, 36).WaitIdle().Expect(Contains("Once upon a time", "It is gone"), NotContains("Agents"), inside())

	p.Press("ctrl+d").WaitFor(inAShell(), LineMatches(`^To resume: hermes-tui --resume \d{8}_\d{6}_[0-9a-f]{6}$`), Contains("❯ clean up", "It is gone"))
	p.Type("echo $((40 + 2)) is the answer").Press("enter").WaitFor(Contains("42 is the answer"))
	p.Type("clear; stty -g; "+Build(t)+" --continue; stty -g").Press("enter").WaitFor(Contains("Once upon a time", "❯ clean up", "It is gone", "○ ready"), inside())
	p.Press("ctrl+d").WaitFor(inAShell(), Contains("To resume: hermes-tui --resume "))
}

// inside holds when the program has the whole screen.
func inside() Matcher {
	return Matches("is the program's", func(s Screen) bool { return s.Alt && s.Mouse && s.Cursor.Visible })
}

// TestTmuxServerDies takes tmux away under the program in the middle of a turn.
// The program ends with everything it had started, and what was said is there the
// next time.
func TestTmuxServerDies(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]func(*tmux.Session) *tmux.Session{
		"kill-server": (*tmux.Session).KillServer, "kill-session": (*tmux.Session).KillSession,
	} {
		for doing, c := range map[string]struct {
			occupy func(t *testing.T, p *tmux.Session)
			shown  []string
		}{
			"at rest": {func(*testing.T, *tmux.Session) {}, nil},
			"streaming": {func(_ *testing.T, p *tmux.Session) {
				p.Type("stream").Press("enter").WaitFor(Contains("half an answer▍"))
			}, []string{"half an answer", "closed during this turn"}},
			"in a tool": {func(t *testing.T, p *tmux.Session) {
				p.Type("run").Press("enter")
				pid := hanging(t, p.Launch().Dir)
				t.Cleanup(func() { waitGone(t, pid) })
			}, []string{"cancelled", "closed during this turn"}},
		} {
			t.Run(name+" "+doing, func(t *testing.T) {
				s := occupied()
				p := session(t, s)
				p.Type("hi").Press("enter").WaitIdle()
				c.occupy(t, p)
				kill(p).WaitGone()
				again := Start(t, Options{Cols: 80, Rows: 24, Config: askDeletions, Scenario: s, Home: p.Home(), Args: []string{"--continue"}})
				again.WaitIdle().Expect(Contains("Hello."), Contains(c.shown...))
				again.Type("hi").Press("enter").WaitIdle().Expect(Count("Hello.", 2))
				sent(t, again)
				left(t, again.Press("ctrl+d"), 0)
			})
		}
	}
}

// TestTmuxClientLeaves detaches and kills the terminals in front of tmux. The
// program does not notice, goes on working, and is there for the next one, which is asked
// for the mouse and for pastes as the first one was, and pastes, scrolls and clicks.
func TestTmuxClientLeaves(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^work$", run("until [ -e go ]; do sleep 0.02; done; echo away >>proof")),
		after("^work$", 1, say("Done while you were away.")),
		on("^and now$", say("Now you are back.")),
	)
	p := session(t, s)
	outer := p.Attach()
	outer.WaitFor(Contains("○ ready"), inside(), Matches("gets pastes as such", func(s Screen) bool { return s.Paste }))
	outer.Type("work").Press("enter").WaitFor(Contains("until [ -e go ]", " running "))
	outer.Press("ctrl+b", "d").Wait()
	outer.AssertRestored()

	second := p.Attach()
	second.WaitFor(Contains("until [ -e go ]", " running ")).Kill9()
	if err := os.WriteFile(filepath.Join(p.Launch().Dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.WaitIdle().Expect(Contains("Done while you were away."))

	third := p.Attach()
	third.WaitFor(Contains("Done while you were away.", "○ ready"), inside(), Matches("gets pastes as such", func(s Screen) bool { return s.Paste }))
	third.Paste("and\nnow").WaitFor(LineMatches("❯ and$"), LineMatches("^ *now$")).Press("ctrl+c").WaitFor(NotContains("❯ and"))
	third.Wheel(10, 10, Up, 3).Click(5, 3)
	third.Type("and now").Press("enter").WaitFor(Contains("Now you are back.", "○ ready"))
	effect(t, p.Launch().Dir, "away")
	third.Press("ctrl+d")
	if st := p.Wait(); st.Code != 0 {
		t.Errorf("it %v", st)
	}
	p.AssertRestored()
}
