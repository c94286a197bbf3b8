//go:build unix

package app

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// onScreen runs the program in a terminal that is not in front and types a text, and
// notes what is to be seen.
func onScreen(typed string, see func(*scene, *uitest.Driver), steps ...script.Step) *situation {
	return &situation{base: free, rules: []script.Rule{{Steps: steps}}, before: func(s *scene) {
		s.file("style.json", `{"h1":{"color":"#010203"}}`, 0o600)
	}, act: func(s *scene) {
		d := uitest.Start(s.t, uitest.Options{Home: s.home.Dir(), Dir: s.dir, Cols: 100, Rows: 30, Env: []string{"COLORTERM=truecolor"}})
		d.Focus(false)
		if s.later != "" {
			d.WaitFor(uitest.Contains("Type what you want done"))
			s.edit()
			d.WaitFor(uitest.Contains("Settings have changed, at once"))
		}
		if typed != "" {
			d.Type(typed).Press("enter")
		}
		see(s, d)
		screen := d.Screen()
		s.note("screen:\n%s\nbells %d mouse %v", screen.Text(), d.Bells(), screen.Mouse)
	}}
}

// idle waits for the end of a turn.
func idle(_ *scene, d *uitest.Driver) { d.WaitFor(uitest.Contains("answered")).WaitIdle() }

// colours notes how the title of the answer is drawn.
func colours(s *scene, d *uitest.Driver) {
	idle(s, d)
	screen := d.Screen()
	if x, y, found := screen.Find("The title"); found {
		c := screen.Cell(x, y).Style.Fg
		s.note("title %s", hex(c))
		if c != nil {
			r, g, b, _ := c.RGBA()
			s.note("bright: %v", r+g+b > 3*0x8000)
		}
	}
}

func hex(c color.Color) string {
	if c == nil {
		return "none"
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// moving notes whether the sign of work turns.
func moving(s *scene, d *uitest.Driver) {
	d.Focus(true).WaitFor(uitest.Contains("begun")) // nothing moves where no one looks
	signs := map[rune]bool{}
	for range 40 {
		for _, r := range d.Screen().Text() {
			if strings.ContainsRune("◐◓◑◒", r) {
				signs[r] = true
			}
		}
		time.Sleep(25 * time.Millisecond)
	}
	s.note("moves: %v, %d signs", len(signs) > 1, len(signs))
}

var (
	shown     = onScreen("go", colours, script.Reasoning{Text: "Thinking of elephants."}, script.Text{Text: "# The title\n\nanswered"})
	rings     = onScreen("go", idle, script.Text{Text: "answered"})
	animated  = onScreen("go", moving, script.Text{Text: "begun "}, script.Stall{For: 5 * time.Second}, script.Text{Text: "answered"})
	disturbed = onScreen("go", func(_ *scene, d *uitest.Driver) {
		d.WaitFor(uitest.Contains("begun")).Type("more").Press("enter").WaitSync()
		d.WaitFor(uitest.Any(uitest.Contains("answered"), uitest.Contains("nterrupted"))).WaitSync()
	}, script.Text{Text: "begun "}, script.Stall{For: 2 * time.Second}, script.Text{Text: "answered"})
	drags = onScreen("go", func(s *scene, d *uitest.Driver) {
		idle(s, d)
		x, y, _ := d.Screen().Find("answered")
		d.Drag(x, y, x+len("answered")-1, y).WaitIdle()
		s.note("clipboard %q", d.Clipboard())
	}, script.Text{Text: "answered"})
	pastes = onScreen("", func(_ *scene, d *uitest.Driver) { d.Paste("one line\nand another\nand a third").WaitSync() }, script.Text{Text: "answered"})
	keyed  = onScreen("", func(_ *scene, d *uitest.Driver) {
		d.Type("hello").WaitSync().Press("esc").WaitSync().Type("x").WaitSync()
	}, script.Text{Text: "answered"})
	told  = onScreen("go", func(_ *scene, d *uitest.Driver) { idle(nil, d); d.WaitIdle() }, script.Text{Text: "answered"})
	ticks = onScreen("", func(s *scene, d *uitest.Driver) {
		d.Focus(true)
		for at := time.Now(); time.Since(at) < 10*time.Second && s.ran() < 4; {
			time.Sleep(100 * time.Millisecond)
		}
		s.note("ran %d times", s.ran())
	}, script.Text{Text: "answered"})
	presses = onScreen("", func(_ *scene, d *uitest.Driver) { d.Type("hello").Press("f5").WaitIdle() }, script.Text{Text: "answered"})

	lists = listing()
	unfit = &situation{base: free, before: reading.before, rules: when("go", script.Call{Name: "patch", Args: `{"path":"f.txt","old_string":"no such text","new_string":"x"}`})}
	// spent uses up the model calls of a turn.
	spent = &situation{base: free + "agent.max_turns: 2\n", rules: endless.rules}
)

// ran is how often the command of the status row has noted that it ran.
func (s *scene) ran() int {
	text, _ := os.ReadFile(filepath.Join(s.dir, "ran"))
	return len(text)
}

// inLines notes whether the program draws a screen of its own or writes lines.
var inLines = &situation{base: free, rules: []script.Rule{{Steps: []script.Step{script.Text{Text: "answered"}}}}, act: func(s *scene) {
	d := uitest.Start(s.t, uitest.Options{Home: s.home.Dir(), Dir: s.dir, Cols: 100, Rows: 30, Plain: true})
	d.WaitFor(uitest.Contains("Type what you want done"))
	d.Type("go").Press("enter").WaitFor(uitest.Contains("answered"))
	s.note("a screen of its own: %v", d.Screen().Alt)
}}

// listing runs a command that puts out nine lines, on a screen.
func listing() *situation {
	s := onScreen("go", func(_ *scene, d *uitest.Driver) { d.WaitFor(uitest.Contains("Done.")).WaitIdle() })
	s.rules = when("go", runs("for n in 1 2 3 4 5 6 7 8 9; do echo line $n; done"))
	return s
}

func screenKeys() []keyTest {
	return []keyTest{
		{key: "display.theme", in: shown, set: "light", with: `bright: false`},
		{key: "display.markdown_style", in: shown, set: "'{{dir}}/style.json'", with: `title #010203`},
		{key: "display.show_reasoning", in: shown, set: "false", without: `Thinking of elephants|Thought`},
		{key: "display.bell_on_complete", in: rings, set: "false", without: `bells [1-9]`},
		{key: "display.mouse", in: rings, set: "false", with: `mouse false`},
		{key: "display.timestamps", in: shown, set: "true", with: `\d\d:\d\d ❯`},
		{key: "display.tool_output_lines", in: lists, set: "2", without: `\n   line 7\n`},
		{key: "display.status_command", in: told, set: "echo of my own", with: `of my own`},
		{key: "display.status_interval_s", in: ticks, also: "display.status_command: printf x >>ran\n", set: "1", with: `ran [4-9] times`},
		{key: "display.vim_mode", in: keyed, set: "true", with: `❮ hell\b`},
		{key: "display.copy_on_select", in: drags, set: "true", with: `clipboard "answered"`},
		{key: "display.linear", in: inLines, set: "true", with: `a screen of its own: false`},
		{key: "display.reduced_motion", in: animated, set: "true", with: `moves: false`},
		{key: "display.busy_input_mode", in: disturbed, set: "interrupt", with: `nterrupted`},
		{key: "display.file_mutation_verifier", in: unfit, set: "false", without: `event turn_finished .*f\.txt`},
		{key: "display.turn_completion_explainer", in: spent, set: "false", without: `event turn_finished .*"explain":"[^"]`},
		{key: "paste_collapse_threshold", in: pastes, set: "2", with: `\[paste #1`},
		{key: "paste_collapse_char_threshold", in: pastes, set: "20", with: `\[paste #1`},
		{key: "keys", in: presses, set: "{send: [f5]}", with: `main request 1 `},
	}
}
