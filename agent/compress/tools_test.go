//go:build unix

package compress

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/providers"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/files"
	"hermes-tui/tools/place"
	"hermes-tui/tools/search"
	"hermes-tui/tools/shell"
	"hermes-tui/tools/todo"
)

// desk is a folder with the real tools of an agent that works in it.
type desk struct {
	t     *testing.T
	dir   string
	gate  *approval.Gate
	tools map[string]tools.Tool
}

func newDesk(t *testing.T) *desk {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, home, temp := filepath.Join(base, "app"), filepath.Join(base, "home"), filepath.Join(base, "tmp")
	for _, d := range []string{dir, home, temp} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"HOME=" + home, "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"}
	local, err := place.NewLocal(place.Options{Env: env, Home: home, Temp: temp, Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	sh := shell.New(shell.Options{Place: local, Dir: dir, Env: env, NoInit: true})
	t.Cleanup(func() {
		if err := sh.Close(); err != nil {
			t.Error(err)
		}
	})
	private := filepath.Join(home, ".hermes")
	d := &desk{t: t, dir: dir, tools: map[string]tools.Tool{}, gate: approval.New(approval.Options{Place: local, Home: home, Workspace: dir})}
	list := append(files.New(files.Options{Place: local, Root: dir, Private: private}).Tools(),
		search.New(search.Options{Place: local, Root: dir, Private: private}).Tool(), todo.New().Family().Tools[0], sh.Tool())
	for _, tool := range list {
		d.tools[tool.Name] = tool
	}
	return d
}

// line runs a call and describes it.
func (d *desk) line(name, args string) string {
	d.t.Helper()
	tool, call := d.tools[name], tools.Call{ID: "1", Name: name, Args: json.RawMessage(args)}
	if tool.Action != nil {
		action, err := tool.Action(call.Args)
		if err != nil {
			d.t.Fatal(err)
		}
		if action.Kind != "" {
			call.Permit, err = d.gate.Decide(context.Background(), approval.Request{Tool: "terminal", Action: action, Mode: approval.ModeOff})
		}
		if err != nil {
			d.t.Fatal(err)
		}
	}
	r, err := tool.Run(context.Background(), call, nil, io.Discard)
	if err != nil {
		d.t.Fatal(err)
	}
	return engine().oneLine(providers.Call{Name: name, Arguments: args}, r.Content)
}

// TestRealResults: the lines fit what the tools really answer.
func TestRealResults(t *testing.T) {
	d := newDesk(t)
	cases := []struct{ tool, args, want string }{
		{"write_file", `{"path":"a.txt","content":"one\ntwo\nthree\n"}`, "[write_file] wrote to a.txt (3 lines)"},
		{"read_file", `{"path":"a.txt","offset":2}`, "[read_file] read a.txt from line 2 (13 chars)"},
		{"read_file", `{"path":"b.txt"}`, "[read_file] read b.txt from line 1 -> error: "},
		{"search_files", `{"pattern":"t","path":"."}`, "[search_files] content search for 't' in . -> 2 matches"},
		{"search_files", `{"pattern":"*.txt","target":"files"}`, "[search_files] file search for '*.txt' -> 1 file"},
		{"search_files", `{"pattern":"t","output_mode":"count"}`, "[search_files] content search for 't' -> 1 file"},
		{"terminal", `{"command":"cat a.txt; exit 3"}`, "[terminal] ran `cat a.txt; exit 3` -> exit 3, 3 lines output: three"},
		{"todo", `{"todos":[{"id":"1","content":"a","status":"completed"},{"id":"2","content":"b","status":"pending"}]}`, "[todo] wrote 2 tasks -> 1 of 2 done then"},
		{"todo", `{}`, "[todo] read the task list -> 1 of 2 done then"},
	}
	for _, c := range cases {
		if got := d.line(c.tool, c.args); !strings.HasPrefix(got, c.want) || !strings.HasSuffix(c.want, " ") && got != c.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.tool, c.args, got, c.want)
		}
	}
}
