package tools

import (
	"fmt"
	"strconv"
	"strings"
)

// Attached is a text that the program puts before the model beside what the user wrote,
// such as instructions that the user called for by name.
type Attached struct{ Name, Text string }

// The form of what is attached: a note at the end of a message, in which each text
// stands with its length in bytes, so that it is found again whatever it says.
const (
	attachedOpen  = "\n\n[note from the program; the user did not write it]\nIn use:"
	attachedClose = "\n[end of the note]"
	attachedItem  = "\n<attached name=%q bytes=%d>\n"
	attachedEnd   = "\n</attached>"
)

// Attach writes texts as the end of a message; no texts are nothing.
func Attach(list []Attached) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(attachedOpen)
	for _, a := range list {
		fmt.Fprintf(&b, attachedItem, a.Name, len(a.Text))
		b.WriteString(a.Text + attachedEnd)
	}
	b.WriteString(attachedClose)
	return b.String()
}

// Detach takes what [Attach] has written off a message. What only looks like it is left.
func Detach(message string) (rest string, list []Attached) {
	for from := 0; ; {
		i := strings.Index(message[from:], attachedOpen)
		if i < 0 {
			return message, nil
		}
		from += i
		if list, ok := parseAttached(message[from+len(attachedOpen):]); ok {
			return message[:from], list
		}
		from += len(attachedOpen)
	}
}

func parseAttached(s string) (list []Attached, ok bool) {
	for s != attachedClose {
		rest, opened := strings.CutPrefix(s, "\n<attached name=")
		head, rest, more := strings.Cut(rest, ">\n")
		quoted, length, both := strings.Cut(head, " bytes=")
		name, e := strconv.Unquote(quoted)
		n, err := strconv.Atoi(length)
		if !opened || !more || !both || e != nil || err != nil || n < 0 || n > len(rest) || !strings.HasPrefix(rest[n:], attachedEnd) {
			return nil, false
		}
		list = append(list, Attached{name, rest[:n]})
		s = rest[n+len(attachedEnd):]
	}
	return list, len(list) > 0
}
