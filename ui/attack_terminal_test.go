//go:build unix

package ui_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// drives are sequences that would drive a terminal, by the row of the corpus.
// Where the program uses the same sequence, the parameters are ones it never has.
var drives = []struct{ id, bytes string }{
	{"E1", "\x1b]52;c;T1dORUQ=\a"}, {"E1", "\x1b]52;c;?\x1b\\"},
	{"E2", "\x1b]0;OWNED\a"}, {"E2", "\x1b]2;OWNED\x1b\\"}, {"E2", "\x1b[21t"}, {"E2", "\x1b[6n"}, {"E2", "\x1b[c\x1b[c"}, {"E2", "\x1b[>0q"},
	{"E2", "\x1bP$qm\x1b\\"}, {"E2", "\x1b]10;?\a"}, {"E2", "\x1b[?1003h"},
	{"E3", "\x1b]8;;file:///OWNED\atext\x1b]8;;\a"},
	{"E4", "\x1b[2J\x1b[2J\x1b[2J\x1b[2J"}, {"E4", "\x1b[7777A"}, {"E4", "\x1b[?1049l\x1b[?1049l"}, {"E4", "\x1bc"}, {"E4", "\x1b[1;7777r"},
	{"E4", "\x1b[!p"}, {"E4", "\x1b(0"}, {"E4", "\x1b#8"}, {"E4", "\x1b[?5h"}, {"E4", "\x1b[4h"}, {"E4", "\x0e"}, {"E4", "\x07\x08\x08\x0b\x0c"},
	{"E6", "\u009b7777A"}, {"E6", "\u009d0;OWNED\u009c"}, {"E6", "\u0090$qm\u009c"},
	{"E7", "\x1b_Ga=T,f=100;T1dORUQ=\x1b\\"}, {"E7", "\x1bPq#0;2;0;0;0#0~~\x1b\\"}, {"E7", "\x1b]1337;File=name=T1dORUQ=:AAAA\a"},
	{"E7", "\x1b]7;file://OWNED/\a"}, {"E7", "\x1b]9;OWNED\a"}, {"E7", "\x1b]777;notify;OWNED;OWNED\a"}, {"E7", "\x1b]99;;OWNED\a"},
	{"E7", "\x1bP0;1|17/OWNED\x1b\\"}, {"E7", "\x1b]4;1;#000000\a"}, {"E7", "\x1b]9;4;1;50\a"},
	{"U2", "\u202eabc\u202c"}, {"U2", "\u200b\u2066\u2069\ufeff"},
}

// hostileText is lines of text with all the sequences: the words SAFE0, SAFE1 and
// so on must stay.
func hostileText() string {
	var b strings.Builder
	for i, d := range drives {
		fmt.Fprintf(&b, "SAFE%d %s END%d\n", i, d.bytes, i)
	}
	return b.String()
}

// hostileLine is all of them in one line, which ends in a sequence that never
// ends (E5).
func hostileLine() string {
	var b strings.Builder
	b.WriteString("LINE ")
	for _, d := range drives {
		b.WriteString(strings.ReplaceAll(d.bytes, "\x0b", ""))
	}
	return b.String() + " STOP \x1b]0;OWNED"
}

// injections are the ways in which text from outside reaches the screen. Each
// returns with everything drawn.
var injections = map[string]struct {
	files  map[string]string
	rules  func() []script.Rule
	config string
	models []script.Model
	below  string // folder to start in, below the usual one
	drive  func(t *testing.T, d *Driver)
}{
	"output of a command": {
		files: map[string]string{"evil": hostileText() + "\x9b7777A \xff\xfe 8BIT\n" + hostileLine()},
		rules: func() []script.Rule { return []script.Rule{on("go", run("cat evil")), after("go", 1, say("Finis."))} },
		drive: func(_ *testing.T, d *Driver) {
			said(d, "go", "Finis.")
			d.Press("f6", "up", "o").WaitFor(Contains("cat evil", "SAFE0")).WaitIdle()
			d.Press("end").WaitIdle().Expect(Contains("LINE"), Contains("8BIT")).Press("esc", "esc").WaitIdle()
		},
	},
	"live output": {
		files: map[string]string{"evil": hostileText() + hostileLine()},
		rules: func() []script.Rule {
			return []script.Rule{on("go", run("cat evil; echo; echo LIVE; read x <fifo")), after("go", 1, say("Finis."))}
		},
		drive: func(t *testing.T, d *Driver) {
			if err := exec.Command("mkfifo", filepath.Join(d.Dir(), "fifo")).Run(); err != nil {
				t.Fatal(err)
			}
			d.Type("go").Press("enter").WaitFor(Contains("LIVE")).WaitSync()
			put(t, d.Dir(), map[string]string{"fifo": "x\n"})
			d.WaitFor(Contains("Finis.")).WaitIdle()
		},
	},
	"the model's words": {
		rules: func() []script.Rule {
			return []script.Rule{on("go", script.Reasoning{Text: hostileText()}, script.Text{
				Text: "# SAFE " + hostileLine() + "\x1b\\\n\n```sh\n" + hostileText() + "```\n\n| a | b |\n|---|---|\n| SAFE | \x1b[7777A |\n\n[SAFE](http://a.example/\x1b[7777A) Finis.",
				Pace: script.Pace{Split: 3, Rate: -1},
			})}
		},
		drive: func(_ *testing.T, d *Driver) {
			said(d, "go", "Finis.")
			d.Press("f6", "home", "enter", "o").WaitIdle().Press("esc", "esc").WaitIdle()
		},
	},
	"calls of the model": {
		rules: func() []script.Rule {
			return []script.Rule{
				on("go", call("no\x1b]0;OWNED\a_such\u009b7777A", map[string]any{"a": hostileLine()}), run("echo 'SAFE "+hostileText()+"'"),
					call("read_file", map[string]any{"path": "SAFE" + hostileLine()})),
				after("go", 3, say("Finis.")),
			}
		},
		drive: func(_ *testing.T, d *Driver) {
			d.Type("go").Press("enter").WaitFor(Any(Contains("wants to", "▸"), Contains("Finis.")))
			if Explain(d.Screen(), Contains("wants to")) == "" {
				d.Press("esc")
			}
			d.WaitFor(Contains("Finis.")).WaitIdle()
		},
	},
	"a question of the model": {
		rules: func() []script.Rule {
			return []script.Rule{
				on("go", call("clarify", map[string]any{"question": "SAFE " + hostileText(), "choices": []string{"one " + hostileLine(), "two"}})),
				after("go", 1, say("Finis.")),
			}
		},
		drive: func(_ *testing.T, d *Driver) {
			d.Type("go").Press("enter").WaitFor(Contains("SAFE", "enter answer")).WaitIdle()
			d.Press("esc").WaitFor(Contains("Finis.")).WaitIdle()
		},
	},
	"error of the provider": {
		rules: func() []script.Rule {
			return []script.Rule{on("go", script.Failure{Status: 400, Message: "SAFE " + hostileLine(), Type: "x\x1b[7777A", Code: "\u009b7777A"}),
				on("page", script.Failure{Status: 400, HTML: "<title>SAFE " + hostileLine() + "</title>"})}
		},
		drive: func(_ *testing.T, d *Driver) {
			d.Type("go").Press("enter").WaitFor(Contains("✗")).WaitIdle()
			d.Type("page").Press("enter").WaitFor(Contains("SAFE")).WaitIdle()
		},
	},
	"names of files": {
		files: map[string]string{
			"SAFE1\x1b]0;OWNED\a.txt": "x", "SAFE2\x1b[7777A\n\x1b[2J.txt": "x", "SAFE3\u009b7777A\u202e.txt": "x", "SAFE4\x9b7777A\xff.txt": "x", "-SAFE5 \x1bc.txt": "x",
		},
		rules: func() []script.Rule {
			return []script.Rule{on("go", call("search_files", map[string]any{"pattern": "*SAFE*", "target": "files"}), run("ls -N")), after("go", 2, say("Finis."))}
		},
		drive: func(_ *testing.T, d *Driver) {
			said(d, "go", "Finis.")
			d.Press("f6", "up", "o").WaitIdle().Press("esc", "esc").WaitIdle()
			d.Type("see @SAFE").WaitIdle().Expect(Contains("SAFE1")).Press("tab").WaitIdle().Press("ctrl+c").WaitIdle()
		},
	},
	"the branch": {
		files: map[string]string{".git/HEAD": "ref: refs/heads/SAFE\x1b]0;OWNED\a\x1b[7777A\u009b7777A\u202e\n", ".git/config": "[core]\n", ".git/refs/heads/x": "", ".git/objects/x": ""},
		rules: func() []script.Rule { return []script.Rule{on("go", say("Finis."))} },
		drive: func(_ *testing.T, d *Driver) { said(d, "go", "Finis.") },
	},
	"the name of the session": {
		rules: func() []script.Rule { return []script.Rule{on("", say("Finis."))} },
		drive: func(_ *testing.T, d *Driver) {
			d.Paste("SAFE" + hostileLine() + "\a").Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
			d.Paste("/title SAFE\x1b]0;OWNED\a\x1b[7777A\u009b7777A\u202e").Press("enter").WaitIdle()
			d.Type("/resume").Press("enter").WaitFor(Contains("Sessions")).WaitIdle().Press("esc").WaitIdle()
		},
	},
	"a job in the background": {
		files: map[string]string{"evil": hostileText() + "\x9b7777A\n" + hostileLine()},
		rules: func() []script.Rule {
			return []script.Rule{
				on("go", call("terminal", map[string]any{"command": "cat evil; echo; echo JOB; sleep 60 # \u202e", "background": true})),
				after("go", 1, say("Finis.")),
			}
		},
		drive: func(_ *testing.T, d *Driver) {
			d.Type("go").Press("enter").WaitFor(Any(Contains("wants to", "▸"), Contains("Finis.")))
			if Explain(d.Screen(), Contains("wants to")) == "" {
				d.Press("right", "enter")
			}
			d.WaitFor(Contains("Finis.")).WaitIdle()
			d.Type("/jobs").Press("enter").WaitFor(Contains("Background jobs", "JOB")).WaitIdle()
			d.Press("enter").WaitIdle().Press("esc").WaitIdle().Press("esc").WaitIdle()
		},
	},
	"the end of a job": {
		files: map[string]string{"evil": hostileText() + hostileLine()},
		rules: func() []script.Rule {
			return []script.Rule{
				on("go", call("terminal", map[string]any{"command": "cat evil; echo; echo JOB", "background": true, "notify_on_complete": true})),
				after("go", 1, say("Finis.")), {Steps: []script.Step{say("Heard.")}},
			}
		},
		drive: func(_ *testing.T, d *Driver) {
			d.Type("go").Press("enter").WaitFor(Contains("Heard.")).WaitIdle()
		},
	},
	"differences": {
		files: map[string]string{"old.txt": "one\ntwo\n"},
		rules: func() []script.Rule {
			return []script.Rule{
				on("go", call("write_file", map[string]any{"path": "old.txt", "content": "SAFE\n" + hostileText() + hostileLine() + "\n"})),
				after("go", 1, say("Finis.")),
			}
		},
		drive: func(_ *testing.T, d *Driver) {
			said(d, "go", "Finis.")
			d.Press("f6", "up", "o").WaitIdle().Press("esc", "esc").WaitIdle()
			d.Type("/diff").Press("enter").WaitFor(Contains("SAFE0")).WaitIdle().Press("esc").WaitIdle()
		},
	},
	"a script": {
		rules: func() []script.Rule {
			code := fmt.Sprintf("import sys\nsys.stdout.buffer.write(bytes.fromhex('%x'))\nsys.stdout.flush()\n", hostileText()+"\x9b7777A\n"+hostileLine())
			return []script.Rule{on("go", call("execute_code", map[string]any{"code": code})), after("go", 1, say("Finis."))}
		},
		config: "approvals:\n  mode: \"off\"\n",
		drive: func(_ *testing.T, d *Driver) {
			said(d, "go", "Finis.")
			d.Press("f6", "up", "o").WaitIdle().Press("esc", "esc").WaitIdle()
		},
	},
	"the folder": {
		below: "SAFE\x1b]0;OWNED\a\x1b[7777A\u009b7777A\u202e\x9b7777A\n\x1b[2J",
		rules: func() []script.Rule { return []script.Rule{on("go", say("Finis."))} },
		drive: func(t *testing.T, d *Driver) {
			put(t, d.Dir(), map[string]string{"AGENTS.md": "Be kind.\n"})
			d.Type("go").Press("enter").WaitFor(Contains("trust this folder", "SAFE", "▸ 1 Don't trust")).Press("enter")
			d.WaitFor(Contains("Finis.")).WaitIdle()
		},
	},
	"names of models": {
		models: []script.Model{{ID: "script"}, {ID: "SAFE\x1b]0;OWNED\a\x1b[7777A\u009b7777A\u202e"}},
		config: "model:\n  provider: custom\n  base_url: {{url}}\n  default: script\n",
		rules:  func() []script.Rule { return []script.Rule{on("go", say("Finis."))} },
		drive: func(_ *testing.T, d *Driver) {
			said(d, "go", "Finis.")
			d.Type("/model").Press("enter").WaitFor(Contains("Models", "SAFE")).WaitIdle().Press("esc").WaitIdle()
		},
	},
}

// said sends a text and waits for the end of the answer.
func said(d *Driver, text, until string) {
	d.Type(text).Press("enter").WaitFor(Contains(until)).WaitIdle()
}

// TestTerminalInjection lets text from outside, full of what drives terminals,
// reach the screen in every way (E1 to E7): the terminal gets the program's own
// sequences and no other, keys still go where they should, and at the end the
// terminal is as it was (E10).
func TestTerminalInjection(t *testing.T) {
	t.Parallel()
	for name, row := range injections {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, dir := work(t, row.files)
			if row.below != "" {
				if dir = filepath.Join(dir, row.below); os.MkdirAll(dir, 0o700) != nil {
					t.Skip("SKIPPED: no folder can have such a name here")
				}
			}
			w, s := &wireTap{}, answers(row.rules()...)
			s.Models = row.models
			d := Start(t, Options{Cols: 100, Rows: 30, Home: home, Dir: dir, Scenario: s, Config: row.config, Tap: w.tap})
			d.WaitIdle()
			row.drive(t, d)
			d.Expect(Any(usualMode(), Contains("⚠ approvals off")), Contains("❯")).Type("typed").Expect(CursorAfter("❯ typed")).Press("ctrl+c").WaitSync()
			d.Quit().Wait()
			w.inert(t, d)
			d.AssertRestored()
			log, err := os.ReadFile(filepath.Join(home, "logs", "hermes-tui.log"))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if bytes.ContainsAny(log, "\x1b\a\u009b\u009d\u202e") {
				t.Errorf("the log drives the terminal (E9): %q", log)
			}
		})
	}
}

// TestOutputStaysReadable is the control (E11, E8): what tests, builds and people
// print is shown, with its colours, as wide as it is.
func TestOutputStaysReadable(t *testing.T) {
	t.Parallel()
	text := "\x1b[32mPASS\x1b[0m pkg/a\n\x1b[1;31mFAIL\x1b[m pkg/b\n日本語 grüße 👩‍👩‍👧 עברית\n\tindented\tby tabs\n 10%\r 50%\r100% done\n\x1b[38;2;10;20;30mtrue colour\x1b[39m plain\n" +
		"e\u0301 a\u0308 combined\n" + strings.Repeat("wide 漢", 40) + " END\n"
	home, dir := work(t, map[string]string{"out.txt": text, "日本 語.txt": "x", "naïve.go": "package x\n"})
	w := &wireTap{}
	d := Start(t, Options{Cols: 100, Rows: 40, Home: home, Dir: dir, Tap: w.tap, Scenario: answers(on("go", run("cat out.txt; ls")), after("go", 1, say("| Größe | 数 |\n|---|---|\n| ä | 漢字 |\n\nFinis.")))})
	said(d, "go", "Finis.")
	d.Expect(Contains("Größe", "漢字"), NotContains("⟨U+", "�"))
	d.Press("f6", "up", "o").WaitFor(Contains("PASS pkg/a", "FAIL pkg/b", "日本語 grüße", "100% done", "true colour plain", "日本 語.txt", "naïve.go", "indented")).WaitIdle()
	plain := func(s Style) bool { return s.Fg == nil }
	d.Expect(Not(Styled("in the usual colour", "PASS", plain)), Not(Styled("in the usual colour", "FAIL", plain)), NotContains("⟨U+", "�"))
	d.Press("esc", "esc").WaitIdle().Quit().Wait()
	w.inert(t, d)
	d.AssertRestored()
}
