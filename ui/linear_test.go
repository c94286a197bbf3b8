//go:build unix

package ui_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// tape keeps what a program writes.
type tape struct {
	mu  sync.Mutex
	got bytes.Buffer
}

func (p *tape) write(b []byte, _ time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got.Write(b)
}

// plain reports what no line may hold, which a terminal would obey.
func (p *tape) plain(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.got.Len() == 0 {
		t.Error("nothing was written")
	}
	for i, b := range p.got.Bytes() {
		if b < ' ' && b != '\n' && b != '\r' || b == 0x7f {
			t.Fatalf("the output holds %q: %q", b, p.got.Bytes()[max(i-40, 0):min(i+40, p.got.Len())])
		}
	}
}

// lines starts the program without a screen.
func lines(t *testing.T, o Options) (*Driver, *tape) {
	t.Helper()
	p := &tape{}
	o.Args, o.Plain, o.Tap, o.Timeout = append(o.Args, "--linear"), true, p.write, time.Minute
	d := Start(t, o)
	d.WaitFor(Contains("Type what you want done, and enter."))
	return d, p
}

// TestLinear asks, answers an approval in every way and a question of the agent, reads
// again, changes what it can by commands, and leaves; nothing but lines is written.
func TestLinear(t *testing.T) {
	t.Parallel()
	clarify := call("clarify", map[string]any{"question": "Which colour?", "choices": []any{"red", "blue"}})
	for _, cols := range []int{40, 120} {
		d, p := lines(t, Options{Cols: cols, Rows: 60, Config: "approvals: {mode: manual}\n", Scenario: answers(
			on("hello", say("First sentence. Second \x1b[31mred\x1b[m one.\n\n```go\nx := 1. + 2\n```\nLast.")),
			on("make", call("terminal", map[string]any{"command": "touch made"})), after("make", 1, say("Made.")),
			on("spoil", call("terminal", map[string]any{"command": "touch spoilt"})), after("spoil", 1, say("Left.")),
			on("choose", clarify), after("choose", 1, say("As you like.")),
		)})
		d.Type("hello").Press("enter").WaitFor(Contains("Agent: First sentence.\nSecond"), Contains("x := 1. + 2\n"), Contains("Last."), Contains("Done after"))
		d.Type("make it").Press("enter").WaitFor(Contains("wants to run:"), Contains("touch made"), Contains("1, no:"), Contains("2, yes:"), Contains("/question"))
		d.Type("perhaps").Press("enter").WaitFor(Contains("not one of the answers"))
		d.Type("/question").Press("enter").WaitFor(Contains("> /question\nQuestion: The agent"))
		d.Type("yes").Press("enter").WaitFor(Contains("Answered: once"), Contains("Made."), Contains("Tool: terminal done"))
		d.Type("spoil it").Press("enter").WaitFor(Contains("touch spoilt"), Contains("2, yes:"))
		d.Type("no it is fine").Press("enter").WaitFor(Contains("Answered: deny it is fine"), Contains("Tool: terminal denied"), Contains("Left."))
		d.Type("choose").Press("enter").WaitFor(Contains("asks: Which colour?"), Contains("2: blue\n"))
		d.Type("2").Press("enter").WaitFor(Contains("Answered: text blue"), Contains("As you like."))
		d.Type("/again").Press("enter").WaitFor(Contains("/again\nAgent: As you like."))
		d.Type("/mode plan").Press("enter").WaitFor(Contains("mode plan."))
		d.Type("/wall").Press("enter").WaitFor(Contains("is about the"))
		d.Type("/nonsense").Press("enter").WaitFor(Contains("Error: "))
		d.Type("/help").Press("enter").WaitFor(Contains("Pages of the documentation"))
		d.Type("/quit").Press("enter").Wait()
		p.plain(t)
	}
}

// TestLinearAgents sees a subagent begin, controls it, and ends it.
func TestLinearAgents(t *testing.T) {
	t.Parallel()
	task := call("delegate_task", map[string]any{"goal": "count the sheep"})
	d, p := lines(t, Options{Cols: 100, Rows: 60, Scenario: answers(
		on("shepherd", task), on("count the sheep", say("One. Two."), script.Stall{}), after("shepherd", 1, say("It was ended.")),
	)})
	d.Type("shepherd").Press("enter").WaitFor(Contains("Agent 1 begins: count the sheep"))
	for n := 1; Explain(d.Screen(), Contains("Agent 1, running")) != "" && n < 30; n++ { // it may still be queued
		d.Type("/agents").Press("enter").WaitFor(LineMatches(`Agent 1, \w+`))
		time.Sleep(100 * time.Millisecond)
	}
	d.Expect(Contains("Agent 1, running"))
	d.Type("/agent end sheep").Press("enter").WaitFor(Contains("Agent 1 has ended: ended by you."), Contains("It was ended."), Contains("Done after"))
	d.Type("/agent end 7").Press("enter").WaitFor(Contains("there is no such agent"))
	d.Type("/quit").Press("enter").Wait()
	p.plain(t)
}

// TestLinearInterrupt stops an answer in the middle, and leaves when pressed twice.
func TestLinearInterrupt(t *testing.T) {
	t.Parallel()
	d, p := lines(t, Options{Cols: 100, Rows: 60, Scenario: answers(on("tell", say("Once upon a time. And then"), script.Stall{}))})
	d.Type("tell me").Press("enter").WaitFor(Contains("Agent: Once upon a time."))
	d.Press("ctrl+c").WaitFor(Contains("Stopping."), Contains("Stopped after"))
	d.WaitFor(Contains("Stopped after")).Press("ctrl+c", "ctrl+c").Wait()
	p.plain(t)
}

// TestLinearLeavingAsks names what leaving or another session would end, and ends nothing
// unasked.
func TestLinearLeavingAsks(t *testing.T) {
	t.Parallel()
	d, p := lines(t, Options{Cols: 100, Rows: 60, Scenario: answers(
		on("serve", inBackground("echo $$ > pid; exec sleep 300")), after("serve", 1, say("It serves.")),
	)})
	d.Type("serve").Press("enter").WaitFor(Contains("It serves."), Contains("Done after"))
	pid := pidIn(t, d, "pid")
	d.Type("/new").Press("enter").WaitFor(Contains("Leave: "), Contains("exec sleep 300 Answer yes"))
	d.Type("no").Press("enter").WaitFor(Contains("not done, all goes on."))
	d.Type("/quit").Press("enter").WaitFor(Count("exec sleep 300 Answer yes", 2))
	if syscall.Kill(pid, 0) != nil {
		t.Fatal("the job has ended by itself")
	}
	d.Type("yes").Press("enter").Wait()
	waitGone(t, pid)
	d.Expect(Contains("Ended in the background: echo $$ > pid"))
	p.plain(t)
}

// TestLinearFailure says why a service does not answer, and with what to go on.
func TestLinearFailure(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"no"}}`))
	})
	d, p := lines(t, Options{Cols: 100, Rows: 60, Config: "model: {provider: custom, base_url: '" + url + "', default: x}\n"})
	d.Type("hello").Press("enter").WaitFor(Contains("Failed after"), Contains("401"))
	d.Type("/quit").Press("enter").Wait()
	p.plain(t)
}

// TestLinearWindows has the commands that open windows on the full screen say their rows
// and how to act on them, and acts on some.
func TestLinearWindows(t *testing.T) {
	t.Parallel()
	d, p := lines(t, Options{Cols: 240, Rows: 80, Config: "approvals: {mode: manual}\nhooks: {pre_verify: [{command: \"true\"}]}\n", Scenario: answers(
		on("write", call("write_file", map[string]any{"path": "new.txt", "content": "one\ntwo\n"})), after("write", 1, say("Written.")),
		on("tell", say("Something to find: heron.")), on("", say("Noted.")),
	)})
	ask := func(text string, want ...Matcher) { d.Type(text).Press("enter").WaitFor(want...) }
	ask("write it", Contains("File: "), Contains("/question"))
	ask("yes", Contains("Written."), Contains("Done after"))
	ask("/review", Contains("File 1: "), Contains("Hunk 1.1:"), Contains("+one"), Contains("/review reject 1.2"))
	ask("/review reject 4.1", Contains("/review knows reject and comment"))
	ask("/review reject 1.1", Contains("Review: "), Contains("Agent: Noted."))
	ask("/permissions", Contains(". decided"), Contains("/permissions revoke or again and a number or name"))
	ask("tell me", Contains("heron."), Contains("Done after"))
	ask("/find heron", Contains("Found, answer: Something to find: heron."), Contains("1 line. /search"))
	ask("/config max_turns", Contains("Setting: agent.max_turns is 90."))
	ask("/config agent.max_turns", Contains("Kind: whole number from 1 to"), Contains("Takes effect from the next turn on."))
	ask("/config agent.max_turns lots", Contains(`must be a whole number, not "lots"`))
	ask("/config agent.max_turns 33", Contains("agent.max_turns is 33, from the next turn on."))
	ask("/tools off todo", Contains("Tool: todo is off in this session."))
	ask("/tools", LineMatches(`: todo\. .*off`), Contains("/tools on NAME"))
	ask("/context", Contains("Context: "), LineMatches(`^1: `))
	ask("/skills", Contains("/skills read, allow"), LineMatches(`code-review`))
	ask("/skills read debugging", Contains("debugging"))
	ask("/mcp", Contains("hermes-tui mcp add NAME adds one"))
	ask("/hooks", LineMatches(`^1: pre_verify: true\. new`), Contains("1 hook. /hooks show 1 says all"))
	ask("/hooks read 1", Contains("When: pre_verify"))
	ask("/hooks approve 1", Contains("Hook: Approved as it is now"))
	ask("/hooks off 1", Contains("Hook: Switched off: pre_verify."))
	ask("/hooks eat 1", Contains("/hooks knows show, approve, refuse, test."))
	ask("/hooks approve 7", Contains("there is no hook 7: /hooks shows them"))
	ask("/plugins", Contains("There are no plugins"))
	ask("/memory add herons eat fish", Contains("Memory: "))
	ask("/memory", LineMatches(`^1: herons eat fish`))
	ask("/memory search herons", LineMatches(`^1: herons eat fish`), LineMatches(`^1 entry\.$`))
	ask("/memory history", Contains("/memory history show 1 says all"), Contains("/memory history undo and a number or id"))
	ask("/memory history show 1", LineMatches(`^Entry: .*herons eat fish`))
	ask("/memory history undo 1", Contains("Entry: Taken back, from the next session on."))
	ask("/memory add herons eat frogs", Contains("Memory: "))
	ask("/memory forget 1", Contains("Memory: "))
	ask("/learnings", Contains("Nothing was learnt yet."))
	ask("/instructions", Contains("None was left out in this session."))
	ask("/rewind", LineMatches(`^3: tell me`), Contains("/rewind undo"))
	ask("/rewind 9", Contains("no number of the list"))
	ask("/rewind 3 session", Contains("Taken back: tell me"))
	ask("/rewind undo", Contains("Back: "))
	ask("/usage", Contains("Main agent: "))
	ask("/cache", Contains("input tokens"))
	ask("/reasoning low", Contains("Reasoning: low, from the next turn on."))
	ask("/curator", Contains("Curator: "))
	ask("/help accessibility", Contains("Lines in place of the screen"))
	ask("/help nothing", Contains("there is no page nothing"))
	d.Type("/quit").Press("enter").Wait()
	p.plain(t)
}

// TestLinearSetup goes from no model to an answer; the key is not shown.
func TestLinearSetup(t *testing.T) {
	t.Parallel()
	server := keyed(t, goodKey)
	d, p := lines(t, Options{Cols: 240, Rows: 60, Config: "probe: {local_servers: false}\n"})
	d.Type("/setup").Press("enter").WaitFor(Contains("With a key that you type: OpenRouter"), Contains("/skip leaves the setup."))
	d.Type(server).Press("enter").WaitFor(Contains("it is not shown."))
	d.Type("sk-wrong").Press("enter").WaitFor(Contains("does not accept this key"), NotContains("sk-wrong"))
	d.Type(goodKey).Press("enter").WaitFor(Contains("2: qwen3-coder:30b"), NotContains(goodKey))
	d.Type("2").Press("enter").WaitFor(Contains("Set up: qwen3-coder:30b answers."))
	d.Type("hello").Press("enter").WaitFor(Contains("Hello from a real server."), Contains("Done after"))
	d.Type("/setup").Press("enter").WaitFor(LineMatches(`^1: .* 2 models\.`))
	d.Type("/skip").Press("enter").WaitFor(Contains("Setup: left."))
	d.Type("/quit").Press("enter").Wait()
	p.plain(t)
}

// TestLinearPassword types a password that is not shown, and gives none.
func TestLinearPassword(t *testing.T) {
	t.Parallel()
	const password = "correct-horse-battery"
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only what runs as the superuser may stand in for sudo")
	}
	home, dir := work(t, nil)
	bin := filepath.Join(filepath.Dir(dir), "bin")
	put(t, bin, map[string]string{"sudo": askpass})
	d, p := lines(t, Options{
		Cols: 240, Rows: 60, Home: home, Dir: dir, Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH")},
		Scenario: answers(on("go", run("sudo echo AS-ROOT")), after("go", 1, say("So: {{last_tool}}\n\nFinis."))),
		Config:   "approvals:\n  mode: \"off\"\nterminal:\n  auto_source_bashrc: false\n",
	})
	d.Type("go").Press("enter").WaitFor(Contains("needs a password"), Contains("it is not shown."))
	d.Type(password).Press("enter").WaitFor(Contains("Answered: with what you typed."), Contains("AS-ROOT"), Contains("Finis."), Contains("Done after"))
	d.Expect(NotContains("correct", "battery")).Type("/status").Press("enter").WaitFor(Contains("/status\nStatus: ready."))
	d.Type("/quit").Press("enter").Wait()
	p.plain(t)
}

// TestLinearPastes holds that lines which arrive together are one message, also where they
// begin like commands, and one answer to a question; a sign shows that input is expected.
func TestLinearPastes(t *testing.T) {
	t.Parallel()
	clarify := call("clarify", map[string]any{"question": "What is it called?"})
	d, p := lines(t, Options{Cols: 80, Rows: 40, Scenario: answers(
		on("^first line\n/quit\n!touch ran$", say("All three.")), on("^ask$", clarify),
		after("ask", 1, say("Thanks.")),
	)})
	d.WaitFor(LineMatches("^> ?$")).Send("first line\n/quit\n!touch ran\n").WaitFor(Contains("Agent: All three."), LineMatches("^> ?$"))
	if there(d.Dir() + "/ran") {
		t.Error("a line of the paste was run as a command")
	}
	d.Type("ask").Press("enter").WaitFor(Contains("What is it called?")).Send("/stop\nblue\n").WaitFor(Contains("Thanks."))
	d.Type("/quit").Press("enter")
	if st := d.Wait(); st.Code != 0 {
		t.Errorf("exit %+v", st)
	}
	p.plain(t)
}
