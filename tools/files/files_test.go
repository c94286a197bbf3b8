package files

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// bench is a directory with the file tools of an agent that works in it.
type bench struct {
	testing.TB
	*Files
	place      place.Place
	root, home string
}

func newBench(t testing.TB) *bench {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, root: filepath.Join(base, "work"), home: filepath.Join(base, "home")}
	for _, dir := range []string{b.root, b.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	local, err := place.NewLocal(place.Options{Home: b.home, Temp: base, Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	b.place = local
	b.Files = New(Options{Place: local, Root: b.root, Private: filepath.Join(b.home, ".hermes"), Env: os.Environ()})
	return b
}

// put writes a file below the workspace and returns its path.
func (b *bench) put(name, content string) string {
	b.Helper()
	path := filepath.Join(b.root, name)
	if filepath.IsAbs(name) {
		path = name
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		b.Fatal(err)
	}
	return path
}

// content reads a file below the workspace.
func (b *bench) content(name string) string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

// answer is what a call gave.
type answer struct {
	tools.Result
	fields map[string]any
}

func (a answer) text(key string) string { s, _ := a.fields[key].(string); return s }
func (a answer) num(key string) int     { n, _ := a.fields[key].(float64); return int(n) }

// permit stands for the leave of a gate.
type permit struct{}

func (permit) Digest() string { return "" }

// call runs a tool as a dispatcher does: coerce, check, judge, run.
func (b *bench) call(name string, args map[string]any) answer {
	b.Helper()
	var tool tools.Tool
	for _, candidate := range b.Tools() {
		if candidate.Name == name {
			tool = candidate
		}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		b.Fatal(err)
	}
	raw, err = tools.Coerce(tool.Parameters, raw)
	if err != nil {
		b.Fatal(err)
	}
	c := tools.Call{ID: "1", Name: name, Args: raw}
	if tool.Action != nil {
		if _, err := tool.Action(raw); err != nil {
			return b.answer(tools.Failure(tool.Preview(raw), err.Error()))
		}
		c.Permit = permit{}
	}
	result, err := tool.Run(b.Context(), c, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	return b.answer(result)
}

func (b *bench) answer(r tools.Result) answer {
	b.Helper()
	a := answer{Result: r}
	if err := json.Unmarshal([]byte(r.Content), &a.fields); err != nil {
		b.Fatalf("result %q: %v", r.Content, err)
	}
	if failed := a.text("error") != ""; failed != (r.Status != tools.StatusOK) {
		b.Fatalf("status %q does not fit result %s", r.Status, r.Content)
	}
	return a
}

func (b *bench) read(path string, more ...any) answer {
	b.Helper()
	args := map[string]any{"path": path}
	for i := 0; i < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return b.call("read_file", args)
}

func (b *bench) write(path, content string) answer {
	b.Helper()
	return b.call("write_file", map[string]any{"path": path, "content": content})
}

// wantError fails unless a call failed with words in its message.
func (b *bench) wantError(a answer, words ...string) {
	b.Helper()
	for _, w := range words {
		if !strings.Contains(a.text("error"), w) {
			b.Errorf("error %q does not mention %q (result %s)", a.text("error"), w, a.Content)
		}
	}
}

// testContext is a context of the test that can be ended with a cause.
func testContext(t *testing.T) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(t.Context())
	t.Cleanup(func() { cancel(nil) })
	return ctx, cancel
}
