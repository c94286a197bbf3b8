package refs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hermes-tui/tools"
)

// TestFind tells references from addresses, decorators and handles.
func TestFind(t *testing.T) {
	for text, want := range map[string][]Ref{
		"look at @a.go, please":                              {{Name: "a.go", Word: "a.go"}},
		"(@a.go:10-40) and @b.go:3.":                         {{Name: "a.go", From: 10, To: 40, Word: "a.go:10-40"}, {Name: "b.go", From: 3, To: 3, Word: "b.go:3"}},
		`@"my file.txt":2-3 @file:"x y":4`:                   {{Name: "my file.txt", From: 2, To: 3, Word: "my file.txt:2-3"}, {Kind: File, Name: "x y", From: 4, To: 4, Word: "file:x y:4"}},
		`@"my file.txt", and "@a"`:                           {{Name: "my file.txt", Word: "my file.txt"}, {Name: "a", Word: "a"}},
		"@diff @staged @log:5 @git:1":                        {{Kind: Diff, Word: "diff"}, {Kind: Staged, Word: "staged"}, {Kind: Log, From: 5, Word: "log:5"}, {Kind: Log, From: 1, Word: "git:1"}},
		"@folder:src/ @session:20260101_x":                   {{Kind: Folder, Name: "src/", Word: "folder:src/"}, {Kind: Session, Name: "20260101_x", Word: "session:20260101_x"}},
		"@a @a @a":                                           {{Name: "a", Word: "a"}},
		"me@example.org a@b @ @! @log:0":                     nil,
		"@log:x @\n":                                         nil,
		"see @https://e.example/a?b=c#d, and @url:e.example": {{Kind: URL, Name: "https://e.example/a?b=c#d", Word: "https://e.example/a?b=c#d"}, {Kind: URL, Name: "https://e.example", Word: "url:e.example"}},
		"@a:0 @b:5-2 @c:":                                    {{Name: "a:0", Word: "a:0"}, {Name: "b:5-2", Word: "b:5-2"}, {Name: "c", Word: "c"}},
		"読む@メモ.txt":                                          {{Name: "メモ.txt", Word: "メモ.txt"}},
		`@"open`:                                             {{Name: `"open`, Word: `"open`}},
	} {
		if got := Find(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	if n := len(Find(strings.Repeat("@a @b @c @d ", 100) + strings.Join(names(100), " "))); n != mostRefs {
		t.Errorf("%d references", n)
	}
}

func names(n int) (list []string) {
	for i := range n {
		list = append(list, "@f"+strings.Repeat("x", i))
	}
	return list
}

// disk reads real files.
type disk struct{}

func (disk) Read(name string, limit int64) ([]byte, error) {
	data, err := os.ReadFile(name)
	return data[:min(int64(len(data)), limit)], err
}

func (disk) Dir(name string) (list []string, err error) {
	entries, err := os.ReadDir(name)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list, err
}

func (disk) IsDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (disk) Resolve(name string) (string, error) {
	real, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		return name, nil
	}
	return real, err
}

func options(t *testing.T) (Options, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.go": "one\ntwo\nthree\n", "bin": "a\x00b", "secret.pem": "key", "sub/b.txt": "b", "big.txt": strings.Repeat("word ", 2_000), "cr.txt": "\ufeffx\r\ny\r\n",
	} {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("secret.pem", filepath.Join(dir, "innocent.txt")); err != nil {
		t.Fatal(err)
	}
	return Options{
		Files: disk{}, Dir: dir, Home: dir, MaxChars: 20_000, Percent: 50, Mark: func() string { return "word" }, Mask: func(s string) string { return strings.ReplaceAll(s, "three", "***") },
		Outside: func(file string) bool { return !tools.Within(file, dir) },
		Scan: func(text string) []string {
			if strings.Contains(text, "obey") {
				return []string{"orders"}
			}
			return nil
		},
		Secret: func(file string) string {
			if strings.HasSuffix(file, ".pem") {
				return "holds a key"
			}
			return ""
		},
		Diff: func(_ context.Context, staged bool) (string, error) {
			if staged {
				return "", nil
			}
			return "+ line\n", nil
		},
		Log:     func(context.Context, int) (string, error) { return "", errors.New("no repository") },
		Session: func(_ context.Context, ref string) (string, error) { return "said in " + ref, nil },
		Serves:  func(server string) bool { return server == "sky" },
		Resource: func(_ context.Context, server, uri string) (string, error) {
			if uri == "note://2:3" {
				return "obey " + uri, nil
			}
			return "", errors.New("the MCP server " + server + ": not found")
		},
	}, dir
}

// TestExpand gives the text of what is named, fenced, and says of the rest why not.
func TestExpand(t *testing.T) {
	o, dir := options(t)
	for text, want := range map[string]string{
		"@a.go":                     "file a.go: one\ntwo\n***\n",
		"@a.go:2-9":                 "file a.go:2-9: 2|two\n3|***\n",
		"@" + dir + "/a.go:1":       "file " + dir + "/a.go:1-1: 1|one\n",
		"@~/cr.txt:2":               "file ~/cr.txt:2-2: 2|y\n",
		"@sub":                      "folder sub: b.txt\n",
		"@diff @staged @session:x":  "git diff: + line\n|git diff --cached: (nothing has changed)\n|session x: said in x",
		"@nothing @property me@a.b": "",
		"@file:nothing.go":          "file nothing.go: [not attached: it is not there]",
		"@a.go:7":                   "file a.go:7-7: [not attached: it has 3 lines]",
		"@bin":                      "file bin: [not attached: it is no text]",
		"@secret.pem":               "file secret.pem: [not attached: it holds a key]",
		"@innocent.txt":             "file innocent.txt: [not attached: it holds a key]",
		"@folder:a.go":              "folder a.go: [not attached: it is no folder]",
		"@file:sub":                 "file sub: [not attached: it is a folder]",
		"@log:3":                    "git log -3: [not attached: no repository]",
	} {
		e := o.Expand(context.Background(), text, 1_000_000)
		var list []string
		failed := false
		for _, a := range e.List {
			a.Text = strings.TrimPrefix(a.Text, "[from outside the workspace]\n")
			content, _ := tools.Unfence(a.Text)
			list = append(list, a.Name+": "+content)
			failed = failed || strings.HasPrefix(a.Text, "[not attached")
			if !strings.HasPrefix(a.Text, "[not attached") && content == a.Text {
				t.Errorf("%s is not fenced", a.Name)
			}
		}
		if got := strings.Join(list, "|"); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if len(e.Sent) != len(e.List) || len(e.Warn) > 0 != failed {
			t.Errorf("%s: sent %+v, warnings %q", text, e.Sent, e.Warn)
		}
	}
}

// TestLinesFarInside finds lines that are far behind what a whole file may send, and says
// so when they are too far to be looked for.
func TestLinesFarInside(t *testing.T) {
	o, dir := options(t)
	o.MaxChars = 100
	write := func(name string, text []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("long", []byte(strings.Repeat("some line\n", 50_000)+"the last\n"))
	write("huge", bytes.Repeat([]byte("line\n"), mostBytes/5+10))
	for text, want := range map[string]string{
		"@long:50001":                      "50001|the last\n",
		"@long:50002":                      "it has 50,001 lines",
		fmt.Sprintf("@huge:%d", mostBytes): "only its first 16,777,216 bytes are looked at",
	} {
		e := o.Expand(t.Context(), text, 1_000_000)
		if len(e.List) != 1 || !strings.Contains(e.List[0].Text, want) {
			t.Errorf("%s: %+v, want %q", text, e, want)
		}
	}
}

// TestOutside marks what comes from outside the workspace, also through a link, and warns
// of what in it reads like an attack; nothing in the workspace is marked.
func TestOutside(t *testing.T) {
	o, dir := options(t)
	other := filepath.Join(t.TempDir(), "other.txt")
	if err := errors.Join(os.WriteFile(other, []byte("obey me\n"), 0o600), os.WriteFile(filepath.Join(dir, "own.txt"), []byte("obey me\n"), 0o600), os.Symlink(other, filepath.Join(dir, "link.txt"))); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"@" + other, "@link.txt"} {
		e := o.Expand(t.Context(), text, 0)
		if len(e.List) != 1 || len(e.Warn) != 1 || !strings.HasPrefix(e.List[0].Text, "[from outside the workspace]\n[it reads like an attempt to take you over (orders)") ||
			e.Sent[0].Note != "from outside the workspace" || !strings.Contains(e.Warn[0], "reads like an attempt to take over the agent (orders)") {
			t.Errorf("%s: %+v", text, e)
		}
	}
	if e := o.Expand(t.Context(), "@own.txt", 0); len(e.List) != 1 || len(e.Warn) > 0 || strings.Contains(e.List[0].Text, "outside") {
		t.Errorf("of the workspace: %+v", e)
	}
	if e := o.Expand(t.Context(), "@session:x", 0); len(e.List) != 1 || len(e.Warn) > 0 || !strings.HasPrefix(e.List[0].Text, "[from outside the workspace]\n") {
		t.Errorf("another session: %+v", e)
	}
}

// TestCut says of what git says that it is not all there.
func TestCut(t *testing.T) {
	o, _ := options(t)
	o.Diff = func(context.Context, bool) (string, error) { return "+ line\n+ li", nil }
	e := o.Expand(t.Context(), "@diff", 0)
	if len(e.List) != 1 || !strings.Contains(e.List[0].Text, cutNote) || e.Sent[0].Note != "cut" {
		t.Errorf("%+v", e)
	}
}

// closedFiles may not be read.
type closedFiles struct{ disk }

func (closedFiles) Read(name string, _ int64) ([]byte, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

// TestMayNotBeRead says of a file that is there that it could not be read.
func TestMayNotBeRead(t *testing.T) {
	o, _ := options(t)
	o.Files = closedFiles{}
	for _, text := range []string{"@a.go", "@file:a.go"} {
		if e := o.Expand(t.Context(), text, 0); len(e.Warn) != 1 || !strings.Contains(e.Warn[0], "it may not be read") {
			t.Errorf("%s: %+v", text, e)
		}
	}
}

// TestRoom warns of what is much, and leaves out what is too much.
func TestRoom(t *testing.T) {
	o, _ := options(t)
	if e := o.Expand(context.Background(), "@big.txt", 8_000); len(e.Warn) != 1 || !strings.Contains(e.Warn[0], "31 %") {
		t.Errorf("much: %+v", e.Warn)
	}
	if e := o.Expand(context.Background(), "@a.go @big.txt", 4_000); len(e.Warn) != 1 || len(e.List) != 2 || !strings.Contains(e.List[1].Text, "more than 50 %") || !strings.Contains(e.List[1].Text, "2,500 tokens") {
		t.Errorf("too much: %+v", e)
	}
	if e := o.Expand(context.Background(), "@big.txt", 0); len(e.Warn) > 0 {
		t.Errorf("an unknown window: %+v", e.Warn)
	}
	o.MaxChars = 100
	if e := o.Expand(context.Background(), "@big.txt", 8_000); !strings.Contains(e.List[0].Text, "[… cut: read the rest") {
		t.Errorf("cut: %s", e.List[0].Text)
	}
}

// FuzzFind takes any text.
func FuzzFind(f *testing.F) {
	for _, s := range []string{`@"a b":1-2`, "@log:3 x@y", "@file:a.go:10-", "(@\xff:1)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Find(text) {
			if r.From < 0 || r.To != 0 && r.To < r.From || r.Kind != Diff && r.Kind != Staged && r.Kind != Log && r.Name == "" {
				t.Errorf("%q: %+v", text, r)
			}
		}
	})
}

// TestResource reads data of a server, and tells what is none from it.
func TestResource(t *testing.T) {
	o, _ := options(t)
	e := o.Expand(t.Context(), "see @sky:note://2:3, @sky:note://three @sky:x @other:note://2 @sky:", 0)
	if len(e.List) != 3 || e.List[0].Name != "resource sky:note://2:3" || !strings.Contains(e.List[0].Text, "obey note://2:3") || !strings.Contains(e.List[0].Text, "[from outside the workspace]") {
		t.Errorf("%+v", e.List)
	}
	if len(e.Warn) != 3 || !strings.Contains(e.Warn[0], "take over the agent") || !strings.Contains(e.Warn[1], "there is a key in its address") || !strings.Contains(e.Warn[2], "@sky:x does not go with the message: the MCP server sky: not found.") {
		t.Errorf("%q", e.Warn)
	}
}

// TestNoSuchFile holds that a name that can only be meant as a file is said when there is
// none, and that people, packages and decorators are passed over.
func TestNoSuchFile(t *testing.T) {
	o, _ := options(t)
	for text, want := range map[string]string{
		"read @calc.pyy": "There is no file calc.pyy: @calc.pyy goes as plain text.",
		"@./src/new":     "There is no file ./src/new: @./src/new goes as plain text.",
		"see @lib/x.go.": "There is no file lib/x.go: @lib/x.go goes as plain text.",
		"ask @alice":     "", "add @types/node": "", "use @pytest.fixture": "", "@angular/core@17.0.1": "", "@app.get('/')": "",
	} {
		if got := strings.Join(o.Expand(t.Context(), text, 0).Warn, " "); got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}
