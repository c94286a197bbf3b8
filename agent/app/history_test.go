package app

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestHistory(t *testing.T) {
	b := newBox(t)
	a := b.open()
	if got := a.History(t.Context()); got != nil {
		t.Errorf("a new history has %q", got)
	}
	said := []string{"one", "two\nlines", `"quotes" and 漢字`, strings.Repeat("x", maxHistoryLine-3), " "}
	for _, s := range said {
		a.Remember(s)
	}
	a.Remember(strings.Repeat("x", maxHistoryLine)) // too long to be worth it
	a.Remember("last")
	want := append(slices.Clone(said), "last")
	if got := a.History(t.Context()); !slices.Equal(got, want) {
		t.Errorf("%d texts of %d", len(got), len(want))
	}
	if st, err := os.Stat(b.home.History()); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", st.Mode(), err)
	}
	closed(t, a)
	if got := b.open().History(t.Context()); !slices.Equal(got, want) {
		t.Errorf("the next start finds %d texts", len(got))
	}
}

// TestHistoryPassesOverDamage reads a file with a line that is no JSON, one that
// is no text, one that is much too long, and one that was cut off.
func TestHistoryPassesOverDamage(t *testing.T) {
	b := newBox(t)
	text := "\"one\"\nnot json\n{\"a\":1}\n\"\"\n\"" + strings.Repeat("y", 2*maxHistoryLine+7) + "\"\n\"two\"\n\"cut of"
	if err := os.WriteFile(b.home.History(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := b.open().History(t.Context()); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("read %.60q", got)
	}
}

// TestHistoryIsCutDown lets the file grow over its limit.
func TestHistoryIsCutDown(t *testing.T) {
	b := newBox(t)
	var text strings.Builder
	line := strings.Repeat("z", 4000)
	n := maxHistoryFile/len(line) + 10
	for i := range n {
		fmt.Fprintf(&text, "\"%05d%s\"\n", i, line)
	}
	if err := os.WriteFile(b.home.History(), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	a := b.open()
	for range 2 { // the second time from the file that was cut down
		got := a.History(t.Context())
		if len(got) != maxHistory || got[0][:5] != fmt.Sprintf("%05d", n-maxHistory) || got[maxHistory-1][:5] != fmt.Sprintf("%05d", n-1) {
			t.Fatalf("%d texts, from %.5s", len(got), got[0])
		}
	}
	if st, err := os.Stat(b.home.History()); err != nil || st.Size() > int64(maxHistory*(len(line)+10)) || st.Mode().Perm() != 0o600 {
		t.Errorf("the file has %d bytes, %v", st.Size(), err)
	}
}

// TestHistoryThatCannotBeKept is no reason to stop.
func TestHistoryThatCannotBeKept(t *testing.T) {
	b := newBox(t)
	a := b.open()
	if err := os.Mkdir(b.home.History(), 0o700); err != nil {
		t.Fatal(err)
	}
	a.Remember("text")
	if got := a.History(t.Context()); got != nil {
		t.Errorf("read %q", got)
	}
}

// TestKeepTheme writes a choice into the settings and leaves the rest as it is.
func TestKeepTheme(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"no file", "", "display:\n  theme: light\n"},
		{"another theme", "# mine\ndisplay:\n  mouse: off # no\n  theme: dark # for now\n", "# mine\ndisplay:\n  mouse: off # no\n  theme: light # for now\n"},
		{"no theme", "model: m # mine\n", "model: m # mine\ndisplay:\n  theme: light\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBox(t)
			b.config(c.before)
			if c.before == "" {
				if err := os.Remove(b.home.Config()); err != nil {
					t.Fatal(err)
				}
			}
			a := b.open()
			if err := a.KeepTheme(t.Context(), "light"); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(b.home.Config()); err != nil || string(got) != c.after {
				t.Errorf("wrote %q, %v", got, err)
			}
			closed(t, a)
			if s := b.open().Settings(); s.Theme != "light" {
				t.Errorf("the next start has theme %q", s.Theme)
			}
		})
	}
}

// TestKeepThemeLeavesBrokenSettings breaks the file while the program runs.
func TestKeepThemeLeavesBrokenSettings(t *testing.T) {
	b := newBox(t)
	a := b.open()
	const broken = "display:\n  theme: [dark\n"
	b.config(broken)
	err := a.KeepTheme(t.Context(), "light")
	if err == nil || !strings.Contains(err.Error(), "config.yaml, line ") {
		t.Errorf("the error is %v", err)
	}
	if got, err := os.ReadFile(b.home.Config()); err != nil || string(got) != broken {
		t.Errorf("the file is %q, %v", got, err)
	}
}
