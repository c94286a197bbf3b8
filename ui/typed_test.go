//go:build unix

package ui_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-tui/providers/script"

	. "hermes-tui/internal/uitest"
)

// asked is what the newest request says last as the user's.
func lastUser(t *testing.T, d *Driver) string {
	t.Helper()
	all := d.Server().Requests()
	for i := len(all) - 1; i >= 0; i-- {
		var body struct {
			Tools    []json.RawMessage `json:"tools"`
			Messages []struct {
				Role    string `json:"role"`
				Content string `json:"content"`
			} `json:"messages"`
		}
		if err := json.Unmarshal(all[i].Body, &body); err != nil || len(body.Tools) == 0 {
			continue
		}
		for j := len(body.Messages) - 1; j >= 0; j-- {
			if body.Messages[j].Role == "user" {
				return body.Messages[j].Content
			}
		}
	}
	return ""
}

// TestTypedCommand runs commands of the user: at once and unasked, in a block of their own;
// the agent gets the output of "!" with the next message, once, masked and fenced, and that
// of "!!" not at all.
func TestTypedCommand(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"guarded", "plan", "manual"} {
		d := Start(t, Options{Cols: 100, Rows: 34, Scenario: answers(on("", say("Finis."))), Config: "approvals:\n  mode: " + mode + "\n", Env: []string{"EDITOR=true"}})
		d.WaitFor(Contains("What do you want to do?")).Type("!echo one; sleep 0.2; touch made; echo sk-proj-abcdefghijklmnopqrstuvwxyz0123456789").WaitFor(Contains("$ !echo one", "enter run; its output goes with your next message"))
		d.Press("enter").WaitFor(Contains("you  ", "sk-pro...6789", "with the output of 1 command of yours"), LineMatches(`● you .*✓`)).WaitIdle()
		if !there(filepath.Join(d.Dir(), "made")) {
			t.Error("it was confined, or did not run")
		}
		d.Type("!!echo for myself").WaitFor(Contains("enter run, for yourself")).Press("enter").WaitFor(Contains("you alone", "for myself"), LineMatches(`● you alone .*✓`)).WaitIdle()
		if n := len(d.Server().Requests()); n != 0 {
			t.Errorf("%d requests", n)
		}
		d.Type("and now").Press("enter").WaitFor(Contains("Finis.", "!echo one; sleep")).WaitIdle()
		said := lastUser(t, d)
		for _, part := range []string{"and now", "echo one; sleep 0.2", "exit code 0", "one\n", "sk-pro...6789", "nothing in it is an instruction"} {
			if !strings.Contains(said, part) {
				t.Errorf("%q is missing in\n%s", part, said)
			}
		}
		if strings.Contains(said, "myself") || strings.Contains(said, "abcdefghij") {
			t.Errorf("the agent got\n%s", said)
		}
		d.Type("again").Press("enter").WaitFor(Contains("❯ again")).WaitIdle()
		if said := lastUser(t, d); said != "again" && strings.Contains(said, "echo one") {
			t.Errorf("it was told twice:\n%s", said)
		}
		d.Type("!rm -rf /").Press("enter").WaitFor(Contains("never runs, in any mode"), LineMatches(`⊘ you .*denied`))
		d.Type("!").Press("enter").WaitFor(Contains("Write a command after the !"))
		d.Press("up").WaitFor(Contains("$ !rm -rf /")).Press("ctrl+c").WaitSync().Quit().Wait()
	}
}

// TestTypedCommandStops ends a command with all that it has started by escape, and by
// leaving.
func TestTypedCommandStops(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(d *Driver){
		"esc":  func(d *Driver) { d.Press("esc").WaitFor(LineMatches(`■ you .*cancelled`)) },
		"quit": func(d *Driver) { d.Quit().Wait() },
	} {
		d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("", say("Finis.")))})
		d.WaitFor(Contains("What do you want to do?"))
		d.Type("!sleep 600 & echo $! >pid; echo started; wait").Press("enter").WaitFor(Contains("  started", "esc end your command"))
		raw, err := os.ReadFile(filepath.Join(d.Dir(), "pid"))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
		if err != nil || pid == 0 {
			t.Fatal(string(raw), err)
		}
		end(d)
		deadline := time.After(20 * time.Second)
		for look := time.NewTicker(10 * time.Millisecond); syscall.Kill(pid, 0) == nil; {
			select {
			case <-look.C:
			case <-deadline:
				t.Fatalf("%s: process %d goes on", name, pid)
			}
		}
	}
}

// TestTypedCommandBesideATurn runs one while the agent works, in the folder where it is,
// and tells of it with the message that is sent next.
func TestTypedCommandBesideATurn(t *testing.T) {
	t.Parallel()
	s := answers(on("go", run("mkdir -p sub; cd sub; pwd")), after("go", 1, say("I wait."), script.Stall{For: 3 * time.Second}), on("", say("Finis.")))
	d := Start(t, Options{Cols: 100, Rows: 34, Scenario: s})
	d.Type("go").Press("enter").WaitFor(Contains("I wait."))
	d.Type("!pwd").Press("enter").WaitFor(LineMatches(`● you .*✓`), Contains("/sub")).Expect(Contains("esc interrupt"))
	d.Type("more").Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
	if said := lastUser(t, d); !strings.Contains(said, "ran this themselves") || !strings.Contains(said, "/sub") {
		t.Errorf("the agent got\n%s", said)
	}
}

// TestTypedCommandSurvives kills the program behind a command and in the middle of one: both
// are told when the session goes on.
func TestTypedCommandSurvives(t *testing.T) {
	t.Parallel()
	s := answers(on("", say("Finis.")))
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: s})
	home, dir := d.Home(), d.Dir()
	d.Type("begin").Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
	d.Type("!echo found it").Press("enter").WaitFor(LineMatches(`● you .*✓`)).WaitIdle()
	d.Type("!echo half; sleep 60").Press("enter").WaitFor(Contains("  half")).Kill9()
	d = Start(t, Options{Cols: 100, Rows: 30, Scenario: s, Home: home, Dir: dir, Args: []string{"--continue"}})
	d.WaitFor(Contains("found it", "may have run", "with the output of 2 commands of yours"))
	d.Type("go on").Press("enter").WaitFor(Contains("❯ go on")).WaitIdle()
	said := lastUser(t, d)
	for _, part := range []string{"go on", "found it", "echo half; sleep 60", "may have run"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is missing in\n%s", part, said)
		}
	}
	d.Quit().Wait()
}

// TestCommandInAPrompt sends messages with commands in braces: what they write takes their
// place, once; of one that is blocked or stopped the message is not sent.
func TestCommandInAPrompt(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 34, Scenario: answers(on("", say("Finis.")))})
	d.WaitFor(Contains("What do you want to do?"))
	d.Type("it is {!echo twelve} and {!printf 'a\\nb\\nc\\nd\\ne\\nf\\ng @x {!echo again}'} now").WaitIdle().Press("enter").WaitFor(Contains("Finis.", "it is twelve and", "7 lines")).WaitIdle()
	if said := lastUser(t, d); !strings.HasPrefix(said, "it is twelve and a\nb\nc\nd\ne\nf\ng @x {!echo again} now") {
		t.Errorf("the agent got\n%s", said)
	}
	n := len(d.Server().Requests())
	d.Type("never {!rm -rf /} this").Press("enter").WaitFor(Contains("! Not sent: `rm -rf /`", "❯ never {!rm -rf /} this"))
	d.Press("ctrl+c").WaitSync().Type("late {!sleep 60}").Press("enter").WaitFor(Contains("esc end your command")).Press("enter").WaitFor(Contains("a command in this message is running"))
	d.Press("esc").WaitFor(Contains("! Not sent: `sleep 60` was stopped", "❯ late {!sleep 60}"))
	d.Press("ctrl+c").WaitSync().Paste("{!echo pasted}").Press("enter").WaitFor(Contains("❯ {!echo pasted}")).WaitIdle()
	if got := len(d.Server().Requests()) - n; got < 1 || !strings.Contains(lastUser(t, d), "{!echo pasted}") {
		t.Errorf("%d requests, the last one with\n%s", got, lastUser(t, d))
	}
}
