//go:build linux

package ui_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// soak says how long the program is used, and with how much text.
type soak struct {
	turns, lines int           // prompts, and the lines of the answer to each
	rate         float64       // of the stream, in tokens a second
	rounds       int           // of use after the stream has ended, at least
	lasts        time.Duration // of both
	rest         time.Duration // afterwards
}

// soakLine is a line of an answer: every text is another one, in the Markdown that
// models write.
func soakLine(n int) string {
	switch at := n % 20; {
	case at == 0:
		return fmt.Sprintf("\n## Part %d\n\n", n/20)
	case at < 8:
		return fmt.Sprintf("- entry %06d of the report, with `code` and **weight** and some plain words\n", n)
	case at == 8:
		return "\n```go\n"
	case at < 18:
		return fmt.Sprintf("\tvalue%06d := compute(%d, \"text of line %d\") // and why\n", n, n, n)
	case at == 18:
		return "```\n\n"
	}
	return fmt.Sprintf("Paragraph %06d says in a sentence or two what the lines above are good for.\n", n)
}

// soakScenario answers "turn N".
func (s soak) scenario() *script.Scenario {
	var rules []script.Rule
	for turn := range s.turns {
		var b strings.Builder
		for n := range s.lines {
			b.WriteString(soakLine(turn*s.lines + n))
		}
		fmt.Fprintf(&b, "\nThe end of %03d.", turn)
		rules = append(rules, on(fmt.Sprintf("turn %03d$", turn), script.Text{Text: b.String(), Pace: script.Pace{Rate: s.rate, Split: 24}}))
	}
	return answers(rules...)
}

// clears counts the orders to clear the whole screen.
type clears struct {
	n    atomic.Int64
	held []byte
}

var clearOrder = regexp.MustCompile("\x1b\\[(?:[23]J|H\x1b\\[0?J)")

// tap implements [Options.Tap].
func (c *clears) tap(p []byte, _ time.Time) {
	c.held = append(c.held, p...)
	at := 0
	for _, found := range clearOrder.FindAllIndex(c.held, -1) {
		c.n.Add(1)
		at = found[1]
	}
	c.held = bytes.Clone(c.held[max(at, len(c.held)-8):])
}

// soaked is a program in use.
type soaked struct {
	*Driver
	t       *testing.T
	dice    *rand.Rand
	clears  clears
	resizes int64
}

// use does something that a user does with a transcript.
func (s *soaked) use() {
	switch s.dice.IntN(8) {
	case 0, 1:
		for range 10 {
			s.Press("pgup").WaitSync()
		}
	case 2:
		s.Wheel(20, 10, Up, 40).WaitSync()
	case 3:
		s.Wheel(20, 10, Down, 40).Press("pgdown").WaitSync()
	case 4:
		s.Press("ctrl+f").Type(fmt.Sprintf("entry %05d", s.dice.IntN(5000))).WaitSync().Press("enter").WaitSync()
		s.Press("esc").WaitSync()
	case 5:
		for range 4 {
			s.resize(60+s.dice.IntN(120), 16+s.dice.IntN(40))
		}
		s.resize(120, 40)
	case 6:
		s.Drag(10, 10, 60, 14).WaitSync().Press("esc").WaitSync()
	default:
		s.Press("ctrl+end").WaitSync()
	}
}

func (s *soaked) resize(cols, rows int) {
	s.resizes++
	s.Resize(cols, rows).WaitSync()
}

// worstFrame is the most processor time that a frame has taken, as the program says, in
// milliseconds: its own figure on a machine that does other things as well.
func (s *soaked) worstFrame() float64 {
	s.t.Helper()
	shown := regexp.MustCompile(`cpu at most ([0-9.]+) ms`)
	found := shown.FindStringSubmatch(s.Screen().Text())
	if found == nil {
		s.t.Fatalf("the screen does not show the slowest frame:\n%s", s.Screen().Text())
	}
	ms, _ := strconv.ParseFloat(found[1], 64)
	return ms
}

// live is what the heap held after the newest garbage collection, in MB, and zero before the
// first one.
func (s *soaked) live() int {
	traced := regexp.MustCompile(`(?m)^gc \d+ .* \d+->\d+->(\d+) MB`).FindAllStringSubmatch(s.Stderr(), -1)
	if traced == nil {
		return 0
	}
	mb, err := strconv.Atoi(traced[len(traced)-1][1])
	if err != nil || mb == 0 {
		s.t.Fatalf("nothing is known of the heap: %s", s.Stderr())
	}
	return mb
}

// resident is the memory of the process in MB.
func (s *soaked) resident() int {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.Pid()), "status"))
	if err != nil {
		s.t.Fatal(err)
	}
	kb := 0
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kb); err == nil {
			break
		}
	}
	return kb / 1024
}

// TestSoak uses the program while long answers come in, and afterwards: scrolls, finds,
// selects, changes the size. With the same text the heap stays as it is, nothing but a new
// size clears the screen, and then the program rests. HERMES_LONG has it take ten
// minutes with 100,000 lines and a minute of rest, and holds frames to 16 ms of the processor.
func TestSoak(t *testing.T) {
	t.Parallel()
	s := soak{turns: 2, lines: 1000, rate: -1, rounds: 8, rest: 4 * time.Second}
	long := os.Getenv("HERMES_LONG") != ""
	if long {
		s = soak{turns: 20, lines: 5000, rate: 5000, rounds: 100, lasts: 10 * time.Minute, rest: time.Minute}
	}
	began := time.Now()
	p := &soaked{t: t, dice: rand.New(rand.NewPCG(1, 2))}
	p.Driver = Start(t, Options{
		Cols: 120, Rows: 40, Scenario: s.scenario(), Tap: p.clears.tap, Timeout: time.Minute, Env: []string{"GODEBUG=gctrace=1"},
		Config: "model:\n  provider: custom\n  base_url: {{url}}\n  default: test\n  context_length: 50000000\n",
	})
	p.Type("/hud").Press("enter").WaitFor(Contains("worst "))
	first := p.clears.n.Load()
	for turn := range s.turns {
		p.Press("ctrl+end").Type(fmt.Sprintf("turn %03d", turn)).Press("enter")
		for end := fmt.Sprintf("The end of %03d.", turn); ; p.use() {
			if p.Press("ctrl+end").WaitSync(); Explain(p.Screen(), Contains(end)) == "" {
				break
			}
		}
		p.WaitIdle()
		t.Logf("%d lines: %d MB live, %d MB resident, longest frame %.1f ms of the processor", (turn+1)*s.lines, p.live(), p.resident(), p.worstFrame())
	}
	for n := 0; n < s.rounds/4 || p.live() == 0; n++ {
		if p.use(); n > 500 {
			t.Fatalf("no garbage is ever collected: %s", p.Stderr())
		}
	}
	live, resident := p.live(), p.resident()
	for n := 0; n < s.rounds || time.Since(began) < s.lasts; n++ {
		p.use()
	}
	p.Press("ctrl+end").WaitIdle()
	worst := p.worstFrame()
	t.Logf("after %v: %d MB live, %d before; %d MB resident, %d before; longest frame %.1f ms of the processor; screen cleared %d times in %d sizes",
		time.Since(began).Round(time.Second), p.live(), live, p.resident(), resident, worst, p.clears.n.Load(), p.resizes)
	if now := p.live(); now > live+live/5+8 {
		t.Errorf("the heap grows from %d to %d MB with the same text", live, now)
	}
	if now := p.resident(); now > resident+resident/4+32 {
		t.Errorf("the memory grows from %d to %d MB with the same text", resident, now)
	}
	if n := p.clears.n.Load() - first; n > p.resizes {
		t.Errorf("the screen is cleared %d times with %d new sizes", n, p.resizes)
	}
	if long && worst > 16 {
		t.Errorf("a frame takes %.1f ms", worst)
	}
	p.rests(s.rest)
}

// rests expects no byte for a while, and no thread that wakes but those of the runtime,
// which looks around once a minute and collects garbage every other one: a timer of the
// program's own shows in more than the few moments of that. What still ends after the work
// has its time first.
func (s *soaked) rests(while time.Duration) {
	s.t.Helper()
	const moment = 2 * time.Second
	quiet := func() bool {
		before := wakeUps(s.t, s.Pid())
		pause(moment)
		return wakeUps(s.t, s.Pid()) == before
	}
	for row, end := 0, time.Now().Add(time.Minute); row < 4 && time.Now().Before(end); row++ {
		if !quiet() {
			row = -1
		}
	}
	written, awake := s.Bytes(), 0
	for n := time.Duration(0); n < while; n += moment {
		if !quiet() {
			awake++
		}
	}
	s.t.Logf("at rest for %v: %d bytes, awake in %d moments of %v", while, s.Bytes()-written, awake, moment)
	if n := s.Bytes() - written; n != 0 || awake > 4 {
		s.t.Errorf("at rest for %v it writes %d bytes and is awake in %d moments of %v", while, n, awake, moment)
	}
}
