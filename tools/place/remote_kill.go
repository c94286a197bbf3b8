package place

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// remoteProc is a process of a place as it was found. start tells it from a later one
// with the same id.
type remoteProc struct {
	pid, parent, group, session int
	gone                        bool // a zombie
	start                       string
}

// turnPatience is how long a kill waits for an operation of the file system
// before it takes a connection of its own.
const turnPatience = 50 * time.Millisecond

// killSilence bounds how long the place may be silent while a process is ended,
// and killConnect how long a connection for that may take.
const (
	killSilence = 5 * time.Second
	killConnect = 10 * time.Second
)

// killRounds bounds how often what multiplies is killed again.
const killRounds = 25

// killTree sends TERM to everything that belongs to a process and KILL to what
// is left after [KillGrace], in the place. pid is 0 when it is not known; then
// the mark alone says what belongs to it. sure says that it runs, so that its id
// cannot be another's by now.
func (r *Remote) killTree(pid int, mark string, sure bool) error {
	run, done, err := r.control()
	if err != nil {
		return fmt.Errorf("end process %d: %w", pid, err)
	}
	defer done()
	k := &killer{run: run, pid: pid, mark: mark, sure: sure}
	if err := k.signal("TERM"); err != nil {
		return fmt.Errorf("end process %d: %w", pid, err)
	}
	tick := time.NewTicker(2 * pollEvery)
	defer tick.Stop()
	deadline := time.Now().Add(KillGrace)
	for k.alive() && time.Now().Before(deadline) {
		<-tick.C
	}
	for range killRounds {
		if err := k.signal("KILL"); err != nil {
			return fmt.Errorf("end process %d: %w", pid, err)
		}
		if !k.alive() {
			return nil
		}
		<-tick.C
	}
	return fmt.Errorf("end process %d: %w", pid, ErrUnkillable)
}

// runner runs code at the remote end.
type runner func(code string) ([]byte, error)

// control gives a connection for signals: the one there is, or one of its own
// when that is busy. done gives it back.
func (r *Remote) control() (run runner, done func(), err error) {
	if r.serve.take(turnPatience) {
		run = func(code string) ([]byte, error) {
			payload, _, err := r.serve.once(request{code: code, silence: killSilence})
			return payload, err
		}
		return run, r.serve.release, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), min(r.o.Connect, killConnect))
	defer cancel()
	c, err := dial(ctx, r.via, r.o)
	if err != nil {
		return nil, nil, err
	}
	run = func(code string) ([]byte, error) {
		payload, _, err := c.call(request{code: code, silence: killSilence})
		return payload, err
	}
	return run, c.close, nil
}

// killer ends one process with all that belongs to it.
type killer struct {
	run   runner
	pid   int
	mark  string
	sure  bool
	known map[int]string // what was found so far: id and start
}

// signal sends a signal to the group, to what can be found now and to what was
// found before.
func (k *killer) signal(name string) error {
	code := words("hTable", markName+"="+k.mark)
	if k.pid > 1 && k.sure {
		// At once: over a long way every round trip counts.
		code = "kill -s " + name + " -- -" + strconv.Itoa(k.pid) + " 2>/dev/null; " + code
	}
	payload, err := k.run(code)
	if err != nil {
		return err
	}
	table, marked := parseTable(payload)
	k.sure = k.sure || marked[k.pid] || !procTable(payload)
	leader := k.pid
	if !k.sure {
		leader = 0 // the id may be another's
	}
	found := map[int]string{}
	for _, p := range belonging(table, leader, marked) {
		found[p.pid] = p.start
	}
	for _, p := range table {
		if start, ok := k.known[p.pid]; ok && !p.gone && start == p.start {
			found[p.pid] = p.start
		}
	}
	k.known = found
	if len(found) == 0 {
		return nil
	}
	list := make([]string, 0, len(found))
	for pid := range found {
		list = append(list, strconv.Itoa(pid))
	}
	// One by one: kill stops at the first that has gone in some shells.
	_, err = k.run("for p in " + strings.Join(list, " ") + "; do kill -s " + name + " $p; done 2>/dev/null; true")
	return err
}

// alive reports whether something of what was found still runs.
func (k *killer) alive() bool {
	if len(k.known) == 0 {
		return false
	}
	list := []string{"hLook"}
	for pid := range k.known {
		list = append(list, strconv.Itoa(pid))
	}
	payload, err := k.run(words(list...))
	if err != nil {
		return true // signal will say so
	}
	table, _ := parseTable(payload)
	for _, p := range table {
		if k.known[p.pid] == p.start && !p.gone {
			return true
		}
	}
	return false
}

// belonging picks what belongs to the leader: its group, its session, what
// carries the mark, and what descends from one of those.
func belonging(table []remoteProc, leader int, marked map[int]bool) []remoteProc {
	in := map[int]bool{}
	for _, p := range table {
		if leader > 1 && (p.pid == leader || p.group == leader || p.session == leader) || marked[p.pid] {
			in[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range table {
			if !in[p.pid] && in[p.parent] {
				in[p.pid], grown = true, true
			}
		}
	}
	var found []remoteProc
	for _, p := range table {
		if in[p.pid] && !p.gone && p.pid > 1 {
			found = append(found, p)
		}
	}
	return found
}

// parseTable reads what hTable or hLook print: lines of /proc/PID/stat after
// their names, or of ps; after an empty line names of marked processes.
func parseTable(payload []byte) (table []remoteProc, marked map[int]bool) {
	list, marks, _ := bytes.Cut(payload, []byte("\n\n"))
	marked = map[int]bool{}
	for line := range strings.Lines(string(marks)) {
		if pid, rest, ok := procName(line); ok && strings.TrimSpace(rest) == "/environ" {
			marked[pid] = true
		}
	}
	// The name of a program may hold line ends: what has the same file name
	// before it is one entry.
	stats := map[int]string{}
	for line := range strings.Lines(string(list)) {
		if pid, rest, ok := procName(line); ok {
			if text, ok := strings.CutPrefix(rest, "/stat:"); ok {
				stats[pid] += text
			}
		} else if p, ok := parsePs(line); ok {
			table = append(table, p)
		}
	}
	for pid, text := range stats {
		if p, ok := parseProc(pid, text); ok {
			table = append(table, p)
		}
	}
	return table, marked
}

// procTable reports whether a table comes from /proc, which has marks.
func procTable(payload []byte) bool { return bytes.Contains(payload, []byte("/stat:")) }

// procName takes /proc/PID off a line.
func procName(line string) (pid int, rest string, ok bool) {
	line, ok = strings.CutPrefix(line, "/proc/")
	if !ok {
		return 0, "", false
	}
	n, rest, ok := strings.Cut(line, "/")
	pid, err := strconv.Atoi(n)
	return pid, "/" + rest, ok && err == nil
}

// parseProc reads /proc/PID/stat, whose second field is a name in parentheses.
func parseProc(pid int, text string) (remoteProc, bool) {
	f := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(f) < 20 {
		return remoteProc{}, false
	}
	p := remoteProc{pid: pid, gone: f[0] == "Z" || f[0] == "X", start: f[19]}
	p.parent, _ = strconv.Atoi(f[1])
	p.group, _ = strconv.Atoi(f[2])
	p.session, _ = strconv.Atoi(f[3])
	return p, true
}

// parsePs reads a line of ps: id, parent, group, state, start.
func parsePs(line string) (remoteProc, bool) {
	f := strings.Fields(line)
	if len(f) < 5 {
		return remoteProc{}, false
	}
	var p remoteProc
	var err [3]error
	p.pid, err[0] = strconv.Atoi(f[0])
	p.parent, err[1] = strconv.Atoi(f[1])
	p.group, err[2] = strconv.Atoi(f[2])
	p.gone, p.start = strings.HasPrefix(f[3], "Z"), strings.Join(f[4:], " ")
	return p, err[0] == nil && err[1] == nil && err[2] == nil
}
