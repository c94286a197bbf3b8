package memory

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestOneStep makes several operations: all of them or none, with the limit on what comes
// of them.
func TestOneStep(t *testing.T) {
	s := open(t.TempDir(), 30)
	mustApply(t, s, adding(Notes, "0123456789", "abcdefghij"))
	_, err := s.Apply(t.Context(), Change{Target: Notes, Operations: []Operation{
		{Action: Remove, OldText: "012"}, {Action: Replace, OldText: "nothing", Content: "x"},
	}})
	wantProblem(t, err, NotFound)
	if got := texts(t, s, Notes); !slices.Equal(got, []string{"0123456789", "abcdefghij"}) {
		t.Errorf("half a change was made: %q", got)
	}
	p := mustApply(t, s, Change{Target: Notes, Operations: []Operation{ // too much in between
		{Action: Add, Content: "ABCDEFGHIJ"}, {Action: Remove, OldText: "012"},
	}})
	if got := texts(t, s, Notes); !slices.Equal(got, []string{"abcdefghij", "ABCDEFGHIJ"}) || len(p.Evicted) != 0 {
		t.Errorf("entries %q, evicted %v", got, p.Evicted)
	}
}

// TestMakesRoom archives the oldest entries, says which, and refuses without an archive.
func TestMakesRoom(t *testing.T) {
	dir := t.TempDir()
	s := open(dir, 30)
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	s.o.Now = func() time.Time { return now }
	mustApply(t, s, adding(Notes, "second one"))
	now = now.Add(-time.Hour)
	mustApply(t, s, Change{Target: Notes, Operations: []Operation{{Action: Add, Content: "first one", Project: new("/p")}}})
	now = now.Add(2 * time.Hour)
	p := mustApply(t, s, adding(Notes, "third one!"))
	if !slices.Equal(lines(p.Evicted), []string{"first one"}) || !slices.Equal(texts(t, s, Notes), []string{"second one", "third one!"}) {
		t.Errorf("evicted %v, left %q", p.Evicted, texts(t, s, Notes))
	}
	list, err := s.Archive()
	if err != nil || len(list) != 1 || list[0].Text != "first one" || list[0].Project != "/p" || !list[0].Moved.Equal(now) || list[0].Reason == "" {
		t.Errorf("archive %+v, %v", list, err)
	}
	_, err = s.Apply(t.Context(), adding(Notes, strings.Repeat("x", 31)))
	wantProblem(t, err, OverLimit)

	if err := os.Remove(s.archiveFile()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.archiveFile(), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(t.Context(), adding(Notes, "fourth one")); err == nil || !strings.Contains(err.Error(), "archived") {
		t.Errorf("without an archive: %v", err)
	}
	if got := texts(t, s, Notes); !slices.Equal(got, []string{"second one", "third one!"}) {
		t.Errorf("left %q", got)
	}
}

func TestUndo(t *testing.T) {
	s := open(t.TempDir(), 100)
	mustApply(t, s, Change{Target: Notes, By: "one", Operations: []Operation{{Action: Add, Content: "a", Project: new("/p")}, {Action: Add, Content: "b"}, {Action: Add, Content: "c"}}})
	mustApply(t, s, Change{Target: Notes, Project: "/p", Operations: []Operation{{Action: Remove, OldText: "a"}, {Action: Replace, OldText: "b", Content: "B"}}})
	mustApply(t, s, adding(Notes, "d"))
	last := func() Written {
		t.Helper()
		list, err := s.History()
		if err != nil || len(list) == 0 {
			t.Fatal(list, err)
		}
		return list[0]
	}
	list, err := s.History()
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	if _, err := s.Undo(t.Context(), list[1].ID, "user"); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, s, Notes); !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("after the undo %q", got)
	}
	if all, _, _ := s.List(Notes); all[0].Project != "/p" || all[0].At.IsZero() {
		t.Errorf("the entry has lost what it is about: %+v", all[0])
	}
	if u := last(); u.Undoes != list[1].ID || u.By != "user" {
		t.Errorf("history %+v", u)
	}
	if again, _ := s.History(); !again[2].Undone || again[1].Undone {
		t.Errorf("undone: %+v", again)
	}
	if _, err := s.Undo(t.Context(), last().ID, ""); err != nil { // the undo
		t.Fatal(err)
	}
	if got := texts(t, s, Notes); !slices.Equal(got, []string{"B", "c", "d"}) {
		t.Errorf("after the second undo %q", got)
	}
	if again, _ := s.History(); again[3].ID != list[1].ID || again[3].Undone {
		t.Errorf("it counts as undone: %+v", again[3])
	}
	mustApply(t, s, Change{Target: Notes, Operations: []Operation{{Action: Replace, OldText: "d", Content: "D"}}})
	_, err = s.Undo(t.Context(), list[0].ID, "")
	wantProblem(t, err, Stale)
}

// TestPlanPins makes a plan later: it does what was planned or nothing.
func TestPlanPins(t *testing.T) {
	s := open(t.TempDir(), 100)
	mustApply(t, s, adding(Notes, "uses tabs", "other"))
	p, err := s.Plan(Change{Target: Notes, Operations: []Operation{{Action: Remove, OldText: "tabs"}}})
	if err != nil || !slices.Equal(lines(p.After), []string{"other"}) {
		t.Fatal(p, err)
	}
	if len(texts(t, s, Notes)) != 2 {
		t.Fatal("planning has changed the file")
	}
	mustApply(t, s, Change{Target: Notes, Operations: []Operation{{Action: Replace, OldText: "tabs", Content: "uses tabs in Go"}}})
	_, err = s.Apply(t.Context(), p.Change)
	wantProblem(t, err, Stale)
}

// TestForeign reads files as other programs leave them.
func TestForeign(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
		err  Problem
	}{
		"a line break at the end":    {"one\n§\ntwo\n", []string{"one", "two", "new"}, ""},
		"the same entry twice":       {"one\n§\none", []string{"one", "one", "new"}, ""},
		"nothing but a line break":   {"\n", []string{"new"}, ""},
		"an empty entry":             {"one\n§\n\n§\ntwo", nil, Drift},
		"spaces round an entry":      {"one \n§\n two", nil, Drift},
		"what is not text":           {"one\xff", nil, Drift},
		"carriage returns":           {"one\r\n§\r\ntwo", []string{"one\r\n§\r\ntwo", "new"}, ""}, // one entry, as elsewhere
		"an entry over the limit":    {strings.Repeat("x", 101), nil, Drift},
		"all entries over the limit": {strings.Repeat("x", 60) + Delimiter + strings.Repeat("y", 60), []string{strings.Repeat("y", 60), "new"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t.TempDir(), 100)
			if err := os.WriteFile(s.Path(Notes), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				_, err := s.Apply(t.Context(), adding(Notes, "new"))
				wantProblem(t, err, c.err)
			}
			if c.err == "" {
				if got := texts(t, s, Notes); !slices.Equal(got, c.want) {
					t.Errorf("entries %q", got)
				}
				return
			}
			if text, _ := os.ReadFile(s.Path(Notes)); string(text) != c.text {
				t.Errorf("the file was changed to %q", text)
			}
			copies, _ := filepath.Glob(s.Path(Notes) + ".bak.*")
			if len(copies) != 1 {
				t.Fatalf("copies %q", copies)
			}
			if text, _ := os.ReadFile(copies[0]); string(text) != c.text {
				t.Errorf("the copy says %q", text)
			}
		})
	}
}

// TestHistoryIsBounded writes more than the history holds.
func TestHistoryIsBounded(t *testing.T) {
	s := open(t.TempDir(), 100)
	var lines []byte
	long := strings.Repeat("x", 5000)
	for range 300 {
		line, err := json.Marshal(Written{ID: "old", Target: Notes, Added: []Place{{Text: long}}})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	if err := os.WriteFile(s.historyFile(), lines, 0o600); err != nil {
		t.Fatal(err)
	}
	mustApply(t, s, adding(Notes, "new"))
	list, err := s.History()
	if err != nil || len(list) != keepWrites || list[0].ID == "old" || list[1].ID != "old" {
		t.Errorf("%d writes, %v", len(list), err)
	}
}

func TestUsage(t *testing.T) {
	if got := (Usage{1474, 2200}).String(); got != "67% — 1,474/2,200 chars" {
		t.Error(got)
	}
	if got := (Usage{5000, 2200}).Percent(); got != 100 {
		t.Error(got)
	}
}

// TestProjects keeps the same text about several projects apart, in one line of the file.
func TestProjects(t *testing.T) {
	s := open(t.TempDir(), 200)
	then := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.o.Now = func() time.Time { return then }
	in := func(project string, ops ...Operation) Change {
		return Change{Target: Notes, Project: project, Operations: ops}
	}
	have := func(want ...Entry) {
		t.Helper()
		if list, used, err := s.List(Notes); err != nil || !slices.EqualFunc(list, want, Entry.same) || used.Used != size(lines(want)) {
			t.Errorf("there are %+v, %v, %v", list, used, err)
		}
	}
	mustApply(t, s, in("/a", Operation{Action: Add, Content: "make tests it", Project: new("/a")}, Operation{Action: Add, Content: "uses tabs"}))
	if p := mustApply(t, s, in("/b", Operation{Action: Add, Content: "make tests it", Project: new("/b")})); p.Same() {
		t.Error("what is known of one project counts as known of another")
	}
	if p := mustApply(t, s, in("/b", Operation{Action: Add, Content: "make tests it", Project: new("/b")})); !p.Same() {
		t.Error("the same is there twice")
	}
	have(Entry{Text: "make tests it", Project: "/a"}, Entry{Text: "make tests it", Project: "/b"}, Entry{Text: "uses tabs"})
	if text, err := os.ReadFile(s.Path(Notes)); err != nil || string(text) != "make tests it\n§\nuses tabs" {
		t.Errorf("the file says %q, %v", text, err)
	}

	_, err := s.Apply(t.Context(), in("/c", Operation{Action: Remove, OldText: "make"}))
	wantProblem(t, err, NotFound)
	mustApply(t, s, in("/b", Operation{Action: Replace, OldText: "make", Content: "just tests it"}))
	have(Entry{Text: "make tests it", Project: "/a"}, Entry{Text: "just tests it", Project: "/b"}, Entry{Text: "uses tabs"})
	mustApply(t, s, in("/b", Operation{Action: Replace, OldText: "uses", Content: "uses tabs", Project: new("/b")}))
	have(Entry{Text: "make tests it", Project: "/a"}, Entry{Text: "just tests it", Project: "/b"}, Entry{Text: "uses tabs", Project: "/b"})
	list, err := s.History()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range list[:2] {
		if _, err := s.Undo(t.Context(), w.ID, ""); err != nil {
			t.Error(err)
		}
	}
	have(Entry{Text: "make tests it", Project: "/a"}, Entry{Text: "make tests it", Project: "/b"}, Entry{Text: "uses tabs"})
	if all, _, _ := s.List(Notes); !all[1].At.Equal(then) {
		t.Errorf("it has lost its date: %+v", all)
	}
	mustApply(t, s, in("/b", Operation{Action: Remove, OldText: "make"}))
	have(Entry{Text: "make tests it", Project: "/a"}, Entry{Text: "uses tabs"})
	_, err = s.Apply(t.Context(), in("", Operation{Action: Add, Content: "x", Project: new("/a\nb")}))
	wantProblem(t, err, Divided)
}

// TestProjectsMakeRoom archives all that one line stands for, and lists of it what is not
// remembered again.
func TestProjectsMakeRoom(t *testing.T) {
	s := open(t.TempDir(), 30)
	mustApply(t, s, Change{Target: Notes, Operations: []Operation{
		{Action: Add, Content: "an old fact", Project: new("/a")}, {Action: Add, Content: "an old fact", Project: new("/b")},
	}})
	if p := mustApply(t, s, adding(Notes, "0123456789012345678901234")); len(p.Evicted) != 2 {
		t.Errorf("evicted %v", p.Evicted)
	}
	mustApply(t, s, Change{Target: Notes, Operations: []Operation{{Action: Remove, OldText: "0123"}}})
	list, err := s.Archive()
	if err != nil || len(list) != 2 || list[0].Project != "/b" {
		t.Fatalf("archive %+v, %v", list, err)
	}
	if _, err := s.PutBack(t.Context(), list[0], ""); err != nil {
		t.Fatal(err)
	}
	if list, err = s.Archive(); err != nil || len(list) != 1 || list[0].Project != "/a" {
		t.Errorf("archive %+v, %v", list, err)
	}
}
