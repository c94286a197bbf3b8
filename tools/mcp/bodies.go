package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
)

// guarded is an answer of a server at an address, read strictly. call is the token of the
// call that it answers, empty for none; bad hears why it cannot be taken, skipped of each
// event that was passed over.
func guarded(answer *http.Response, call string, bad func(error), skipped func([]byte)) io.ReadCloser {
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		return &eventBody{body: answer.Body, from: bufio.NewReader(answer.Body), call: call, bad: bad, skipped: skipped}
	}
	return &plainBody{body: answer.Body, strict: kind == "application/json" && answer.StatusCode/100 == 2, bad: bad}
}

// plainBody is one message.
type plainBody struct {
	body   io.ReadCloser
	strict bool
	bad    func(error)
	whole  *bytes.Reader
}

// Close implements io.Closer.
func (b *plainBody) Close() error { return b.body.Close() }

// Read implements io.Reader. The whole is read before any of it is given.
func (b *plainBody) Read(p []byte) (int, error) {
	if b.whole == nil {
		data, err := io.ReadAll(io.LimitReader(b.body, maxFrame+1))
		var twice *twiceError
		switch {
		case err != nil:
			return 0, err
		case len(data) > maxFrame:
			err = errTooLong
		case b.strict:
			if e := inspect(data); errors.As(e, &twice) {
				err = e
			}
		}
		if err != nil {
			b.bad(err)
			return 0, err
		}
		b.whole = bytes.NewReader(data)
	}
	return b.whole.Read(p)
}

// eventBody is a stream of events with a message in each.
type eventBody struct {
	body    io.Closer
	from    *bufio.Reader
	call    string
	bad     func(error)
	skipped func([]byte)
	ready   []byte // may be read
	err     error  // comes behind that
}

// Close implements io.Closer.
func (b *eventBody) Close() error { return b.body.Close() }

// Read implements io.Reader. It gives whole events.
func (b *eventBody) Read(p []byte) (int, error) {
	for len(b.ready) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.ready, b.err = b.event()
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

// event reads the next event: empty if it was passed over.
func (b *eventBody) event() (event []byte, err error) {
	var head, data []byte
	message, some := true, false
	for size := 0; ; {
		line, err := b.line(maxFrame - size)
		size += len(line)
		if err == errTooLong { //nolint:errorlint // just made
			b.bad(err)
			return nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0: // the end of the event
			event, bad := b.whole(head, data, message && some)
			if bad != nil {
				err = bad
			}
			return event, err
		case string(name) == "data":
			if some {
				data = append(data, '\n')
			}
			data, some = append(data, value...), true
		case len(name) == len(line): // a name alone means nothing here
		default:
			if string(name) == "event" {
				message = string(value) == "message" || len(value) == 0
			}
			head = append(append(head, line...), '\n')
		}
		if err != nil {
			event, bad := b.whole(head, data, message && some)
			if bad != nil {
				err = bad
			}
			return event, err
		}
	}
}

// line reads a line of at most so many bytes.
func (b *eventBody) line(most int) (line []byte, err error) {
	for {
		part, err := b.from.ReadSlice('\n')
		if line = append(line, part...); len(line) > most {
			return nil, errTooLong
		}
		if err != bufio.ErrBufferFull { //nolint:errorlint // it comes bare
			return line, err
		}
	}
}

// whole is an event as the SDK gets it. A message in it is looked at: what is none is passed
// over, and a question says which call it belongs to.
func (b *eventBody) whole(head, data []byte, message bool) ([]byte, error) {
	if message && len(bytes.TrimSpace(data)) > 0 {
		err := inspect(data)
		if err == errNoMessage { //nolint:errorlint // it comes bare
			b.skipped(data)
			data = nil
		} else if err != nil {
			b.bad(err)
			return nil, err
		}
		data = marked(data, b.call)
	}
	if len(head)+len(data) == 0 {
		return []byte(":\n\n"), nil // the stream is alive
	}
	event := head
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if len(data) == 0 {
			break
		}
		event = append(append(append(event, "data: "...), line...), '\n')
	}
	return append(event, '\n'), nil
}

// callKey is where a question of a server says in its _meta which call it belongs to, as the
// stream that it came on tells.
const callKey = "hermes-tui/call"

// marked is a message that says which call it belongs to, if it is a question.
func marked(data []byte, call string) []byte {
	if call == "" {
		return data
	}
	top := members(data)
	if top["id"] == nil || top["method"] == nil {
		return data
	}
	params := members(top["params"])
	meta := members(params["_meta"])
	if params == nil {
		return data
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	put := func(into map[string]json.RawMessage, key string, value any) {
		if raw, err := json.Marshal(value); err == nil { // all of it is JSON
			into[key] = raw
		}
	}
	put(meta, callKey, call)
	put(params, "_meta", meta)
	put(top, "params", params)
	out, err := json.Marshal(top)
	if err != nil {
		return data
	}
	return out
}
