package cachediff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/tools/shorten"
)

// difference is the first part in which a request differs from the one before it.
// The zero value is a request to which something was added at most.
type difference struct {
	cause event.CacheCause
	words string
	// kept is how many bytes of the request before it begins with.
	kept int
}

// compare finds the first part in which now differs from was.
func compare(was, now *fingerprint) difference {
	if was.endpoint != now.endpoint {
		return difference{cause: event.CacheModel, words: movedWords(was.endpoint, now.endpoint)}
	}
	if kept, words := compareTools(was.tools, now.tools); words != "" {
		return difference{event.CacheTools, words, kept}
	}
	kept := toolBytes(was.tools)
	if was.system != now.system {
		at := common(was.system, now.system)
		return difference{event.CacheSystem, systemWords(was.system, now.system, at), kept + at}
	}
	kept += len(was.system)
	if words := settingWords(was.settings, now.settings); words != "" {
		return difference{event.CacheSettings, words, kept}
	}
	return compareMessages(was, now, kept)
}

func movedWords(was, now Endpoint) string {
	if was.Model != now.Model {
		return fmt.Sprintf("%s answers instead of %s", now.Model, was.Model)
	}
	return fmt.Sprintf("%s answers from another place", now.Model)
}

// common is how many bytes two texts begin with alike.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func systemWords(was, now string, at int) string {
	switch {
	case was == "":
		return "there is a system prompt now"
	case now == "":
		return "the system prompt went"
	case at == len(was):
		return fmt.Sprintf("the system prompt goes on after byte %d", at)
	}
	return fmt.Sprintf("the system prompt changed at byte %d", at)
}

func settingWords(was, now settings) string {
	or := func(s string) string {
		if s == "" {
			return "the usual"
		}
		return s
	}
	switch {
	case was.effort != now.effort:
		return fmt.Sprintf("the reasoning effort changed from %s to %s", or(was.effort), or(now.effort))
	case was.keep != now.keep:
		return "the time changed for which the prompt is to be kept"
	case was.session != now.session:
		return "the session goes on as another one, by which the provider finds its cache"
	}
	return ""
}

// compareTools finds the first tool that differs, and how many bytes stand before
// it.
func compareTools(was, now []providers.ToolDef) (kept int, words string) {
	if len(was) > 0 && len(now) > 0 && &was[0] == &now[0] && len(was) == len(now) {
		return 0, ""
	}
	for i := range was {
		a := &was[i]
		if i >= len(now) {
			return kept, goneWords(was[i:], now)
		}
		b := &now[i]
		switch {
		case a.Name != b.Name:
			return kept, movedTool(was, now, i)
		case a.Description != b.Description:
			return kept + len(a.Name), fmt.Sprintf("tool %s changed its description", a.Name)
		case !bytes.Equal(a.Parameters, b.Parameters):
			return kept + len(a.Name) + len(a.Description), fmt.Sprintf("tool %s changed its parameters", a.Name)
		}
		kept += len(a.Name) + len(a.Description) + len(a.Parameters)
	}
	if len(now) > len(was) {
		return kept, cameWords(now[len(was):])
	}
	return 0, ""
}

// movedTool says what became of the tools from place i on, where the names differ.
func movedTool(was, now []providers.ToolDef, i int) string {
	switch {
	case !has(was, now[i].Name):
		n := i
		for n < len(now) && !has(was, now[n].Name) {
			n++
		}
		return cameWords(now[i:n])
	case !has(now, was[i].Name):
		n := i
		for n < len(was) && !has(now, was[n].Name) {
			n++
		}
		return goneWords(was[i:n], now)
	}
	return fmt.Sprintf("tool %s stands where tool %s stood", now[i].Name, was[i].Name)
}

func has(list []providers.ToolDef, name string) bool {
	return slices.ContainsFunc(list, func(d providers.ToolDef) bool { return d.Name == name })
}

func cameWords(list []providers.ToolDef) string {
	if len(list) > 1 {
		return fmt.Sprintf("%d tools came, the first of them %s", len(list), list[0].Name)
	}
	return fmt.Sprintf("tool %s came", list[0].Name)
}

// goneWords says that tools went. left are those that there are now.
func goneWords(list, left []providers.ToolDef) string {
	switch {
	case len(left) == 0:
		return "it was sent without tools"
	case len(list) > 1:
		return fmt.Sprintf("%d tools went, the first of them %s", len(list), list[0].Name)
	}
	return fmt.Sprintf("tool %s went", list[0].Name)
}

// compareMessages finds the first message that differs. kept are the bytes before
// the messages.
func compareMessages(was, now *fingerprint, kept int) difference {
	for i := range was.messages {
		a := &was.messages[i]
		if i < len(now.messages) && a.same(&now.messages[i]) {
			kept += a.bytes
			continue
		}
		cause := event.CacheHistory
		if a.forOneRequest() {
			cause = event.CacheNote
		}
		return difference{cause, changeWords(was.messages, now.messages, i), kept}
	}
	return difference{}
}

// changeWords say what became of message i, counted from 1 for people.
func changeWords(was, now []message, i int) string {
	a := &was[i]
	name := fmt.Sprintf("message %d (%s)", i+1, a.words())
	if i >= len(now) {
		if n := len(was) - i; n > 1 {
			return fmt.Sprintf("%s and %d more behind it were left out", name, n-1)
		}
		return name + " was left out"
	}
	b := &now[i]
	if a.id == b.id {
		return rewritten(name, a, b)
	}
	if n := find(was[i:], b.id); n > 0 {
		if n == 1 {
			return name + " was left out"
		}
		return fmt.Sprintf("%s and %d more behind it were left out", name, n-1)
	}
	if find(now[i:], a.id) > 0 {
		return fmt.Sprintf("another message (%s) stands before %s", b.words(), name)
	}
	if a.forOneRequest() {
		return fmt.Sprintf("message %d was for one request only", i+1)
	}
	return fmt.Sprintf("%s gave way to another one (%s)", name, b.words())
}

// find is the place of a message of that id, -1 if there is none.
func find(list []message, id string) int {
	if id == "" {
		return -1
	}
	return slices.IndexFunc(list, func(m message) bool { return m.id == id })
}

// rewritten says which part of a message changed, and whether it got longer.
func rewritten(name string, a, b *message) string {
	k := kind(0)
	for k < kinds && a.sums[k] == b.sums[k] {
		k++
	}
	verb := "was rewritten"
	switch {
	case k == kinds:
		verb = "was labelled again"
	case b.sums[k] == 0:
		verb = "went"
	case a.sums[k] == 0:
		verb = "came"
	case b.bytes < a.bytes:
		verb = "was shortened"
	case b.bytes > a.bytes:
		verb = "got longer"
	}
	what := ""
	switch k {
	case reasoning:
		what = "the reasoning of "
	case images:
		what = "an image of "
	case calls:
		what = "a call of "
	case items:
		what = "what the provider wants back of "
	}
	return what + name + " " + verb
}

// forOneRequest reports whether a message was made for one request.
func (m *message) forOneRequest() bool { return m.id == "" && m.role != providers.Tool }

// words say what a message is.
func (m *message) words() string {
	switch {
	case m.role == providers.Tool && m.tool != "":
		return "tool result of " + m.tool
	case m.role == providers.Tool:
		return "tool result"
	case m.forOneRequest():
		return "made for one request"
	case m.role == providers.Assistant && m.calls == 1:
		return "answer with a call"
	case m.role == providers.Assistant && m.calls > 1:
		return fmt.Sprintf("answer with %d calls", m.calls)
	case m.role == providers.Assistant:
		return "answer"
	}
	return "prompt"
}

// clip bounds a text to what a report holds.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= event.ChangeLimit {
		return s
	}
	return shorten.Bytes(s, event.ChangeLimit-len("…")) + "…"
}
