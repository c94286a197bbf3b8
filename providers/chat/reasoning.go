package chat

import (
	"encoding/json"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// The kinds of native items: the fields of a message that the provider sent and
// gets back.
const (
	itemReasoningContent = "reasoning_content"
	itemReasoning        = "reasoning"
	itemDetails          = "reasoning_details"
	// itemTagged is a text with reasoning between tags, itemExtras tells that calls have
	// something attached to them.
	itemTagged = "content"
	itemExtras = "extra_content"
)

// reasoning collects what a provider wants to see again.
type reasoning struct {
	field   string // the field that readable reasoning came in first
	plain   strings.Builder
	details []*detail
}

// detail is an element of reasoning_details. Neighbours of one type and index
// are pieces of one element, whose text grows.
type detail struct {
	kind, index string // as raw JSON
	growing     string // the field that grows, empty for none
	text        strings.Builder
	fields      map[string]json.RawMessage
}

// add takes the reasoning of a piece and gives the part to show.
func (r *reasoning) add(p *piece) string {
	shown := string(p.ReasoningContent)
	field := itemReasoningContent
	if shown == "" {
		shown, field = string(p.Reasoning), itemReasoning
	}
	if shown != "" {
		if r.field == "" {
			r.field = field
		}
		r.plain.WriteString(shown)
	}
	var readable string
	for _, d := range p.Details {
		readable += r.addDetail(d)
	}
	if shown == "" {
		shown = readable
	}
	return shown
}

// addDetail takes an element and gives its readable text.
func (r *reasoning) addDetail(fields map[string]json.RawMessage) string {
	d := &detail{kind: string(fields["type"]), index: string(fields["index"]), fields: fields}
	switch d.kind {
	case `"reasoning.text"`:
		d.growing = "text"
	case `"reasoning.summary"`:
		d.growing = "summary"
	}
	added, _ := transport.Unquote(fields[d.growing]) // text that cannot be read is none
	if last := len(r.details) - 1; last >= 0 && d.growing != "" && r.details[last].kind == d.kind && r.details[last].index == d.index {
		d = r.details[last]
		for k, v := range fields {
			if string(v) != "null" || d.fields[k] == nil {
				d.fields[k] = v
			}
		}
	} else {
		r.details = append(r.details, d)
	}
	d.text.WriteString(added)
	return added
}

// items gives what was collected. Details hold the readable reasoning too, so
// with them nothing else is kept.
func (r *reasoning) items(issuer, model string) ([]providers.Item, error) {
	switch {
	case len(r.details) > 0:
		list := make([]map[string]json.RawMessage, 0, len(r.details))
		for _, d := range r.details {
			if d.growing != "" && (d.text.Len() > 0 || d.fields[d.growing] != nil) {
				raw, err := json.Marshal(d.text.String())
				if err != nil {
					return nil, err
				}
				d.fields[d.growing] = raw
			}
			list = append(list, d.fields)
		}
		return item(issuer, model, itemDetails, list)
	case r.plain.Len() > 0:
		return item(issuer, model, r.field, r.plain.String())
	}
	return nil, nil
}

func item(issuer, model, kind string, value any) ([]providers.Item, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return []providers.Item{{Issuer: issuer, Model: model, Kind: kind, Raw: raw}}, nil
}
