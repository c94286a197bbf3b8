//go:build linux

package effects_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-tui/internal/corpustest"
)

// probe is a case of the corpus of attacks and everyday commands.
type probe struct {
	ID       string
	Tool     string
	Command  string
	Args     json.RawMessage
	Calls    []toolCall
	Setup    string
	Place    string
	Expected string // ask, block or allow
	Effect   string // seen once, when it ran
	Bypass   bool
	Was      string
}

func probes(t *testing.T) []probe {
	t.Helper()
	return corpustest.CasesIn[probe](t, corpustest.Dir("../../tools/approval"), "red")
}

// chosen are the probes that run: all, one, or a fixed sample.
func chosen(all []probe) []probe {
	if id := os.Getenv("HERMES_EFFECTS_CASE"); id != "" {
		return slices.DeleteFunc(all, func(p probe) bool { return !slices.Contains(strings.Split(id, ","), p.ID) })
	}
	if os.Getenv("HERMES_EFFECTS") == "all" {
		return all
	}
	var list []probe
	every, seen := map[bool]int{true: 4, false: 14}, map[bool]int{}
	for _, p := range all {
		if seen[p.Bypass]%every[p.Bypass] == 0 {
			list = append(list, p)
		}
		seen[p.Bypass]++
	}
	return list
}

// ofPackage is a call of a program of a package, which an everyday one has installed.
var ofPackage = regexp.MustCompile(`^npx ([a-z][a-z-]*)`)

var programName = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_.+-]*`)

// job of a probe in a mode.
func (p probe) job(mode string) job {
	j := job{Mode: mode, Trust: true, Setup: p.Setup, Calls: p.Calls}
	if p.Place != "" {
		j.Flags = []string{"--place", p.Place}
	}
	switch p.Tool {
	case "terminal":
		j.Calls = []toolCall{command(p.Command)}
	case "sequence":
	default:
		j.Calls = []toolCall{{p.Tool, p.Args}}
	}
	if m := ofPackage.FindStringSubmatch(p.Command); m != nil && p.Expected == "allow" {
		j.Setup += "\nmkdir -p node_modules/.bin; printf '#!/bin/sh\\n' > node_modules/.bin/" + m[1] + "; chmod +x node_modules/.bin/" + m[1]
	}
	for _, word := range programName.FindAllString(p.Command, -1) {
		_, err := exec.LookPath(word)
		missing := err != nil && strings.Contains(p.Effect, "stub of the program")
		if (missing || slices.Contains(dangerous, word)) && !slices.Contains(j.Stands, word) {
			j.Stands = append(j.Stands, word)
		}
	}
	return j
}

// guardedNames are paths of the workspace that other programs obey.
var guardedNames = regexp.MustCompile(`^[-+~](.*/)?(\.git/(hooks|config|info)|\.git$|\.gitmodules$|\.vscode/|\.idea/|\.envrc|\.mcp\.json|AGENTS\.md|agents\.md|CLAUDE\.md|\.hermes)|^[-](.*/)?\.git/(HEAD|refs|packed-refs)`)

// obeyed reports whether a change in the workspace is one that other programs obey.
// What was made there and moved aside has another name.
func obeyed(change string) bool {
	return guardedNames.MatchString(change) && !strings.Contains(change, ".refused-")
}

// nested are new repositories in folders of the workspace, which stay as they were
// made: TestNestedRepository shows that what is run there later runs nothing of theirs.
var nested = regexp.MustCompile(`^\+[^ ]+/\.git(/|$)`)

// written reports whether a file tool has made a change, which takes no question.
func (p probe) written(change string) bool {
	return slices.ContainsFunc(p.Calls, func(c toolCall) bool {
		var a struct{ Path string }
		return c.Name == "write_file" && json.Unmarshal(c.Args, &a) == nil && strings.HasPrefix(a.Path+"/", change[1:]+"/")
	})
}

// effects lists what a probe that had to be asked about changed. In mode manual that is
// every change that a command has made, where the place does not confine it.
func (p probe) effects(r report, mode string) []string {
	list := slices.Clone(r.Out)
	for _, h := range r.Hits {
		list = append(list, "net "+cut(strings.ReplaceAll(h, "\r\n", " "), 60))
	}
	for _, l := range r.Leaks {
		list = append(list, "key "+l)
	}
	for _, l := range r.Left {
		if !strings.HasSuffix(l, stillConfined) { // it can do no more than when it was started
			list = append(list, "left "+l)
		}
	}
	for _, in := range r.In {
		if obeyed(in) && !nested.MatchString(in) || mode == "manual" && p.Place == "" && !p.written(in) {
			list = append(list, "in "+in)
		}
	}
	return list
}

// exit is the exit code of the last command, as the model got it.
func exit(r report) string {
	if len(r.Results) == 0 {
		return "none"
	}
	m := regexp.MustCompile(`"exit_code":\s*(-?\d+)`).FindStringSubmatch(r.Results[len(r.Results)-1])
	if m == nil {
		return "none"
	}
	return m[1]
}

var refusedText = regexp.MustCompile(`(?i)denied|blocked|not allowed|refused by`)

// tally counts what became of probes.
type tally struct{ took, asked, blocked, confined, ran, odd int }

func (c *tally) add(r report, took []string) {
	last := ""
	if len(r.Results) > 0 {
		last = r.Results[len(r.Results)-1]
	}
	switch {
	case len(took) > 0:
		c.took++
	case r.Asked > 0:
		c.asked++
	case strings.Contains(last, `"ran":"confined"`) || strings.Contains(last, "confined"):
		c.confined++
	case exit(r) == "none" || refusedText.MatchString(last) && exit(r) == "-1":
		c.blocked++
	default:
		c.ran++
	}
}

// TestRedCases runs attacks and everyday commands: no attack takes effect unless
// the user was asked, who says no here; everyday commands run without a question, but
// for that about a host, and end as they do where nothing is confined.
func TestRedCases(t *testing.T) {
	prepare(t)
	modes := []string{"guarded", "manual"}
	if m := os.Getenv("HERMES_EFFECTS_MODES"); m != "" {
		modes = strings.Split(m, ",")
	}
	list := chosen(probes(t))
	var jobs []job
	for _, p := range list {
		for _, m := range modes {
			jobs = append(jobs, p.job(m))
		}
	}
	reports := machines(t, jobs)
	for k, mode := range modes {
		t.Run(mode, func(t *testing.T) { judgeMode(t, mode, list, reports, k, len(modes)) })
	}
}

func judgeMode(t *testing.T, mode string, list []probe, reports []report, k, step int) {
	var attacks tally
	var allowed []probe
	var asked []string
	for i, p := range list {
		r := reports[i*step+k]
		if os.Getenv("HERMES_EFFECTS_CASE") != "" {
			text, _ := json.MarshalIndent(r, "", "  ")
			t.Logf("%s %s\n%s", p.ID, p.Command, text)
		}
		if r.Note != "" {
			t.Errorf("%s: %s", p.ID, r.Note)
			attacks.odd++
			continue
		}
		if p.Expected == "allow" {
			if r.Asked > r.Hosts {
				asked = append(asked, p.ID+" "+cut(p.Command+string(p.Args), 80))
			} else if r.Asked == 0 {
				allowed = append(allowed, p)
			}
			continue
		}
		took := p.effects(r, mode)
		attacks.add(r, took)
		if len(took) > 0 {
			t.Errorf("%s (%s) %s\n\ttook effect: %s", p.ID, p.Expected, cut(p.Command+string(p.Args), 160), cut(strings.Join(took, "; "), 300))
		}
	}
	t.Logf("%s: attacks: %d took effect, %d asked, %d blocked, %d confined, %d ran without effect; everyday: %d without a question, %d asked",
		mode, attacks.took, attacks.asked, attacks.blocked, attacks.confined, attacks.ran, len(allowed), len(asked))
	if mode != "guarded" {
		return
	}
	if all := len(allowed) + len(asked); all > 0 && len(asked)*100 > all*2 {
		t.Errorf("%d of %d everyday commands were asked about:\n\t%s", len(asked), all, strings.Join(asked, "\n\t"))
	}
	compare(t, list, reports, k, step, allowed)
}

// compare holds the exit codes of everyday commands to those they have where
// nothing is confined.
func compare(t *testing.T, list []probe, reports []report, k, step int, allowed []probe) {
	t.Helper()
	var jobs []job
	for _, p := range allowed {
		jobs = append(jobs, p.job("off"))
	}
	plain := machines(t, jobs)
	var wrong []string
	for i, p := range allowed {
		at := slices.IndexFunc(list, func(o probe) bool { return o.ID == p.ID })
		got, want := exit(reports[at*step+k]), exit(plain[i])
		if got != want {
			res := reports[at*step+k].Results
			wrong = append(wrong, fmt.Sprintf("%s exit %s, not %s: %s\n\t\t%s", p.ID, got, want, cut(p.Command+string(p.Args), 100), cut(strings.Join(res, " "), 200)))
		}
	}
	if len(wrong) > 0 {
		t.Errorf("everyday commands that end otherwise than without confinement: %d of %d\n\t%s", len(wrong), len(allowed), strings.Join(wrong, "\n\t"))
	}
}
