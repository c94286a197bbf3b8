package code

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxFrame is the longest request in bytes.
const maxFrame = 4 << 20

// errFrameTooLong is the cause when a request is longer than that.
var errFrameTooLong = fmt.Errorf("a request has more than %d bytes", maxFrame)

// readFrame reads one line of at most limit bytes and gives it without its end.
// What the peer left unfinished is io.ErrUnexpectedEOF. Memory grows with what was
// received only.
func readFrame(r *bufio.Reader, limit int) ([]byte, error) {
	var frame []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(frame)+len(part) > limit+1 {
			return nil, errFrameTooLong
		}
		frame = append(frame, part...)
		switch {
		case err == nil:
			return frame[:len(frame)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(frame) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// request is what a script sends: a call, or, with Exit, how it ended.
type request struct {
	Token string          `json:"token"`
	ID    string          `json:"id"`
	Tool  string          `json:"tool"`
	Args  json.RawMessage `json:"args"`
	Exit  *int            `json:"exit"`
}

// response is the answer. One of its fields is set.
type response struct {
	ID      string  `json:"id,omitempty"`
	Result  *string `json:"result,omitempty"`
	Refused string  `json:"refused,omitempty"`
}
