package tools

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParallelIsCareful(t *testing.T) {
	classes := map[string]Class{"read": ReadsPath, "write": PathScoped, "search": ReadsTree, "get": ReadOnly}
	for _, c := range []struct {
		name, first, second string // "tool arguments"
		want                bool
	}{
		{"unknown tool", `get {}`, `mystery {}`, false},
		{"two kinds of reading", `search {"path":"src"}`, `read {"path":"src/a"}`, true},
		{"search without path, write below", `search {}`, `write {"path":"a"}`, false},
		{"search with null path, write below", `search {"path":null}`, `write {"path":"a"}`, false},
		{"search without path, write elsewhere", `search {}`, `write {"path":"/tmp/a"}`, true},
		{"search of a number", `search {"path":5}`, `get {}`, false},
		{"search in the file that is written", `search {"path":"a"}`, `write {"path":"a"}`, false},
		{"path that is no text", `read {"path":["a"]}`, `get {}`, false},
		{"blank path", `read {"path":"  "}`, `get {}`, false},
		{"key that folds to path", `write {"path":"a","Path":"b"}`, `write {"path":"b"}`, false},
		{"last of equal keys", `write {"path":"a","path":"b"}`, `read {"path":"b"}`, false},
		{"home of another user", `write {"path":"~bob/a"}`, `get {}`, false},
		{"home itself", `write {"path":"~"}`, `read {"path":"~/a"}`, false},
		{"arguments with a tail", `get {} x`, `get {}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var calls []Call
			for _, text := range []string{c.first, c.second} {
				name, args, _ := strings.Cut(text, " ")
				calls = append(calls, Call{Name: name, Args: json.RawMessage(args)})
			}
			got := Parallel(calls, func(n string) Class { return classes[n] }, "/w/app", "/home/alice")
			if got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestAbsPath(t *testing.T) {
	for in, want := range map[string]string{
		"a.go": "/w/app/a.go", "./b/../a.go": "/w/app/a.go", "../x": "/w/x", "~": "/home/a", "~/x": "/home/a/x",
		"~/../x": "/home/x", "/etc//x/": "/etc/x", "-rf": "/w/app/-rf", "./~bob": "/w/app/~bob", "a\nb": "/w/app/a\nb",
		"a b": "/w/app/a b", "文": "/w/app/文", ".": "/w/app",
	} {
		if got, err := AbsPath(in, "/w/app", "/home/a"); err != nil || got != want {
			t.Errorf("AbsPath(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", " \t", "a\x00b", "~bob/x", "~root", strings.Repeat("x", 4097), "a\xff"} {
		if got, err := AbsPath(in, "/w/app", "/home/a"); err == nil {
			t.Errorf("AbsPath(%q) = %q, want an error", in, got)
		}
	}
	if _, err := AbsPath("x", "", "/home/a"); err == nil {
		t.Error("a relative path without directory was accepted")
	}
	if _, err := AbsPath("~/x", "/w", ""); err == nil {
		t.Error("~ without home was accepted")
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		path, dir string
		want      bool
	}{
		{"/w/app", "/w/app", true}, {"/w/app/x", "/w/app", true}, {"/w/app-secrets", "/w/app", false},
		{"/w", "/w/app", false}, {"/etc", "/", true}, {"/", "/", true},
	} {
		if got := Within(c.path, c.dir); got != c.want {
			t.Errorf("Within(%q, %q) = %v", c.path, c.dir, got)
		}
	}
}

func TestSimilarNames(t *testing.T) {
	have := []string{"readme.txt", "README.md", "main.go", "main_test.go", "domain.go", "go.mod", "zzz"}
	for want, list := range map[string][]string{
		"readme.md": {"README.md", "readme.txt"},
		"main.g":    {"main.go", "main_test.go", "domain.go"},
		"mian.go":   {"main.go", "domain.go", "main_test.go"},
		"qqq":       nil,
	} {
		if got := SimilarNames(want, have, 3); !slices.Equal(got, list) {
			t.Errorf("SimilarNames(%q) = %v, want %v", want, got, list)
		}
	}
	if got := SimilarNames("a", []string{"ab", "ac", "ad"}, 2); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

func TestBound(t *testing.T) {
	saved := ""
	save := func(content string) (string, error) { saved = content; return "/cache/results/7", nil }
	lines := strings.Repeat("a line of text\n", 1000)

	for _, c := range []struct {
		name, content string
		limit         int
	}{
		{"at the limit", "abc", 3}, {"characters, not bytes", "äöü", 3}, {"no cap", lines, -1}, {"default cap", lines, 0},
	} {
		if got, cut := Bound(c.content, c.limit, save); cut || got != c.content || saved != "" {
			t.Errorf("%s: was cut to %d bytes", c.name, len(got))
		}
	}

	got, cut := Bound(lines, 10_000, save)
	if !cut || saved != lines || !strings.HasPrefix(got, "<persisted-output>\n") || !strings.HasSuffix(got, "\n...\n</persisted-output>") {
		t.Fatalf("got %q", got)
	}
	if !strings.Contains(got, "/cache/results/7") || !strings.Contains(got, "15000 characters (14.6 KB)") {
		t.Errorf("size or path is missing: %s", got)
	}
	if !strings.Contains(got, "\n\n"+strings.Repeat("a line of text\n", 100)+"...") {
		t.Errorf("the preview does not end with a whole line: %s", got)
	}

	got, _ = Bound("x\n"+strings.Repeat("ä", 20_000), 10_000, save)
	if n := strings.Count(got, "ä"); n != PreviewChars-2 {
		t.Errorf("a newline in the first half cut the preview to %d characters", n)
	}
	got, _ = Bound("</persisted-output>"+lines, 10_000, save)
	if strings.Count(got, "</persisted-output>") != 1 {
		t.Error("the preview closes its block")
	}
	got, cut = Bound(lines, 10_000, func(string) (string, error) { return "", errors.New("disk full") })
	if !cut || !strings.HasPrefix(got, lines[:10_000]) || !strings.Contains(got, "disk full") || utf8.RuneCountInString(got) > 10_300 {
		t.Errorf("without a file: %d characters, ends %q", len(got), got[len(got)-200:])
	}
}
