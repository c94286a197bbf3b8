package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

const training = `
model: {provider: custom, base_url: %s, default: m}
agent: {auto_title: false}
approvals: {mode: "off"}
sessions: {save_trajectories: %v}
`

// trained is a line of a file of trajectories.
type trained struct {
	Conversations []struct{ From, Value string }
	Timestamp     string
	Model         string
	Completed     bool
}

// from is who said something, in order.
func (l trained) from() string {
	var list []string
	for _, c := range l.Conversations {
		list = append(list, c.From)
	}
	return strings.Join(list, " ")
}

// trajectories are the lines of a file, none when it is not there. A line that is no JSON
// fails.
func (b *box) trajectories(name string) (list []trained) {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.home.Trajectories(), name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		b.t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var l trained
		if err := json.Unmarshal(line, &l); err != nil || !bytes.HasSuffix(line, []byte("\n")) {
			b.t.Fatalf("%v in %q", err, line)
		}
		list = append(list, l)
	}
	return list
}

// ends submits a text and waits until its turn has ended, however.
func ends(t *testing.T, c Conversation, text string) event.TurnOutcome {
	t.Helper()
	if _, err := c.Submit(text); err != nil {
		t.Fatal(err)
	}
	for {
		events, err := c.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if end, ok := e.(*event.TurnFinished); ok {
				return end.Outcome
			}
		}
	}
}

// TestTrajectories keeps turns for training: completed ones and others in a file each, with
// all that came before, the tools that there were, and no secret.
func TestTrajectories(t *testing.T) {
	const key = "sk-proj-Abcdef0123456789Abcdef0123456789Abcdef01"
	rules := append(when("work", script.Call{Name: "terminal", Args: `{"command":"echo made; echo it"}`}), script.Rule{Match: script.Match{User: "^fail"}, Steps: []script.Step{script.Failure{Status: 401, Message: "no"}}},
		script.Rule{Steps: []script.Step{script.Reasoning{Text: "Hm."}, script.Text{Text: "Fine."}}})
	b := newBox(t)
	b.config(fmt.Sprintf(training, serves(t, rules...).URL(), false))
	a, c := b.begin()
	say(t, c, "nothing is kept of this")
	closed(t, a)
	if _, err := os.Stat(b.home.Trajectories()); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("something is kept without the setting:", err)
	}

	b.config(fmt.Sprintf(training, serves(t, rules...).URL(), true))
	a, c = b.begin()
	say(t, c, "my key is "+key)
	say(t, c, "work")
	if o := ends(t, c, "fail"); o != event.TurnFailed {
		t.Fatal("the turn ended", o)
	}
	closed(t, a)
	done, failed := b.trajectories(completedTrajectories), b.trajectories(failedTrajectories)
	if len(done) != 2 || len(failed) != 1 {
		t.Fatalf("%d completed, %d failed", len(done), len(failed))
	}
	const first = "system human gpt"
	for i, want := range []string{first, first + " human gpt tool gpt"} {
		if l := done[i]; l.from() != want || !l.Completed || l.Model != "m" || len(l.Timestamp) != len("2006-01-02T15:04:05") {
			t.Errorf("line %d is %+v", i, l)
		}
	}
	if l := failed[0]; l.from() != first+" human gpt tool gpt human" || l.Completed || l.Conversations[7].Value != "fail" {
		t.Errorf("failed: %+v", l)
	}
	said := done[1].Conversations
	for i, want := range map[int]string{
		0: `{"name":"terminal","description":"`, 1: "my key is sk-", 2: "<think>\nHm.\n</think>\nFine.", 4: "<tool_call>\n{\"arguments\":{\"command\":\"echo made; echo it\"},\"name\":\"terminal\"}\n</tool_call>",
		5: "made\\nit", 6: "<think>\n\n</think>\nDone.",
	} {
		if !strings.Contains(said[i].Value, want) {
			t.Errorf("turn %d of the line is %s", i, said[i].Value)
		}
	}
	if all := fmt.Sprint(done, failed); strings.Contains(all, key) {
		t.Error("the key is there")
	}
}

// TestAddLine finishes what was left unfinished: a line without its end gets it, and what is
// no line goes.
func TestAddLine(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 200_000) + `"}`
	for name, c := range map[string][2]string{
		"nothing":          {"", ""},
		"whole lines":      {"{}\n[]\n", "{}\n[]\n"},
		"no end":           {"{}\n[1]", "{}\n[1]\n"},
		"torn":             {"{}\n{\"a\":", "{}\n"},
		"torn at once":     {"{\"a\":", ""},
		"long and torn":    {long + "\n" + long[:len(long)-1], long + "\n"},
		"long, and no end": {long + "\n" + long, long + "\n" + long + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "f")
			if err := os.WriteFile(file, []byte(c[0]), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := addLine(dir, "f", []byte("{\"new\":1}\n")); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file)
			if err != nil || string(got) != c[1]+"{\"new\":1}\n" {
				t.Errorf("%d bytes, %v: …%s", len(got), err, got[max(0, len(got)-100):])
			}
		})
	}
}

// linesEnv makes the test binary add lines to a file in a folder and say so, until it is
// killed.
const linesEnv = "APP_LINES"

func addLines(task string) error {
	dir, name, _ := strings.Cut(task, "|")
	for i := 0; ; i++ {
		line := fmt.Sprintf(`{"who":"%s %d","more":"%s"}`+"\n", name, i, strings.Repeat("x", 300_000))
		if err := addLine(dir, "f", []byte(line)); err != nil {
			return err
		}
		fmt.Printf("%s %d\n", name, i)
	}
}

// TestAddLineOfPrograms has three programs add lines to one file, which are killed while they
// do: no line is torn, and none that a program has added is lost or doubled.
func TestAddLineOfPrograms(t *testing.T) {
	dir := t.TempDir()
	said := make(chan []string)
	for i := range 3 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|p%d", linesEnv, dir, i))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() {
			var list []string
			for lines := bufio.NewScanner(out); lines.Scan(); {
				if list = append(list, lines.Text()); len(list) == 5+3*i { // the others go on
					_ = cmd.Process.Kill()
				}
			}
			_ = cmd.Wait()
			said <- list
		}()
	}
	want := map[string]bool{}
	for range 3 {
		for _, l := range <-said {
			want[l] = true
		}
	}
	if err := addLine(dir, "f", []byte("{\"who\":\"me\"}\n")); err != nil {
		t.Fatal(err)
	}
	want["me"] = true
	text, err := os.ReadFile(filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for line := range bytes.Lines(text) {
		var l struct{ Who string }
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("%v in a line of %d bytes", err, len(line))
		}
		if got[l.Who]++; got[l.Who] > 1 {
			t.Errorf("%s is there twice", l.Who)
		}
	}
	for l := range want {
		if got[l] == 0 {
			t.Errorf("%s is lost", l)
		}
	}
	if len(want) < 20 {
		t.Errorf("only %d lines were added", len(want))
	}
}
