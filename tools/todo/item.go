package todo

import (
	"encoding/json"
	"reflect"
	"strings"
)

// item is an item as the model gave it. Numbers are taken for text; values of
// other kinds count as missing.
type item struct{ id, content, status string }

// UnmarshalJSON implements [json.Unmarshaler].
func (g *item) UnmarshalJSON(raw []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return &json.UnmarshalTypeError{Value: "value of another kind", Type: reflect.TypeFor[map[string]any]()}
	}
	*g = item{id: text(fields["id"]), content: text(fields["content"]), status: text(fields["status"])}
	return nil
}

// text reads a string, or a number as it is written.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// key is the id of an item in a list.
func (g item) key() string {
	if id := strings.TrimSpace(g.id); id != "" {
		return id
	}
	return "?"
}

// todo fills in what is missing.
func (g item) todo() Task {
	t := Task{ID: g.key(), Content: clean(g.content), Status: known(g.status)}
	if t.Content == "" {
		t.Content = "(no description)"
	}
	if t.Status == "" {
		t.Status = pending
	}
	return t
}

// clean trims a description and cuts it to its limit, the mark included.
func clean(content string) string {
	content = strings.TrimSpace(content)
	if len(content) <= maxContent {
		return content
	}
	runes := []rune(content)
	if len(runes) <= maxContent {
		return content
	}
	return string(runes[:maxContent-len([]rune(cutMark))]) + cutMark
}

// known gives the status a word means, empty for none.
func known(status string) string {
	switch s := strings.ToLower(strings.TrimSpace(status)); s {
	case pending, inProgress, completed, cancelled:
		return s
	}
	return ""
}
