//go:build unix

package ui_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
)

// TestTooSmallAllowsNothing makes the window too small to show the question that has
// the keys: what is pressed then allows nothing, escape denies, and after that nothing
// is left of it.
func TestTooSmallAllowsNothing(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{39, 30}, {100, 9}, {30, 5}} {
		d := asking(t, Options{Cols: 100, Rows: 30, Scenario: deletion("rm -rf old")}, nil, map[string]string{"old/x": ""})
		d.WaitFor(Contains("▸ 1 Deny")).Press("right").WaitFor(Contains("▸ 2 Allow once"))
		d.Resize(size[0], size[1]).WaitFor(Contains("is too small"))
		d.Press("enter", "2", "enter", "tab", "enter").Type("y").Press("enter").WaitSync()
		if d.Expect(Contains("is too small")); !there(filepath.Join(d.Dir(), "old")) {
			t.Fatalf("%v: allowed unseen", size)
		}
		d.Resize(100, 30).WaitFor(Contains("▸ 2 Allow once"), CursorHidden())
		d.Resize(size[0], size[1]).WaitFor(Contains("is too small")).Press("esc").WaitFor(NotContains("denies")).Resize(100, 30)
		d.WaitFor(Contains("Finis.")).WaitIdle()
		if !there(filepath.Join(d.Dir(), "old")) {
			t.Errorf("%v: it ran", size)
		}
		d.Quit().Wait()
	}
}

// TestSmallestScreenShowsItAll reads a question page by page where there are two rows
// for it. Until its end it cannot be allowed.
func TestSmallestScreenShowsItAll(t *testing.T) {
	t.Parallel()
	var command strings.Builder
	for i := range 12 {
		fmt.Fprintf(&command, "echo line %02d\n", i)
	}
	d := asking(t, Options{Cols: 40, Rows: 10, Scenario: deletion(command.String() + "rm -rf old")}, nil, map[string]string{"old/x": ""})
	d.WaitFor(Contains("▸ 1 Deny")).Press("2")
	var read strings.Builder
	for range 30 {
		read.WriteString(d.WaitSync().Screen().Text())
		d.Press("enter").WaitSync()
		if Explain(d.Screen(), Contains("Read to the end first")) != "" {
			break
		}
		d.Press("pgdown")
	}
	d.WaitFor(Contains("Finis.")).WaitIdle()
	for i := range 12 {
		if line := fmt.Sprintf("echo line %02d", i); !strings.Contains(read.String(), line) {
			t.Errorf("%q was never on the screen", line)
		}
	}
	if there(filepath.Join(d.Dir(), "old")) {
		t.Error("it did not run")
	}
}

// TestReplyIsNoMessage answers with one key, and with a word as in other programs: it is
// no message. Other words are queued, whatever they begin with.
func TestReplyIsNoMessage(t *testing.T) {
	t.Parallel()
	for reply, gone := range map[string]bool{"y": true, "2": true, "n": false, "1": false} {
		t.Run(reply, func(t *testing.T) {
			d := asking(t, Options{Cols: 100, Rows: 30, Scenario: deletion("rm -rf old")}, nil, map[string]string{"old/x": ""})
			d.WaitFor(Contains("▸ 1 Deny (n)", "2 Allow once (y)", "Always… (a)"), CursorHidden()).Press(reply).WaitFor(Contains("Finis.")).WaitIdle()
			if there(filepath.Join(d.Dir(), "old")) == gone {
				t.Errorf("deleted is %v", !gone)
			}
			d.Quit().Wait()
		})
	}
	for reply, gone := range map[string]bool{"Yes": true, "yes": true, "no": false} {
		t.Run(reply, func(t *testing.T) {
			d := asking(t, Options{Cols: 100, Rows: 30, Scenario: deletion("rm -rf old")}, nil, map[string]string{"old/x": ""})
			d.WaitFor(Contains("▸ 1 Deny"), CursorHidden()).Type(reply).Expect(CursorAfter("❯ " + reply)).WaitFor(Contains(map[bool]string{true: "enter allow once", false: "enter deny"}[gone]))
			if !there(filepath.Join(d.Dir(), "old")) {
				t.Fatal("allowed before enter")
			}
			d.Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
			if there(filepath.Join(d.Dir(), "old")) == gone {
				t.Errorf("deleted is %v", !gone)
			}
			d.Quit().Wait()
		})
	}
	d := asking(t, Options{Cols: 100, Rows: 30, Scenario: deletion("rm -rf old")}, nil, map[string]string{"old/x": ""})
	d.WaitFor(Contains("▸ 1 Deny"), CursorHidden()).Press("e").WaitFor(Contains("run this")).Press("esc").WaitFor(Contains("▸ 1 Deny"), CursorHidden())
	if !there(filepath.Join(d.Dir(), "old")) {
		t.Error("it ran")
	}
	d.Type("y2k is near").Press("enter").WaitFor(Contains("queued"))
	if !there(filepath.Join(d.Dir(), "old")) {
		t.Error("it ran")
	}
}

// TestReplyToQuestionPutOff types a reply while the question was put off: it answers
// nothing, but marks what it stands for.
func TestReplyToQuestionPutOff(t *testing.T) {
	t.Parallel()
	d := asking(t, Options{Cols: 100, Rows: 30, Scenario: deletion("rm -rf old")}, nil, map[string]string{"old/x": ""})
	d.WaitFor(Contains("enter answer"), CursorHidden()).ExpectQuiet(700*time.Millisecond).Press("tab").WaitFor(Contains("tab: answer"), NotContains("tab: answer later"))
	d.Type("y").Press("enter").WaitFor(Contains("was not sent", "enter takes what is selected above")).WaitFor(Contains("▸ 2 Allow once"), CursorHidden())
	if !there(filepath.Join(d.Dir(), "old")) {
		t.Error("allowed unasked")
	}
}

// TestTwoEscapesTogether sends escape twice in one packet, as a slow line does.
func TestTwoEscapesTogether(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("go", say("Finis.")))})
	d.Type("go").Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
	d.Send("\x1b\x1b").WaitFor(Contains("Go back to before"))
	d.Press("esc").WaitFor(NotContains("Go back to before"))
}

// TestHintOfASecondPress says what a second press does only as long as it does it.
func TestHintOfASecondPress(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("go", say("Finis.")))})
	d.Type("go").Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
	d.Press("esc").WaitFor(Contains("Press esc again")).Type("x").WaitFor(NotContains("Press esc again"))
	d.Press("backspace", "esc").WaitFor(Contains("Press esc again")).Press("f6").WaitFor(NotContains("Press esc again"))
	d.Press("esc", "esc").WaitFor(Contains("Press esc again")).WaitFor(NotContains("Press esc again"))
	d.Press("esc").WaitSync().Expect(Contains("Press esc again"), NotContains("Go back to before"))
}
