package script

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hermes-tui/providers"
	"hermes-tui/tools/lazyregexp"
)

// Response is an HTTP response that is no answer.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Response is the failure as an HTTP response.
func (s Failure) Response() Response {
	out := Response{Status: s.Status, Header: http.Header{}, Body: s.body()}
	if out.Status == 0 {
		out.Status = http.StatusInternalServerError
	}
	out.Header.Set("Content-Type", "application/json")
	if s.HTML != "" {
		out.Header.Set("Content-Type", "text/html; charset=utf-8")
	}
	if s.RetryAfter > 0 {
		out.Header.Set("Retry-After", strconv.Itoa(int(math.Ceil(s.RetryAfter.Seconds()))))
	}
	for k, v := range s.Header {
		out.Header.Set(k, v)
	}
	return out
}

func (s Failure) body() []byte {
	switch {
	case s.HTML != "":
		return []byte(s.HTML)
	case s.Body != nil:
		return s.Body
	}
	return encode(map[string]any{"error": s.object()})
}

func (s Failure) object() map[string]any {
	out := map[string]any{"message": s.Message, "type": s.Type}
	if s.Message == "" {
		out["message"] = "The scenario fails here."
	}
	if s.Type == "" {
		out["type"] = "server_error"
	}
	if s.Code != "" {
		out["code"] = s.Code
	}
	return out
}

// event is the failure as the data of an event in a stream.
func (s Failure) event(w *wire) []byte {
	if s.HTML != "" || s.Body != nil {
		return bytes.ReplaceAll(s.body(), []byte("\n"), []byte(" "))
	}
	out := map[string]any{"error": s.object()}
	if s.WithID {
		maps.Copy(out, map[string]any{
			"id": w.id, "object": "chat.completion.chunk", "created": w.created, "model": w.model,
			"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"content": ""}, "finish_reason": "error"}},
		})
	}
	return encode(out)
}

// encode writes JSON without HTML escapes. It is called with values that can be
// encoded.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// maxErrorBody is how much of an error body is kept, in bytes.
const maxErrorBody = 64 << 10

// asError is what a client makes of a response that is no answer.
func asError(endpoint string, r Response, now time.Time) *providers.Error {
	e := &providers.Error{
		Kind: providers.ErrorStatus, Endpoint: endpoint, Status: r.Status, Header: r.Header,
		Body: r.Body[:min(len(r.Body), maxErrorBody)], RetryAfter: retryAfter(r.Header.Get("Retry-After"), now),
	}
	e.Message, e.Type, e.Code = describe(r.Body)
	if r.Status < 300 {
		e.Kind, e.Status = providers.ErrorProtocol, 0
		e.Message = "the endpoint does not answer in the chat protocol; it says: " + clip(cmp.Or(e.Message, string(e.Body)), 80)
	}
	return e
}

var titleRE = lazyregexp.New(`(?is)<title[^>]*>(.*?)</title>`)

// describe finds message, type and code in an error body.
func describe(body []byte) (message, kind, code string) {
	var in struct {
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &in) != nil {
		if m := titleRE.FindSubmatch(body); m != nil {
			return strings.TrimSpace(string(m[1])), "", ""
		}
		return "", "", ""
	}
	var inner struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    any    `json:"code"`
	}
	if json.Unmarshal(in.Error, &inner) == nil {
		if inner.Code != nil {
			code = fmt.Sprint(inner.Code)
		}
		return inner.Message, inner.Type, code
	}
	for _, raw := range []json.RawMessage{in.Error, in.Detail} {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return text, "", ""
		}
	}
	return in.Message, "", ""
}

// retryAfter reads the header of that name: seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(value, 64); err == nil && n > 0 && n < maxPause.Seconds() {
		return time.Duration(n * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// lost is what a client makes of a lost connection.
func lost(endpoint string, c Cut) *providers.Error {
	e := &providers.Error{
		Kind: providers.ErrorBroken, Endpoint: endpoint, Cause: syscall.ECONNRESET, Message: "the connection was reset",
	}
	if c == CutClean {
		e.Cause, e.Message = io.ErrUnexpectedEOF, "the answer ended before it was complete"
	}
	return e
}
