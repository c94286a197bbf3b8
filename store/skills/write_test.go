package skills_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/store/skills"
)

func writer(home string) (*skills.Writer, func() *skills.Index) {
	w := &skills.Writer{
		Home: home, Now: time.Now,
		Scan: func(text string) []string {
			if strings.Contains(text, "EVIL") {
				return []string{"evil"}
			}
			return nil
		},
		Replace: func(body, before, after string, _ bool) (string, error) {
			if !strings.Contains(body, before) {
				return "", errors.New("not found")
			}
			return strings.Replace(body, before, after, 1), nil
		},
	}
	l := library(skills.Options{Roots: skills.Roots(skills.Where{Home: home, External: []string{home + "-external"}})})
	return w, func() *skills.Index { return l.Index() }
}

// TestWrite makes, changes and deletes skills, and holds what is refused.
func TestWrite(t *testing.T) {
	home := filepath.Join(t.TempDir(), "skills")
	outside := t.TempDir()
	write(t, home+"-external", "theirs/SKILL.md", one("theirs", "Not ours."))
	write(t, home, "pinned/SKILL.md", one("pinned", "Pinned."))
	write(t, home, "linked/SKILL.md", one("linked", "Has a link."))
	if err := errors.Join(os.Symlink(outside, home+"/linked/references"), skills.Note(t.Context(), home, "pinned", func(u *skills.Use) { u.Pinned = true })); err != nil {
		t.Fatal(err)
	}
	w, index := writer(home)
	for _, s := range []struct {
		e    skills.Edit
		want string // of the error, or of the diff
	}{
		{skills.Edit{Action: skills.Create, Name: "new", Category: "cat/sub", Content: one("new", "A new one.")}, "+description: A new one."},
		{skills.Edit{Action: skills.Create, Name: "new", Content: one("new", "Again.")}, "there is a skill new already"},
		{skills.Edit{Action: skills.Create, Name: "../x", Content: one("x", "Up.")}, "cannot be the name"},
		{skills.Edit{Action: skills.Create, Name: "x", Category: "../..", Content: one("x", "Up.")}, "cannot be a category"},
		{skills.Edit{Action: skills.Create, Name: "x", Content: one("y", "Other.")}, `calls the skill "y"`},
		{skills.Edit{Action: skills.Create, Name: "x", Content: "# No head\n"}, "has to begin with front matter"},
		{skills.Edit{Action: skills.Create, Name: "x", Content: "---\nname: x\n---\n# Only a heading\n"}, "no description"},
		{skills.Edit{Action: skills.Create, Name: "x", Content: one("x", "Do EVIL.")}, "(evil)"},
		{skills.Edit{Action: skills.Create, Name: "x", Content: one("x", "Long.") + strings.Repeat("ä", 100_000)}, "may have 100000"},
		{skills.Edit{Action: skills.Patch, Name: "new", Old: "Do it well.", New: "Do it better."}, "+Do it better."},
		{skills.Edit{Action: skills.Patch, Name: "new", Old: "no such", New: "x"}, "not found"},
		{skills.Edit{Action: skills.Patch, Name: "new", Old: "name: new", New: "name: old"}, `calls the skill "old"`},
		{skills.Edit{Action: skills.Rewrite, Name: "new", Content: one("new", "Rewritten.")}, "+description: Rewritten."},
		{skills.Edit{Action: skills.WriteFile, Name: "new", File: "scripts/run.sh", Text: "#!/bin/sh\necho hi\n"}, "+echo hi"},
		{skills.Edit{Action: skills.Patch, Name: "new", File: "scripts/run.sh", Old: "hi", New: "ho"}, "+echo ho"},
		{skills.Edit{Action: skills.WriteFile, Name: "new", File: "scripts/../../../x", Text: "x"}, "is no file of a skill"},
		{skills.Edit{Action: skills.WriteFile, Name: "new", File: "/etc/x", Text: "x"}, "is no file of a skill"},
		{skills.Edit{Action: skills.WriteFile, Name: "new", File: "scripts/.git/hooks/x", Text: "x"}, "is no file of a skill"},
		{skills.Edit{Action: skills.WriteFile, Name: "new", File: "SKILL.md", Text: "x"}, "is no file of a skill"},
		{skills.Edit{Action: skills.WriteFile, Name: "linked", File: "references/x.md", Text: "x"}, "link that leads out"},
		{skills.Edit{Action: skills.RemoveFile, Name: "new", File: "scripts/run.sh"}, "-echo ho"},
		{skills.Edit{Action: skills.RemoveFile, Name: "new", File: "scripts/run.sh"}, "cannot be read"},
		{skills.Edit{Action: skills.Patch, Name: "theirs", Old: "Not", New: "x"}, "(external) is not one of the user's own"},
		{skills.Edit{Action: skills.Delete, Name: "pinned"}, "is pinned"},
		{skills.Edit{Action: skills.Delete, Name: "new", Absorbed: "none"}, `there is no skill "none"`},
		{skills.Edit{Action: skills.Delete, Name: "new", Absorbed: "pinned"}, "-description: Rewritten."},
		{skills.Edit{Action: skills.Delete, Name: "new"}, "there is no skill"},
		{skills.Edit{Action: "burn", Name: "pinned"}, "is no action"},
	} {
		p, err := w.Apply(t.Context(), index, s.e, nil)
		got := p.Diff()
		if err != nil {
			got = err.Error()
		}
		if (err != nil) == strings.ContainsAny(s.want[:1], "+-") || !strings.Contains(got, s.want) {
			t.Errorf("%s %s %s: %s\nwant %s", s.e.Action, s.e.Name, s.e.File, got, s.want)
		}
	}
	kept, _ := filepath.Glob(home + "/.archive/new-*/SKILL.md")
	rest, _ := os.ReadDir(outside)
	if len(kept) != 1 || len(rest) != 0 {
		t.Errorf("kept %v, outside %v", kept, rest)
	}
	used, err := skills.Usage(home)
	if u := used["new"]; err != nil || u.CreatedBy != "agent" || u.Patches != 5 || u.State != "archived" {
		t.Errorf("use %+v, %v", u, err)
	}
	seen := one("pinned", "Not what is there.")
	if _, err := w.Apply(t.Context(), index, skills.Edit{Action: skills.Rewrite, Name: "pinned", Content: one("pinned", "New.")}, &seen); err == nil || !strings.Contains(err.Error(), "has changed since") {
		t.Errorf("a change of something else than was seen: %v", err)
	}
	write(t, home, ".hub/lock.json", `{"version":1,"installed":{"pinned":{"source":"github"}}}`)
	if p, err := w.Plan(index(), skills.Edit{Action: skills.Rewrite, Name: "pinned", Content: one("pinned", "New.")}); err != nil || !p.Foreign {
		t.Errorf("an installed one: %v, %v", p.Foreign, err)
	}
}

// TestWritersKilled has eight processes write skills of one home, some of which are killed
// over and over: what was reported as written is there, and nothing is torn.
func TestWritersKilled(t *testing.T) {
	if home := os.Getenv("SKILLS_WRITER"); home != "" {
		keepWriting(t, home, os.Getenv("SKILLS_NAME"))
		return
	}
	home := filepath.Join(t.TempDir(), "skills")
	said := map[string]string{} // the newest text that was reported as written
	counts := map[string]int{}
	end := time.Now().Add(3 * time.Second)
	if os.Getenv("HERMES_LONG") != "" {
		end = time.Now().Add(time.Minute)
	}
	type report struct{ name, text string }
	reports := make(chan report, 1024)
	ended := make(chan struct{})
	for i := range 8 {
		go func() {
			defer func() { ended <- struct{}{} }()
			for round := 0; time.Now().Before(end); round++ {
				name := fmt.Sprintf("w%d-%d", i, round)
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWritersKilled$")
				cmd.Env = append(os.Environ(), "SKILLS_WRITER="+home, "SKILLS_NAME="+name)
				out, err := cmd.StdoutPipe()
				if err = errors.Join(err, cmd.Start()); err != nil {
					t.Error(err)
					return
				}
				lines, n := bufio.NewScanner(out), 0
				for lines.Scan() {
					if text, ok := strings.CutPrefix(lines.Text(), "wrote "); ok {
						reports <- report{name, text}
						if n++; n > 2+i*3 || time.Now().After(end) {
							break
						}
					} else {
						t.Errorf("%s: %s", name, lines.Text())
					}
				}
				_ = cmd.Process.Kill() // with SIGKILL, wherever it is
				for lines.Scan() {     // what it reported before
					if text, ok := strings.CutPrefix(lines.Text(), "wrote "); ok {
						reports <- report{name, text}
					}
				}
				_ = cmd.Wait() // it was killed
			}
		}()
	}
	for running := 8; running > 0; {
		select {
		case r := <-reports:
			said[r.name] = r.text
			counts[r.name]++
		case <-ended:
			running--
		}
	}
	for len(reports) > 0 {
		r := <-reports
		said[r.name] = r.text
		counts[r.name]++
	}
	_, index := writer(home)
	ix := index()
	if len(ix.Problems) != 0 || len(ix.Skills) < 8 {
		t.Errorf("%d skills, problems %v", len(ix.Skills), ix.Problems)
	}
	used, err := skills.Usage(home)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for name, text := range said {
		s, _, found := ix.Find(name)
		var at, last int
		_, e := fmt.Sscanf(s.Description, "Text %d.", &at)
		_, x := fmt.Sscanf(text, "%d", &last)
		if !found || len(s.Problems) != 0 || e != nil || x != nil || at < last {
			t.Errorf("%s: %q is there, %s was reported; %v", name, s.Description, text, s.Problems)
		}
		body, err := s.Raw()
		if err != nil || strings.Count(body, fmt.Sprintf("line of %d\n", at)) != 500 {
			t.Errorf("%s is torn: %v", name, err)
		}
		if u := used[name]; u.CreatedBy != "agent" || u.Patches+1 < counts[name] {
			t.Errorf("%s: %+v after %d reports", name, u, counts[name])
		}
		total += counts[name]
	}
	t.Logf("%d writes, %d processes killed", total, len(said))
}

// keepWriting writes one skill until it is killed.
func keepWriting(t *testing.T, home, name string) {
	w, index := writer(home)
	for i := 0; ; i++ {
		e := skills.Edit{Action: skills.Rewrite, Name: name, Content: one(name, fmt.Sprintf("Text %d.", i)) + strings.Repeat(fmt.Sprintf("line of %d\n", i), 500)}
		if i == 0 {
			e.Action = skills.Create
		}
		if _, err := w.Apply(t.Context(), index, e, nil); err != nil {
			fmt.Println("failed:", err)
			return
		}
		fmt.Println("wrote", i)
	}
}
