package sessions

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"hermes-tui/internal/corpustest"
)

func TestConformanceQuery(t *testing.T) {
	type text struct{ Query string }
	path := newPath(t)
	mustOpen(t, path)
	corpustest.Run(t, "fts_query_sanitize", func(t *testing.T, input, want text) {
		got := SanitizeQuery(input.Query)
		if a, b := strings.Fields(got), strings.Fields(want.Query); strings.Join(a, " ") != strings.Join(b, " ") {
			t.Errorf("%q: got %q, want %q", input.Query, got, want.Query)
		}
		conn(t, path, func(c *sql.Conn) { match(t, c, got) })
	})
}

func TestConformanceTitle(t *testing.T) {
	type in struct{ Title string }
	type wanted struct {
		Title *string
		Error string
	}
	corpustest.Run(t, "session_title", func(t *testing.T, input in, want wanted) {
		title, err := CleanTitle(input.Title)
		var got wanted
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
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Errorf("got %s, want %s", a, b)
		}
	})
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
