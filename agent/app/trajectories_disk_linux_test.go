package app

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"hermes-tui/internal/disktest"
)

// TestTrajectoriesDiskFull keeps turns on a full disk of its own: the user is told once,
// nothing is torn, and the line of the next turn holds what could not be written.
func TestTrajectoriesDiskFull(t *testing.T) {
	if !disktest.Own(t) {
		return
	}
	b := newBox(t)
	dir := b.home.Trajectories()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	disktest.Mount(t, dir, "1m")
	b.config(fmt.Sprintf(training, serve(t, "m").URL(), true))
	a, c := b.begin()
	say(t, c, "one")
	closed(t, a) // what was to be written is
	a, c = b.resume()
	free := disktest.Fill(t, dir)
	say(t, c, "two "+strings.Repeat("words ", 2000))
	say(t, c, "three")
	closed(t, a)
	if got := notices(c); strings.Count(got, "This turn is not in trajectories/trajectory_samples.jsonl (") != 1 || !strings.Contains(got, "no space left on device). The session has it: hermes-tui sessions export "+string(c.Session())) {
		t.Errorf("told: %s", got)
	}
	if list := b.trajectories(completedTrajectories); len(list) != 1 {
		t.Errorf("%d lines on a full disk", len(list))
	}
	free()
	a, c = b.resume()
	say(t, c, "four")
	closed(t, a)
	if list := b.trajectories(completedTrajectories); len(list) != 2 || list[1].from() != "system"+strings.Repeat(" human gpt", 4) {
		t.Errorf("with room: %d lines, the last %s", len(list), list[len(list)-1].from())
	}
}
