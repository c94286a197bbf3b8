package place

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// detach starts a process that writes to a log. It belongs to no client, so it
// outlives the connection and this program; a client only brings its input.
func (p *remoteProcess) detach(spec Proc) error {
	if err := p.bring(spec); err != nil {
		return err
	}
	dir, base := path.Split(path.Clean(spec.Log))
	if _, err := p.request("create", spec.Log, words("hLog", path.Clean(dir), base)); err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	if err := p.depart(spec); err != nil {
		// It never ran: what was made for it goes as well.
		_, _ = p.request("remove", spec.Log, words("rm", "-f", spec.Log, p.l.file(), p.l.inputFile()))
		return err
	}
	return nil
}

func (p *remoteProcess) request(op, name, code string) ([]byte, error) {
	return p.r.serve.do(request{op: op, name: name, code: code, changes: true})
}

// inputFile is the pipe through which a detached process gets input.
func (l launch) inputFile() string { return l.own + "/i-" + l.mark }

// depart runs the script and notes which process it is.
func (p *remoteProcess) depart(spec Proc) error {
	if spec.Stdin != nil {
		if _, err := p.request("start", spec.Argv[0], words("hFeed", "i-"+p.l.mark)); err != nil {
			return err
		}
	}
	payload, err := p.request("start", spec.Argv[0], words("hDetach", p.l.name))
	if err != nil {
		return err
	}
	table, _ := parseTable(payload)
	if len(table) != 1 {
		return fmt.Errorf("the process was gone at once: %w", ErrGone)
	}
	p.pid, p.start = table[0].pid, table[0].start
	p.ref = strings.Join([]string{
		refRemote, p.r.via.name(), p.r.facts.boot, strconv.Itoa(p.pid), strings.ReplaceAll(p.start, " ", "_"), p.l.mark,
	}, "|")
	if spec.Stdin == nil {
		return nil
	}
	return p.bringInput(spec)
}

// bringInput starts a client that feeds a detached process. What was not read
// yet when the client ends is lost, as it is when this program ends.
func (p *remoteProcess) bringInput(spec Proc) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	argv := p.r.via.argv(clientSpec{words: []string{"/bin/sh", "-c", "exec cat >" + p.l.inputFile()}, input: true})
	p.client, err = startClient(argv, p.r.o.Env, clientFiles{in: r})
	_ = r.Close()
	if err != nil {
		return errors.Join(err, w.Close(), p.r.killTree(p.pid, p.l.mark, true))
	}
	p.input = w
	go feed(w, spec.Stdin)
	return nil
}

// refRemote begins every reference.
const refRemote = "remote1"

// Adopt finds a process with a log again that an earlier run of this program
// started in this place: the one with this id that began at that moment and
// carries its mark.
func (r *Remote) Adopt(ctx context.Context, ref string) (Process, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f := strings.Split(ref, "|")
	if len(f) != 6 || f[0] != refRemote || f[1] != r.via.name() || len(f[5]) != 24 {
		return nil, fmt.Errorf("find process: not a reference to a process of %s", r.via.name())
	}
	pid, err := strconv.Atoi(f[3])
	if err != nil || pid <= 1 {
		return nil, fmt.Errorf("find process: not a reference to a process of %s", r.via.name())
	}
	if err := r.enter(); err != nil {
		return nil, fmt.Errorf("find process %d: %w", pid, err)
	}
	p := &remoteProcess{r: r, pid: pid, ref: ref, adopted: true, start: strings.ReplaceAll(f[4], "_", " "), done: make(chan struct{})}
	p.l = launch{mark: f[5], own: r.facts.own}
	payload, err := r.serve.do(request{op: "find", name: f[3], code: words("hTable", markName+"="+p.l.mark)})
	if err == nil {
		table, marked := parseTable(payload)
		if f[2] != r.facts.boot || !p.in(table) || procTable(payload) && !marked[pid] {
			err = ErrGone
		}
	}
	if err != nil {
		r.busy.Done()
		return nil, fmt.Errorf("find process %d: %w", pid, err)
	}
	go func() {
		defer r.busy.Done()
		defer close(p.done)
		p.watch(ctx)
	}()
	return p, nil
}

// in reports whether the process runs, by a table that would show it.
func (p *remoteProcess) in(table []remoteProc) bool {
	for _, f := range table {
		if f.pid == p.pid && f.start == p.start {
			return !f.gone
		}
	}
	return false
}

// How often a detached process is looked at: often while it is young.
const (
	lookFirst = 20 * time.Millisecond
	lookMost  = time.Second
	lookLost  = 5 * time.Second // when the place cannot be reached
)

// watch waits for the end of a detached process. While the place cannot be
// reached it goes on trying.
func (p *remoteProcess) watch(ctx context.Context) {
	defer p.endInput()
	every := lookFirst
	timer := time.NewTimer(every)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			p.exit.Killed = true
			p.err = p.r.killTree(p.pid, p.l.mark, false)
			p.exit.Code = 128 + 9
			if code, over, err := p.look(); err == nil && over && code >= 0 {
				p.exit.Code = code
			}
			return
		case <-p.r.ctx.Done():
			p.exit.Code, p.err = -1, fmt.Errorf("wait for process %d, which goes on: %w", p.pid, errClosed)
			return
		case <-timer.C:
		}
		code, over, err := p.look()
		if over {
			p.exit.Code = code
			return
		}
		every = min(every*5/4, lookMost)
		if err != nil {
			every = lookLost
		}
		timer.Reset(every)
	}
}

// look reports whether a detached process is over, and its exit code if anyone
// knows it, -1 otherwise.
func (p *remoteProcess) look() (code int, over bool, err error) {
	payload, err := p.r.serve.do(request{op: "look", name: p.ref, code: words("hCode", p.l.codeFile(), strconv.Itoa(p.pid))})
	if err != nil {
		return 0, false, err
	}
	if _, text, ok := bytes.Cut(payload, []byte("code ")); ok && !p.adopted {
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return n, true, nil
		}
	}
	table, _ := parseTable(payload)
	return -1, !p.in(table), nil
}

// endInput ends the client that feeds a detached process.
func (p *remoteProcess) endInput() {
	if p.client == nil {
		return
	}
	p.client.end()
	_ = p.input.Close()
}
