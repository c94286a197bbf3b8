package failure

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"hermes-tui/providers"
)

// evidence is an error taken apart for matching.
type evidence struct {
	err  error
	kind providers.ErrorKind
	// status is the HTTP status when it is an error, else 0.
	status int
	// httpStatus is the one that was received.
	httpStatus int
	// original is the status that something behind the service answered with, if the
	// body says so, else 0.
	original int
	// resets is how long it takes until an allowance begins again, 0 if nothing says so.
	resets   time.Duration
	header   http.Header
	endpoint string
	body     string
	// stated is the message the error states, in its own spelling.
	stated string
	// parts are all pieces of text, in small letters: names and texts of the body,
	// of JSON inside them, codes, messages and causes.
	parts []string
	// text is all of them.
	text string
	// codes are the machine-readable codes, in small letters.
	codes []string
}

// read takes an error apart.
func read(err error) evidence {
	e := evidence{err: err, kind: providers.ErrorStream}
	var p *providers.Error
	if !errors.As(err, &p) {
		e.stated = plainText(err)
		e.parts = []string{e.stated}
		e.finish()
		return e
	}
	e.kind, e.httpStatus, e.header, e.endpoint = p.Kind, p.Status, p.Header, p.Endpoint
	if p.Status >= 400 {
		e.status = p.Status
	}
	body := p.Body
	if len(body) == 0 && strings.HasPrefix(strings.TrimSpace(p.Message), "{") {
		body = []byte(p.Message) // an error object inside a stream
	}
	e.body = string(body)
	e.resets = p.RetryAfter
	e.readBody(body)
	if e.stated == "" {
		e.stated = p.Message
	}
	e.parts = append(e.parts, p.Message, p.Code, p.Type)
	e.codes = append(e.codes, p.Code, p.Type)
	if p.Cause != nil {
		cause := plainText(p.Cause)
		e.parts = append(e.parts, cause)
		if e.stated == "" {
			e.stated = cause
		}
	}
	e.finish()
	return e
}

// plainText is an error's text without the URL that net/http puts in front.
func plainText(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err.Error()
	}
	return err.Error()
}

// finish derives the searchable forms.
func (e *evidence) finish() {
	for i := range e.parts {
		e.parts[i] = strings.ToLower(e.parts[i])
	}
	for i := range e.codes {
		e.codes[i] = strings.ToLower(e.codes[i])
	}
	e.text = strings.Join(e.parts, "\n")
}

// readBody collects the texts and codes of a body, which is JSON or plain text.
func (e *evidence) readBody(body []byte) {
	var v any
	if json.Unmarshal(body, &v) != nil {
		e.parts = append(e.parts, e.body)
		e.stated = strings.TrimSpace(e.body)
		return
	}
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0] // some services wrap the error in a list
	}
	e.collect(v, 0)
	m, ok := v.(map[string]any)
	if !ok {
		e.stated = strings.TrimSpace(e.body)
		return
	}
	e.stated = statedMessage(m)
	if e.stated == "" {
		e.stated = strings.TrimSpace(e.body)
	}
	inner, _ := m["error"].(map[string]any)
	detail, _ := m["detail"].(map[string]any)
	for _, c := range []any{
		inner["code"], inner["type"], inner["status"], m["code"], m["error_code"], m["type"], m["__type"], detail["code"],
	} {
		if s, ok := c.(string); ok {
			e.codes = append(e.codes, s[strings.LastIndexByte(s, '#')+1:])
		}
	}
	if n, ok := m["originalStatusCode"].(float64); ok && n >= 400 && n < 600 {
		e.original = int(n)
	}
	if d, ok := resetsIn(inner); ok {
		e.resets = d
	}
}

// statedMessage finds the message in the usual places of an error body.
func statedMessage(m map[string]any) string {
	switch inner := m["error"].(type) {
	case string:
		return inner
	case map[string]any:
		if s, ok := inner["message"].(string); ok {
			return s
		}
	}
	for _, k := range []string{"message", "Message", "detail"} {
		if s, ok := m[k].(string); ok {
			return s
		}
	}
	if detail, ok := m["detail"].(map[string]any); ok {
		s, _ := detail["message"].(string)
		return s
	}
	return ""
}

// collect gathers all names and texts of a JSON value. Texts that are JSON
// objects themselves, as where a router quotes what its upstream said, are taken
// apart as well.
func (e *evidence) collect(v any, depth int) {
	const deepest = 32
	if depth > deepest {
		return
	}
	switch v := v.(type) {
	case string:
		e.parts = append(e.parts, v)
		if s := strings.TrimSpace(v); strings.HasPrefix(s, "{") {
			var inner any
			if json.Unmarshal([]byte(s), &inner) == nil {
				e.collect(inner, depth+1)
			}
		}
	case []any:
		for _, x := range v {
			e.collect(x, depth+1)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			e.parts = append(e.parts, k)
			e.collect(v[k], depth+1)
		}
	}
}

// has reports whether the text contains one of the phrases.
func (e *evidence) has(phrases ...string) bool {
	for _, p := range phrases {
		if strings.Contains(e.text, p) {
			return true
		}
	}
	return false
}

// hasAll reports whether the text contains all of the phrases.
func (e *evidence) hasAll(phrases ...string) bool {
	for _, p := range phrases {
		if !strings.Contains(e.text, p) {
			return false
		}
	}
	return true
}

// coded reports whether one of the codes is in the list.
func (e *evidence) coded(list []string) bool {
	for _, c := range e.codes {
		for _, l := range list {
			if c == l {
				return true
			}
		}
	}
	return false
}

// redirected tells redirects that were not followed, which they are not the next time.
func (e *evidence) redirected() bool { return e.httpStatus >= 300 && e.httpStatus < 400 }

// isTLS tells failures of the encryption layer.
func (e *evidence) isTLS() bool {
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var cert *tls.CertificateVerificationError
	return errors.As(e.err, &record) || errors.As(e.err, &alert) || errors.As(e.err, &cert) || e.has(tlsPhrases...)
}

// isDisconnect tells connections that the other side closed or lost.
func (e *evidence) isDisconnect() bool {
	return errors.Is(e.err, io.EOF) || errors.Is(e.err, io.ErrUnexpectedEOF) || e.has(disconnectPhrases...)
}

// isTransport tells errors below the protocol.
func (e *evidence) isTransport() bool {
	if e.kind == providers.ErrorConnect || e.kind == providers.ErrorBroken {
		return true
	}
	var n net.Error
	return errors.As(e.err, &n)
}
