//go:build unix

package uitest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// console is the driver's end of a pseudo-terminal.
type console struct {
	file   *os.File // non-blocking, so that reads end with close
	before unix.Termios
}

// startConsole starts a command as the leader of a session on a new
// pseudo-terminal and notes the time just before it does. Standard error stays
// where the command has it, if it has.
func startConsole(cmd *exec.Cmd, cols, rows int, began *time.Time) (*console, error) {
	master, tty, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("open a pseudo-terminal: %w", err)
	}
	defer tty.Close()
	defer master.Close()
	c, err := nonblocking(master)
	if err != nil {
		return nil, err
	}
	if err := c.prepare(cols, rows); err != nil {
		c.close()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout = tty, tty
	if cmd.Stderr == nil {
		cmd.Stderr = tty
	}
	*began = time.Now()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		c.close()
		return nil, fmt.Errorf("start the program: %w", err)
	}
	return c, nil
}

// nonblocking makes a second descriptor of a terminal that the runtime waits for
// by polling. Reads on the first one would outlive its being closed.
func nonblocking(master *os.File) (*console, error) {
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("copy the pseudo-terminal: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("poll the pseudo-terminal: %w", err)
	}
	return &console{file: os.NewFile(uintptr(fd), "pty")}, nil
}

func (c *console) prepare(cols, rows int) error {
	if err := c.resize(cols, rows); err != nil {
		return err
	}
	state, err := c.termios()
	if err != nil {
		return err
	}
	c.before = *state
	return nil
}

// control runs an operation on the descriptor.
func (c *console) control(what string, do func(fd int) error) error {
	conn, err := c.file.SyscallConn()
	if err != nil {
		return fmt.Errorf("%s of the pseudo-terminal: %w", what, err)
	}
	var inner error
	err = conn.Control(func(fd uintptr) { inner = do(int(fd)) })
	if err := errors.Join(err, inner); err != nil {
		return fmt.Errorf("%s of the pseudo-terminal: %w", what, err)
	}
	return nil
}

// resize sets the size; the foreground program gets SIGWINCH.
func (c *console) resize(cols, rows int) error {
	return c.control("set the size", func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(cols)})
	})
}

// termios is the state of the line discipline.
func (c *console) termios() (*unix.Termios, error) {
	var state *unix.Termios
	err := c.control("read the state", func(fd int) (err error) {
		state, err = unix.IoctlGetTermios(fd, getTermios)
		return err
	})
	return state, err
}

// changes lists what is different in a state of the line discipline.
func (c *console) changes(now *unix.Termios) []string {
	var all []string
	for _, f := range []struct {
		name        string
		was, become any
	}{
		{"input flags", c.before.Iflag, now.Iflag}, {"output flags", c.before.Oflag, now.Oflag},
		{"control flags", c.before.Cflag, now.Cflag}, {"local flags", c.before.Lflag, now.Lflag},
		{"control characters", c.before.Cc, now.Cc},
	} {
		if f.was != f.become {
			all = append(all, fmt.Sprintf("the line discipline has the %s %#v, it had %#v", f.name, f.become, f.was))
		}
	}
	return all
}

func (c *console) close() { _ = c.file.Close() }
