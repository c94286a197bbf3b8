package skills_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/store/skills"
)

const day = 24 * time.Hour

// curatorAt is a curator at a moment.
func curatorAt(home string, now *time.Time) (*skills.Curator, func() *skills.Index) {
	w, index := writer(home)
	w.Now = func() time.Time { return *now }
	return &skills.Curator{Writer: w, Interval: 7 * day, Stale: 14 * day, Old: 30 * day}, index
}

// made has agents make skills.
func made(t *testing.T, w *skills.Writer, index func() *skills.Index, names ...string) {
	t.Helper()
	for _, name := range names {
		category, name, _ := strings.Cut(name, "/")
		if _, err := w.Apply(t.Context(), index, skills.Edit{Action: skills.Create, Name: name, Category: category, Content: one(name, "Made by an agent.")}, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func stateOf(t *testing.T, home, name string) string {
	t.Helper()
	used, err := skills.Usage(home)
	if err != nil {
		t.Fatal(err)
	}
	return used[name].State
}

// TestCurator archives what agents made and no one uses, and nothing else; what it did is
// in the ledger and can be taken back.
func TestCurator(t *testing.T) {
	home := filepath.Join(t.TempDir(), "skills")
	now := time.Now()
	c, index := curatorAt(home, &now)
	if due, err := c.Due(t.Context()); due || err != nil {
		t.Fatalf("due without skills: %v", err)
	}
	made(t, c.Writer, index, "cat/idle", "cat/used", "cat/pinned", "cat/installed")
	write(t, home, "mine/SKILL.md", one("mine", "By the user."))
	write(t, home, ".hub/lock.json", `{"version":1,"installed":{"installed":{}}}`)
	write(t, home, ".curator_state", `{"last_run_at":null,"paused":false,"last_report_path":"/r"}`)
	if err := skills.Note(t.Context(), home, "pinned", func(u *skills.Use) { u.Pinned = true }); err != nil {
		t.Fatal(err)
	}
	due := func(want bool) {
		t.Helper()
		if got, err := c.Due(t.Context()); got != want || err != nil {
			t.Fatalf("due is %v, %v", got, err)
		}
	}
	due(false)
	now = now.Add(6 * day)
	due(false)
	now = now.Add(9 * day)
	due(true)
	if err := c.Pause(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	due(false)
	if err := c.Pause(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	use := now
	if err := skills.Note(t.Context(), home, "used", func(u *skills.Use) { u.Used = &use }); err != nil {
		t.Fatal(err)
	}
	run := func(forced bool, want ...string) {
		t.Helper()
		if got, err := c.Run(t.Context(), index, forced); !slices.Equal(got, want) || err != nil {
			t.Fatalf("archived %q, %v", got, err)
		}
	}
	run(false)
	if a, b := stateOf(t, home, "idle"), stateOf(t, home, "used"); a != "stale" || b != "active" {
		t.Errorf("idle is %q, used %q", a, b)
	}
	now = now.Add(16 * day)
	run(false, "idle")
	run(false)
	if s := c.State(); s.Runs != 2 || !strings.HasPrefix(s.Summary, "1 archived, 1 stale") {
		t.Errorf("%+v", s)
	}
	if text, err := os.ReadFile(filepath.Join(home, ".curator_state")); err != nil || !strings.Contains(string(text), `"last_report_path": "/r"`) {
		t.Errorf("%s %v", text, err)
	}
	list, err := skills.ArchivedSkills(home)
	if err != nil || len(list) != 1 || list[0].Name != "idle" || filepath.Base(list[0].Dir) != "idle" || stateOf(t, home, "idle") != "archived" {
		t.Fatalf("%+v, %v", list, err)
	}
	ledger, err := skills.Ledger(home)
	if last := ledger[len(ledger)-1]; err != nil || last.Actor != skills.ByCurator || last.Path != "cat/idle" || !last.Holds {
		t.Errorf("%+v, %v", last, err)
	}
	if done, err := c.Rollback(t.Context(), ""); err != nil || done.Name != "idle" || stateOf(t, home, "idle") != "active" {
		t.Errorf("%+v, %v", done, err)
	}
	if k, _, found := index().Find("cat/idle"); !found {
		t.Errorf("%+v", k)
	}
	run(true) // it was just taken back
	now = now.Add(31 * day)
	run(true, "idle", "used")
	if err := c.Restore(t.Context(), index, "idle"); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"idle": "no skill", "never": "no skill"} {
		if err := c.Restore(t.Context(), index, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	made(t, c.Writer, index, "other/used")
	if err := c.Restore(t.Context(), index, "used"); err == nil || !strings.Contains(err.Error(), "already") {
		t.Error(err)
	}
	counts, err := c.Counts(index())
	if err != nil || counts["active"] != 4 {
		t.Errorf("%v, %v", counts, err)
	}
}

// TestRollback takes back each kind of change once, and none that was changed since.
func TestRollback(t *testing.T) {
	home := filepath.Join(t.TempDir(), "skills")
	now := time.Now()
	c, index := curatorAt(home, &now)
	made(t, c.Writer, index, "x/y")
	file := filepath.Join(home, "x", "y", "SKILL.md")
	text := func() string {
		data, err := os.ReadFile(file)
		if err != nil {
			return "none"
		}
		return string(data)
	}
	first := text()
	for _, to := range []string{"Second.", "Third."} {
		if _, err := c.Apply(t.Context(), index, skills.Edit{Action: skills.Rewrite, Name: "y", Content: one("y", to)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	ledger, err := skills.Ledger(home)
	if err != nil || len(ledger) != 3 || ledger[1].Holds || !ledger[2].Holds || ledger[2].Actor != skills.ByAgent {
		t.Fatalf("%+v, %v", ledger, err)
	}
	if _, err := c.Rollback(t.Context(), ledger[1].ID); err == nil || !strings.Contains(err.Error(), "changed since") {
		t.Error(err)
	}
	for _, want := range []string{one("y", "Second."), first, "none"} {
		if _, err := c.Rollback(t.Context(), ""); err != nil || text() != want {
			t.Errorf("%v: %s", err, text())
		}
	}
	if _, err := c.Rollback(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "no change") {
		t.Error(err)
	}
	ledger, err = skills.Ledger(home)
	if err != nil || len(ledger) != 6 {
		t.Fatalf("%+v, %v", ledger, err)
	}
	if _, err := c.Rollback(t.Context(), ledger[5].ID); err != nil || text() != first { // a rollback, too
		t.Errorf("%v: %s", err, text())
	}
	if _, err := c.Apply(t.Context(), index, skills.Edit{Action: skills.Delete, Name: "y"}, nil); err != nil || text() != "none" {
		t.Fatal(err)
	}
	if _, err := c.Rollback(t.Context(), ""); err != nil || text() != first {
		t.Errorf("%v: %s", err, text())
	}
	log := filepath.Join(home, ".curator_ledger.jsonl")
	f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`{"id":"evil","path":"../../etc","to":"x"}` + "\n" + `{"id":"torn`)
	if e := f.Close(); err != nil || e != nil {
		t.Fatal(err, e)
	}
	made(t, c.Writer, index, "x/z")
	ledger, err = skills.Ledger(home)
	if last := ledger[len(ledger)-1]; err != nil || last.Name != "z" || len(ledger) != 10 {
		t.Errorf("%+v, %v", ledger, err)
	}
}

// TestCuratorKilled runs curators of two programs at a time, each killed somewhere in the
// middle, until all is archived: no skill is lost, and all can be taken back.
func TestCuratorKilled(t *testing.T) {
	if home := os.Getenv("SKILLS_CURATED"); home != "" {
		now := time.Now().Add(40 * day)
		c, index := curatorAt(home, &now)
		fmt.Println("begins")
		archived, err := c.Run(t.Context(), index, true)
		fmt.Println("ended", len(archived), err)
		return
	}
	home := filepath.Join(t.TempDir(), "skills")
	now := time.Now()
	c, index := curatorAt(home, &now)
	var names []string
	for i := range 60 {
		names = append(names, fmt.Sprintf("cat/s%d", i))
	}
	made(t, c.Writer, index, names...)
	killed, whole := 0, false
	for round := 0; !whole; round++ {
		var both [2]*exec.Cmd
		var lines [2]*bufio.Scanner
		for i := range both {
			both[i] = exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCuratorKilled$")
			both[i].Env = append(os.Environ(), "SKILLS_CURATED="+home)
			out, err := both[i].StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := both[i].Start(); err != nil {
				t.Fatal(err)
			}
			lines[i] = bufio.NewScanner(out)
			lines[i].Scan()
		}
		goal := min(len(names), round*7+3)
		for round < 9 { // until some more are archived
			if list, err := skills.ArchivedSkills(home); err != nil || len(list) >= goal {
				break
			}
		}
		for i := range both {
			if round < 9 {
				_ = both[i].Process.Kill() // with SIGKILL; it may have ended
				killed++
			}
			for lines[i].Scan() {
				if strings.HasPrefix(lines[i].Text(), "ended") && strings.HasSuffix(lines[i].Text(), "<nil>") {
					whole = true
				} else if strings.HasPrefix(lines[i].Text(), "ended") {
					t.Error(lines[i].Text())
				}
			}
			_ = both[i].Wait() // it may have been killed
		}
	}
	list, err := skills.ArchivedSkills(home)
	if err != nil || len(list) != len(names) {
		t.Fatalf("%d in the archive, %v", len(list), err)
	}
	for _, a := range list {
		if stateOf(t, home, a.Name) != "archived" {
			t.Errorf("%s is %q", a.Name, stateOf(t, home, a.Name))
		}
	}
	for range names {
		if _, err := c.Rollback(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	if ix := index(); len(ix.Skills) != len(names) || len(ix.Problems) != 0 || ix.Skills[0].Category != "cat" {
		t.Errorf("%d skills, %v", len(ix.Skills), ix.Problems)
	}
	t.Logf("%d processes killed", killed)
}
