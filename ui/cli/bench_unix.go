//go:build unix

package cli

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"

	"github.com/creack/pty"
)

// benchPatience bounds each wait for the program that is measured.
const benchPatience = 20 * time.Second

// benchScreen starts the program on a terminal, and types into it.
func benchScreen(ctx context.Context, program func(...string) *exec.Cmd, rounds int) ([]figure, error) {
	var first, keys []time.Duration
	for range rounds {
		frame, typed, err := benchRound(ctx, program("--provider", "demo"))
		if err != nil {
			return nil, err
		}
		first, keys = append(first, frame), append(keys, typed...)
	}
	return []figure{times("start to first frame", first), times("key to screen", keys)}, nil
}

// benchSigns are typed: they stand nowhere else on the screen.
var benchSigns = []string{"λ", "ψ", "ω", "φ", "δ", "ξ", "π", "σ", "θ", "β"}

// benchRound starts the program once, waits for its first frame, which has the composer,
// and types some signs.
func benchRound(ctx context.Context, cmd *exec.Cmd) (frame time.Duration, typed []time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, benchPatience)
	defer cancel()
	began := time.Now()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		return 0, nil, err
	}
	ended := make(chan struct{})
	defer func() {
		_ = cmd.Process.Kill()
		_ = tty.Close()
		<-ended
		_ = cmd.Wait()
	}()
	type piece struct {
		text []byte
		at   time.Time
	}
	pieces := make(chan piece, 1024)
	go func() {
		defer close(ended)
		defer close(pieces)
		for {
			text := make([]byte, 64<<10)
			n, err := tty.Read(text)
			if err != nil {
				return
			}
			select {
			case pieces <- piece{text[:n], time.Now()}:
			case <-ctx.Done():
				return
			}
		}
	}()
	var seen []byte
	until := func(sign string) (time.Time, error) {
		for {
			select {
			case p, ok := <-pieces:
				if !ok {
					return time.Time{}, fmt.Errorf("the program ended before %q was on its screen", sign)
				}
				if seen = append(seen, p.text...); bytes.Contains(seen, []byte(sign)) {
					seen = nil
					return p.at, nil
				}
			case <-ctx.Done():
				return time.Time{}, fmt.Errorf("%q did not come onto the screen within %v", sign, benchPatience)
			}
		}
	}
	at, err := until("❯")
	if err != nil {
		return 0, nil, err
	}
	frame = at.Sub(began)
	for _, sign := range benchSigns {
		sent := time.Now()
		if _, err := tty.WriteString(sign); err != nil {
			return 0, nil, err
		}
		if at, err = until(sign); err != nil {
			return 0, nil, err
		}
		typed = append(typed, at.Sub(sent))
	}
	return frame, typed, nil
}
