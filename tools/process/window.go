package process

import (
	"bytes"
	"sync"
)

// Bounds of the output that is kept.
const (
	// MaxOutput is how many characters are kept.
	MaxOutput = 200_000
	// maxBytes bounds them in bytes, whatever they are.
	maxBytes = 4 * MaxOutput
	// slack is how much more is kept for a while, so that not every write moves
	// everything.
	slack = 256 << 10
)

// window keeps the newest output of a job, as the job wrote it. It is safe for
// concurrent use.
type window struct {
	mu   sync.Mutex
	kept []byte
	lost int64 // bytes that came before
}

func (w *window) write(b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if over := len(b) - maxBytes; over > 0 {
		w.lost += int64(over + len(w.kept))
		w.kept, b = w.kept[:0], b[over:]
	}
	w.kept = append(w.kept, b...)
	if len(w.kept) > maxBytes+slack {
		w.drop(len(w.kept) - maxBytes)
	}
}

// skip notes output that was not read.
func (w *window) skip(n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost += n + int64(len(w.kept))
	w.kept = w.kept[:0]
}

func (w *window) drop(n int) {
	w.lost += int64(n)
	w.kept = w.kept[:copy(w.kept, w.kept[n:])]
}

// all gives what is kept, MaxOutput characters at most. When something came
// before, it begins with a line.
func (w *window) all() (text []byte, lost int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.kept) - len(lastChars(w.kept, MaxOutput)); n > 0 {
		w.drop(n)
	}
	text, lost = bytes.Clone(w.kept), w.lost
	if line := bytes.IndexByte(text, '\n'); lost > 0 && line >= 0 && line < 4096 {
		text, lost = text[line+1:], lost+int64(line)+1
	}
	return text, lost
}

// tail gives the last n bytes, from the beginning of a character.
func (w *window) tail(n int) (string, int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	from := max(0, len(w.kept)-max(n, 0))
	for from > 0 && from < len(w.kept) && w.kept[from]&0xc0 == 0x80 {
		from++
	}
	return string(w.kept[from:]), w.lost + int64(from)
}

// lastChars gives the last n characters, and no more than four times as many
// bytes.
func lastChars(b []byte, n int) []byte {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i]&0xc0 != 0x80 {
			if n--; n == 0 {
				b = b[i:]
				break
			}
		}
	}
	return b[max(0, len(b)-maxBytes):]
}
