//go:build unix

package ui_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

// stored opens the session database of a program for reading, while it runs or
// after it.
func stored(t *testing.T, d *Driver) *sessions.DB {
	t.Helper()
	db, err := sessions.Open(t.Context(), filepath.Join(d.Home(), "state.db"), sessions.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// conversation describes the only conversation of a program.
func conversation(t *testing.T, d *Driver) sessions.ConversationInfo {
	t.Helper()
	db := stored(t, d)
	defer db.Close()
	list, err := db.List(t.Context(), sessions.Filter{})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d conversations: %v", len(list), err)
	}
	return list[0]
}

// checkpointed waits until the answer that streams is stored as far as a text.
func checkpointed(t *testing.T, d *Driver, text string) {
	t.Helper()
	conv := conversation(t, d).Conv
	db := stored(t, d)
	defer db.Close()
	wait(t, fmt.Sprintf("%q was not stored", text), func() bool {
		list, err := db.Partials(t.Context(), conv)
		return err == nil && len(list) == 1 && strings.Contains(list[0].Text, text)
	})
}

// resume starts the program again, with the conversation of one that has ended.
func resume(t *testing.T, d *Driver, o Options) *Driver {
	t.Helper()
	o.Home, o.Args = d.Home(), []string{"--resume", conversation(t, d).Session}
	return Start(t, o).WaitIdle()
}

// message is a message of a request as it is on the wire.
type message struct {
	Role       string
	Content    string
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// sent is the newest request that a program made, checked by the rules that all
// providers have.
func sent(t *testing.T, d *Driver) []message {
	t.Helper()
	reqs := d.Server().Requests()
	if len(reqs) == 0 {
		t.Fatal("there was no request")
	}
	var body struct{ Messages []message }
	if err := json.Unmarshal(reqs[len(reqs)-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	if broken := rules(body.Messages); broken != "" {
		t.Fatalf("the request is not valid: %s\n%s", broken, reqs[len(reqs)-1].Body)
	}
	return body.Messages
}

// rules says which rule for the sequence of messages is broken: the system prompt
// comes first and then the user; no one speaks twice in a row; what the model
// says is not empty; each of its calls has valid arguments and, directly behind
// it and in the same order, exactly one result; the model comes next.
func rules(list []message) string {
	if len(list) < 2 || list[0].Role != "system" || list[1].Role != "user" {
		return "it does not begin with the system prompt and the user"
	}
	var open []string
	for i, m := range list[1:] {
		before := list[i]
		switch {
		case m.Role == "tool" && (len(open) == 0 || m.ToolCallID != open[0]):
			return fmt.Sprintf("message %d answers %q, open are %q", i+1, m.ToolCallID, open)
		case m.Role == "tool":
			open = open[1:]
			continue
		case len(open) > 0:
			return fmt.Sprintf("the calls %q have no result before message %d", open, i+1)
		case m.Role != "user" && m.Role != "assistant", m.Role == before.Role:
			return fmt.Sprintf("message %d is of the role %q after %q", i+1, m.Role, before.Role)
		case strings.TrimSpace(m.Content) == "" && len(m.ToolCalls) == 0:
			return fmt.Sprintf("message %d is empty", i+1)
		}
		for _, c := range m.ToolCalls {
			if c.ID == "" || slices.Contains(open, c.ID) || c.Function.Name == "" || !json.Valid([]byte(c.Function.Arguments)) {
				return fmt.Sprintf("message %d has the call %+v", i+1, c)
			}
			open = append(open, c.ID)
		}
	}
	if last := list[len(list)-1].Role; last != "user" && last != "tool" || len(open) > 0 {
		return fmt.Sprintf("it ends with the role %q and the open calls %q", last, open)
	}
	return ""
}

// crashed is what the screen says of a turn that a crash ended.
const crashed = "⚠ The program ended during this turn; everything up to here was saved. Send a message to go on."

// counting is a text of numbered words, w1 to wn.
func counting(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d ", i+1)
	}
	return b.String()
}

// counted is the number of the last word of a counting on a screen.
func counted(t *testing.T, s Screen) int {
	t.Helper()
	words := regexp.MustCompile(`\bw(\d+)\b`).FindAllStringSubmatch(s.Text(), -1)
	if words == nil {
		t.Fatalf("no word is on the screen:\n%s", s)
	}
	n, err := strconv.Atoi(words[len(words)-1][1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestKillInAStream kills while an answer streams steadily. What was on the
// screen a moment before is there again.
func TestKillInAStream(t *testing.T) {
	t.Parallel()
	const rate = 200 // words per second
	s := answers(
		on("^count$", script.Reasoning{Text: "Let me count."}, script.Text{Text: counting(10_000), Pace: script.Pace{Rate: rate}}),
		on("^go on$", say("And so on.")),
	)
	o := Options{Cols: 100, Rows: 60, Scenario: s}
	d := Start(t, o)
	d.Type("count").Press("enter").WaitFor(Contains("w600 ")).Kill9()
	shown := counted(t, d.Screen())

	again := resume(t, d, o).Expect(Contains("❯ count", "▸ Thought", "w1 w2 w3 ", crashed), NotContains("▍"))
	kept := counted(t, again.Screen())
	// A checkpoint is 250 ms old at most; ten times that is not a slow machine any more.
	if lost := float64(shown-kept) / rate; lost > 2.5 {
		t.Errorf("of %d words on the screen %d were kept: %.1f seconds are lost", shown, kept, lost)
	}
	again.Type("go on").Press("enter").WaitIdle().Expect(Contains("And so on."))
	m := sent(t, again)
	if want := strings.TrimSpace(counting(kept)); len(m) != 4 || m[2].Content != want || m[3].Content != "go on" {
		t.Errorf("the screen has %d words, the model is told %+v", kept, m[1:])
	}
	left(t, again.Quit(), 0)
}

// TestKillAfterATool kills while the model answers to a result.
func TestKillAfterATool(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^look$", run("echo seen >>proof; cat proof")),
		after("^look$", 1, script.Reasoning{Text: "So."}, say("I have seen it"), script.Stall{}),
		on("^go on$", say("Where was I?")),
	)
	o := Options{Cols: 100, Rows: 30, Scenario: s}
	d := Start(t, o)
	d.Type("look").Press("enter").WaitFor(Contains("I have seen it"))
	checkpointed(t, d, "I have seen it")
	d.Type("later").Press("enter").WaitFor(Contains("queued")).WaitSync().Kill9()

	again := resume(t, d, o).Expect(Contains("❯ look", "✓", "seen", "I have seen it", crashed, "later"))
	again.Press("up").WaitIdle().Expect(CursorAfter("❯ later"))
	again.Press("ctrl+c").Type("go on").Press("enter").WaitIdle().Expect(Contains("Where was I?"))
	if m := sent(t, again); len(m) != 6 || !strings.Contains(m[3].Content, "seen") || m[4].Content != "I have seen it" {
		t.Errorf("the model is told %+v", m[1:])
	}
	effect(t, d.Dir(), "seen")
	left(t, again.Quit(), 0)
}

// effect checks that a command has added its word to a file once.
func effect(t *testing.T, dir, word string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "proof"))
	if err != nil || string(text) != word+"\n" {
		t.Errorf("the commands left %q, %v", text, err)
	}
}

// TestKillInATool kills while the first of two commands runs.
func TestKillInATool(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^work$", say("Two steps."), run("echo once >>proof; "+hangs), run("echo twice >>proof")),
		on("^go on$", say("I will look at what was done.")),
	)
	o := Options{Cols: 100, Rows: 30, Scenario: s}
	d := Start(t, o)
	d.Type("work").Press("enter").WaitFor(Contains("echo twice"))
	orphan := hanging(t, d.Dir())
	d.Kill9()
	// A killed program can't end what it has started.
	t.Cleanup(func() { _ = syscall.Kill(orphan, syscall.SIGKILL) })

	again := resume(t, d, o).Expect(Contains("❯ work", "Two steps.", crashed), LineMatches(`^ \? terminal +echo once .* may have run$`),
		LineMatches(`^ – terminal +echo twice .* skipped$`))
	again.Type("go on").Press("enter").WaitIdle().Expect(Contains("I will look at what was done."))
	m := sent(t, again)
	// A word of the model stands between results and what you say.
	if len(m) != 7 || !strings.Contains(m[3].Content, "may have run") || !strings.Contains(m[4].Content, "did not run") || m[5].Role != "assistant" {
		t.Errorf("the model is told %+v", m[1:])
	}
	effect(t, d.Dir(), "once")
	left(t, again.Quit(), 0)
}

// TestKillInAQuestion kills while an approval waits.
func TestKillInAQuestion(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^tidy$", say("I will ask."), run("rm -rf old")),
		on("^go on$", run("rm -rf old")),
		after("^go on$", 1, say("It is gone.")),
	)
	o := Options{Cols: 100, Rows: 30, Config: manual, Scenario: s}
	d := Start(t, o)
	old := filepath.Join(d.Dir(), "old")
	if err := os.Mkdir(old, 0o755); err != nil {
		t.Fatal(err)
	}
	d.Type("tidy").Press("enter").WaitFor(Contains("wants to run", "▸ 1 Deny")).Kill9()

	again := resume(t, d, o).Expect(Contains("❯ tidy", "I will ask.", crashed), LineMatches(`^ – terminal +rm -rf old .* skipped$`),
		NotContains("wants to run"))
	// The question is not open any more; the next one is answered as usual.
	again.Type("go on").Press("enter").WaitFor(Contains("wants to run", "▸ 1 Deny"))
	if m := sent(t, again); len(m) != 6 || !strings.Contains(m[3].Content, "did not run") || m[4].Role != "assistant" {
		t.Errorf("the model is told %+v", m[1:])
	}
	if _, err := os.Stat(old); err != nil {
		t.Error("it ran although nobody allowed it")
	}
	again.Press("right", "enter").WaitIdle().Expect(Contains("It is gone."))
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Error("it did not run")
	}
	sent(t, again)
	left(t, again.Quit(), 0)
}

// TestSecondOpener starts the program with a conversation that another one has
// open. It says so, with the next step, and leaves it alone.
func TestSecondOpener(t *testing.T) {
	t.Parallel()
	s := answers(on("^hi$", say("Hello.")), on("^still there$", say("Here I am.")))
	first := Start(t, Options{Cols: 80, Rows: 24, Scenario: s})
	first.Type("hi").Press("enter").WaitIdle().Expect(Contains("Hello."))
	session := conversation(t, first).Session
	open := fmt.Sprintf(`the session %s is open in process %d on \S+ since \d+ \w+ \d\d:\d\d: close it there, or start another one here`,
		session, first.Pid())
	for _, args := range [][]string{{"--resume", session}, {"--resume", session[:len(session)-2]}, {"--continue"}} {
		second := Start(t, Options{Cols: 80, Rows: 24, Home: first.Home(), Args: args})
		left(t, second, 3)
		if !regexp.MustCompile("^hermes-tui: " + open + "\n$").MatchString(second.Stderr()) {
			t.Errorf("%q: it says %q", args, second.Stderr())
		}
	}
	first.Type("still there").Press("enter").WaitIdle().Expect(Contains("Here I am."))
	left(t, first.Quit(), 0)
	third := resume(t, first, Options{Cols: 80, Rows: 24}).Expect(Contains("Hello.", "Here I am."))
	left(t, third.Quit(), 0)
}

// TestReadAlong looks on while another program answers, and goes on in a branch of its
// session.
func TestReadAlong(t *testing.T) {
	t.Parallel()
	s := answers(on("^hi$", say("Hello.")), on("^run$", run("rm -rf x")), on("^more$", say("And more.")), on("^run\n\nmine$", say("Yours.")))
	for _, size := range sizes[:3] {
		first := Start(t, Options{Cols: 80, Rows: 24, Scenario: s, Config: manual})
		first.Type("hi").Press("enter").WaitIdle().Expect(Contains("Hello."))
		session := conversation(t, first).Session
		second := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Home: first.Home()})
		second.WaitFor(Contains("Type what you want done"))
		second.Type("/resume " + session).Press("enter").WaitFor(Contains("Read along"))
		second.Press("enter").WaitFor(Contains("❯ hi", "Hello."), NotContains("And more."))
		first.Type("more").Press("enter").WaitIdle().Expect(Contains("And more."))
		second.WaitFor(Contains("❯ more", "And more."))
		first.Type("run").Press("enter").WaitFor(Contains("wants to run"))
		second.WaitFor(Contains("❯ run"), Contains("● terminal"))
		second.Press("esc").WaitFor(NotContains("❯ more"))
		second.Type("/resume " + session).Press("enter").WaitFor(Contains("Read along"))
		second.Press("down").Press("enter").WaitFor(Contains("And more."), NotContains("Read along"))
		second.Type("mine").Press("enter").WaitFor(Contains("Yours."))
		second.WaitIdle()
		sent(t, second)
		left(t, second.Quit(), 0)
		first.Expect(NotContains("Yours."))
	}
}

// TestOpenElsewhere chooses a conversation that another program has open from
// inside the program, which stays usable, and gets it once that one is dead.
func TestOpenElsewhere(t *testing.T) {
	t.Parallel()
	s := answers(on("^hi$", say("Hello.")), on("^mine$", say("Yours.")), on("^more$", say("And more.")))
	first := Start(t, Options{Cols: 80, Rows: 24, Scenario: s})
	first.Type("hi").Press("enter").WaitIdle().Expect(Contains("Hello."))
	session := conversation(t, first).Session

	second := Start(t, Options{Cols: 80, Rows: 24, Scenario: s, Home: first.Home()})
	second.Type("mine").Press("enter").WaitIdle().Expect(Contains("Yours."))
	second.Type("/resume " + session).Press("enter").WaitFor(Contains("That session is open elsewhere", "Read along", "Go on in a branch"))
	second.Press("esc").WaitFor(Contains("Yours."), NotContains("Read along"))
	second.Type("mine").Press("enter").WaitIdle().Expect(Count("Yours.", 2))

	first.Kill9()
	second.Type("/resume "+session).Press("enter").WaitIdle().Expect(Contains("❯ hi", "Hello."), NotContains("Yours."))
	second.Type("more").Press("enter").WaitIdle().Expect(Contains("And more."))
	sent(t, second)
	left(t, second.Quit(), 0)
}
