//go:build unix

package place

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// connectTerminal gives the process a new terminal of its own, which becomes
// the controlling one of its session.
func (p *process) connectTerminal(spec Proc, open func() (screen, line *os.File, err error)) error {
	if open == nil {
		open = pty.Open
	}
	screen, line, err := open()
	if err != nil {
		return fmt.Errorf("open a terminal: %w", err)
	}
	size := &pty.Winsize{Rows: uint16(spec.TTY.Rows), Cols: uint16(spec.TTY.Cols)}
	if err := pty.Setsize(screen, size); err != nil {
		closeFiles([]*os.File{screen, line})
		return fmt.Errorf("open a terminal: %w", err)
	}
	screen, err = pollable(screen)
	if err != nil {
		_ = line.Close()
		return fmt.Errorf("open a terminal: %w", err)
	}
	out := &pipe{r: screen, w: line, to: spec.Stdout, eof: make(chan struct{})}
	if out.to == nil {
		out.to = io.Discard
	}
	p.take(out)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = line, line, line
	p.cmd.SysProcAttr.Setctty = true
	p.cmd.SysProcAttr.Ctty = 0 // as the process numbers it
	return nil
}

// pollable gives the same open file with reads that can be given up, and closes
// f.
func pollable(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// typeInto types what r gives, and at its end the key that ends input. It ends
// when the terminal is closed.
func typeInto(screen *os.File, r io.Reader) {
	last := byte('\n')
	if _, err := io.Copy(&keys{screen, &last}, r); err != nil {
		return // the terminal is gone
	}
	eof, lines := endKey(screen)
	end := []byte{eof}
	if lines && last != '\n' && last != '\r' {
		end = append(end, eof) // the first one only sends the unfinished line
	}
	_, _ = screen.Write(end) // no one may be there to read it
}

// keys remembers the last key typed.
type keys struct {
	to   io.Writer
	last *byte
}

func (k *keys) Write(b []byte) (int, error) {
	if len(b) > 0 {
		*k.last = b[len(b)-1]
	}
	return k.to.Write(b)
}

// endKey gives the key that ends input at this moment, and whether the terminal
// takes whole lines.
func endKey(screen *os.File) (key byte, lines bool) {
	key = 4 // ^D
	raw, err := screen.SyscallConn()
	if err != nil {
		return key, false
	}
	_ = raw.Control(func(fd uintptr) {
		if t, err := unix.IoctlGetTermios(int(fd), getTermios); err == nil {
			lines = t.Lflag&unix.ICANON != 0
			if c := t.Cc[unix.VEOF]; lines && c != 0 {
				key = c
			}
		}
	})
	return key, lines
}
