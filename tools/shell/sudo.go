package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// How a password reaches sudo. A command that names sudo runs with a function of
// that name, which adds -A, and with SUDO_ASKPASS naming a small program in the
// private folder. So nothing is asked unless sudo needs a password, and the input
// of the command stays its own. The program hands its process number to a server,
// which runs beside the command in the same place; the server sees to it that the
// program was started by sudo itself, running as root, and passes the question on
// to this process over its output. The answer comes back over its input and goes
// through a pipe that the program has made: it is in no file, argument or
// variable. The user who can run programs as the same user could still read it
// there while sudo asks.

// askpassProgram is what sudo runs. It takes the folder as its first word.
const askpassProgram = `#!/bin/sh
PATH=/usr/bin:/bin:/usr/sbin:/sbin
umask 077
dir=%s
pipe=$dir/answer.$$
[ -p "$dir/ask" ] || exit 1
rm -f "$pipe"
mkfifo "$pipe" || exit 1
exec 3<>"$pipe"
echo "$$" 1<>"$dir/ask"
IFS= read -r answer <&3
rm -f "$pipe"
case $answer in
+*) printf '%%s\n' "${answer#+}" ;;
*) exit 1 ;;
esac
`

// askServer passes questions on, one at a time: the number of the sudo goes out, a
// line with the answer comes in. Its arguments are the folder and the user that a
// sudo runs as. Who is not started by sudo gets no answer.
const askServer = `dir=$1 root=$2
umask 077
refuse() {
	for pipe in "$dir"/answer.*; do [ -p "$pipe" ] && echo - 1<>"$pipe"; done
	rm -f "$dir/ask"
	exit
}
starter() {
	sudo= name= owner=
	if [ -r "/proc/$1/status" ]; then
		while read -r key value rest; do
			[ "$key" != PPid: ] || sudo=$value
		done <"/proc/$1/status"
		while read -r key value rest; do
			case $key in
			Name:) name=$value ;;
			Uid:) owner=${rest%%[!0-9]*} ;;
			esac
		done <"/proc/${sudo:-0}/status"
	else
		set -- $(ps -o ppid= -p "$1")
		sudo=$1
		set -- $(ps -o uid= -o ucomm= -p "$sudo")
		owner=$1 name=$2
	fi
	[ "$name" = sudo ] && [ "$owner" = "$root" ]
}
rm -f "$dir/ask" "$dir"/answer.*
mkfifo "$dir/ask" || exit 1
exec 3<>"$dir/ask"
trap refuse TERM
echo ready
while IFS= read -r asker <&3; do
	case $asker in '' | *[!0-9]*) continue ;; esac
	answer=-
	if starter "$asker"; then
		echo "$sudo"
		IFS= read -r answer || refuse
	fi
	[ -p "$dir/answer.$asker" ] && printf '%s\n' "$answer" 1<>"$dir/answer.$asker"
done
`

// Limits of asking.
const (
	// askTries is how often a user is asked for one sudo, as sudo itself does.
	askTries = 3
	// askStart is how long the server has to begin.
	askStart = 10 * time.Second
)

// noPassword is what the model reads when no one has entered one.
const noPassword = "[sudo needs a password, and none was entered. Do it without sudo, or ask the user to run it themselves.]"

// usesSudo reports whether a command runs sudo by its plain name.
func usesSudo(command string) bool {
	if len(command) > maxGuided || !strings.Contains(command, "sudo") {
		return false
	}
	file, err := parse(command)
	if err != nil {
		return false
	}
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		found = found || ok && len(c.Args) > 0 && literal(c.Args[0]) == "sudo"
		return !found
	})
	return found
}

func (s *Shell) sudoFolder() string { return filepath.Join(s.scratch, "sudo") }

func (s *Shell) askpassFile() string { return filepath.Join(s.sudoFolder(), "askpass") }

// asker answers the sudos of one command. One goroutine serves it, which has ended
// when close returns.
type asker struct {
	shell  *Shell
	host   tools.Host
	reason string

	cancel context.CancelFunc
	in     *os.File
	done   chan struct{}

	// The following belong to the goroutine until done is closed.
	tries   map[string]int // answers so far, by the number of a sudo
	refused string         // why there is none
}

// serveSudo begins to answer the sudos of a command. When that fails, the command
// runs all the same, and a sudo that needs a password fails.
func (s *Shell) serveSudo(ctx context.Context, command string, host tools.Host) (*asker, error) {
	s.mu.Lock()
	dir, file := s.sudoFolder(), s.askpassFile()
	s.mu.Unlock()
	dir, err := s.o.Place.FS().Resolve(dir)
	if err == nil {
		_, err = s.o.Place.FS().MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = s.writePrivate(file, fmt.Sprintf(askpassProgram, quote(dir)), 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare for sudo: %w", err)
	}
	a := &asker{
		shell: s, host: host, reason: shellrisk.Canonical(command),
		done: make(chan struct{}), tries: map[string]int{},
	}
	if err := a.start(ctx, dir); err != nil {
		return nil, fmt.Errorf("prepare for sudo: %w", err)
	}
	return a, nil
}

// start starts the server and waits until it is ready.
func (a *asker) start(ctx context.Context, dir string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	ctx, a.cancel = context.WithCancel(ctx)
	lines := make(chan string, 16)
	proc, err := a.shell.o.Place.Start(ctx, place.Proc{
		Argv: []string{a.shell.o.Place.Info().Shell, "-c", askServer, "askpass", dir, a.shell.sudoUser},
		Dir:  dir, Env: []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C"},
		Stdin: r, Stdout: &lineWriter{ctx: ctx, to: lines}, Stderr: io.Discard,
	})
	if err != nil {
		a.cancel()
		return errors.Join(err, r.Close(), w.Close())
	}
	a.in = w
	ready := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = proc.Wait() // it is killed in the end, however it feels about it
		_ = r.Close()
	}()
	go func() {
		defer close(a.done)
		a.serve(ctx, lines, ready, ended)
		<-ended
	}()
	late := time.NewTimer(askStart)
	defer late.Stop()
	select {
	case <-ready:
		return nil
	case <-ctx.Done(): // the command will not start either
		return nil
	case <-ended:
		err = errors.New("the program that asks for the password could not be started")
	case <-late.C:
		err = errors.New("the program that asks for the password did not start in time")
	}
	a.close()
	return err
}

// serve answers until the server has ended.
func (a *asker) serve(ctx context.Context, lines <-chan string, ready chan<- struct{}, ended <-chan struct{}) {
	started := false
	for {
		select {
		case <-ended:
			return
		case line := <-lines:
			if line == "ready" && !started {
				started = true
				close(ready)
			}
			if _, err := strconv.Atoi(line); err != nil {
				continue
			}
			answer := a.answer(ctx, line)
			_, err := a.in.Write(answer)
			clear(answer)
			if err != nil {
				return
			}
		}
	}
}

// answer gives the line for one sudo: the password that is kept, or what the
// user enters. A sudo that asks again was given a wrong one.
func (a *asker) answer(ctx context.Context, sudo string) []byte {
	tries := a.tries[sudo]
	a.tries[sudo]++
	if tries > 0 {
		a.shell.sudo.forget()
	}
	known := a.shell.sudo.get()
	if known == nil && a.refused == "" && tries < askTries {
		if known = a.ask(ctx); known != nil {
			a.shell.sudo.keep(known)
		} else {
			a.refused = noPassword
		}
	}
	if known == nil {
		return []byte("-\n")
	}
	defer clear(known)
	line := make([]byte, 0, len(known)+2)
	return append(append(append(line, '+'), known...), '\n')
}

// ask asks the user. It gives nil when there is no password to be had.
func (a *asker) ask(ctx context.Context) []byte {
	if a.host == nil {
		return nil
	}
	info := a.shell.o.Place.Info()
	label := "sudo password of " + info.User
	if info.Target != "" {
		label += " on " + info.Target
	}
	got, err := a.host.Ask(ctx, tools.Question{Secret: &tools.Secret{Label: label, Reason: a.reason}})
	if err != nil || got.Choice != tools.ChoiceText || got.Text == "" || strings.ContainsAny(got.Text, "\n\x00") {
		return nil
	}
	return []byte(got.Text)
}

// close ends the server. It may be called more than once, and on nil.
func (a *asker) close() {
	if a == nil {
		return
	}
	a.cancel()
	<-a.done
	_ = a.in.Close()
}

// end ends the server after its command and gives what the model should know. A
// password that sudo has not taken is forgotten.
func (a *asker) end(output string, code int) string {
	if a == nil {
		return ""
	}
	a.close()
	for _, n := range a.tries {
		if n >= askTries || code == 1 && strings.Contains(output, "incorrect password") {
			a.shell.sudo.forget()
		}
	}
	return a.refused
}

// lineWriter sends the lines that are written to it on, until ctx ends.
type lineWriter struct {
	ctx  context.Context
	to   chan<- string
	part []byte
}

// maxRequest is the longest line that means something.
const maxRequest = 100

func (w *lineWriter) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if len(w.part) < maxRequest {
			w.part = append(w.part, line...)
		}
		rest = after
		if !ended {
			break
		}
		select {
		case w.to <- string(w.part):
		case <-w.ctx.Done():
		}
		w.part = w.part[:0]
	}
	return len(b), nil
}
