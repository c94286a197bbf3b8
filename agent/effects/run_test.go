//go:build linux

package effects_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// report is what happened in a machine.
type report struct {
	Out, In []string // what changed outside the workspace, and in it
	Hits    []string // what reached the canary
	Leaks   []string // keys the model got
	Left    []string // processes that were left, and what they held
	Mounts  []string // that there were not before
	Harm    []string // what was done to the victim and to what belongs to no file
	Notices []string // events that tell the user something
	Asked   int      // questions
	Hosts   int      // of them those about a host, of which each is asked about once
	Results []string // of the calls, as the model got them
	Sent    string   // all that the model was sent
	Code    int      // exit code of the program, or of a plain command
	Stderr  string
	Millis  int64
	Note    string // why the machine could not do its job
}

// do lays out the workspace, runs the program and looks at what has become of it.
func do(j job, upper *os.File) (report, error) {
	m, c := &model{calls: j.Calls, opinion: cmp.Or(j.Opinion, "Done.")}, &canary{}
	if err := errors.Join(m.listen(), c.listen(), settings(j)); err != nil {
		return report{}, err
	}
	if j.Setup != "" {
		cmd := exec.Command("/bin/bash", "-c", j.Setup)
		cmd.Dir, cmd.Env = work, environ(j)
		as(cmd, j.UID)
		if out, err := cmd.CombinedOutput(); err != nil {
			return report{}, fmt.Errorf("setup: %w: %s", err, out)
		}
	}
	if err := modeIn(j); err != nil {
		return report{}, err
	}
	var v *victim
	if j.Victim {
		var err error
		if v, err = newVictim(j); err != nil {
			return report{}, fmt.Errorf("victim: %w", err)
		}
	}
	before, mounted := look(upper), mountinfo()
	r := report{}
	began := time.Now()
	c.mu.Lock()
	c.hits = nil
	c.mu.Unlock()
	cmd := program(j)
	r.run(cmd, j)
	if j.Twice && r.Note == "" {
		r.run(program(j), j)
	}
	r.Millis = time.Since(began).Milliseconds()
	if v != nil {
		r.Harm = v.harm()
	}
	r.Left = left()
	for _, m := range mountinfo() {
		if !slices.Contains(mounted, m) {
			r.Mounts = append(r.Mounts, m)
		}
	}
	var bodies []string
	bodies, r.Results = m.said()
	r.Sent = strings.Join(bodies, "\n")
	r.Leaks = leaks(r.Sent)
	r.Hits = c.seen()
	r.Out, r.In = look(upper).since(before)
	return r, nil
}

// program is the program under test, or the plain command.
func program(j job) *exec.Cmd {
	args := append([]string{"exec", "--json", "--provider", "custom", "--base-url", "http://" + modelAddr + "/v1", "--model", "m"}, j.Flags...)
	cmd := exec.Command(bin, append(args, "go")...)
	if j.Plain {
		var a struct {
			Command string `json:"command"`
		}
		_ = json.Unmarshal(j.Calls[0].Args, &a)
		cmd = exec.Command("/bin/bash", "-c", a.Command)
	}
	cmd.Dir, cmd.Env = work, environ(j)
	as(cmd, j.UID)
	return cmd
}

func (r *report) run(cmd *exec.Cmd, j job) {
	seconds := j.Seconds
	if seconds == 0 {
		seconds = 25
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seconds)*time.Second)
	defer cancel()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		r.Note = err.Error()
		return
	}
	if j.KillWhen != "" {
		go killWhen(ctx, cmd.Process, j)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	if !stop() {
		r.Note = "the program did not end in time"
	}
	if x, ok := errors.AsType[*exec.ExitError](err); ok {
		r.Code = x.ExitCode()
	}
	r.Stderr = cut(errs.String(), 4000)
	if j.Plain {
		r.Results = []string{out.String()}
		return
	}
	for line := range strings.Lines(out.String()) {
		var e struct {
			Type string `json:"type"`
		}
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		switch e.Type {
		case "requested":
			r.Asked++
			if strings.Contains(line, `"connect to"`) {
				r.Hosts++
			}
		case "notice_raised":
			r.Notices = append(r.Notices, line)
		}
	}
}

// killWhen kills a process once a file is there.
func killWhen(ctx context.Context, p *os.Process, j job) {
	for ctx.Err() == nil {
		if _, err := os.Stat(j.KillWhen); err == nil {
			_ = p.Signal(j.KillBy)
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}

// mountinfo lists the mounts that this process sees.
func mountinfo() []string {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}

// as runs a command as an ordinary user.
func as(cmd *exec.Cmd, uid int) {
	if uid == 0 {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
}

// environ is the environment of the user.
func environ(j job) []string {
	path := os.Getenv("PATH")
	if len(j.Stands) > 0 {
		path += ":" + stands
		for _, n := range j.Stands {
			if slices.Contains(dangerous, n) {
				path = stands + ":" + os.Getenv("PATH")
			}
		}
	}
	env := []string{
		"PATH=" + path, "HOME=" + home, "HERMES_HOME=" + home + "/.hermes", "SHELL=/bin/bash", "USER=me", "LOGNAME=me", "TERM=dumb", "LANG=C.UTF-8",
		"ANTHROPIC_API_KEY=" + keys["variable"], "GOPROXY=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GIT_EDITOR=true",
	}
	if root := os.Getenv("PYENV_ROOT"); root != "" {
		env = append(env, "PYENV_ROOT="+root)
	}
	return append(env, j.Env...)
}

// settings writes config.yaml.
func settings(j job) error {
	text := "probe:\n  local_servers: false\n" + j.Config
	if !strings.Contains(text, "terminal:") {
		text += "terminal:\n  timeout: 10\n"
	}
	name := home + "/.hermes/config.yaml"
	return errors.Join(os.WriteFile(name, []byte(text), 0o600), os.Lchown(name, j.UID, j.UID))
}

// modeIn puts the mode beside what the setup has written about approvals.
func modeIn(j job) error {
	if j.Mode == "" {
		return nil
	}
	name := home + "/.hermes/config.yaml"
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text, line := string(data), "approvals:\n  mode: \""+j.Mode+"\"\n"
	if strings.Contains(text, "approvals:\n") {
		text = strings.Replace(text, "approvals:\n", line, 1)
	} else {
		text += line
	}
	return os.WriteFile(name, []byte(text), 0o600)
}

// stillConfined is behind the name of a process that was left and that the kernel
// still holds.
const stillConfined = " (confined)"

// left names the processes that are there beside this one, after a moment for
// those that are on their way out.
func left() []string {
	var list []string
	for range 40 {
		list = nil
		entries, _ := os.ReadDir("/proc")
		for _, e := range entries {
			pid, err := strconv.Atoi(e.Name())
			if err != nil || pid == os.Getpid() {
				continue
			}
			line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			if len(line) == 0 {
				var ws syscall.WaitStatus
				_, _ = syscall.Wait4(pid, &ws, syscall.WNOHANG, nil) // an orphan that has ended
				continue
			}
			text := cut(strings.ReplaceAll(strings.TrimRight(string(line), "\x00"), "\x00", " "), 120)
			status, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "status"))
			if s := string(status); strings.Contains(s, "NoNewPrivs:\t1\n") && strings.Contains(s, "Seccomp:\t2\n") {
				text += stillConfined
			}
			list = append(list, text)
		}
		if len(list) == 0 {
			return nil
		}
		<-time.After(25 * time.Millisecond)
	}
	return list
}
