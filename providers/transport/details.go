package transport

import (
	"bytes"
	"encoding/json"
	"html"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"hermes-tui/tools/shorten"
)

// Details are what an error body says. Every field may be empty.
type Details struct {
	// Code and Type are the machine-readable names, a numeric code in decimal.
	Code string
	Type string
	// Message is one line of at most 4 KB.
	Message string
}

const (
	maxMessage = 4 << 10
	maxNesting = 6
)

// DecodeError reads the body of an error, or an error object inside a stream.
// It understands {"error":{…}}, {"error":"…"}, {"detail":…}, {"message":…} and
// lists of those, errors that gateways wrap (also as text in metadata.raw), web
// pages, of which the title is taken, and plain text. It never fails.
func DecodeError(body []byte) Details {
	body = bytes.TrimSpace(body)
	if v, ok := decodeAny(body); ok {
		d := readError(v, 0)
		if d == (Details{}) && len(body) > len("{}") {
			d.Message = string(body)
		}
		d.Code, d.Type, d.Message = oneLine(d.Code), oneLine(d.Type), oneLine(d.Message)
		return d
	}
	if title, ok := PageTitle(body); ok {
		return Details{Message: oneLine(title)}
	}
	return Details{Message: oneLine(string(body))}
}

// decodeAny reads a JSON object or list.
func decodeAny(data []byte) (v any, ok bool) {
	if len(data) == 0 || data[0] != '{' && data[0] != '[' {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return v, dec.Decode(&v) == nil
}

// readError finds the details in a decoded error. Numbers, truth values and
// null have none.
func readError(v any, depth int) Details {
	if depth > maxNesting {
		return Details{}
	}
	switch v := v.(type) {
	case string:
		if inner, ok := decodeAny([]byte(strings.TrimSpace(v))); ok {
			if d := readError(inner, depth+1); d.Message != "" {
				return d
			}
		}
		return Details{Message: v}
	case []any:
		return readList(v, depth)
	case map[string]any:
		return readObject(v, depth)
	}
	return Details{}
}

func readList(list []any, depth int) Details {
	var all Details
	for _, v := range list[:min(len(list), 5)] {
		d := readError(v, depth+1)
		all.fill(d)
		if d.Message != "" && d.Message != all.Message {
			all.Message += "; " + d.Message
		}
	}
	return all
}

func readObject(m map[string]any, depth int) Details {
	own := Details{Code: word(m, "code", "error_code"), Type: word(m, "type", "status")}
	for _, key := range []string{"message", "detail", "error_description", "error_message", "errorMessage", "msg", "errors"} {
		if d := readError(m[key], depth+1); d.Message != "" {
			own.fill(d)
			break
		}
	}
	switch inner := m["error"].(type) {
	case string:
		own = readBareError(inner, own, depth)
	case nil:
	default:
		d := readError(inner, depth+1)
		d.fill(own)
		own = d
	}
	if meta, ok := m["metadata"].(map[string]any); ok {
		d := readError(meta["raw"], depth+1)
		if own.Message != "" && d.Message != "" && !strings.Contains(own.Message, d.Message) {
			own.Message += ": " + d.Message
		}
		own.fill(d)
	}
	return own
}

// readBareError joins {"error":"…"} with what stands beside it.
func readBareError(text string, beside Details, depth int) Details {
	d := readError(text, depth+1)
	switch {
	case beside.Message == "":
	case !strings.Contains(text, " "): // a name such as invalid_grant
		if beside.Code == "" {
			beside.Code = text
		}
		return beside
	case !strings.Contains(d.Message, beside.Message):
		d.Message += ": " + beside.Message
	}
	d.fill(beside)
	return d
}

// fill takes over what d lacks.
func (d *Details) fill(from Details) {
	for _, f := range []struct{ to, from *string }{{&d.Code, &from.Code}, {&d.Type, &from.Type}, {&d.Message, &from.Message}} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
}

// word gives the first of some keys that holds text or a number.
func word(m map[string]any, keys ...string) string {
	for _, k := range keys {
		switch v := m[k].(type) {
		case string:
			if v != "" {
				return v
			}
		case json.Number:
			return v.String()
		}
	}
	return ""
}

// PageTitle reports whether a body is a web page and gives its title, or its first
// heading, or a phrase that says that it has none.
func PageTitle(body []byte) (string, bool) {
	body = bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\ufeff"))
	if len(body) == 0 || body[0] != '<' {
		return "", false
	}
	body = body[:min(len(body), maxErrorBody)]
	lower := asciiLower(body)
	for _, tag := range []string{"title", "h1"} {
		if text := oneLine(html.UnescapeString(element(body, lower, tag))); text != "" {
			return text, true
		}
	}
	return "a web page without a title", true
}

// asciiLower keeps all positions, which bytes.ToLower does not.
func asciiLower(b []byte) []byte {
	lower := bytes.Clone(b)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return lower
}

// element gives the text of the first element with a tag, markup removed.
func element(body, lower []byte, tag string) string {
	start := bytes.Index(lower, []byte("<"+tag))
	if start < 0 {
		return ""
	}
	open := bytes.IndexByte(lower[start:], '>')
	if open < 0 {
		return ""
	}
	start += open + 1
	length := bytes.Index(lower[start:], []byte("</"+tag))
	if length < 0 {
		return ""
	}
	var text strings.Builder
	inTag := false
	for _, c := range body[start : start+length] {
		switch {
		case c == '<':
			inTag = true
		case c == '>':
			inTag = false
			text.WriteByte(' ')
		case !inTag:
			text.WriteByte(c)
		}
	}
	return text.String()
}

// oneLine makes one bounded line of valid UTF-8.
func oneLine(s string) string {
	if len(s) > 4*maxMessage {
		s = s[:4*maxMessage]
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	if len(s) > maxMessage {
		s = shorten.Bytes(s, maxMessage) + "…"
	}
	return s
}

// retryAfter reads a Retry-After header: seconds, with or without fraction, or
// an HTTP date. What is negative or unreadable is 0; 24 hours are the most.
func retryAfter(value string, now time.Time) time.Duration {
	const most = 24 * time.Hour
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(seconds) && !math.IsInf(seconds, 0) {
		if seconds >= most.Seconds() {
			return most
		}
		return max(0, time.Duration(seconds*float64(time.Second)))
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(most, max(0, at.Sub(now)))
	}
	return 0
}
