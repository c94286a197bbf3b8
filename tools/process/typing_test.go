//go:build unix

package process

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/shellrisk"
)

func TestReceivers(t *testing.T) {
	for command, want := range map[string]receiver{
		"cat":                              harmless,
		"cat | sort > f":                   harmless,
		"grep x; wc -l":                    harmless,
		"bash":                             strict,
		"/bin/bash -i":                     strict,
		"'ba'sh":                           strict,
		"sudo -u x sh":                     strict,
		"python3.12":                       strict,
		"docker exec -it web bash":         strict,
		"ssh host":                         strict,
		"cd x && env A=1 node":             strict,
		"psql db":                          strict,
		"poetry run thing":                 strict,
		"$SHELL":                           strict,
		"`which bash`":                     strict,
		"nice -n 5 zsh":                    strict,
		"echo $(bash)":                     strict,
		". ./x":                            strict,
		"eval \"$(cat)\"":                  strict,
		"while read l; do eval $l; done":   strict,
		"cat 'x":                           strict,
		"":                                 harmless,
		"npm init":                         unknown,
		"./manage.py shell":                unknown,
		"read x; echo $x":                  unknown,
		"cat $X":                           unknown,
		"f() { cat; }; cat":                unknown,
		"cat <(ls)":                        unknown,
		"A=1":                              unknown,
		strings.Repeat("x", maxReceiver+1): strict,
	} {
		if got := receiverOf(command); got != want {
			t.Errorf("%.60q: %d, want %d", command, got, want)
		}
	}
}

// What is typed into a shell cannot do anything without a question, in however
// many pieces it comes, and what is blocked stays blocked whatever the mode.
func TestTypingIsJudged(t *testing.T) {
	b := newBench(t, nil)
	shell := b.start("bash --norc", nil)
	plain := b.start("read a; read b; echo $a $b; sleep 600", nil)
	for _, c := range []struct {
		id, data string
		asks     bool
	}{
		{shell, "ls", true},
		{shell, "rm -rf x", true},
		{shell, "x=(", true},
		{shell, "echo $(ls", true},
		{shell, "ls \\", true},
		{shell, "cat <<E", true},
		{shell, "case x in a) ls", true},
		{shell, "# only a comment", true},
		{shell, "'", true},
		{shell, "", false},
		{plain, "y", false},
		{plain, "my-app_2", false},
		{plain, "", false},
		{plain, "File.delete \"x\"", true},
		{plain, "rm x", true},
		{plain, "x.y", true},
	} {
		raw, _ := json.Marshal(map[string]any{"action": "submit", "session_id": c.id, "data": c.data})
		action, err := b.tool.Action(raw)
		if err != nil {
			t.Fatal(err)
		}
		who := &person{choice: tools.ChoiceDeny}
		_, err = b.gate.Decide(context.Background(), approval.Request{Tool: "process", Action: action, Mode: approval.ModeManual, Host: who})
		if (who.asked != nil) != c.asks || (err != nil) != c.asks {
			t.Errorf("%q: asked %v, %v", c.data, who.asked != nil, err)
		}
		if _, err = b.gate.Decide(context.Background(), approval.Request{Tool: "process", Action: action, Mode: approval.ModePlan, Host: who}); err == nil {
			t.Errorf("%q passes in plan mode", c.data)
		}
	}
	raw, _ := json.Marshal(map[string]any{"action": "submit", "session_id": shell, "data": "rm -rf /"})
	action, err := b.tool.Action(raw)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.gate.Decide(context.Background(), approval.Request{Tool: "process", Action: action, Mode: approval.ModeOff}); err == nil {
		t.Error("what is blocked passes when nothing is asked")
	}
}

// Pieces are judged with what came before them.
func TestPiecesAreJudgedTogether(t *testing.T) {
	b := newBench(t, nil)
	id := b.start("bash --norc", nil)
	type step struct{ data, shown string }
	for _, s := range []step{
		{"echo on", "echo on"},
		{"e\n", "echo one\n"},
		{"echo two \\\n", "echo two \\\n"},
		{"three\n", "echo two \\\nthree\n"},
		{"echo 'four\n", "echo 'four\n"},
		{"five'\n", "echo 'four\nfive'\n"},
		{"echo six\r", "echo six\n"},
	} {
		got, _, who := b.call(tools.ChoiceOnce, map[string]any{"action": "write", "session_id": id, "data": strings.ReplaceAll(s.data, "\r", "\n")})
		if who.asked == nil || who.asked.Text != s.shown+"\n\n&& typed into "+id || got["status"] != "ok" {
			t.Errorf("%q: asked %+v, got %v", s.data, who.asked, got)
		}
	}
	b.shows(id, "one\ntwo three\nfour\nfive\nsix\n")
	got, _, who := b.call(tools.ChoiceDeny, map[string]any{"action": "submit", "session_id": id, "data": "echo never"})
	if got["denied"] == nil || who.asked == nil || strings.Contains(who.asked.Text, "six") {
		t.Errorf("%v, %+v", got, who.asked)
	}
	b.do(map[string]any{"action": "close", "session_id": id})
	b.ended(id)
	if out, _ := b.Tail(id, 1000); strings.Contains(out, "never") {
		t.Errorf("what was denied ran: %q", out)
	}
}

func TestTypingNeedsItsPermit(t *testing.T) {
	b := newBench(t, nil)
	id := b.start("cat", nil)
	other := b.start("cat", nil)
	args := func(id, data string) json.RawMessage {
		raw, _ := json.Marshal(map[string]any{"action": "submit", "session_id": id, "data": data})
		return raw
	}
	permit := func(raw json.RawMessage) tools.Permit {
		action, err := b.tool.Action(raw)
		if err != nil {
			t.Fatal(err)
		}
		p, err := b.gate.Decide(context.Background(), approval.Request{Tool: "process", Action: action, Mode: approval.ModeOff})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	used := permit(args(id, "one"))
	for name, c := range map[string]struct {
		args   json.RawMessage
		permit tools.Permit
	}{
		"none": {args(id, "x"), nil}, "void": {args(id, "x"), approval.Permit{}}, "other data": {args(id, "x"), permit(args(id, "y"))},
		"other job": {args(id, "x"), permit(args(other, "x"))}, "a job's": {args(id, "x"), b.permit("true")},
	} {
		res, err := b.tool.Run(context.Background(), tools.Call{Args: c.args, Permit: c.permit}, nil, nil)
		if err != nil || res.Status != tools.StatusFailed {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
	for i, want := range []tools.Status{tools.StatusOK, tools.StatusFailed} {
		if res, err := b.tool.Run(context.Background(), tools.Call{Args: args(id, "one"), Permit: used}, nil, nil); err != nil || res.Status != want {
			t.Errorf("use %d: %+v, %v", i+1, res, err)
		}
	}
	b.do(map[string]any{"action": "close", "session_id": id})
	b.ended(id)
	if out, _ := b.Tail(id, 1000); out != "one\n" {
		t.Errorf("typed %q", out)
	}
}

func TestEditedInput(t *testing.T) {
	b := newBench(t, nil)
	id := b.start("bash --norc", nil)
	raw, _ := json.Marshal(map[string]any{"action": "submit", "session_id": id, "data": "echo one"})
	action, err := b.tool.Action(raw)
	if err != nil {
		t.Fatal(err)
	}
	edited, err := b.tool.Edit(raw, strings.Replace(action.Command, "one", "two", 1))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(edited, &got); err != nil || got["data"] != "echo two" || got["action"] != "submit" || got["session_id"] != id {
		t.Errorf("%s, %v", edited, err)
	}
	again, err := b.tool.Action(edited)
	if err != nil || again.Command != strings.Replace(action.Command, "one", "two", 1) {
		t.Errorf("%q, %v", again.Command, err)
	}
}

func TestUnreadInputIsBounded(t *testing.T) {
	in := newInput()
	part := strings.Repeat("x", 64<<10)
	n := 0
	for ; in.write(part) == nil; n++ {
		if n > 100 {
			t.Fatal("no bound")
		}
	}
	if n*len(part) != maxInput {
		t.Errorf("%d bytes", n*len(part))
	}
	in.close()
	if err := in.write("x"); !errors.Is(err, errInputClosed) {
		t.Error(err)
	}
}

// Whatever comes before the mark, no shell can read it, so that it is asked about.
func FuzzMark(f *testing.F) {
	for _, s := range []string{"x=(", "echo $(ls", "ls \\\n", "a &&", "cat <<E\n", "case x in a) ls", "#", "f() {", "$((1", "[[ a", "\x00", "`", "${x", "((", "<(", "coproc", "a |", "!", "if"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		j := &job{id: "proc_0123456789ab", command: "bash"}
		text := j.judged(data)
		if text == nothing {
			return
		}
		if v := shellrisk.Judge(text, shellrisk.Setting{Cwd: "/w", Home: "/h"}); v.Decision == shellrisk.Allow {
			t.Errorf("%q is allowed as %q", data, text)
		}
	})
}
