package bedrock

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// A frame is, with all numbers in big endian:
//
//	4 bytes  length of the whole frame
//	4 bytes  length of the headers
//	4 bytes  CRC-32 of the eight bytes before
//	headers
//	payload
//	4 bytes  CRC-32 of everything before
const (
	preludeSize  = 12
	checksumSize = 4
	frameLeast   = preludeSize + checksumSize
	// frameLimit bounds a frame, in bytes.
	frameLimit = 16<<20 + 128<<10 + frameLeast
)

// errCut is a body that ends within a frame.
var errCut = fmt.Errorf("the answer ends within an event: %w", io.ErrUnexpectedEOF)

// The errors of frames that were changed.
var (
	errChecksum = errors.New("an event does not match its checksum")
	errHeaders  = errors.New("the headers of an event cannot be read")
)

// frame is one event of the wire format of AWS.
type frame struct {
	kind    string // "event", "exception" or "error"
	name    string // of the event or the exception, or the code of the error
	message string // of an error
	payload []byte // valid until the next frame
}

// frames reads the frames of a body. The SDK has a reader as well, which allocates six
// times as much for each; the tests hold that both read the same. Next belongs to one
// goroutine; Close may be called at any time.
type frames struct {
	src  *bufio.Reader
	used int          // bytes of src that the last frame lies in
	long bytes.Buffer // a frame that exceeds the buffer of src
	any  bool         // whether a frame was read
}

func newFrames(body io.Reader) *frames {
	return &frames{src: bufio.NewReaderSize(body, 32<<10)}
}

// Next implements [transport.EventReader]. A frame that states an error gives it.
func (f *frames) Next() (name string, payload []byte, err error) {
	fr, err := f.next()
	switch {
	case err != nil:
		return "", nil, damaged(err)
	case fr.kind != "event":
		return "", nil, streamError(fr)
	}
	return fr.name, fr.payload, nil
}

// damaged words that a frame is not as it was sent. Other errors stay as they are.
func damaged(err error) error {
	var known *providers.Error
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, transport.ErrNoEvents) || errors.As(err, &known) {
		return err
	}
	return &providers.Error{
		Kind: providers.ErrorProtocol, Cause: err,
		Message: "the answer was changed on its way, or the base URL leads to something else than Amazon Bedrock: " + err.Error(),
	}
}

// Rest implements [transport.EventReader].
func (f *frames) Rest() io.Reader {
	f.release()
	return f.src
}

// First implements [transport.EventReader].
func (f *frames) First() string {
	if f.any {
		return "an event"
	}
	return ""
}

// Odd implements [transport.EventReader].
func (f *frames) Odd() string { return "" }

// next reads a frame. It gives io.EOF only at the end of one, and [transport.ErrNoEvents]
// for a body that begins as no frame does.
func (f *frames) next() (frame, error) {
	f.release()
	head, err := f.src.Peek(1)
	if err != nil {
		return frame{}, err
	}
	if !f.any && head[0] > frameLimit>>24 {
		return frame{}, transport.ErrNoEvents // the first letter of a text, as frames are not that long
	}
	if head, err = f.src.Peek(preludeSize); err != nil {
		return frame{}, cut(err)
	}
	length, headers := int(binary.BigEndian.Uint32(head)), int(binary.BigEndian.Uint32(head[4:]))
	if length > frameLimit || length < frameLeast+headers {
		return frame{}, fmt.Errorf("an event of %d bytes with headers of %d cannot be", length, headers)
	}
	if !matches(head) {
		return frame{}, errChecksum
	}
	whole, err := f.take(length)
	if err != nil {
		return frame{}, cut(err)
	}
	if !matches(whole) {
		return frame{}, errChecksum
	}
	f.any = true
	out := frame{kind: "event", payload: whole[preludeSize+headers : length-checksumSize]}
	return out, out.read(whole[preludeSize : preludeSize+headers])
}

// cut names an end within a frame.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return errCut
	}
	return err
}

// matches reports whether bytes are followed by their checksum.
func matches(b []byte) bool {
	n := len(b) - checksumSize
	return crc32.ChecksumIEEE(b[:n]) == binary.BigEndian.Uint32(b[n:])
}

// take reads a whole frame, which is valid until the next. Memory is taken as the
// bytes arrive, not as they are announced.
func (f *frames) take(length int) ([]byte, error) {
	if length <= f.src.Size() {
		f.used = length
		return f.src.Peek(length)
	}
	f.long.Reset()
	_, err := io.CopyN(&f.long, f.src, int64(length))
	return f.long.Bytes(), err
}

// release gives the room of the last frame back.
func (f *frames) release() {
	_, _ = f.src.Discard(f.used) // it is there
	f.used = 0
}

// sizes are the bytes that values of the types of headers have, by the number of the
// type. Those of bytes and texts have a length of two bytes in front instead.
var sizes = [...]int{0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 6: -1, 7: -1, 8: 8, 9: 16}

const typeText = 7

// read takes what is used of the headers: name length, name, type, value.
func (fr *frame) read(b []byte) error {
	for len(b) > 0 {
		n := int(b[0])
		if len(b) < n+2 {
			return errHeaders
		}
		name, kind := b[1:1+n], int(b[1+n])
		b = b[n+2:]
		if kind >= len(sizes) {
			return errHeaders
		}
		size := sizes[kind]
		if size < 0 {
			if len(b) < 2 {
				return errHeaders
			}
			size, b = int(binary.BigEndian.Uint16(b)), b[2:]
		}
		if len(b) < size {
			return errHeaders
		}
		if kind == typeText {
			fr.set(name, b[:size])
		}
		b = b[size:]
	}
	return nil
}

// set takes a header.
func (fr *frame) set(name, value []byte) {
	switch string(name) {
	case ":message-type":
		fr.kind = usual(value)
	case ":event-type", ":exception-type", ":error-code":
		fr.name = usual(value)
	case ":error-message":
		fr.message = string(value)
	}
}

// usual is a text that most often is one of a few, without a copy of its own.
func usual(b []byte) string {
	switch string(b) {
	case "event":
		return "event"
	case eventDelta:
		return eventDelta
	}
	return string(b)
}
