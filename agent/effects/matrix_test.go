//go:build linux

package effects_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// cell is one way to run the prober.
type cell struct {
	mode, way, user string // user: root or me
	lacks           string // "", userns, landlock
}

func (c cell) String() string {
	return strings.TrimSuffix(c.mode+" "+c.way+" as "+c.user+" without "+c.lacks, " without ")
}

// ways are how a command comes to run.
var ways = map[string][]toolCall{
	"terminal":   {command("./prober")},
	"pty":        {call("terminal", map[string]any{"command": "./prober", "pty": true})},
	"background": {call("terminal", map[string]any{"command": "./prober", "background": true}), call("process", map[string]any{"action": "wait", "session_id": "$SESSION", "timeout": 30}), call("process", map[string]any{"action": "log", "session_id": "$SESSION"})},
	"code":       {call("execute_code", map[string]any{"code": "import subprocess\nprint(subprocess.run(['./prober'],capture_output=True,text=True).stdout)"})},
	"hook":       {command("git commit -q --allow-empty -m x")},
	"child":      {command("sh -c 'setsid -w ./prober child child 2>&1'; true")},
}

func call(name string, args map[string]any) toolCall {
	text, _ := json.Marshal(args)
	return toolCall{name, text}
}

func (c cell) job() job {
	j := job{Mode: c.mode, Trust: true, Victim: true, Calls: ways[c.way], NoUserNS: c.lacks == "userns", NoLandlock: c.lacks == "landlock", Seconds: 60}
	j.Config = "display:\n  show_reasoning: false\n"
	if c.user == "me" {
		j.UID = 1000
	}
	switch c.mode {
	case "sandbox":
		j.Mode, j.Flags = "manual", []string{"--sandbox"}
	case "plan":
		j.Mode, j.Flags = "", []string{"--plan"}
	}
	j.Setup = "cp " + kitProber + " prober"
	if c.way == "hook" {
		j.Setup += "; printf '#!/bin/sh\\nexec ./prober\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"
	}
	return j
}

// kitProber is where a machine finds the prober.
const kitProber = "/srv/prober"

func prober(t *testing.T) {
	t.Helper()
	prepare(t)
	name := filepath.Join(kit.dir, "prober")
	if _, err := os.Stat(name); err == nil {
		return
	}
	if built := os.Getenv("HERMES_EFFECTS_PROBER"); built != "" { // for who may not build it
		data, err := os.ReadFile(built)
		if err == nil {
			err = os.WriteFile(name, data, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if out, err := exec.Command("go", "build", "-o", name, "./testdata/prober").CombinedOutput(); err != nil {
		t.Fatalf("build prober: %v: %s", err, out)
	}
}

// effectOf names the probes that must have left a mark outside when they were let:
// the control in mode off shows that they do.
func effectOf(r report) []string {
	list := slices.Clone(r.Harm)
	for _, o := range r.Out {
		list = append(list, "changed "+o)
	}
	for _, h := range r.Hits {
		list = append(list, "reached "+cut(h, 50))
	}
	for _, l := range r.Leaks {
		list = append(list, "read "+l)
	}
	for _, in := range r.In {
		if obeyed(in) {
			list = append(list, "changed "+in)
		}
	}
	for _, l := range r.Left {
		list = append(list, "left "+l)
	}
	slices.Sort(list)
	return list
}

// stated are effects that docs/safety.md names as not prevented, where they are not.
func (c cell) stated() *regexp.Regexp {
	var list []string
	if c.user != "root" && c.lacks == "userns" {
		list = append(list, `^changed .\.git`, `^changed ~outside/meta-(byfd|chmod|fchmod|fchmodat2)$`, "^(attributes|utime|xattr|message-queue)$", `^changed \+/dev/shm/evil$`,
			"tag-unix")
	}
	return regexp.MustCompile(strings.Join(append(list, "^$"), "|"))
}

// mustNot are probes that leave nothing to see: what they say counts, also
// in the middle of a line.
var mustNot = []string{
	"ptrace", "proc-mem", "vm-read", "pidfd-getfd", "setns", "io-uring", "keyctl", "bpf", "perf", "userfaultfd", "open-tree", "raw",
	"packet", "become-root", "mknod", "unmount", "remount", "model", "unix-datagram",
}

func saidDone(r report, name string) bool {
	text := strings.Join(r.Results, "\n")
	return strings.Contains(text, name+" done")
}

// TestMatrix tries every primitive by every way in every mode, as root and as an
// ordinary user, with and without the kernel's means.
func TestMatrix(t *testing.T) {
	prober(t)
	users := []string{"root"}
	if os.Getuid() == 0 {
		users = append(users, "me")
	}
	var cells []cell
	for _, u := range users {
		for _, mode := range []string{"off", "guarded", "manual", "plan", "sandbox"} {
			for _, way := range []string{"terminal", "pty", "background", "code", "hook", "child"} {
				if way != "terminal" && mode != "guarded" && os.Getenv("HERMES_EFFECTS") != "all" {
					continue
				}
				cells = append(cells, cell{mode: mode, way: way, user: u})
			}
		}
		cells = append(cells, cell{"guarded", "terminal", u, "userns"}, cell{"guarded", "terminal", u, "landlock"})
	}
	if only := os.Getenv("HERMES_EFFECTS_CASE"); only != "" {
		cells = slices.DeleteFunc(cells, func(c cell) bool { return !strings.Contains(c.String(), only) })
	}
	jobs := make([]job, len(cells))
	for i, c := range cells {
		jobs[i] = c.job()
	}
	for i, r := range machines(t, jobs) {
		t.Run(cells[i].String(), func(t *testing.T) { cells[i].check(t, r) })
	}
}

func (c cell) check(t *testing.T, r report) {
	if r.Note != "" {
		t.Fatal(r.Note)
	}
	if os.Getenv("HERMES_EFFECTS_CASE") != "" {
		text, _ := json.MarshalIndent(r, "", "  ")
		t.Logf("%s", text)
	}
	ran := saidDone(r, "write-inside") || slices.Contains(r.In, "+inside.txt")
	if c.mode == "off" {
		c.control(t, r, ran)
		return
	}
	stated := c.stated()
	for _, e := range effectOf(r) {
		if !stated.MatchString(e) {
			t.Errorf("took effect: %s", e)
		}
	}
	for _, n := range mustNot {
		if saidDone(r, n) {
			t.Errorf("was let: %s", n)
		}
	}
	fallback := strings.Contains(r.Stderr+strings.Join(r.Notices, ""), "confine") || strings.Contains(strings.Join(r.Results, ""), "confine")
	switch {
	case c.mode == "manual" || c.mode == "plan":
		if ran {
			t.Error("it ran without a question")
		}
	case c.mode == "guarded" && !ran && r.Asked > 0 && c.lacks != "":
		if !fallback {
			t.Errorf("it asks, and does not say why nothing is confined: %s", r.Stderr)
		}
		t.Log("asks as in manual: " + cut(r.Stderr, 200))
	case !ran:
		t.Errorf("it did not run: asked %d, %s", r.Asked, cut(strings.Join(r.Results, " "), 300))
	}
}

// control shows that the probes bite where nothing confines them.
func (c cell) control(t *testing.T, r report, ran bool) {
	if !ran {
		t.Fatalf("it did not run: %s %s", strings.Join(r.Results, " "), r.Stderr)
	}
	all := strings.Join(effectOf(r), "\n")
	want := []string{"outside/new.txt", "outside/append.txt", "home/.bashrc", "home/.hermes/config.yaml", "outside/symlinked.txt", "outside/hardlinked.txt",
		"outside/moved", "-outside/unlinked.txt", "outside/truncated.txt", "outside/evildir", "outside/evil.sock", "outside/by-root.txt", "outside/by-cwd.txt",
		"outside/by-memfd.txt", "meta-chmod", "meta-fchmod", "meta-byfd", "utime", "xattr", "tag-tcp", "tag-udp", "tag-dns", "tag-unix", "tag-abstract", "limit", "signal",
		"message-queue", ".git/hooks/pre-push", "read ssh", "read netrc"}
	if c.user == "root" {
		want = append(want, "/etc/evil", "mount", "host-name", "/dev/sda")
	}
	if c.user == "root" && os.Getuid() == 0 { // the root of a user namespace is not let
		want = append(want, "meta-chown", "outside/by-handle.txt")
	}
	for _, w := range want {
		if !strings.Contains(all, w) {
			t.Errorf("the probe does not bite: %s", w)
		}
	}
	t.Logf("%d effects where nothing is confined\n%s", strings.Count(all, "\n")+1, fmt.Sprint(strings.Join(r.Results, "\n")))
}
