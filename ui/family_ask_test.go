//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestFamilyApprovals has three subagents ask whether they may delete something, and
// answers them in another order than they came, one of them with no. What ran is
// what was shown.
func TestFamilyApprovals(t *testing.T) {
	t.Parallel()
	command := func(name string) string { return "rm -rf old-" + name + " && echo ran " + name + " > " + name + ".txt" }
	rules := answers(on("^go$", handOut("qa cleans", "qb cleans", "qc cleans")), after("^go$", 1, say("All is over.")))
	for _, name := range []string{"qa", "qb", "qc"} {
		rules.Rules = append(rules.Rules, kid(name+" cleans", run(command(name))), kidAfter(name+" cleans", 1, say("told: {{last_tool}}")))
	}
	for _, size := range familySizes {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: rules, Config: family + askDeletions})
		there := folders(t, d, "old-qa", "old-qb", "old-qc")
		d.Type("go").Press("enter").WaitFor(Contains("of 3", "enter answer"))
		for _, step := range []struct{ name, row string }{{"qc", "Allow once"}, {"qa", "Deny"}, {"qb", "Allow once"}} {
			shown := "“" + step.name + " cleans” wants to run"
			for range 8 { // the first tab takes the question, the next one goes on to another
				if Explain(d.WaitFor(Contains("wants to run")).Screen(), Contains(shown, "enter answer")) == "" {
					break
				}
				d.Press("tab").WaitSync()
			}
			d.Expect(Contains(shown, "┃ │ "+command(step.name), "enter answer"))
			choose(d, step.row).Press("enter").WaitFor(NotContains(shown))
		}
		d.WaitFor(Contains("All is over.")).WaitIdle()
		for name, ran := range map[string]bool{"qa": false, "qb": true, "qc": true} {
			text, err := os.ReadFile(filepath.Join(d.Dir(), name+".txt"))
			if there("old-"+name) == ran || (err == nil) != ran || ran && string(text) != "ran "+name+"\n" {
				t.Errorf("%s: allowed %v, the folder is there: %v, the file holds %q", name, ran, there("old-"+name), text)
			}
		}
		if told := requestsOf(d, `qa cleans\n\nWorkspace`); len(told) != 2 || !regexp.MustCompile(`denied|refused`).MatchString(told[1]) {
			t.Errorf("the one that was denied was told %s", told[len(told)-1])
		}
		d.Quit().Wait()
	}
}

// TestFamilyClarify has a subagent ask the user: the question names the way to it,
// and the answer reaches it.
func TestFamilyClarify(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^go$", call("delegate_task", map[string]any{"goal": "q0 leads", "role": "orchestrator"})), after("^go$", 1, say("All is over.")),
		kid("q0 leads", handOut("q1 asks")), kidAfter("q0 leads", 1, say("It was led.")),
		kid("q1 asks", call("clarify", map[string]any{"question": "Which colour?", "choices": []string{"red", "green"}})),
		kidAfter("q1 asks", 1, say("So it is {{last_tool}}")),
	)
	for _, size := range familySizes {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: family + askDeletions})
		d.Type("go").Press("enter").WaitFor(Contains("“q0 leads” › “q1 asks” asks", "Which colour?", "enter answer"))
		d.Press("2").WaitFor(Contains("All is over.")).WaitIdle()
		if bodies := requestsOf(d, `\"user_response\":\"green\"`); len(bodies) == 0 {
			t.Error("the answer did not reach the subagent")
		}
		d.Quit().Wait()
	}
}

// TestClarifySeveral takes several choices of a question and writes one more, and
// answers a batch of questions with a look at all answers before they are sent.
func TestClarifySeveral(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^one$", call("clarify", map[string]any{"question": "Which tests?", "choices": []string{"unit", "fuzz", "race"}, "multi": true})),
		after("^one$", 1, say("One: {{last_tool}}")),
		on("^more$", call("clarify", map[string]any{"questions": []map[string]any{
			{"question": "Which base?", "choices": []string{"SQLite", "Postgres"}},
			{"question": "Which tests?", "choices": []string{"unit", "fuzz", "race"}, "multi": true},
			{"question": "Which name?"},
			{"question": "Which port?"},
		}})),
		after("^more$", 1, say("More: {{last_tool}}")),
	)
	d := Start(t, Options{Cols: 160, Rows: 50, Scenario: s})
	for i, size := range familySizes {
		d.Resize(size[0], size[1]).WaitIdle()
		d.Type("one").Press("enter").WaitFor(Contains("Which tests?", "space select", "enter answer"))
		d.Press("space", "down", "down").WaitSync().Press("3").WaitSync()
		d.Press("4").Type("load tests").Press("enter").WaitSync().Press("enter").WaitFor(Contains("One: "))
		if n := len(requestsOf(d, `\"user_response\":[\"unit\",\"race\",\"load tests\"]`)); n < i+1 {
			t.Errorf("the model got %d answers of several\n%s", n, d.Screen())
		}
		d.WaitIdle().Type("more").Press("enter").WaitFor(Contains("Which base?", "1 of 4"))
		d.WaitFor(Contains("enter"))
		d.Press("2").WaitFor(Contains("2 of 4")).Press("1").WaitSync().Press("2", "enter").WaitFor(Contains("3 of 4"))
		d.Type("otter 2").Press("enter").WaitFor(Contains("Which port?"))
		d.Press("enter").WaitSync().Press("right").WaitFor(Contains("Postgres", "unit", "otter 2"))
		d.Press("enter").WaitFor(Contains("More: "))
		want := []string{`\"user_response\":\"Postgres\"`, `\"user_response\":[\"unit\",\"fuzz\"]`, `\"user_response\":\"otter 2\"`, "left this question open"}
		sent := d.Server().Requests()
		last := string(sent[len(sent)-1].Body)
		for _, w := range want {
			if !strings.Contains(last, w) {
				t.Errorf("%s is missing in %s", w, last)
			}
		}
		d.WaitIdle().Type("/new").Press("enter").WaitIdle()
	}
}

// TestFamilyQuestionInTheMainView has a question up while another subagent is in the
// main view: escape answers the question then, and nothing says that it goes back.
func TestFamilyQuestionInTheMainView(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^go$", handOut("k1 listens", "k2 asks")),
		kid("k1 listens", say("I hear"), stall),
		kid("k2 asks", run(until("k2"))), kidAfter("k2 asks", 1, call("clarify", map[string]any{"question": "Which colour?", "choices": []string{"red", "green"}})),
		kidAfter("k2 asks", 2, say("As you like.")),
	)
	for _, size := range familySizes {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: family + askDeletions})
		d.Type("go").Press("enter").WaitFor(LineMatches(`Agents .*2 · ⚡2`))
		toAgents(d)
		mark(d, "k1").Press("m").WaitFor(Contains("main agent › k1 listens", "esc goes back", "enter steers “k1 listens”"))
		leave(t, d, "k2", "")
		d.WaitFor(Contains("“k2 asks” asks", "esc skip", "type to steer “k1 listens”"), NotContains("esc goes back"))
		d.Press("esc").WaitFor(NotContains("“k2 asks” asks"), Contains("main agent › k1 listens", "esc goes back"))
		d.Press("esc").WaitFor(NotContains("main agent › k1 listens"), Contains("❯ go"), markedRow("k1"))
		d.Quit().Wait()
	}
}
