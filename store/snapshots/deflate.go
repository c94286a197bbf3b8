package snapshots

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"sync"
)

// deflaters compresses contents; it keeps its tables for the next one.
type deflaters struct{ writers sync.Pool }

const (
	deflateMin  = 128      // shorter contents are kept as they are
	sampleAbove = 64 << 10 // of longer ones a sample is tried first
	sampleSize  = 32 << 10
)

// encode gives the form in which a content is kept, and whether it is deflated. A
// content that hardly shrinks is kept as it is: the very slice is returned.
func (d *deflaters) encode(data []byte) ([]byte, bool) {
	if len(data) < deflateMin {
		return data, false
	}
	if len(data) > sampleAbove && len(d.deflate(data[:sampleSize])) > sampleSize*19/20 {
		return data, false
	}
	out := d.deflate(data)
	if len(out) > len(data)*15/16 {
		return data, false
	}
	return out, true
}

func (d *deflaters) deflate(data []byte) []byte {
	out := bytes.NewBuffer(make([]byte, 0, len(data)/2+64))
	w, ok := d.writers.Get().(*flate.Writer)
	if ok {
		w.Reset(out)
	} else {
		var err error
		if w, err = flate.NewWriter(out, flate.BestSpeed); err != nil {
			return data // not possible for a level that exists
		}
	}
	_, err := w.Write(data)
	if err := errors.Join(err, w.Close()); err != nil {
		return data // not possible in memory
	}
	d.writers.Put(w)
	return out.Bytes()
}

// decode gives the content back.
func (d *deflaters) decode(b []byte, l loc) ([]byte, error) {
	if !l.deflated {
		return b, nil
	}
	r := flate.NewReader(bytes.NewReader(b))
	var out bytes.Buffer
	if _, err := io.Copy(&out, io.LimitReader(r, int64(l.raw)+1)); err != nil {
		return nil, err
	}
	if out.Len() != int(l.raw) {
		return nil, errors.New("a kept content has another size")
	}
	return out.Bytes(), nil
}
