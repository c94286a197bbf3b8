//go:build unix

package uitest

import (
	"io"
	"time"
)

// show reads a program's output into the model until reading fails, as it does
// when no one has the terminal open any more.
//
// The emulator takes the end of a piece for the end of a character. So bytes
// beyond ASCII at the end of a piece are held back until more comes, or until
// it is clear that nothing does.
//
// Reading runs ahead of the model by a bounded amount, so that the model's speed
// is not that of the terminal. tap may be nil.
func show(r io.Reader, t *terminal, tap func([]byte, time.Time)) {
	pieces := make(chan []byte, aheadPieces)
	go func() {
		defer close(pieces)
		for {
			buf := make([]byte, 8<<10)
			n, err := r.Read(buf)
			if n > 0 && tap != nil {
				tap(buf[:n], time.Now())
			}
			if n > 0 {
				pieces <- buf[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	var held []byte
	var late <-chan time.Time
	for {
		select {
		case p, ok := <-pieces:
			if !ok {
				t.write(held)
				return
			}
			p = append(held, p...)
			cut := wholeText(p)
			t.write(p[:cut])
			held, late = append([]byte(nil), p[cut:]...), nil
			if len(held) > 0 {
				late = time.After(holdTime)
			}
		case <-late:
			t.write(held)
			held, late = nil, nil
		}
	}
}

// aheadPieces is how many pieces of at most 8 KB are read before they are shown.
const aheadPieces = 64

// holdTime and holdLimit bound how long and how much is held back.
const (
	holdTime  = 20 * time.Millisecond
	holdLimit = 256
)

// wholeText is the length of the part of p that certainly ends between two
// characters.
func wholeText(p []byte) int {
	cut := len(p)
	for cut > 0 && p[cut-1] >= 0x80 {
		cut--
	}
	if len(p)-cut > holdLimit {
		return len(p)
	}
	return cut
}
