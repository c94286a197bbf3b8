package hooks

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hermes-tui/tools/charset"
)

// TestConditions runs a hook with a condition only at the calls that it is about.
func TestConditions(t *testing.T) {
	for _, c := range []struct {
		rule, tool, args string
		want             bool
	}{
		{"Bash(git push:*)", "terminal", `{"command":"git push origin main"}`, true},
		{"Bash(git push:*)", "terminal", `{"command":"git push"}`, true},
		{"Bash(git push:*)", "terminal", `{"command":"git pushx"}`, false},
		{"Bash(git push:*)", "terminal", `{"command":"echo hi"}`, false},
		{"Bash(git push:*)", "terminal", `{"command":"cd x && A=1 git push -f"}`, true},
		{"Bash(git push:*)", "terminal", `{"command":"sh -c 'x' \"unended"}`, false},
		{"Bash(git push *)", "terminal", `{"command":"(git push origin)"}`, true},
		{"Bash(git * main)", "terminal", `{"command":"git push origin main"}`, true},
		{"Bash(npm run build)", "terminal", `{"command":"npm run build --x"}`, false},
		{"Bash", "terminal", `{"command":"x"}`, true},
		{"Bash(*)", "terminal", `{"command":"x"}`, true},
		{"Bash(git push:*)", "read_file", `{"path":"x"}`, false},
		{"Read(.env)", "read_file", `{"path":"a/.env"}`, true},
		{"Read(./.env)", "read_file", `{"path":"b"}`, false},
		{"Edit(src/**)", "patch", `{"path":"src/a/b.go"}`, true},
		{"Edit(src/**)", "write_file", `{"path":"/work/src/b.go"}`, true},
		{"Edit(/src)", "patch", `{"path":"src/b.go"}`, true},
		{"Edit(src/**)", "patch", `{"path":"lib/b.go"}`, false},
		{"Edit(*.ts)", "patch", `{"path":"lib/b.ts"}`, true},
		{"Read(~/.ssh/**)", "read_file", `{"path":"/home/me/.ssh/id"}`, true},
		{"Read(//etc/**)", "read_file", `{"path":"/etc/passwd"}`, true},
		{"WebFetch(domain:example.com)", "web_extract", `{"url":"https://example.com/x"}`, true},
		{"WebFetch(domain:example.com)", "web_extract", `{"url":"https://example.org/x"}`, false},
		{"mcp__files", "mcp__files__read", `{}`, true},
		{"mcp__*__read", "mcp__files__read", `{}`, true},
	} {
		h := Hook{Event: PreToolCall, Claude: true, If: c.rule}
		if got := h.holds(Input{Event: PreToolCall, Tool: c.tool, Args: json.RawMessage(c.args)}, "/work", "/home/me"); got != c.want {
			t.Errorf("%s at %s %s: %v", c.rule, c.tool, c.args, got)
		}
	}
}

// TestOddValues reads what there is in files of others: one odd value is the problem of one
// hook.
func TestOddValues(t *testing.T) {
	const file = `{ // for editors
 "hooks": {
  "PreToolUse": [
   {"matcher": ["Edit", "Write"], "hooks": [{"type": "command", "command": "a", "timeout": "30"}]}, /* two
   lines */
   {"matcher": {"tools": ["Bash"]}, "hooks": [{"type": "command", "command": "b", "timeout": "5s", "if": "Bash(git push:*)"},
     {"type": "command", "command": "b", "if": "Bash(git commit:*)", "asyncRewake": true}, {"type": "prompt", "prompt": "x"}]},
   {"matcher": 7, "hooks": [{"type": "command", "command": "c"}]},
   {"hooks": ["d // e"]}, "nothing", {"type": "command", "command": "f", "timeout": "soon"}, {"hooks": {"command": "g", "if": "Bash(("}},
  ],
  "Stop": {"hooks": [{"type": "command", "command": "h", "if": "Bash(x)"}]}, "Nowhere": 5,
 },
}`
	for _, enc := range []charset.Encoding{charset.UTF8, charset.UTF8BOM, charset.UTF16LE, charset.UTF16BE} {
		data, err := charset.Encode(file, enc)
		if err != nil {
			t.Fatal(err)
		}
		list, off, err := parseClaude(data)
		var got []string
		ids := map[string]bool{}
		for _, h := range list {
			got = append(got, strings.Join(strings.Fields(strings.Join([]string{h.Command, h.Matcher, h.Timeout.String(), h.If, short(h.Problem, 24)}, " ")), " "))
			ids[h.ID()] = true
		}
		want := []string{
			"a Edit|Write 30s", "b Bash 5s Bash(git push:*)", "b Bash 10m0s Bash(git commit:*)", "Bash 10m0s hooks of the type \"promp…", "c 10m0s its matcher is neither a…", "d // e 10m0s",
			"f 10m0s its timeout is no number…", "g 10m0s Bash(( its condition (if) is no…", "h 10m0s Bash(x) its condition (if) is ab…",
		}
		if !slices.Equal(got, want) || off || len(ids) != len(list) || !list[2].Background || !list[2].Rewake {
			t.Errorf("%s: %q\nwant %q", enc, got, want)
		}
		if err == nil || !strings.Contains(err.Error(), "Nowhere") || !strings.Contains(err.Error(), `no group of hooks: "nothing"`) {
			t.Errorf("%s: %v", enc, err)
		}
	}
	if list, _, err := parseClaude([]byte(`{"description":"x","Stop":[{"hooks":[{"type":"command","command":"a"}]}]}`)); len(list) != 1 || err != nil {
		t.Errorf("events by themselves: %v, %v", list, err)
	}
}

// TestFilesOfPatches tells hooks for Claude Code of each file of a patch, by absolute paths.
func TestFilesOfPatches(t *testing.T) {
	in := Input{Event: PreToolCall, Tool: "patch", Args: json.RawMessage(`{"mode":"patch","patch":"*** Begin Patch\n*** Add File: new/a.txt\n+one\n+two\n*** Update File: b.go\n@@ func x\n-old\n+new\n same\n*** Delete File: /etc/c\n*** End Patch\n"}`)}
	var got []string
	for _, f := range in.files() {
		text, err := f.line(Hook{Event: PreToolCall, Claude: true}, "/work", "/home/me", "")
		var m struct {
			Name  string            `json:"tool_name"`
			Input map[string]string `json:"tool_input"`
		}
		if err != nil || json.Unmarshal(text, &m) != nil {
			t.Fatal(err, string(text))
		}
		got = append(got, strings.Join([]string{m.Name, m.Input["file_path"], m.Input["content"], m.Input["old_string"], m.Input["new_string"]}, "|"))
	}
	want := []string{"Write|/work/new/a.txt|one\ntwo\n||", "Edit|/work/b.go||old\nsame\n|new\nsame\n", "Edit|/etc/c|||"}
	if !slices.Equal(got, want) {
		t.Errorf("told of %q\nwant %q", got, want)
	}
}
