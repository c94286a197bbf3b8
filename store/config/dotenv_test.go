package config

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseEnv(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"":                                   {},
		"# comment\n\n   \n  # more\n":       {},
		"A=1":                                {"A": "1"},
		"A=1\nB=two words \nC=\n":            {"A": "1", "B": "two words", "C": ""},
		"export A=1\n  export\tB = 2\n":      {"A": "1", "B": "2"},
		"export=1\nexport =2\n":              {"export": "2"},
		"A=1\r\nB='x'\r\nC=3 # c\r\n":        {"A": "1", "B": "x", "C": "3"},
		"A=1 # c\nB=x#y\nC=# c\nD='#' # c\n": {"A": "1", "B": "x#y", "C": "", "D": "#"},
		`A='a\n$B"' ` + "\n":                 {"A": `a\n$B"`},
		`A="a\n\t\r\\\"\$\q'"`:               {"A": "a\n\t\r\\\"$\\q'"},
		"A=\"one\ntwo\"\nB='x\ny'\n":         {"A": "one\ntwo", "B": "x\ny"},
		"A=1\nA=2\n":                         {"A": "2"},
		"A=${B}\n":                           {"A": "${B}"},
		"A=a=b=c\n":                          {"A": "a=b=c"},
		"A=it's\n":                           {"A": "it's"},
		"_a1=é\n":                            {"_a1": "é"},
		"\ufeffA=1\n":                        {"A": "1"},
	} {
		name := filepath.Join(t.TempDir(), ".env")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := LoadEnv(name)
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%q gives %q, %v", text, got, err)
		}
	}
}

func TestParseEnvErrors(t *testing.T) {
	for _, c := range []struct {
		text      string
		line, col int
		says      string
	}{
		{"A\n", 1, 2, `"=" is expected`},
		{"A=1\nsecret words here\n", 2, 8, `"=" is expected`},
		{"1A=x\n", 1, 1, "a name is expected"},
		{"=secret\n", 1, 1, "a name is expected"},
		{"A.B=x\n", 1, 1, "a name is expected"},
		{"export export A=1\n", 1, 15, `"=" is expected`},
		{"export\n", 1, 7, `"=" is expected`},
		{"A=1\nB='secret\n\n", 2, 3, "not closed"},
		{"B=\"secret\\\"\n", 1, 3, "not closed"},
		{"B=\"secret\\", 1, 3, "not closed"},
		{"B='x' secret\n", 1, 7, "nothing but a comment"},
		{"A=\x00\n", 1, 3, "NUL"},
	} {
		_, err := parseEnv("/x/.env", []byte(c.text))
		e := asError(t, err)
		if e.Kind != KindSyntax || e.Line != c.line || e.Column != c.col || !strings.Contains(e.Error(), c.says) || strings.Contains(e.Error(), "secret") {
			t.Errorf("%q: %v", c.text, e)
		}
	}
}

func TestLoadEnvFiles(t *testing.T) {
	dir := t.TempDir()
	if got, err := LoadEnv(filepath.Join(dir, ".env")); err != nil || len(got) != 0 {
		t.Errorf("missing: %v, %v", got, err)
	}
	if _, err := LoadEnv(dir); asError(t, err).Kind != KindRead {
		t.Errorf("directory: %v", err)
	}
	if _, err := LoadEnv(file(t, "A=\xff")); asError(t, err).Kind != KindEncoding {
		t.Errorf("encoding: %v", err)
	}
}

func TestLayered(t *testing.T) {
	both := Layered(env("A", "process", "B", ""), map[string]string{"A": "file", "B": "file", "C": "file"})
	for name, want := range map[string]string{"A": "process", "B": "", "C": "file"} {
		if got, ok := both(name); got != want || !ok {
			t.Errorf("%s is %q, %v", name, got, ok)
		}
	}
	if _, ok := both("D"); ok {
		t.Error("D is set")
	}
	if got, ok := Layered(nil, map[string]string{"A": "file"})("A"); got != "file" || !ok {
		t.Error("no process environment")
	}
}

func FuzzParseEnv(f *testing.F) {
	f.Add([]byte("export A='1' # x\nB=\"\\n\"\n"))
	f.Add([]byte("A=\r\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		vars, err := parseEnv("f", data)
		if err != nil {
			asError(t, err)
			return
		}
		for name, value := range vars {
			if !validName(name) || strings.ContainsRune(value, 0) {
				t.Errorf("%q is %q", name, value)
			}
		}
	})
}

// TestSetEnv puts a variable in the place of the one that is there and leaves the rest.
func TestSetEnv(t *testing.T) {
	const value = `s3cret "quoted" $HOME \ 'x' # no comment`
	for text, want := range map[string]string{
		"":    "",
		"A=1": "A=1\n",
		"# c\nexport KEY=old # x\nA='1\n2'\nKEY=\"older\n\"\n": "# c\nA='1\n2'\n",
	} {
		name := file(t, text)
		if err := os.Chmod(name, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := SetEnv(t.Context(), name, "KEY", value); err != nil {
			t.Fatal(err)
		}
		vars, err := LoadEnv(name)
		if got := readText(t, name); err != nil || !strings.HasPrefix(got, want+"KEY=") || strings.Count(got, "KEY") != 1 || vars["KEY"] != value {
			t.Errorf("%q gave %q: %v, %v", text, got, vars, err)
		}
		if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", st.Mode(), err)
		}
	}
	broken := file(t, "A='1")
	for _, c := range [][3]string{{broken, "KEY", "v"}, {file(t, ""), "1KEY", "v"}, {file(t, ""), "KEY", "a\nB=1"}} {
		before := readText(t, c[0])
		if err := SetEnv(t.Context(), c[0], c[1], c[2]); err == nil || readText(t, c[0]) != before {
			t.Errorf("%q: %v", c, err)
		}
	}
}
