package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/store/skills"
)

// put writes a file of the home.
func (b *box) put(name, text string) {
	b.t.Helper()
	name = filepath.Join(b.home.Dir(), name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// past sets the time of a file of the home back.
func (b *box) past(name string, by time.Duration) {
	b.t.Helper()
	at := time.Now().Add(-by)
	if err := os.Chtimes(filepath.Join(b.home.Dir(), name), at, at); err != nil {
		b.t.Fatal(err)
	}
}

// oldSkill makes a skill as an agent did long ago.
func (b *box) oldSkill(name string) {
	b.t.Helper()
	b.put("skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: Old.\n---\nText.\n")
	at := time.Now().Add(-100 * 24 * time.Hour)
	if err := os.Chtimes(filepath.Join(b.home.Skills(), name, "SKILL.md"), at, at); err != nil {
		b.t.Fatal(err)
	}
	err := skills.Note(b.t.Context(), b.home.Skills(), name, func(u *skills.Use) { u.CreatedBy, u.Created = "agent", &at })
	if err != nil {
		b.t.Fatal(err)
	}
}

// TestCuratorAtStart runs the curator at a start when it is due and no one has worked
// lately, and says what it did, once.
func TestCuratorAtStart(t *testing.T) {
	b := newBox(t)
	b.oldSkill("dusty")
	archived := func() bool {
		_, err := os.Stat(filepath.Join(b.home.Skills(), ".archive", "dusty"))
		return err == nil
	}
	long := time.Now().Add(-8 * 24 * time.Hour).UTC().Format(time.RFC3339)
	due := func() { b.put("skills/.curator_state", `{"last_run_at":"`+long+`","paused":false,"run_count":3}`) }
	start := func() string {
		a, c := b.begin()
		a.background.group.Wait()
		said := notices(c) + strings.Join(a.Notices(), "\n")
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		return said
	}
	if said, err := b.open().Curate(t.Context(), CuratorStatus, ""); err != nil || strings.HasSuffix(said, ":\n") {
		t.Errorf("with nothing to list: %q, %v", said, err)
	}
	if said := start(); archived() || said != "" { // the first time counts from now
		t.Fatalf("at the first start: %q", said)
	}
	off := "probe:\n  local_servers: false\ncurator:\n  enabled: false\n"
	due()
	b.config(off)
	if start(); archived() {
		t.Fatal("it ran though it is switched off")
	}
	b.config(strings.Replace(off, "enabled: false", "archive_after_days: 300", 1))
	if start(); archived() {
		t.Fatal("it archived too soon")
	}
	due()
	b.config("probe:\n  local_servers: false\n")
	if said := start(); !archived() || !strings.Contains(said, "moved to the archive: dusty. /curator restore NAME") {
		t.Fatalf("said %q", said)
	}
	if said := start(); strings.Contains(said, "dusty") {
		t.Errorf("again: %q", said)
	}
	a := b.open()
	for _, s := range [][3]string{
		{CuratorStatus, "", "Archived (/curator restore NAME): 1"}, {CuratorStatus, "", "curator  archive dusty"},
		{CuratorRestore, "dusty", "Back from the archive: dusty."}, {CuratorRun, "", "No skill was archived"},
		{CuratorPin, "dusty", "do not delete or archive dusty"}, {CuratorUnpin, "dusty", "No longer pinned"},
		{CuratorPause, "", "paused"}, {CuratorStatus, "", "Paused"}, {CuratorResume, "", "when it is due"},
		{CuratorStatus, "", "1 active"}, {CuratorRollback, "", "Taken back: restore of the skill dusty."},
	} {
		if said, err := a.Curate(t.Context(), s[0], s[1]); err != nil || !strings.Contains(said, s[2]) {
			t.Errorf("%s: %q, %v", s[0], said, err)
		}
	}
	for _, s := range [][3]string{{CuratorPin, "none", "no skill"}, {CuratorRestore, "none", "no skill"}, {CuratorRollback, "none", "no change"}, {"dance", "", "cannot dance"}} {
		if _, err := a.Curate(t.Context(), s[0], s[1]); err == nil || !strings.Contains(err.Error(), s[2]) {
			t.Errorf("%s: %v", s[0], err)
		}
	}
}

// TestCuratorWaits leaves a run that is due for later while someone works.
func TestCuratorWaits(t *testing.T) {
	b := newBox(t)
	a, c := b.begin()
	say(t, c, "hello")
	now := time.Now()
	for _, s := range []struct {
		from time.Time
		want bool
	}{{now.Add(-time.Hour), false}, {now.Add(time.Hour), true}} {
		if got, err := a.idle(context.Background(), s.from, now.Add(2*time.Hour)); got != s.want || err != nil {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// TestBundledSkills leaves out the bundled skills that the user does not want: all of
// them, or those that were deleted from the home.
func TestBundledSkills(t *testing.T) {
	b := newBox(t)
	names := func() (list []string) {
		a := b.open()
		for _, k := range a.skills.Index().Skills {
			if k.Origin == skills.Bundled && k.State == skills.Ready {
				list = append(list, k.Name)
			}
		}
		return list
	}
	all := names()
	if len(all) < 3 {
		t.Fatalf("%q", all)
	}
	manifest := all[0] + ":0123456789abcdef0123456789abcdef\nother:00\n" + all[1] + ":00\n"
	b.put("skills/.bundled_manifest", manifest)
	b.put("skills/x/"+all[1]+"/SKILL.md", "---\nname: "+all[1]+"\ndescription: Edited.\n---\nText.\n")
	if got := names(); !slices.Equal(got, all[2:]) { // the first was deleted, the second is the user's now
		t.Errorf("%q of %q", got, all)
	}
	b.put(".no-bundled-skills", "")
	if got := names(); len(got) != 0 {
		t.Errorf("%q", got)
	}
	if text, err := os.ReadFile(filepath.Join(b.home.Skills(), ".bundled_manifest")); err != nil || string(text) != manifest {
		t.Errorf("%s, %v", text, err)
	}
}
