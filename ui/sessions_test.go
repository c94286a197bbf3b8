//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"testing"

	"hermes-tui/internal/reftest"
	. "hermes-tui/internal/uitest"
)

// TestSessionsWindow renames, archives, deletes and branches sessions of the list.
func TestSessionsWindow(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		home := filepath.Join(t.TempDir(), "home")
		o := Options{Cols: size[0], Rows: size[1], Home: home, Scenario: answers(on("", say("Yes.")))}
		d := Start(t, o)
		d.WaitFor(Contains("Type what you want done"))
		for _, text := range []string{"first one", "second one", "third one"} {
			d.Type(text).Press("enter").WaitFor(Contains("Yes."))
			d.WaitIdle()
			d.Type("/new").Press("enter").WaitFor(Contains("Type what you want done"))
		}
		d.Type("/sessions").Press("enter").WaitFor(Contains("third one"), Contains("first one"))
		if size[1] >= 26 { // room for what is known of the marked one
			d.WaitFor(Contains("2 messages"), Contains("❯ third one"))
			d.Press("down").WaitFor(Contains("❯ second one"), NotContains("❯ third one"))
			d.Press("up").WaitFor(Contains("❯ third one"))
		}
		d.Press("alt+r").WaitFor(Contains("New title for third one"), Contains("Type the new title."))
		d.Type("The last").Press("enter").WaitFor(Contains("Renamed."), Contains("The last"), NotContains("New title"))
		d.Press("alt+a").WaitFor(Contains("Archived:"), NotContains("The last"))
		d.Type("first").WaitFor(NotContains("second one"))
		d.Press("alt+d").WaitFor(Contains("Deleted when you leave"), NotContains("first one"))
		d.Press("esc").WaitFor(Contains("second one"))
		d.Press("alt+s").WaitFor(Contains("archived"), Contains("deleted when you leave"))
		d.Type("second").WaitFor(NotContains("The last"))
		d.Press("alt+b").WaitFor(Contains("❯ second one"), Contains("Yes."), NotContains("Sessions"))
		d.Type("on another way").Press("enter").WaitFor(Contains("❯ on another way"))
		d.WaitIdle()
		d.Type("/sessions").Press("enter").WaitFor(Contains("4 messages · "), Contains("branch · "))
		d.Press("esc").Quit().Wait()
		d = Start(t, o)
		d.WaitFor(Contains("Type what you want done"))
		d.Type("/sessions").Press("enter").WaitFor(Contains("second one"), NotContains("first one"), NotContains("The last"))
		d.Press("alt+s").WaitFor(Contains("The last"), NotContains("first one"))
		d.Press("alt+a").WaitIdle()
		d.Press("esc").Quit().Wait()
	}
}

// TestBranchFromTheTranscript goes on before an earlier prompt, which comes back to be
// edited, and leaves the session as it was.
func TestBranchFromTheTranscript(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Home: filepath.Join(t.TempDir(), "home"), Scenario: answers(
			on("red", say("Painted red.")), on("blue", say("Painted blue.")), on("", say("Yes.")),
		)})
		d.WaitFor(Contains("Type what you want done"))
		d.Type("begin").Press("enter").WaitFor(Contains("Yes."))
		d.Type("paint it red").Press("enter").WaitFor(Contains("Painted red."))
		d.WaitIdle()
		d.Press("f6").Press("up").Press("b").WaitFor(NotContains("Painted red."), Contains("Yes."), CursorAfter("paint it red"), Contains("You are in a branch:"))
		d.Press("ctrl+u").Type("paint it blue").Press("enter").WaitFor(Contains("Painted blue."))
		d.WaitIdle()
		d.Type("/sessions").Press("enter").WaitFor(Contains("4 messages · "), Contains("branch · "))
		d.Press("down").Press("enter").WaitFor(Contains("Painted red."), NotContains("Painted blue.", "Sessions"))
		d.Type("/share").Press("enter").WaitFor(Contains("Written, with secrets masked: "), Contains(".html"))
		d.Type("/fork").Press("enter").WaitFor(Contains("You are in a branch:"), Contains("Painted red."))
		d.Type("more").Press("enter").WaitFor(Contains("❯ more"))
		d.WaitIdle()
	}
}

// TestTree shows the branches of a session, compares two and goes from one to the other.
func TestTree(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Home: filepath.Join(t.TempDir(), "home"), Scenario: answers(
			on("red", say("Painted red.")), on("blue", say("Painted blue.")), on("", say("Yes.")),
		)})
		d.WaitFor(Contains("Type what you want done"))
		d.Type("another session").Press("enter").WaitFor(Contains("Yes."))
		d.WaitIdle().Type("/new").Press("enter").WaitFor(Contains("Type what you want done"))
		d.Type("begin").Press("enter").WaitFor(Contains("Yes."))
		d.WaitIdle().Type("paint it red").Press("enter").WaitFor(Contains("Painted red."))
		d.WaitIdle().Press("f6").Press("up").Press("b").WaitFor(NotContains("Painted red."), CursorAfter("paint it red"))
		d.Press("ctrl+u").Type("paint it blue").Press("enter").WaitFor(Contains("Painted blue."))
		d.WaitIdle().Type("/tree").Press("enter")
		d.WaitFor(Contains("Branches of this session"), LineMatches(`│ +begin `), LineMatches(`│ ▸● └ paint it blue`), NotContains("another session"))
		d.Press("alt+c").WaitFor(Contains("mark another one"))
		d.Press("up").WaitFor(LineMatches(`│ ▸ +begin`)).Press("alt+c")
		d.WaitFor(Contains("From this session to"), Contains("Painted blue."), Contains("Painted red."))
		d.Press("esc").WaitFor(Contains("Branches of this session"))
		d.Press("enter").WaitFor(Contains("Painted red."), NotContains("Painted blue."), NotContains("Branches of"))
	}
}

// TestSessionsByProject lists the sessions of a folder, and all by folder, finds titled
// ones by their first prompt, writes one to a file, and opens one beside another.
func TestSessionsByProject(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		home, config := filepath.Join(t.TempDir(), "home"), "agent: {auto_title: false}\n"
		start := func(dir string) *Driver {
			d := Start(t, Options{Cols: size[0], Rows: size[1], Home: home, Dir: dir, Config: config, Scenario: answers(on("", say("Yes.")))})
			return d.WaitFor(Contains("Type what you want done"))
		}
		here, there := filepath.Join(t.TempDir(), "here"), filepath.Join(t.TempDir(), "there")
		for _, dir := range []string{here, there} {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		d := start(there)
		d.Type("far away").Press("enter").WaitFor(Contains("Yes."))
		d.WaitIdle().Quit().Wait()
		d = start(here)
		d.Type("paint the fence").Press("enter").WaitFor(Contains("Yes."))
		d.WaitIdle().Type("/title Garden").Press("enter").WaitFor(Contains("Garden"))
		d.WaitIdle().Type("/new").Press("enter").WaitFor(Contains("Type what you want done"))
		d.Type("mow the lawn").Press("enter").WaitFor(Contains("Yes."))
		d.WaitIdle().Press("ctrl+x").WaitFor(Contains("Sessions"), Contains("far away"), Contains("Garden"))
		d.Type("fence").WaitFor(NotContains("far away"), NotContains("▸ mow"), Contains("Garden")).Press("esc")
		d.WaitFor(Contains("far away")).Press("alt+p").WaitFor(Contains("Sessions of "), Contains("Garden"), NotContains("far away"))
		d.Press("alt+p").WaitFor(Contains("Sessions by folder"), LineMatches(`│ +\S*there +│`), Contains("far away"))
		d.Type("garden").WaitFor(NotContains("far away"), LineMatches(`▸.*Garden`))
		d.Press("alt+e").WaitFor(Contains("Write Garden"), Contains("ShareGPT")).Press("enter").WaitFor(Contains("Written, with secrets masked: "))
		written, err := filepath.Glob(filepath.Join(home, "exports", "garden-*.md"))
		if err != nil || len(written) != 1 {
			t.Fatalf("written %v, %v", written, err)
		}
		d.Press("alt+o").WaitFor(Contains("paint the fence"), NotContains("mow the lawn"))
		d.WaitIdle().Press("f8").WaitFor(LineMatches(`mow the lawn.*open beside`)).Press("esc")
		d.Press("alt+n").WaitFor(Contains("mow the lawn"), NotContains("paint the fence"))
		d.WaitIdle()
	}
}

// TestSessionsOfALaterVersion shows the newest session of a database that a later version
// has written, to be read, and says why nothing more can be done. Where new sessions can be
// stored, one begins.
func TestSessionsOfALaterVersion(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	o := Options{Cols: 160, Rows: 30, Home: home, Scenario: answers(on("", say("Yes.")))}
	d := Start(t, o)
	d.WaitFor(Contains("Type what you want done")).Type("hello there").Press("enter").WaitFor(Contains("Yes."))
	d.WaitIdle().Quit().Wait()
	db := filepath.Join(home, "state.db")
	reftest.Do(t, db, "UPDATE schema_version SET version = 99")
	d = Start(t, o)
	d.WaitFor(Contains("newer version and takes new sessions only"), NotContains("hello there")).WaitIdle().Quit().Wait()
	reftest.Do(t, db, "ALTER TABLE messages DROP COLUMN codex_message_items")
	d = Start(t, o)
	d.WaitFor(Contains("hello there"), Contains("Yes."), Contains("newer version and can only be read"))
	d.Type("and now").Press("enter").WaitFor(Contains("can only be read"), Contains("and now"))
	d.WaitIdle().Press("f8").WaitIdle().Expect(Contains("Sessions"), LineMatches("hello there")).Press("esc")
}
