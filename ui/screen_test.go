//go:build unix

package ui_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// answers is a scenario that answers by what the user wrote, then by how many
// tool results there are.
func answers(rules ...script.Rule) *script.Scenario {
	return &script.Scenario{Name: "test", Rules: rules}
}

// on answers a text of the user, before any tool result.
func on(user string, steps ...script.Step) script.Rule {
	none := 0
	return script.Rule{Match: script.Match{User: user, Results: &none}, Steps: steps}
}

// after answers a text of the user once so many tool results are there.
func after(user string, results int, steps ...script.Step) script.Rule {
	return script.Rule{Match: script.Match{User: user, Results: &results}, Steps: steps}
}

func say(text string) script.Text { return script.Text{Text: text} }

func call(name string, args map[string]any) script.Call {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return script.Call{Name: name, Args: string(raw)}
}

func run(command string) script.Call { return call("terminal", map[string]any{"command": command}) }

// sizes are a wide, a medium and a narrow screen.
var sizes = [][2]int{{140, 40}, {100, 30}, {60, 20}, {40, 10}}

// manual are settings with which every command is asked about that does more than
// read.
const manual = "approvals:\n  mode: manual\n"

// askDeletions are settings with which only deletions are asked about.
const askDeletions = "approvals:\n  ask: [\"terminal(rm *)\"]\n"

// usualMode is what the header says of a mode that nothing was set about, where
// commands can be confined and where they cannot.
func usualMode() Matcher { return Any(Contains("◆ guarded"), Contains("◆ manual")) }

func eachSize(t *testing.T, f func(t *testing.T, cols, rows int)) {
	for _, s := range sizes {
		t.Run(fmt.Sprintf("%dx%d", s[0], s[1]), func(t *testing.T) { f(t, s[0], s[1]) })
	}
}

func TestFirstFrame(t *testing.T) {
	t.Parallel()
	eachSize(t, func(t *testing.T, cols, rows int) {
		d := Start(t, Options{Cols: cols, Rows: rows, Scenario: answers()})
		d.WaitIdle().Expect(Contains("❯"), usualMode(), Contains("ready"), CursorAfter("❯ "))
		d.Quit().Wait()
		d.AssertRestored()
	})
}

func TestPromptAnswerToolApprovalQuitResume(t *testing.T) {
	t.Parallel()
	eachSize(t, func(t *testing.T, cols, rows int) {
		s := answers(
			on("clean up", script.Reasoning{Text: "What is there?"}, say("I will look."), run("ls")),
			after("clean up", 1, run("rm -rf old")),
			after("clean up", 2, say("The folder **old** is gone.")),
			on("thanks", say("You are welcome.")),
		)
		d := Start(t, Options{Cols: cols, Rows: rows, Scenario: s, Config: manual})
		old := filepath.Join(d.Dir(), "old")
		if err := os.Mkdir(old, 0o755); err != nil {
			t.Fatal(err)
		}
		d.Type("clean up").Press("enter").WaitFor(Contains("wants to run"))
		d.Press("tab").Expect(Contains("rm -rf old"), Contains("▸ 1 Deny"))
		if _, err := os.Stat(old); err != nil {
			t.Fatal("it ran before it was allowed")
		}
		d.Press("pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "right", "enter").WaitIdle().Expect(Contains("The folder old is gone."), NotContains("wants to run"))
		if _, err := os.Stat(old); !os.IsNotExist(err) {
			t.Error("it did not run")
		}
		d.Press("ctrl+d")
		if st := d.Wait(); st.Code != 0 {
			t.Errorf("exit %+v", st)
		}
		d.AssertRestored()
		d.Expect(Contains("hermes-tui --resume "))

		again := Start(t, Options{Cols: cols, Rows: rows, Scenario: s, Home: d.Home(), Args: []string{"--continue"}})
		again.WaitIdle().Expect(Contains("The folder old is gone."))
		again.Type("thanks").Press("enter").WaitIdle().Expect(Contains("You are welcome."))
	})
}

// TestApprovalIsNotHitByAccident types ahead, pastes and presses enter while a
// question comes up.
func TestApprovalIsNotHitByAccident(t *testing.T) {
	t.Parallel()
	s := answers(on("go", script.Open{}, script.Sleep{For: 300 * time.Millisecond}, run("rm -rf old")), after("go", 1, say("done")))
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: s, Config: manual})
	old := filepath.Join(d.Dir(), "old")
	if err := os.Mkdir(old, 0o755); err != nil {
		t.Fatal(err)
	}
	d.Type("go").Press("enter").Type("next thing")
	d.WaitFor(Contains("wants to run"))
	d.Press("right", "enter").Paste("1\r").Press("enter").WaitFor(Contains("queued"))
	d.Expect(Contains("wants to run"))
	if _, err := os.Stat(old); err != nil {
		t.Fatal("a stray key allowed it")
	}
	// The draft is empty now; tab takes the question, enter on Deny denies it.
	d.Press("tab", "enter").WaitFor(Contains("⊘"))
	d.WaitIdle()
	if _, err := os.Stat(old); err != nil {
		t.Error("it ran although it was denied")
	}
}

func TestArmsByItselfWhenNoOneTypes(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("go", run("rm -rf old")), after("go", 1, say("done"))), Config: manual})
	d.Type("go").Press("enter").WaitFor(Contains("enter answer"))
	d.Press("esc").WaitIdle().Expect(Contains("⊘"), Contains("done"))
}

func TestClarify(t *testing.T) {
	t.Parallel()
	ask := call("clarify", map[string]any{"question": "Which colour?", "choices": []string{"red", "green", "blue"}})
	s := answers(on("choose", ask), after("choose", 1, say("You said: {{last_tool}}")))
	start := func(t *testing.T) *Driver {
		d := Start(t, Options{Cols: 120, Rows: 30, Scenario: s})
		d.Type("choose").Press("enter").WaitFor(Contains("The agent asks"))
		return d.Press("tab").Expect(Contains("1 red"), Contains("4 Other"))
	}
	t.Run("arrow and enter", func(t *testing.T) {
		start(t).Press("down", "enter").WaitIdle().Expect(Contains(`"green"`))
	})
	t.Run("digit", func(t *testing.T) {
		start(t).Press("3").WaitIdle().Expect(Contains(`"blue"`))
	})
	t.Run("free text", func(t *testing.T) {
		start(t).Press("4").WaitFor(Contains("esc goes back")).Type("grünlich").Press("enter").WaitIdle().Expect(Contains("grünlich"))
	})
	t.Run("esc is no answer", func(t *testing.T) {
		start(t).Press("esc").WaitIdle().Expect(Contains("null"))
	})
}

// TestStreaming looks at the screen while an answer streams: text grows, keys
// work, the turn can be stopped.
func TestStreaming(t *testing.T) {
	t.Parallel()
	s := answers(
		on("tell", script.Reasoning{Text: "Let me think about it."}, script.Text{Text: "# Title\n\nFirst paragraph.\n\n```go\nfunc main() {\n"}, script.Stall{}),
		on("more", say("Second answer.")),
	)
	eachSize(t, func(t *testing.T, cols, rows int) {
		d := Start(t, Options{Cols: cols, Rows: rows, Scenario: s})
		d.Type("tell").Press("enter").WaitFor(Contains("func main()"))
		d.Type("typed meanwhile").Expect(CursorAfter("typed meanwhile"))
		d.Press("enter").WaitFor(Contains("queued"))
		d.Press("esc").WaitFor(Contains("held"))
		d.WaitIdle().Expect(Contains("typed meanwhile"))
		d.Press("up").WaitIdle().Expect(CursorAfter("typed meanwhile"), NotContains("held"))
		d.Press("ctrl+c").Type("more").Press("enter").WaitIdle().Expect(Contains("Second answer."))
	})
}

func TestSteerFromTheKeyboard(t *testing.T) {
	t.Parallel()
	s := answers(
		on("work", call("clarify", map[string]any{"question": "Ready?"})),
		after("work", 1, say("noted")),
	)
	d := Start(t, Options{Cols: 120, Rows: 30, Scenario: s})
	d.Type("work").Press("enter").WaitFor(Contains("Ready?"))
	d.Type("be careful").Press("ctrl+s").WaitFor(Contains("steers"))
	d.WaitFor(Contains("the keys go to the question above"))
	d.Type("yes").Press("enter").WaitIdle().Expect(Contains("be careful"), Contains("noted"))
	reqs := d.Server().Requests()
	if last := string(reqs[len(reqs)-1].Body); !strings.Contains(last, "be careful") {
		t.Error("the model did not get it")
	}
}

func TestPasteBecomesAChipAndIsSentWhole(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("", say("got it")))})
	text := "all:\n" + strings.Repeat("\techo line\n", 40)
	d.Paste(strings.ReplaceAll(text, "\n", "\r")).Expect(Contains("[paste #1"), NotContains("echo line"))
	d.Press("enter").WaitIdle().Expect(Contains("got it"))
	var body struct{ Messages []struct{ Content string } }
	if err := json.Unmarshal(d.Server().Requests()[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	if got := body.Messages[1].Content; strings.TrimSpace(got) != strings.TrimSpace(text) {
		t.Errorf("sent %q", got)
	}
}

func TestFileCompletion(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("", say("ok")))})
	for _, name := range []string{"alpha.txt", "beta file.txt", "gamma.go"} {
		if err := os.WriteFile(filepath.Join(d.Dir(), name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.Type("see @bet").WaitIdle().Expect(Contains("▸ beta file.txt"))
	d.Press("tab").Expect(CursorAfter(`see @"beta file.txt" `))
	d.Type("and @").WaitIdle().Expect(Contains("▸ alpha.txt"), Contains("gamma.go"))
	d.Press("down", "enter").WaitIdle().Press("enter").WaitIdle().Expect(Contains("ok"))
}

func TestCommands(t *testing.T) {
	t.Parallel()
	s := answers(on("first", say("One.")), on("second", say("Two.")))
	d := Start(t, Options{Cols: 120, Rows: 36, Scenario: s})
	d.Type("first").Press("enter").WaitIdle().Expect(Contains("One."))
	d.Type("/title My first talk").Press("enter").WaitIdle().Expect(Contains("My first talk"))
	d.Type("/new").Press("enter").WaitIdle().Expect(NotContains("One."), NotContains("My first talk"))
	d.Type("second").Press("enter").WaitIdle().Expect(Contains("Two."))
	d.Type("/resume").Press("enter").WaitIdle().Expect(Contains("Sessions"), Contains("My first talk"))
	d.Type("talk").WaitIdle().Press("enter").WaitIdle().Expect(Contains("One."), NotContains("Two."))
	d.Type("/mode plan").Press("enter").WaitIdle().Expect(Contains("◇ plan"))
	d.Type("/mode").Press("enter").WaitIdle().Expect(Contains("Approval mode"), Contains("reads only"), Contains("confines nothing"))
	d.Type("manual").Press("enter").WaitIdle().Expect(Contains("◆ manual"), Contains("Mode manual: asks about all but plain reading."))
	d.Type("/mode PLAN").Press("enter").WaitIdle().Expect(Contains("◇ plan"))
	d.Type("/mode maybe").Press("enter").WaitIdle().Expect(Contains("There is no mode \"maybe\": choose one of guarded, manual, smart, plan, off."))
	d.Press("shift+tab").WaitIdle().Expect(usualMode())
	d.Type("/model").Press("enter").WaitIdle().Expect(Contains("Models"), Contains("script"))
	d.Press("esc").Type("/nonsense").Press("enter").WaitIdle().Expect(Contains("There is no command /nonsense"), CursorAfter("❯ /nonsense"))
}

// TestGuardedNeedsConfinement: where nothing is confined, no mode says that it is.
func TestGuardedNeedsConfinement(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	d := Start(t, Options{Cols: 80, Rows: 24, Scenario: answers(), Dir: home, Env: []string{"HOME=" + home}})
	d.WaitIdle().Expect(Contains("◆ manual"), Contains("Commands cannot be confined here"), Contains("a project's folder"))
	d.Press("shift+tab").WaitIdle().Expect(Contains("◇ plan"))
	d.Press("shift+tab").WaitIdle().Expect(Contains("◆ manual", "Mode manual"), NotContains("guarded"))
	d.Type("/mode guarded").Press("enter").WaitIdle().Expect(Contains("◆ manual", "cannot be confined here"), NotContains("◆ guarded"))
}

func TestHelpNamesKeysAndCommands(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 50, Scenario: answers()})
	d.WaitIdle().Press("?").Expect(Contains("Keys here: writing"), Contains("ctrl+s"), Contains("More keys: writing"))
	d.Press("end").Expect(Contains("Keys: themes"))
	d.Press("esc").Expect(NotContains("Keys and commands"))
	d.Type("what?").Expect(CursorAfter("what?"))
}

func TestTranscriptByKeyboard(t *testing.T) {
	t.Parallel()
	s := answers(on("work", script.Reasoning{Text: "thoughts of mine"}, say("Answer in *Markdown*."), run("seq 1 40")), after("work", 1, say("Done.")))
	d := Start(t, Options{Cols: 100, Rows: 34, Scenario: s})
	d.Type("work").Press("enter").WaitIdle().Expect(Contains("▸ Thought"), Contains("40 lines"), NotContains("thoughts of mine"))
	d.Press("f6", "up", "up", "up", "enter").Expect(Contains("▾ Thought"), Contains("thoughts of mine"), CursorHidden())
	d.Press("down", "y").WaitIdle()
	if got := d.Clipboard(); got != "Answer in *Markdown*." {
		t.Errorf("copied %q", got)
	}
	d.Press("down", "o").WaitIdle().Expect(Contains("seq 1 40"), Contains("│ 1 "), Contains("│ 20 "))
	d.Press("esc", "esc").Expect(CursorAfter("❯ "))
}

func TestMouse(t *testing.T) {
	t.Parallel()
	s := answers(on("long", say(strings.Repeat("A paragraph of the answer.\n\n", 60)+"The end.")))
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: s})
	d.Type("long").Press("enter").WaitIdle().Expect(Contains("The end."))
	d.Wheel(10, 10, Up, 5).Expect(NotContains("The end."), Contains("follows"))
	d.Wheel(10, 10, Down, 10).Expect(Contains("The end."), NotContains("follows"))
}

func TestResizeKeepsThePlace(t *testing.T) {
	t.Parallel()
	s := answers(on("long", say(strings.Repeat("Some words of a paragraph that wraps on narrow screens and not on wide ones.\n\n", 40)+"The end.")))
	d := Start(t, Options{Cols: 140, Rows: 40, Scenario: s})
	d.Type("long").Press("enter").WaitIdle()
	for _, s := range [][2]int{{100, 30}, {50, 20}, {40, 10}, {200, 60}, {20, 5}, {80, 24}} {
		d.Resize(s[0], s[1]).WaitIdle()
		if s[0] >= 40 {
			d.Expect(Contains("The end."))
		} else {
			d.Expect(Contains("too small"))
		}
	}
}

func TestThemeFollowsTheTerminal(t *testing.T) {
	t.Parallel()
	answered := func(light bool) *Driver {
		d := Start(t, Options{Cols: 80, Rows: 24, Scenario: answers(on("hi", say("Hello."))), Terminal: Terminal{Light: light}})
		return d.Type("hi").Press("enter").WaitFor(Contains("Hello.")).WaitIdle()
	}
	var dark string
	answered(false).WaitFor(Styled("some colour", "Hello.", func(s Style) bool { dark = fmt.Sprint(s.Fg); return true }))
	answered(true).WaitFor(Styled("another colour than on dark", "Hello.", func(s Style) bool { return fmt.Sprint(s.Fg) != dark }))
}

// TestBellWhenAway rings only when the user is not looking.
func TestBellWhenAway(t *testing.T) {
	t.Parallel()
	s := answers(on("go", say("done")), on("ask", run("rm -rf x")), after("ask", 1, say("ok")))
	d := Start(t, Options{Cols: 80, Rows: 24, Scenario: s, Config: manual})
	d.Focus(true).Type("go").Press("enter").WaitIdle()
	if n := d.Bells(); n != 0 {
		t.Errorf("%d bells with the user in front of it", n)
	}
	d.Type("ask").Focus(false).Press("enter").WaitFor(Contains("wants to run")).WaitIdle()
	if n := d.Bells(); n == 0 {
		t.Error("no bell while the user is away")
	}
	d.Expect(Title("⚠"))
}

func TestIdleWritesNothing(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 36, Scenario: answers(on("hi", say("Hello.")))})
	d.Type("hi").Press("enter").WaitIdle().Expect(Contains("Hello."))
	d.WaitFor(Not(Contains("tok/s")))
	d.ExpectQuiet(time.Second)
}

func TestDraftSurvives(t *testing.T) {
	t.Parallel()
	s := answers(on("hi", say("Hello.")))
	d := Start(t, Options{Cols: 80, Rows: 24, Scenario: s})
	d.WaitIdle().Type("a long thought").WaitIdle()
	d.WaitFor(Contains("a long thought"))
	waitDraft(t, d, "a long thought")
	d.Kill9()
	d.Wait()
	again := Start(t, Options{Cols: 80, Rows: 24, Scenario: s, Home: d.Home()})
	again.WaitIdle().Expect(CursorAfter("a long thought"))
}

// A draft that was stored while it was typed and is sent then is not there again in the
// next session.
func TestDraftThatWasSent(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 80, Rows: 24, Scenario: answers(on("", say("Hello.")))})
	d.WaitFor(Contains("Type what you want done"))
	d.Type("a long thought").WaitIdle()
	waitDraft(t, d, "a long thought")
	d.Type(" and its end").Press("enter").WaitFor(Contains("Hello."))
	d.WaitIdle().Type("/new").Press("enter").WaitFor(NotContains("Hello."))
	d.WaitIdle().Type("second").Expect(CursorAfter("❯ second"))
}

// waitDraft waits until the draft is on the disk: typing rests, then it is
// stored.
func waitDraft(t *testing.T, d *Driver, text string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		for _, name := range []string{"state.db", "state.db-wal"} {
			raw, err := os.ReadFile(filepath.Join(d.Home(), name))
			if err == nil && strings.Contains(string(raw), text) {
				d.WaitIdle() // until it is all there
				return
			}
		}
		d.WaitSync()
	}
	t.Fatal("the draft was not stored")
}

func TestExitPathsRestoreTheTerminal(t *testing.T) {
	t.Parallel()
	s := answers(on("go", say("streaming"), script.Stall{}), on("run", run("sleep 600")))
	for name, leave := range map[string]func(*Driver){
		"ctrl+d":              func(d *Driver) { d.Press("ctrl+d") },
		"/quit":               func(d *Driver) { d.Type("/quit").Press("enter") },
		"ctrl+c twice":        func(d *Driver) { d.Press("ctrl+c", "ctrl+c") },
		"SIGTERM":             func(d *Driver) { d.Signal(syscall.SIGTERM) },
		"SIGHUP":              func(d *Driver) { d.Signal(syscall.SIGHUP) },
		"SIGTERM in a stream": func(d *Driver) { d.Type("go").Press("enter").WaitFor(Contains("streaming")).Signal(syscall.SIGTERM) },
		"SIGTERM in a tool":   func(d *Driver) { d.Type("run").Press("enter").WaitFor(Contains("sleep 600")).Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			d := Start(t, Options{Cols: 80, Rows: 24, Scenario: s, Config: manual})
			d.WaitIdle()
			leave(d)
			if st := d.Wait(); st.Code != 0 {
				t.Errorf("exit %+v\n%s", st, d.Stderr())
			}
			d.AssertRestored()
		})
	}
}

// TestProvidersThatMisbehave checks what the user sees.
func TestProvidersThatMisbehave(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps []script.Step
		want  []Matcher
	}{
		"wrong key": {[]script.Step{script.Failure{Status: 401, Message: "Incorrect API key"}}, []Matcher{Contains("key")}},
		"HTML page": {[]script.Step{script.Failure{Status: 502, HTML: "<html><title>Bad Gateway</title></html>"}}, []Matcher{Contains("Bad Gateway")}},
		"malformed": {[]script.Step{say("half"), script.Malformed{}}, []Matcher{Contains("half"), Contains("✗")}},
		"cut":       {[]script.Step{say("half"), script.CutReset}, []Matcher{Contains("half"), Contains("✗")}},
		"nothing":   {[]script.Step{script.Finish{Reason: "stop"}}, []Matcher{Contains("answered nothing")}},
	} {
		t.Run(name, func(t *testing.T) {
			d := Start(t, Options{
				Cols: 120, Rows: 30, Config: "agent:\n  api_max_retries: 1\n",
				Scenario: answers(on("again", say("Recovered.")), script.Rule{Steps: c.steps}),
			})
			d.Type("go").Press("enter").WaitIdle().Expect(c.want...)
			d.Type("again").Press("enter").WaitIdle().Expect(Contains("Recovered."))
		})
	}
}

// TestEndlessStream fills the screen with text that never ends; it can be
// stopped, and the program stays small.
func TestEndlessStream(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 30, Scenario: answers(on("go", script.Tokens{N: 1_000_000}))})
	d.Type("go").Press("enter").WaitFor(Contains("answering", "▍"))
	d.Type("still typing").Expect(CursorAfter("still typing"))
	d.Press("esc").WaitIdle().Expect(Contains("still typing"), Contains("ready"))
}

// TestHostileOutput prints sequences that would drive the terminal.
func TestHostileOutput(t *testing.T) {
	t.Parallel()
	evil := `printf '\033]0;owned\007\033[2J\033[H\033[?1049lgone\033]52;c;ZXZpbA==\007\033[?1003h\033[6n\302\233 31mred'`
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("go", run(evil)), after("go", 1, say("{{last_tool}} \x1b]0;owned\a\x1b[2J done")))})
	d.Type("go").Press("enter").WaitFor(Any(Contains("done"), Contains("wants to run")))
	d.WaitIdle()
	d.Expect(Not(Title("owned")), Contains("❯"), usualMode())
	if got := d.Clipboard(); got != "" {
		t.Errorf("the clipboard holds %q", got)
	}
	if sc := d.Screen(); !sc.Alt {
		t.Error("the alternate screen was left")
	}
}
