package sessions

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// family is a file of the conformance corpus.
type family[In, Want any] struct {
	Family string
	Cases  []struct {
		ID    string
		Input In
		Want  Want
	}
}

func loadFamily[In, Want any](t *testing.T, name string) family[In, Want] {
	t.Helper()
	dir := os.Getenv("HERMES_CONFORMANCE")
	if dir == "" {
		dir = filepath.Join("testdata", "conformance")
	}
	data, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s has no family %s", dir, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	var f family[In, Want]
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	if f.Family != name || len(f.Cases) == 0 {
		t.Fatalf("family %q with %d cases", f.Family, len(f.Cases))
	}
	return f
}

func TestConformanceQuery(t *testing.T) {
	type text struct{ Query string }
	path := newPath(t)
	mustOpen(t, path)
	for _, c := range loadFamily[text, text](t, "fts_query_sanitize").Cases {
		t.Run(c.ID, func(t *testing.T) {
			got := SanitizeQuery(c.Input.Query)
			if a, b := strings.Fields(got), strings.Fields(c.Want.Query); strings.Join(a, " ") != strings.Join(b, " ") {
				t.Errorf("%q: got %q, want %q", c.Input.Query, got, c.Want.Query)
			}
			conn(t, path, func(c *sql.Conn) { match(t, c, got) })
		})
	}
}

func TestConformanceTitle(t *testing.T) {
	type in struct{ Title string }
	type want struct {
		Title *string
		Error string
	}
	for _, c := range loadFamily[in, want](t, "session_title").Cases {
		t.Run(c.ID, func(t *testing.T) {
			title, err := CleanTitle(c.Input.Title)
			var got want
			switch {
			case err != nil:
				if n := as[*TitleTooLongError](t, err).Length; n <= maxTitle {
					t.Errorf("length %d", n)
				}
				got.Error = "too_long"
			case title != "":
				got.Title = &title
			}
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(c.Want)
			if string(a) != string(b) {
				t.Errorf("got %s, want %s", a, b)
			}
		})
	}
}

// match runs a sanitised query on the index.
func match(t testing.TB, c *sql.Conn, query string) {
	t.Helper()
	if query == "" {
		return
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		var n int
		err := c.QueryRowContext(context.Background(), "SELECT count(*) FROM "+table+" WHERE "+table+" MATCH ?", query).Scan(&n)
		if err != nil {
			t.Errorf("%q: %v", query, err)
		}
	}
}

func TestSanitizeQuery(t *testing.T) {
	for in, want := range map[string]string{
		`a AND NOT b`:                `a NOT b`,
		`a OR AND b`:                 `a AND b`,
		`AND "x y" OR`:               `"x y"`,
		`"a""b"`:                     `"a" "b"`,
		`"" " " x`:                   `x`,
		`"x`:                         `x`,
		`a "b`:                       `a b`,
		`foo-bar*`:                   `"foo-bar"*`,
		`AND*`:                       `"AND"*`,
		`pre*fix`:                    `pre* fix`,
		`-- ... __`:                  ``,
		`__init__.py`:                `"init__.py"`,
		"a\u00a0b\u3000c":            `a b c`,
		"nul\x00here":                `nul here`,
		"\"nul\x00here\"":            `"nul here"`,
		"bad\xffutf8":                `bad utf8`,
		`NEAR(a b, 3)`:               `NEAR a b 3`,
		`and or not`:                 `and or not`,
		strings.Repeat("a b ", 5000): strings.TrimSpace(strings.Repeat("a b ", maxTerms/2)),
	} {
		if got := SanitizeQuery(in); got != want {
			t.Errorf("%.60q: got %.80q, want %.80q", in, got, want)
		}
	}
}

func FuzzSanitizeQuery(f *testing.F) {
	for _, s := range []string{`a AND NOT "b" OR c*`, "\x00\xff\"", "a.b-c_d*", strings.Repeat("a NOT ", 400), "修复 AND (登录)"} {
		f.Add(s)
	}
	path := newPath(f)
	mustOpen(f, path)
	pool, err := newPool(path, "ro", plainPragmas, "", nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = pool.Close() })
	c, err := pool.Conn(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = c.Close() })
	f.Fuzz(func(t *testing.T, s string) {
		got := SanitizeQuery(s)
		if !utf8.ValidString(got) || strings.ContainsRune(got, 0) {
			t.Errorf("%q becomes %q", s, got)
		}
		match(t, c, got)
	})
}

func FuzzCleanTitle(f *testing.F) {
	f.Add(" a\tb\u200d\u202e ")
	f.Fuzz(func(t *testing.T, s string) {
		once, err := CleanTitle(s)
		if err != nil {
			return
		}
		twice, err := CleanTitle(once)
		if err != nil || twice != once || !utf8.ValidString(once) || utf8.RuneCountInString(once) > maxTitle {
			t.Errorf("%q becomes %q and then %q, %v", s, once, twice, err)
		}
	})
}
