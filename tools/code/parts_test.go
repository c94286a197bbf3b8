package code

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

func TestStopwatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		fired := make(chan time.Duration, 1)
		s := newStopwatch(10*time.Second, func() { fired <- time.Since(begun) })
		pause := func(d time.Duration) { <-time.After(d) }
		pause(4 * time.Second)
		s.hold()
		pause(100 * time.Second)
		s.hold() // two calls at once
		pause(100 * time.Second)
		s.release()
		pause(100 * time.Second)
		s.release()
		if got := <-fired; got != 310*time.Second {
			t.Errorf("fired after %v", got)
		}
		s.hold()
		s.release()
		pause(time.Hour)
		if len(fired) > 0 {
			t.Error("fired twice")
		}
		stopped := newStopwatch(time.Second, func() { t.Error("fired after it was stopped") })
		stopped.stop()
		stopped.hold()
		stopped.release()
		pause(time.Hour)
	})
}

func TestEnvironment(t *testing.T) {
	got := environment([]string{
		"PATH=rel:/bin::/usr/bin:.", "HOME=/h", "LC_TIME=C", "XDG_RUNTIME_DIR=/r", "CONDA_PREFIX=/c", "PYTHONPATH=/p", "TERM=xterm",
		"XDG_KEY=1", "LOGNAME_auth=1", "GITHUB_TOKEN=1", "OTHER=1", "HERMES_HOME=/hh", "HERMES_HOMES=1", "HOME=/later", "=x", "USER", "LANG=a\x00b",
		"TMPDIR=" + strings.Repeat("x", maxVariable),
	})
	want := []string{
		"CONDA_PREFIX=/c", "GIT_TERMINAL_PROMPT=0", "HERMES_HOME=/hh", "HOME=/later", "LC_TIME=C", "PAGER=cat", "PATH=/bin:/usr/bin",
		"PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8", "PYTHONPATH=/p", "PYTHONUNBUFFERED=1", "TERM=dumb", "XDG_RUNTIME_DIR=/r",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	if got := environment([]string{"PATH=."}); !strings.Contains(strings.Join(got, " "), "PATH=/usr/local/bin:/usr/bin:/bin") {
		t.Errorf("without a path: %q", got)
	}
}

// TestPython looks for interpreters, none of which is ever started.
func TestPython(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string, mode os.FileMode) string {
		file := filepath.Join(base, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), mode)); err != nil {
			t.Fatal(err)
		}
		return file
	}
	system := put("bin/python3", "#!/bin/false", 0o755)
	env := put("env/bin/python", "#!/bin/false", 0o755)
	put("old/bin/python", "#!/bin/false", 0o755)
	put("old/pyvenv.cfg", "home = /x\nversion = 3.7.4\n", 0o644)
	put("new/pyvenv.cfg", "version_info = 3.12.0.final.0\n", 0o644)
	fresh := put("new/bin/python3", "#!/bin/false", 0o755)
	own := put("ws/.venv/bin/python", "#!/bin/false", 0o755)
	planted := put("ws/bin/python3", "#!/bin/false", 0o755)
	put("plain/python3", "not executable", 0o644)
	at, err := place.NewLocal(place.Options{Env: os.Environ(), Temp: base})
	if err != nil {
		t.Fatal(err)
	}
	ws := filepath.Join(base, "ws")
	path := "PATH=" + filepath.Dir(planted) + ":" + filepath.Join(base, "plain") + ":" + filepath.Dir(system)
	for what, c := range map[string]struct {
		mode      Mode
		root      string
		env       []string
		want, own string
	}{
		"active environment":     {ModeProject, ws, []string{path, "VIRTUAL_ENV=" + filepath.Join(base, "env")}, env, "env"},
		"conda":                  {ModeProject, ws, []string{path, "CONDA_PREFIX=" + filepath.Join(base, "new")}, fresh, "new"},
		"old active environment": {ModeProject, ws, []string{path, "VIRTUAL_ENV=" + filepath.Join(base, "old")}, own, "ws/.venv"},
		"relative environment":   {ModeProject, base, []string{path, "VIRTUAL_ENV=env"}, planted, ""},
		"project's":              {ModeProject, ws, []string{path}, own, "ws/.venv"},
		"strict":                 {ModeStrict, ws, []string{path, "VIRTUAL_ENV=" + filepath.Join(base, "env")}, system, ""},
		"nowhere":                {ModeStrict, ws, []string{"PATH=" + filepath.Join(base, "plain")}, "", ""},
	} {
		code := New(Options{Place: at, Mode: c.mode, Root: c.root, Env: c.env})
		got, err := code.python(c.root)
		home := ""
		if c.own != "" {
			home = filepath.Join(base, c.own)
		}
		if got.file != c.want || got.home != home || (err != nil) != (c.want == "") {
			t.Errorf("%s: %+v, %v; want %s", what, got, err, c.want)
		}
	}
	code := New(Options{Place: at, Root: ws, Env: []string{path}})
	a, err := code.Tool().Action(json.RawMessage(`{"code":"1"}`))
	if err != nil || a.Argv[0] != own || variable(a.Env, "VIRTUAL_ENV") != filepath.Join(ws, ".venv") ||
		!strings.HasPrefix(variable(a.Env, "PATH"), filepath.Dir(own)+":") || a.Dir != ws || a.Command != "1" || a.Kind != tools.ActCode {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestDescriptionNamesWhatIsThere(t *testing.T) {
	b := newBench(t)
	tool := b.Tool()
	for _, words := range []string{
		"from hermes_tools import read_file, write_file, search_files, terminal.", "read_file(path, limit=500, offset=1)",
		`search_files(pattern, target="content", deep=True, kinds=None)`, "terminal(command, timeout=None, workdir=None)", "300 seconds", "50 tool calls",
	} {
		if !strings.Contains(tool.Description, words) {
			t.Errorf("%q is missing in %s", words, tool.Description)
		}
	}
	if strings.Contains(tool.Description, "clarify") || strings.Contains(tool.Description, "background") {
		t.Errorf("description %s", tool.Description)
	}
	bare := New(Options{Place: b.at, Root: b.root}).Tool()
	if strings.Contains(bare.Description, "hermes_tools") {
		t.Errorf("without tools: %s", bare.Description)
	}
	if err := tools.NewRegistry(time.Now).Add(tool); err != nil {
		t.Error(err)
	}
}

// TestOddSchemas makes no Python that cannot be read.
func TestOddSchemas(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Tools = func() []tools.Tool {
			return []tools.Tool{{
				Name: "patch", Scripts: &tools.Scripts{}, Description: "a \"\"\" b \\ \n\u2028 {x}", Class: tools.PathScoped,
				Parameters: json.RawMessage(`{"type":"object","properties":{"from":{"type":"string"},"a-b":{},"path":{"default":"it's \"x\"\\n"},"n":{"default":-1.5e3},"z":{"default":{"a":[true]}}},"required":["from","n"]}`),
			}, {Name: "web_search", Scripts: &tools.Scripts{}, Parameters: json.RawMessage(`{"type":"object"}`)}}
		}
	})
	b.script("from hermes_tools import patch, web_search\nprint(patch(1), web_search())\nimport inspect\nprint(inspect.signature(patch))").
		want(t, "success", "plain text of patch plain text of web_search\n(n, path='it\\'s \"x\"\\\\n', z=None)")
}

func TestPreviewAndEdit(t *testing.T) {
	b := newBench(t)
	tool := b.Tool()
	for _, args := range []string{``, `null`, `[]`, `{"code":5}`, `{"code":`} {
		if v := tool.Preview(json.RawMessage(args)); v.Kind != tools.KindCode || v.Body != "" {
			t.Errorf("%s: %+v", args, v)
		}
	}
	v := tool.Preview(json.RawMessage(`{"code":"# why\nimport os\nfrom a import b\n\n  os.listdir()\n"}`))
	if v.Subject != "os.listdir()" || v.Lang != "python" || v.Dir != b.root || !strings.HasPrefix(v.Body, "# why") {
		t.Errorf("%+v", v)
	}
	if v := tool.Preview(json.RawMessage(`{"code":"# only\nimport os"}`)); v.Subject != "# only" {
		t.Errorf("%+v", v)
	}
	edited, err := tool.Edit(json.RawMessage(`{"code":"a"}`), "b <\n\"c\"")
	if code, readErr := script(edited); err != nil || readErr != nil || code != "b <\n\"c\"" {
		t.Errorf("%s, %v, %v", edited, err, readErr)
	}
}

func TestFolderIsGone(t *testing.T) {
	b := newBench(t)
	if err := b.Tool().Available(t.Context()); err != nil {
		t.Errorf("here: %v", err)
	}
	gone := New(Options{Place: b.at, Root: b.root, Env: os.Environ(), Dir: func() string { return filepath.Join(b.root, "gone") }})
	if _, err := gone.Tool().Action(json.RawMessage(`{"code":"1"}`)); err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("a folder that is gone: %v", err)
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[31mred\x1b[0m b": "ared b", "\x1b]0;title\x07x": "x", "\x1b]52;c;eA==\x1b\\y": "y", "\x1bPq\x1b\\z": "z", "a\r\nb\x00\x7f\u009b": "a\nb",
		"\x1b[9999": "[9999", "\x1b": "", "\x1b(Bx": "x", "\x1b]0;never ends": "]0;never ends", "ä\xff": "ä\uFFFD", "\x1bcx": "x", "\x1b+\nx": "+\nx", "tab\t": "tab\t",
	} {
		if got := plain(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzCapture(f *testing.F) {
	f.Add([]byte("some text ä\x1b[1m of more"), 4, 10)
	f.Fuzz(func(t *testing.T, data []byte, head, size int) {
		size = min(max(size, 1), 1000)
		head = min(max(head, 0), size)
		c := newCapture(&sink{}, head, size)
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 7)
			_, _ = c.Write(rest[:n])
			rest = rest[n:]
		}
		got := c.text()
		if len(data) <= size && got != trim(plain(string(data))) {
			t.Fatalf("%q became %q", data, got)
		}
		if len(got) > 3*size+100 || strings.Contains(got, "\x1b") {
			t.Fatalf("%d bytes of %d: %q", len(got), size, got)
		}
		if len(c.first)+len(c.last) > head+2*(size-head) {
			t.Fatalf("holds %d bytes", len(c.first)+len(c.last))
		}
	})
}
