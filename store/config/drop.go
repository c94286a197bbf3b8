package config

import (
	"bytes"
	"context"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Drop takes a named entry out of a section of the file o.File, such as a server out of
// mcp_servers, and the section with it when nothing else is there. Otherwise it works like
// [Set]. An entry that the file itself does not have gives an [*Error].
func Drop(ctx context.Context, o Options, section, name string) error {
	key := section + "." + name
	return rewrite(ctx, o, "remove setting "+key, func(old []byte) ([]byte, error) { return without(o, old, section, name) })
}

// without gives the text of the file without an entry.
func without(o Options, old []byte, section, name string) ([]byte, error) {
	if _, _, err := decodeText(o, old); err != nil {
		return nil, err
	}
	doc, _, err := documents(bytes.NewReader(old))
	if err != nil {
		return nil, syntaxError(o.File, old, err)
	}
	wrong := func(problem string) error {
		return &Error{Kind: KindNesting, Origin: "the file", Key: printable(section + "." + name), Problem: problem}
	}
	if doc == nil || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, wrong("is not there")
	}
	at, key := doc.Content[0], section
	_, entries := entry(at, section)
	if entries == nil || entries.Kind != yaml.MappingNode || entries.Anchor != "" {
		return nil, wrong("is not there, or stands elsewhere in the file: edit the file by hand")
	}
	if found, value := entry(entries, name); found == nil || value.Anchor != "" {
		return nil, wrong("is not there, or is used in several places of the file: edit the file by hand")
	}
	if len(entries.Content) > 2 {
		at, key = entries, name
	}
	spliced := cutEntry(old, at, key)
	for i := 0; i+1 < len(at.Content); i += 2 {
		if at.Content[i].Value == key {
			at.Content = append(at.Content[:i:i], at.Content[i+2:]...)
			break
		}
	}
	for _, text := range [][]byte{spliced, layOut(doc)} {
		if text == nil || !sameTree(doc, text) && len(bytes.TrimSpace(text)) > 0 {
			continue
		}
		if _, _, err := decodeText(o, text); err == nil {
			return text, nil
		}
	}
	return nil, wrong("cannot be removed without changing other settings: edit the file by hand")
}

// cutEntry takes the lines of an entry out of a text, with the comments above it. It gives
// nil where it does not see how; its result has to be compared with the tree wanted.
func cutEntry(text []byte, m *yaml.Node, name string) []byte {
	if m.Style&yaml.FlowStyle != 0 {
		return nil
	}
	above := func(n *yaml.Node) int { return strings.Count(n.HeadComment, "\n") + min(len(n.HeadComment), 1) }
	for i := 0; i+1 < len(m.Content); i += 2 {
		key := m.Content[i]
		if key.Value != name {
			continue
		}
		start, _ := lineBounds(text, max(key.Line-above(key), 1))
		end := (&fileEdit{text: text}).after(m.Content[i+1])
		if i+2 < len(m.Content) {
			next := m.Content[i+2]
			end, _ = lineBounds(text, max(next.Line-above(next), 1))
		}
		if end < start {
			return nil
		}
		return append(bytes.Clone(text[:start]), text[end:]...)
	}
	return nil
}
