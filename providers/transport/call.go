package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
)

// Call is what one request has of its own. It travels in the context, so that
// it passes through libraries that know nothing of it.
type Call struct {
	// Headers are set on the request.
	Headers map[string]string
	// Extra are top-level keys of the JSON body, added or replaced. A nil value
	// removes the key. All other values keep their bytes.
	Extra map[string]any
	// Patch changes the decoded body after Extra was applied. Numbers in it are
	// [json.Number]. An error stops the request.
	Patch func(body map[string]any) error
}

type callKey struct{}

// WithCall adds a call to a context. Where a context has been given several,
// their parts are joined, and what was given first wins: a caller overrides
// what the packages below it add.
func WithCall(ctx context.Context, c Call) context.Context {
	if first, ok := ctx.Value(callKey{}).(Call); ok {
		c = Call{
			Headers: join(c.Headers, first.Headers),
			Extra:   join(c.Extra, first.Extra),
			Patch:   chain(c.Patch, first.Patch),
		}
	}
	return context.WithValue(ctx, callKey{}, c)
}

// join makes a map of both, in which over wins.
func join[V any](under, over map[string]V) map[string]V {
	both := make(map[string]V, len(under)+len(over))
	for _, m := range []map[string]V{under, over} {
		for k, v := range m {
			both[k] = v
		}
	}
	return both
}

// chain makes one patch of two, either of which may be nil.
func chain(first, then func(map[string]any) error) func(map[string]any) error {
	if first == nil || then == nil {
		if first == nil {
			return then
		}
		return first
	}
	return func(body map[string]any) error {
		if err := first(body); err != nil {
			return err
		}
		return then(body)
	}
}

// prepare gives a request its headers and its final body. It takes the request
// over.
func (t *Transport) prepare(req *http.Request, watch *watchdog) (*http.Request, error) {
	call, _ := req.Context().Value(callKey{}).(Call)
	if req.Header == nil {
		req.Header = http.Header{}
	}
	setDefault(req.Header, "User-Agent", t.agent)
	// Left to itself a server may compress, which delays a stream.
	setDefault(req.Header, "Accept-Encoding", "identity")
	for _, headers := range []map[string]string{call.Headers, t.headers} {
		for k, v := range headers {
			req.Header.Set(k, v)
		}
	}
	if req.Body == nil || req.Body == http.NoBody {
		return req, nil
	}
	data, err := io.ReadAll(req.Body)
	if cerr := req.Body.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("read request body: %w", err)
	}
	if data, err = call.rewrite(data); err != nil {
		return nil, fmt.Errorf("extend request body: %w", err)
	}
	req.ContentLength = int64(len(data))
	req.GetBody = func() (io.ReadCloser, error) {
		return io.NopCloser(&upload{bytes.NewReader(data), watch}), nil
	}
	req.Body, err = req.GetBody()
	return req, err
}

func setDefault(h http.Header, key, value string) {
	if h.Get(key) == "" {
		h.Set(key, value)
	}
}

// rewrite applies a call to a JSON body. The keys come out sorted, so equal
// requests are equal bytes.
func (c Call) rewrite(body []byte) ([]byte, error) {
	switch {
	case c.Patch != nil:
		return rewriteDeep(body, c)
	case len(c.Extra) > 0:
		return rewriteTop(body, c.Extra)
	}
	return body, nil
}

// rewriteTop leaves everything below the first level as it is.
func rewriteTop(body []byte, extra map[string]any) ([]byte, error) {
	top, err := decodeObject[json.RawMessage](body)
	if err != nil {
		return nil, err
	}
	for k, v := range extra {
		if v == nil {
			delete(top, k)
			continue
		}
		if top[k], err = Encode(v); err != nil {
			return nil, fmt.Errorf("encode %s: %w", k, err)
		}
	}
	return assemble(top)
}

// assemble is [encode] for an object whose values are JSON already. They are most of
// a long request, and are not looked at again.
func assemble(top map[string]json.RawMessage) ([]byte, error) {
	size := 2
	for k, v := range top {
		size += len(k) + len(v) + 4
	}
	out := append(make([]byte, 0, size), '{')
	for i, k := range slices.Sorted(maps.Keys(top)) {
		name, err := Encode(k)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), top[k]...)
	}
	return append(out, '}'), nil
}

func rewriteDeep(body []byte, c Call) ([]byte, error) {
	body, err := rewriteTop(body, c.Extra)
	if err != nil {
		return nil, err
	}
	top, err := decodeObject[any](body)
	if err != nil {
		return nil, err
	}
	if err := c.Patch(top); err != nil {
		return nil, err
	}
	return Encode(top)
}

// decodeObject reads exactly one JSON object without loss of digits.
func decodeObject[V any](data []byte) (map[string]V, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var m map[string]V
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("decode body: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("decode body: something follows the object")
	}
	if m == nil {
		return nil, errors.New("decode body: it is no object")
	}
	return m, nil
}

// Encode is json.Marshal without the escapes that only HTML needs.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Given reports whether a value is there and says something.
func Given(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", "false", `""`, "{}":
		return false
	}
	return true
}
