//go:build unix

package ui_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// hintSeed has the walk of a failure walked again.
var hintSeed = flag.Int64("hints.seed", 0, "the walk over hints to take, 0 for some")

// aHint is one of the hints on a screen: a key and what it does.
var aHint = regexp.MustCompile(`(?:^|[·─] ?| {2})((?:(?:ctrl|alt|shift)\+)*(?:enter|esc|tab|space|pgup|pgdown|f\d+|[a-zA-Z?/<>\[\]]|up|down|left|right)) ([a-z][^·…─]*?)(?: {2,}| ─| ·|$)`)

// hintsOf are the hints in the last row and in the lower edge of the open window.
func hintsOf(s Screen) (list [][2]string) {
	lines := strings.Split(s.Text(), "\n")
	find := func(row string) {
		for part := range strings.SplitSeq(row, "·") {
			if m := aHint.FindStringSubmatch("· " + strings.TrimSpace(part) + " "); m != nil {
				list = append(list, [2]string{m[1], strings.TrimSpace(m[2])})
			}
		}
	}
	find(lines[len(lines)-1])
	for _, row := range lines {
		if _, edge, ok := strings.Cut(row, "╰─ "); ok {
			edge, _, _ = strings.Cut(edge, " ─")
			find(edge)
		}
	}
	return list
}

// unsteady is what changes on a screen by itself while agents work.
var unsteady = regexp.MustCompile(`[◐◓◑◒]|\d+|[▁▂▃▄▅▆▇█▓▒░⚡]`)

// face is what a user sees of a screen, without what changes by itself.
func face(s Screen) string {
	return fmt.Sprintf("%s\n%v", unsteady.ReplaceAllString(s.Text(), "*"), s.Cursor.Visible)
}

// hintEffects say of some hints what is to be seen after their key; any other changes what
// is on the screen, if only by a sentence.
var hintEffects = []struct {
	hint *regexp.Regexp
	seen func(before, after Screen) bool
}{
	{regexp.MustCompile(`^close$|^back to `), func(before, after Screen) bool { return titles(before) != titles(after) }},
	{regexp.MustCompile(`^copy$|^its (command|output|input|script)$`), func(_, after Screen) bool { return strings.Contains(strings.ToLower(after.Text()), "cop") }},
	{regexp.MustCompile(`^editor$`), func(Screen, Screen) bool { return true }}, // which has ended at once
	{regexp.MustCompile(`^back$|^close the panes$`), func(before, after Screen) bool { return fmt.Sprint(hintsOf(before)) != fmt.Sprint(hintsOf(after)) }},
}

// aTitle is the title of a window.
var aTitle = regexp.MustCompile(`╭─ ([^─╮]+)`)

// titles are those of the windows on a screen.
func titles(s Screen) string { return fmt.Sprint(aTitle.FindAllString(s.Text(), -1)) }

// TestHintsOnTheWay walks at random through the regions and windows of the program, with
// agents at work and questions open, and now and then presses a key that the screen names:
// it does what stands beside it, and none does nothing.
func TestHintsOnTheWay(t *testing.T) {
	t.Parallel()
	seeds := []int64{1, 2, 3, 4}
	if *hintSeed != 0 {
		seeds = []int64{*hintSeed}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			walkHints(t, seed, 40)
		})
	}
}

func walkHints(t *testing.T, seed int64, steps int) {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	s := answers(
		on("^talk$", say("# One\n\nText with `code`.\n\n```go\nfunc main() {}\n```\n")),
		on("^run$", call("terminal", map[string]any{"command": "echo one; echo two"})), after("^run$", 1, say("It ran.")),
		on("^risk$", call("terminal", map[string]any{"command": "rm -rf build"})), after("^risk$", 1, say("That was that.")),
		on("^ask$", call("clarify", map[string]any{"question": "Which colour?", "choices": []string{"red", "green"}})), after("^ask$", 1, say("Thanks.")),
		on("^go$", handOut("kid00 naps", "kid01 naps")), after("^go$", 1, say("All is over.")),
		script.Rule{Match: script.Match{User: `Your task:\nkid`}, Steps: []script.Step{say("It is quiet here."), script.Stall{}}},
		script.Rule{Steps: []script.Step{say("Yes.")}},
	)
	size := [][2]int{{130, 40}, {100, 30}, {64, 24}, {180, 50}}[seed%4]
	d := Start(t, Options{Cols: size[0], Rows: size[1], Env: []string{"EDITOR=true", "VISUAL=true"}, Scenario: s, Config: family + "approvals: {mode: manual}\n", Timeout: 60 * time.Second})
	d.WaitFor(Contains("Type what you want done"))
	ways := [][]string{
		{"tab"}, {"shift+tab"}, {"up"}, {"down"}, {"enter"}, {"esc"}, {"pgup"}, {"pgdown"}, {"f1"}, {"ctrl+p"}, {"ctrl+r"}, {"ctrl+f"}, {"left"}, {"right"},
		{"/agents"}, {"/sessions"}, {"/context"}, {"/tools"}, {"/models"}, {"/skills"}, {"/memory"}, {"/usage"}, {"/theme"}, {"/permissions"}, {"/hooks"}, {"/mcp"}, {"/jobs"}, {"/search"},
		{"talk"}, {"run"}, {"risk"}, {"ask"}, {"go"}, {"more"},
	}
	var log []string
	for range steps {
		way := ways[random.IntN(len(ways))][0]
		log = append(log, way)
		if strings.HasPrefix(way, "/") || len(way) > 1 && ctrlOrName.FindString(way) == "" {
			for range 4 { // out of whatever is open
				if strings.Contains(d.Screen().Text(), "❯") && !strings.Contains(d.Screen().Text(), "╭─ ") {
					break
				}
				d.Press("esc").WaitSync()
			}
			d.Type(way).Press("enter").WaitSync()
		} else {
			d.Press(way).WaitSync()
		}
		before := d.Screen()
		list := hintsOf(before)
		if len(list) == 0 {
			continue
		}
		hint := list[random.IntN(len(list))]
		log = append(log, "["+hint[0]+" "+hint[1]+"]")
		d.Press(hint[0]).WaitSync()
		seen := func(after Screen) bool {
			for _, e := range hintEffects {
				if e.hint.MatchString(hint[1]) {
					return e.seen(before, after)
				}
			}
			return face(before) != face(after)
		}
		for until := time.Now().Add(10 * time.Second); !seen(d.Screen()); d.WaitSync() {
			if time.Now().After(until) {
				t.Fatalf("seed %d: %q %q is not seen after %v:\n%s\nbefore:\n%s", seed, hint[0], hint[1], log, d.Screen().Text(), before.Text())
			}
		}
	}
}

// ctrlOrName is a key with a name.
var ctrlOrName = regexp.MustCompile(`^(tab|up|down|enter|esc|pgup|pgdown|left|right|f\d+|(ctrl|alt|shift)\+.*)$`)
