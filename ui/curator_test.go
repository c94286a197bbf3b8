//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
)

// TestCurator archives a skill at a start, says so, brings it back by the window, and
// takes that back by a command.
func TestCurator(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		home := filepath.Join(t.TempDir(), "home")
		in := filepath.Join(home, "skills")
		writeSkill(t, in, "dusty", "Not used.", "Sweep.")
		long := time.Now().Add(-100 * 24 * time.Hour)
		if err := os.Chtimes(filepath.Join(in, "dusty", "SKILL.md"), long, long); err != nil {
			t.Fatal(err)
		}
		at := `"` + long.UTC().Format(time.RFC3339) + `"`
		for name, text := range map[string]string{
			".usage.json": `{"dusty":{"created_by":"agent","created_at":` + at + `}}`, ".curator_state": `{"last_run_at":` + at + `}`,
		} {
			if err := os.WriteFile(filepath.Join(in, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d := Start(t, Options{Cols: size[0], Rows: size[1], Home: home, Scenario: answers(on("go", say("Gone.")))})
		d.WaitFor(Contains("archive: dusty"))
		d.Type("/curator").Press("enter").WaitFor(Contains("Curator of skills"), Contains("1 archived, 0 stale"), Contains("curator  archive dusty")).Press("esc")
		d.Type("/skills dusty").Press("enter").WaitFor(Contains("archived now"))
		d.Press("enter").WaitFor(Contains("dusty is in the archive:"))
		d.Press("alt+a").WaitFor(Contains("Back from the archive: dusty."), NotContains("archived now"))
		d.Press("esc").Press("esc").Type("/curator rollback").Press("enter").WaitFor(Contains("Taken back: restore of the skill dusty."))
		d.Type("/curator restore none").Press("enter").WaitFor(Contains("There is no skill"))
		d.WaitIdle()
	}
}
