package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"

	"hermes-tui/store/atomicfile"
)

// The bounds of the input history: how many texts are given back, the size in
// bytes at which the file is cut down to them, and that of a line.
const (
	maxHistory     = 1000
	maxHistoryFile = 4 << 20
	maxHistoryLine = 1 << 20
)

// History returns what the user sent before, oldest first, in the form in
// which it was remembered. Lines that are damaged or too long are passed over; a
// history that cannot be read is empty.
func (a *App) History(context.Context) []string {
	f, err := os.Open(a.o.Home.History())
	if err != nil {
		return nil
	}
	defer f.Close()
	var list []string
	lines := bufio.NewReaderSize(f, maxHistoryLine)
	for {
		line, err := lines.ReadSlice('\n')
		for long := errors.Is(err, bufio.ErrBufferFull); long; long = errors.Is(err, bufio.ErrBufferFull) {
			line = nil
			_, err = lines.ReadSlice('\n')
		}
		var text string
		if json.Unmarshal(line, &text) == nil && text != "" {
			list = append(list, text)
		}
		if err != nil {
			break
		}
	}
	list = list[max(0, len(list)-maxHistory):]
	if info, err := f.Stat(); err == nil && info.Size() > maxHistoryFile {
		a.rewriteHistory(list)
	}
	return list
}

// Remember adds a text to the history, which is a convenience: what cannot be
// written is forgotten.
func (a *App) Remember(text string) {
	line, err := json.Marshal(text)
	if err != nil || len(line) >= maxHistoryLine {
		return
	}
	f, err := os.OpenFile(a.o.Home.History(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		a.log.Warn("history not written", "err", err)
		return
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		a.log.Warn("history not written", "err", err)
	}
}

// rewriteHistory cuts the file down to a list. Another program may add to the
// file meanwhile; what it adds in that moment is lost.
func (a *App) rewriteHistory(list []string) {
	var all []byte
	for _, text := range list {
		if line, err := json.Marshal(text); err == nil {
			all = append(append(all, line...), '\n')
		}
	}
	if err := atomicfile.Write(a.o.Home.History(), all, 0o600); err != nil {
		a.log.Warn("history not cut down", "err", err)
	}
}
