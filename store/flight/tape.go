package flight

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Tape is a recording that was read.
type Tape struct {
	Head  Head
	items []Item
	// Whole says that the recording was ended in order.
	Whole bool
	cols  int
	rows  int
}

// maxTape bounds what is read, in bytes.
const maxTape = 512 << 20

// Read reads a recording, which may be compressed by gzip. A last line that a killed
// program has not finished is left out.
func Read(name string) (*Tape, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	var from io.Reader = in
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if from, err = gzip.NewReader(in); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	t := &Tape{}
	if err := t.read(bufio.NewReader(io.LimitReader(from, maxTape))); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func (t *Tape) read(in *bufio.Reader) error {
	first, err := in.ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if json.Unmarshal(first, &t.Head) != nil || t.Head.Flight == 0 {
		return errors.New("this is no recording: make one with hermes-tui --record FILE")
	}
	if t.Head.Flight > Version {
		return fmt.Errorf("a later version of the program has made this recording (format %d, this one knows %d): update hermes-tui", t.Head.Flight, Version)
	}
	t.cols, t.rows = t.Head.Cols, t.Head.Rows
	for n := 2; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // what is left has no end
		}
		if err != nil {
			return err
		}
		var i Item
		if err := json.Unmarshal(line, &i); err != nil {
			return fmt.Errorf("line %d is damaged: %w", n, err)
		}
		if i.Kind == KindStop {
			t.Whole = true
		}
		var size struct{ Width, Height int }
		if i.Kind == KindInput && i.Name == "WindowSizeMsg" && json.Unmarshal(i.Val, &size) == nil {
			t.cols, t.rows = max(t.cols, size.Width), max(t.rows, size.Height)
		}
		t.items = append(t.items, i)
	}
}

// Length is how long the recorded session took.
func (t *Tape) Length() time.Duration {
	if len(t.items) == 0 {
		return 0
	}
	return time.Duration(t.items[len(t.items)-1].T) * time.Microsecond
}

// Size is the largest screen in the recording.
func (t *Tape) Size() (cols, rows int) { return t.cols, t.rows }

// Marks is how many marks it has.
func (t *Tape) Marks() (n int) {
	for _, i := range t.items {
		if i.Kind == KindMark {
			n++
		}
	}
	return n
}
