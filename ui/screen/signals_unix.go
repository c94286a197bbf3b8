//go:build unix

package screen

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// scrolls says that terminals scroll regions as they should.
const scrolls = true

// stopTime is how long the process waits for a stop that it has asked for. A
// system without anyone to continue it (no shell, an orphaned process group)
// ignores the wish.
const stopTime = 100 * time.Millisecond

// Suspend stops the process group as ctrl+z does in a shell, with the terminal
// given back until the process is continued. Without a shell nothing happens.
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

// suspend stops a process, or the process group if pid is 0.
func (t *Terminal) suspend(pid int, sig chan os.Signal) {
	t.giveBack()
	signal.Reset(syscall.SIGTSTP)
	_ = syscall.Kill(pid, syscall.SIGTSTP)
	late := time.NewTimer(stopTime)
	defer late.Stop()
	for again := false; !again; {
		select {
		case s := <-sig:
			again = s == syscall.SIGCONT
		case <-late.C:
			again = true
		}
	}
	signal.Notify(sig, syscall.SIGTSTP)
	t.takeAgain()
}
