package skills_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"hermes-tui/store/skills"
)

func one(name, text string) string { return md("name: "+name, "description: "+text) }

func states(ix *skills.Index) string {
	var list []string
	for _, s := range ix.Skills {
		list = append(list, fmt.Sprintf("%s %s %s", s.Name, s.Origin, s.State))
	}
	return strings.Join(list, "\n")
}

// TestPrecedence holds which of several skills with one name counts, and that the others
// are shown.
func TestPrecedence(t *testing.T) {
	top := t.TempDir()
	user, home, repo, extra := top+"/user", top+"/home", top+"/repo", top+"/extra"
	bundled := fstest.MapFS{"x/SKILL.md": {Data: []byte(one("x", "bundled"))}, "only/SKILL.md": {Data: []byte(one("only", "bundled"))}}
	for dir, text := range map[string]string{
		repo + "/sub/.agents/skills": "nearest", repo + "/.hermes/skills": "project", repo + "/.claude/skills": "claude",
		home: "home", user + "/.agents/skills": "agents", extra: "extra",
	} {
		write(t, dir, "x/SKILL.md", one("x", text))
	}
	allow := true
	l := library(skills.Options{
		Roots:   skills.Roots(skills.Where{Home: home, User: user, External: []string{extra}, Bundled: bundled}),
		Allowed: func(string, string) bool { return allow },
	})
	project := skills.ProjectRoots(repo+"/sub", repo, true)
	ix := l.Index(project...)
	want := `only bundled ready
x project ready
x project shadowed
x project shadowed
x home shadowed
x personal shadowed
x external shadowed
x bundled shadowed`
	if got := states(ix); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s, _, _ := ix.Find("x"); s.Description != "nearest" {
		t.Errorf("%q counts", s.Description)
	}
	if why := ix.Skills[2].Why; !strings.Contains(why, filepath.Join(repo, "sub", ".agents", "skills", "x", "SKILL.md")) {
		t.Errorf("the one behind it says %q", why)
	}

	allow = false // what was not allowed hides nothing of the user's
	ix = l.Index(project...)
	if s, _, _ := ix.Find("x"); s.Description != "home" {
		t.Errorf("%q counts, want that of the home", s.Description)
	}
	text, err := l.Text(ix.Skills[len(ix.Skills)-1])
	if err != nil || !strings.Contains(text.Body, "Do it well") {
		t.Errorf("a bundled one reads %q, %v", text.Body, err)
	}
}

// TestProject holds that a skill of a project needs a trusted folder and is asked about
// again when anything in its folder changes.
func TestProject(t *testing.T) {
	repo := t.TempDir()
	write(t, repo, ".agents/skills/x/SKILL.md", one("x", "One."))
	write(t, repo, ".agents/skills/x/scripts/run.sh", "echo 1\n")
	allowed := map[string]bool{}
	l := library(skills.Options{Allowed: func(dir, hash string) bool { return allowed[dir+hash] }})
	look := func(trusted bool) skills.Skill {
		ix := l.Index(skills.ProjectRoots(repo, repo, trusted)...)
		if len(ix.Skills) != 1 {
			t.Fatalf("%+v", ix)
		}
		return ix.Skills[0]
	}
	if s := look(false); s.State != skills.Held || !strings.Contains(s.Why, "not trusted") {
		t.Errorf("untrusted: %s %s", s.State, s.Why)
	}
	s := look(true)
	if s.State != skills.Held || !strings.Contains(s.Why, "is new") {
		t.Errorf("new: %s %s", s.State, s.Why)
	}
	_, err := l.Text(s)
	if held := (*skills.HeldError)(nil); !errors.As(err, &held) {
		t.Errorf("text of one that is held: %v", err)
	}
	allowed[s.Dir+s.Hash] = true
	if s = look(true); s.State != skills.Ready {
		t.Errorf("allowed: %s %s", s.State, s.Why)
	}
	write(t, repo, ".agents/skills/x/scripts/run.sh", "echo 2\n") // same size
	_, err = l.Content(s, "scripts/run.sh")
	if held := (*skills.HeldError)(nil); !errors.As(err, &held) {
		t.Errorf("changed since it was listed: %v", err)
	}
	if s = look(true); s.State != skills.Held {
		t.Errorf("changed: %s", s.State)
	}
}

// TestHostile holds that nothing outside the folder of a skill is read, and that each
// attempt is said.
func TestHostile(t *testing.T) {
	top := t.TempDir()
	write(t, top, "secret", "the secret")
	write(t, top, "elsewhere/SKILL.md", one("elsewhere", "Outside."))
	repo, home := top+"/repo", top+"/home"
	in := repo + "/.agents/skills"
	write(t, in, "good/SKILL.md", one("good", "Good."))
	write(t, in, "deep/1/2/3/4/5/6/7/SKILL.md", one("deep", "Too deep."))
	write(t, in, "huge/SKILL.md", one("huge", "Huge.")+strings.Repeat("x", skills.MaxFile))
	write(t, home, "linked/SKILL.md", one("linked", "Links."))
	write(t, home, "inner/SKILL.md", one("inner", "Links within."))
	write(t, home, "inner/a.md", "within")
	for to, at := range map[string]string{
		top + "/elsewhere":           in + "/out",
		"..":                         in + "/up",
		top + "/nowhere":             in + "/broken",
		top + "/secret":              home + "/linked/ref.md",
		top:                          home + "/linked/dir",
		"a.md":                       home + "/inner/b.md",
		top + "/elsewhere/":          home + "/mine",
		top + "/repo":                home + "/all",
		top + "/elsewhere/SKILL.md":  home + "/fake/SKILL.md",
		top + "/elsewhere/SKILL.md/": home + "/linked/odd",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Symlink(to, at)); err != nil {
			t.Fatal(err)
		}
	}
	l := library(skills.Options{Roots: skills.Roots(skills.Where{Home: home}), Allowed: func(string, string) bool { return true }})
	ix := l.Index(skills.ProjectRoots(repo, repo, true)...)
	if got, want := states(ix), "elsewhere home ready\ngood project ready\ninner home ready\nlinked home ready"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	said := ""
	for _, p := range ix.Problems {
		said += p.Path + ": " + p.Text + "\n"
	}
	for _, want := range []string{
		"/out: It is a link that leads out of", "/up: It is a link", "/broken: It is a link that leads nowhere", "/all: It is a link to a folder without a SKILL.md", "more than 6 below",
		"huge/SKILL.md: The skill was left out: it has 1.0 MB", "fake/SKILL.md: The skill was left out: its SKILL.md is a link that leads out",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	s, _, _ := ix.Find("linked")
	for _, name := range []string{"ref.md", "dir/secret", "../../secret", "/etc/passwd", "dir", "."} {
		if data, err := l.Content(s, name); err == nil {
			t.Errorf("%s was read: %q", name, data)
		} else if strings.Contains(name, "ref") && !strings.Contains(err.Error(), "link that leads out of the folder") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, _, _ = ix.Find("inner")
	if data, err := l.Content(s, "b.md"); err != nil || string(data) != "within" {
		t.Errorf("a link within the folder: %q, %v", data, err)
	}
}

// TestScan holds that what reads like an attack is held back until its content is
// allowed.
func TestScan(t *testing.T) {
	home := t.TempDir()
	write(t, home, "head/SKILL.md", one("head", "Do EVIL things."))
	write(t, home, "text/SKILL.md", one("text", "Fine.")+"Be EVIL.\n")
	write(t, home, "text/ref.md", "fine")
	allowed := map[string]bool{}
	l := library(skills.Options{
		Roots:   skills.Roots(skills.Where{Home: home}),
		Allowed: func(dir, hash string) bool { return allowed[dir+hash] },
		Scan: func(text string) []string {
			if strings.Contains(text, "EVIL") {
				return []string{"evil"}
			}
			return nil
		},
	})
	ix := l.Index()
	if got := states(ix); got != "head home held\ntext home ready" {
		t.Errorf("got %s", got)
	}
	_, err := l.Text(ix.Skills[1])
	if err == nil || !strings.Contains(err.Error(), "held back") || !strings.Contains(err.Error(), "evil") {
		t.Errorf("a text with something in it: %v", err)
	}
	if _, err := l.Content(ix.Skills[1], "ref.md"); err != nil {
		t.Errorf("another file of it: %v", err)
	}
	for _, s := range ix.Skills {
		hash, err := s.ContentHash()
		if err != nil {
			t.Fatal(err)
		}
		allowed[s.Dir+hash] = true
	}
	ix = l.Index()
	if _, err := l.Text(ix.Skills[1]); err != nil || ix.Skills[0].State != skills.Ready {
		t.Errorf("allowed: %v, %s", err, ix.Skills[0].State)
	}
}

// TestReload holds that changes are seen, by the same library and by a new one with the
// cache file.
func TestReload(t *testing.T) {
	home, cache := t.TempDir(), filepath.Join(t.TempDir(), "skills.json")
	write(t, home, "a/SKILL.md", one("a", "First."))
	open := func() *skills.Library {
		return library(skills.Options{Roots: skills.Roots(skills.Where{Home: home}), Cache: cache})
	}
	l := open()
	l.Index()
	steps := []struct {
		do   func()
		want string
	}{
		{func() { write(t, home, "a/SKILL.md", one("a", "Again!")) }, "a Again!"}, // the same size
		{func() { write(t, home, "cat/b/SKILL.md", one("b", "New.")) }, "a Again!, b New."},
		{func() { os.Rename(home+"/a", home+"/c") }, "a Again!, b New."},
		{func() { os.RemoveAll(home + "/c") }, "b New."},
		{func() { os.RemoveAll(home) }, ""},
		{func() { write(t, home, "d/skill.md", one("d", "Small.")) }, "d Small."},
	}
	for i, s := range steps {
		s.do()
		for j, l := range []*skills.Library{l, open(), open()} {
			var got []string
			for _, s := range l.Index().Skills {
				got = append(got, s.Name+" "+s.Description)
			}
			if strings.Join(got, ", ") != s.want {
				t.Errorf("step %d, library %d: %v, want %s", i, j, got, s.want)
			}
		}
	}
}

// TestCache holds that what has not changed is not read again.
func TestCache(t *testing.T) {
	home, cache := t.TempDir(), filepath.Join(t.TempDir(), "skills.json")
	many(t, home, 3)
	later := func() time.Time { return time.Now().Add(time.Hour) }
	roots := skills.Roots(skills.Where{Home: home})
	library(skills.Options{Roots: roots, Cache: cache, Now: later}).Index()
	text, err := os.ReadFile(cache)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cache, []byte(strings.ReplaceAll(string(text), "Number", "Cached")), 0o600); err != nil {
		t.Fatal(err)
	}
	ix := library(skills.Options{Roots: roots, Cache: cache, Now: later}).Index()
	if len(ix.Skills) != 3 || !strings.HasPrefix(ix.Skills[0].Description, "Cached") {
		t.Errorf("read again: %+v", ix.Skills)
	}
	for _, bad := range []string{"", "{", "null", `{"form":1}`, `{"form":99,"roots":{}}`} {
		if err := os.WriteFile(cache, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if ix := library(skills.Options{Roots: roots, Cache: cache}).Index(); len(ix.Skills) != 3 {
			t.Errorf("cache %q: %d skills", bad, len(ix.Skills))
		}
	}
}

func many(t testing.TB, home string, n int) {
	for i := range n {
		name := fmt.Sprintf("skill-%03d", i)
		write(t, home, fmt.Sprintf("cat%d/%s/SKILL.md", i%10, name), one(name, fmt.Sprintf("Number %d: what it does and when it is of use, in a sentence or two of the usual length.", i))+strings.Repeat("A line of the text.\n", 200))
	}
}

// BenchmarkStart is the index of a new program: with 400 skills it may take 10 ms more
// than with none.
func BenchmarkStart(b *testing.B) {
	for _, n := range []int{0, 400} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			home, cache := b.TempDir(), filepath.Join(b.TempDir(), "skills.json")
			many(b, home, n)
			o := skills.Options{Roots: skills.Roots(skills.Where{Home: home}), Cache: cache, Now: func() time.Time { return time.Now().Add(time.Hour) }}
			library(o).Index()
			for b.Loop() {
				if got := len(library(o).Index().Skills); got != n {
					b.Fatal(got)
				}
			}
		})
	}
}
