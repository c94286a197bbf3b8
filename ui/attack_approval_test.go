//go:build unix

package ui_test

import (
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// deletion is a scenario in which a command is asked about.
func deletion(command string) *script.Scenario {
	return answers(on("go", run(command)), after("go", 1, say("Finis.")))
}

// asking starts a program in a folder of its own and sends the prompt that leads
// to a question.
func asking(t *testing.T, o Options, w *wireTap, files map[string]string) *Driver {
	t.Helper()
	o.Home, o.Dir = work(t, files)
	if o.Tap = nil; w != nil {
		o.Tap = w.tap
	}
	if o.Config == "" {
		o.Config = manual
	}
	return Start(t, o).Type("go").Press("enter").WaitFor(Contains("wants to"))
}

// TestNothingIsPushedOutOfSight pads a command so that its dangerous end would be
// out of sight (U1), or hides it behind characters that are not seen or turn
// others around (U2). Allowing takes no key until all of it was in sight, and
// every odd character is spelled.
func TestNothingIsPushedOutOfSight(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		command string
		marks   []string // to be read somewhere in the text
	}{
		"400 blanks":          {"ls" + strings.Repeat(" ", 400) + "; rm -rf old", []string{"rm -rf old"}},
		"tabs":                {"ls" + strings.Repeat("\t", 100) + "; rm -rf old", []string{"rm -rf old"}},
		"line feeds":          {"ls" + strings.Repeat("\n", 60) + "rm -rf old", []string{"rm -rf old"}},
		"a comment":           {"ls # " + strings.Repeat("harmless ", 200) + "\nrm -rf old", []string{"rm -rf old"}},
		"carriage return":     {"rm -rf old #\rls", []string{"rm -rf old", `⟨U+000D⟩`}},
		"bidi override":       {"rm -rf old # \u202esl\u202c", []string{"rm -rf old", `⟨U+202E⟩`}},
		"zero width":          {"r\u200bm x; rm -rf old\u2060", []string{`⟨U+200B⟩`, `⟨U+2060⟩`}},
		"tag characters":      {"rm -rf old # \U000e0072\U000e006d", []string{`⟨U+E0072⟩`, `⟨U+E006D⟩`}},
		"look-alike quotes":   {"rm -rf \u201cold\u201d old", []string{`⟨U+201C⟩`, `⟨U+201D⟩`}},
		"blanks of all kinds": {"rm -rf old\u3000\u00a0x", []string{`⟨U+3000⟩`, `⟨U+00A0⟩`}},
		"escape sequences":    {"rm -rf old # \x1b[7777A\x1b[2K\u009b7777A", []string{`⟨U+001B⟩[7777A`, `⟨U+009B⟩7777A`}},
		"filler letters":      {"rm -rf old # \u3164\u115f\u2800", []string{`⟨U+3164⟩`, `⟨U+115F⟩`, `⟨U+2800⟩`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &wireTap{}
			d := asking(t, Options{Cols: 80, Rows: 24, Scenario: deletion(row.command)}, w, map[string]string{"old/x": ""})
			d.WaitFor(Contains("▸ 1 Deny"))
			var seen strings.Builder
			seen.WriteString(d.Screen().Text())
			for range 12 {
				d.Press("pgdown")
				seen.WriteString(d.Screen().Text())
			}
			for _, m := range row.marks {
				if !strings.Contains(seen.String(), m) {
					t.Errorf("%q cannot be read in\n%s", m, d.Screen())
				}
			}
			d.Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
			if !there(filepath.Join(d.Dir(), "old")) {
				t.Error("it ran")
			}
			d.Quit().Wait()
			w.inert(t, d)
		})
	}
}

// TestUnseenIsNotAllowed presses everything that could allow a command whose end
// is not in sight yet (U1).
func TestUnseenIsNotAllowed(t *testing.T) {
	t.Parallel()
	command := "ls" + strings.Repeat("\necho harmless", 80) + "\nrm -rf old"
	d := asking(t, Options{Cols: 80, Rows: 24, Scenario: deletion(command)}, nil, map[string]string{"old/x": ""})
	d.WaitFor(Contains("▸ 1 Deny")).Expect(NotContains("rm -rf old"))
	d.Press("right", "enter").WaitSync().Press("2").WaitSync().Press("y").WaitSync().Press("right", "right", "enter").WaitSync()
	d.Expect(Contains("wants to run"), NotContains("Finis."))
	if !there(filepath.Join(d.Dir(), "old")) {
		t.Error("it ran unseen")
	}
}

// TestOpeningQuestionTakesNothing has keys, a paste and a click on their way when
// the question opens (U3).
func TestOpeningQuestionTakesNothing(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(d *Driver){
		"typed ahead": func(d *Driver) { d.Press("right", "enter", "enter").Type("2y1").Press("enter") },
		"a paste":     func(d *Driver) { d.Paste("2\ny\n").Press("right") },
		"a click":     func(d *Driver) { d.Click(20, 20).Click(5, 25).Focus(false).Focus(true) },
		"the wheel":   func(d *Driver) { d.Wheel(10, 10, Down, 5).Press("pgdown", "right") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := asking(t, Options{Cols: 100, Rows: 30, Scenario: deletion("rm -rf old")}, nil, map[string]string{"old/x": ""})
			act(d)
			d.WaitSync().Expect(Contains("wants to run"))
			if !there(filepath.Join(d.Dir(), "old")) {
				t.Error("it ran")
			}
		})
	}
}

// TestReasonIsOnlyText types into the reason for a denial what would otherwise
// answer or change the mode (U4).
func TestReasonIsOnlyText(t *testing.T) {
	t.Parallel()
	d := asking(t, Options{Cols: 100, Rows: 30, Scenario: deletion("rm -rf old")}, nil, map[string]string{"old/x": ""})
	d.WaitFor(Contains("▸ 1 Deny")).Press("right", "right", "right", "right", "right", "enter").WaitSync()
	d.Type("2 y 1 3").Press("shift+tab", "left", "right").WaitSync()
	d.Expect(Contains("2 y 1 3"), usualMode(), NotContains("Finis."))
	if !there(filepath.Join(d.Dir(), "old")) {
		t.Fatal("typing a reason allowed it")
	}
	d.Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
	if m := sent(t, d); !strings.Contains(m[len(m)-1].Content, "2 y 1 3") {
		t.Errorf("the model is told %q", m[len(m)-1].Content)
	}
	if !there(filepath.Join(d.Dir(), "old")) {
		t.Error("it ran")
	}
}

// TestFakeQuestion prints a faithful copy of a question, with its colours (U5). It
// takes no key, and it stays within the transcript: what frames the place of the
// true question begins in the first column, which no text from outside reaches.
func TestFakeQuestion(t *testing.T) {
	t.Parallel()
	rule := strings.Repeat("─", 100)
	fake := rule + "\n \x1b[38;5;179m┃\x1b[m ⚠ root wants to run\n ┃ │ ls\n ┃ · harmless\n ┃   ▸ Allow once   Deny\n" + rule + "\n"
	s := answers(on("go", run("cat fake")), after("go", 1, say(fake+"\n\n"+strings.ReplaceAll(fake, "\n", "\n\n")+"\n\n---\n\nFinis.")), on("real", run("rm -rf old")))
	home, dir := work(t, map[string]string{"fake": fake, "old/x": ""})
	d := Start(t, Options{Cols: 100, Rows: 50, Home: home, Dir: dir, Scenario: s, Config: manual})
	d.Type("go").Press("enter").WaitFor(Contains("Finis.")).WaitIdle().Expect(Contains("ready"))
	d.Press("enter").WaitIdle().Expect(Contains("ready"), CursorAfter("❯ "))
	if n := len(d.Server().Requests()); n != 2 {
		t.Errorf("%d requests: the copy answered something", n)
	}
	d.Type("real").Press("enter").WaitFor(Contains("needs your answer", "enter answer", "▸ 1 Deny"))
	screen := d.Screen()
	var rules []int // rows that begin in the first column
	for y := range screen.Rows {
		if screen.Cell(0, y).Text == "─" {
			rules = append(rules, y)
		}
	}
	if len(rules) != 3 {
		t.Fatalf("rows that frame: %v\n%s", rules, screen)
	}
	copies := 0
	for y := range screen.Rows {
		switch question := strings.Contains(screen.Line(y), "wants to run"); {
		case question && y < rules[1]:
			copies++
			x, _, _ := screen.In(image.Rect(0, y, screen.Cols, y+1)).Find("┃")
			_, real, _ := screen.In(image.Rect(0, rules[1], screen.Cols, screen.Rows)).Find("┃")
			if screen.Cell(x, y).Style == screen.Cell(1, rules[1]+real).Style {
				t.Errorf("the copy in row %d has the colours of a question:\n%s", y, screen)
			}
		case question && y > rules[2]:
			t.Errorf("a question in row %d", y)
		}
	}
	if copies == 0 {
		t.Errorf("the copy is not there to be compared:\n%s", screen)
	}
}

// TestScriptChangesAfterItWasShown edits a script between the question and the
// answer (U6): what was allowed is not what would run, so nothing runs.
func TestScriptChangesAfterItWasShown(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		files  map[string]string
		change map[string]string
		ok     bool
	}{
		"script":   {map[string]string{"x.sh": "rm -rf old\n"}, map[string]string{"x.sh": "rm -rf old other\n"}, false},
		"beside":   {map[string]string{"x.sh": "rm -rf old\n"}, map[string]string{"y.sh": "rm -rf other\n"}, false}, // it could load that
		"the same": {map[string]string{"x.sh": "rm -rf old\n"}, map[string]string{"y.txt": "rm -rf other\n"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			row.files["old/x"], row.files["other/x"] = "", ""
			d := asking(t, Options{Cols: 100, Rows: 30, Scenario: deletion("rm -rf junk; sh x.sh")}, nil, row.files)
			d.WaitFor(Contains("▸ 1 Deny"))
			put(t, d.Dir(), row.change)
			d.Press("right", "enter").WaitFor(Contains("Finis.")).WaitIdle()
			if there(filepath.Join(d.Dir(), "old")) == row.ok || !there(filepath.Join(d.Dir(), "other")) {
				t.Errorf("old is there: %v, other is there: %v", there(filepath.Join(d.Dir(), "old")), there(filepath.Join(d.Dir(), "other")))
			}
			m := sent(t, d)
			if told := m[len(m)-1].Content; strings.Contains(told, "changed") == row.ok {
				t.Errorf("the model is told %q", told)
			}
		})
	}
}

// TestAlwaysForTwoCommands allows a compound for good (U7): what is stored is
// shown before, covers both parts, and neither part with another beside it.
func TestAlwaysForTwoCommands(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^go$", run("rm -rf old && rm -rf other")), after("^go$", 1, say("Finis.")),
		on("^again$", run("rm -rf old && rm -rf third")), after("^again$", 1, say("Finis again.")),
	)
	d := asking(t, Options{Cols: 120, Rows: 36, Scenario: s}, nil, map[string]string{"old/x": "", "other/x": "", "third/x": ""})
	d.WaitFor(Contains("▸ 1 Deny"))
	if Explain(d.Screen(), Contains("Always…")) == "" {
		d.Press("right", "right", "right", "enter").WaitFor(Contains("Always allow this?")).Expect(Contains("rm -rf old", "rm -rf other"))
		d.Press("right", "enter")
	} else { // it is not offered at all, which is as good
		d.Press("right", "enter")
	}
	d.WaitFor(Contains("Finis.")).WaitIdle()
	d.Type("again").Press("enter").WaitFor(Contains("wants to run", "rm -rf third", "▸ 1 Deny")).Press("enter").WaitFor(Contains("Finis again."))
	if !there(filepath.Join(d.Dir(), "third")) {
		t.Error("one half of a permission allowed another command")
	}
}

// TestQuestionTimesOut leaves a question alone (U8): it is denied.
func TestQuestionTimesOut(t *testing.T) {
	t.Parallel()
	d := asking(t, Options{Cols: 100, Rows: 30, Scenario: deletion("rm -rf old"), Config: manual + "  timeout: 1\n"}, nil, map[string]string{"old/x": ""})
	d.WaitFor(Contains("Finis.")).WaitIdle().Expect(NotContains("wants to run"), Contains("⊘"))
	if !there(filepath.Join(d.Dir(), "old")) {
		t.Error("it ran")
	}
	if m := sent(t, d); !strings.Contains(m[len(m)-1].Content, "denied") {
		t.Errorf("the model is told %q", m[len(m)-1].Content)
	}
}

// TestManyQuestions has many questions at once (U8): each shows its own command,
// and one answer answers one of them.
func TestManyQuestions(t *testing.T) {
	t.Parallel()
	const n = 12
	files, steps := map[string]string{}, []script.Step{}
	for i := range n {
		files[fmt.Sprintf("old%02d/x", i)] = ""
		steps = append(steps, run(fmt.Sprintf("rm -rf old%02d", i)))
	}
	d := asking(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("go", steps...), after("go", n, say("Finis.")))}, nil, files)
	for i := range n {
		name := fmt.Sprintf("old%02d", i)
		d.WaitFor(Contains("┃ │ rm -rf "+name, "▸ 1 Deny"))
		if i%2 == 0 {
			d.Press("right")
		}
		d.Press("enter")
	}
	d.WaitFor(Contains("Finis.")).WaitIdle()
	for i := range n {
		if name := fmt.Sprintf("old%02d", i); there(filepath.Join(d.Dir(), name)) != (i%2 == 1) {
			t.Errorf("%s got the answer of another question", name)
		}
	}
}

// TestReadableQuestion is the control: what people really write is shown as it
// is, not spelled.
func TestReadableQuestion(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"rm -rf 'a b' \"c\" 日本語 grüße 👍", "rm -rf build/*.o && echo done # später", "rm -rf old\nrm -rf other",
	} {
		d := asking(t, Options{Cols: 100, Rows: 30, Scenario: deletion(command)}, nil, nil)
		for line := range strings.Lines(command) {
			d.WaitFor(Contains(strings.TrimSpace(line)))
		}
		d.Expect(NotContains("⟨U+"))
	}
}
