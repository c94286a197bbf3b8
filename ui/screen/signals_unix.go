//go:build unix

package screen

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// scrolls says that terminals scroll regions as they should.
const scrolls = true

// Suspend stops the process group as ctrl+z does in a shell, with the terminal
// given back until the process is continued. Without a shell that could continue it
// nothing happens.
func (t *Terminal) Suspend() {
	select {
	case t.halt <- struct{}{}:
	default:
	}
}

// signals is the goroutine that takes signals about the terminal: its size has
// changed, the process is to stop, the process was continued.
func (t *Terminal) signals(ctx context.Context) {
	sig := make(chan os.Signal, 4)
	signal.Notify(sig, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT)
	defer signal.Stop(sig)
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.halt:
			t.suspend(0, sig)
		case s := <-sig:
			if t.lent.Load() { // the other program stops and goes on with this one
				if s == syscall.SIGTSTP {
					_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
				}
				continue
			}
			switch s {
			case syscall.SIGWINCH:
				t.resized()
			case syscall.SIGTSTP:
				t.suspend(syscall.Getpid(), sig)
			case syscall.SIGCONT: // after a stop that no process can catch
				t.takeAgain()
			}
		}
	}
}

// suspend stops a process, or the process group if pid is 0. It uses SIGSTOP, since
// a Go program that was ever told of SIGTSTP never stops from it again.
func (t *Terminal) suspend(pid int, sig <-chan os.Signal) {
	if !continued() {
		return
	}
	t.giveBack()
	if syscall.Kill(pid, syscall.SIGSTOP) == nil {
		for s := range sig {
			if s == syscall.SIGCONT {
				break
			}
		}
	}
	t.takeAgain()
}

// continued reports whether there is a shell that would continue a stopped process:
// the parent, in the same session and another process group.
func continued() bool {
	parent := syscall.Getppid()
	group, err := syscall.Getpgid(parent)
	if err != nil || group == syscall.Getpgrp() {
		return false
	}
	theirs, err := unix.Getsid(parent)
	if err != nil {
		return false
	}
	ours, err := unix.Getsid(0)
	return err == nil && ours == theirs
}
