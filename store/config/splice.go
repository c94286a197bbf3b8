package config

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// splice changes the setting in the text and touches nothing else. It gives nil
// where it does not see how. Its result is a guess that the caller has to
// compare with the tree wanted.
func (s *fileEdit) splice(doc *yaml.Node) []byte {
	value, ok := inline(s.value)
	if !ok {
		return nil
	}
	if len(doc.Content) == 0 {
		return s.add(len(s.text), "", s.path, value)
	}
	at := doc.Content[0]
	for i, name := range s.path {
		if at.Kind == yaml.ScalarNode && i == 1 && name == s.bare {
			break
		}
		if at.Kind != yaml.MappingNode || at.Style&yaml.FlowStyle != 0 || len(at.Content) == 0 {
			return nil
		}
		key, next := entry(at, name)
		switch {
		case key == nil && i == 0:
			return s.add(len(s.text), "", s.path, value)
		case key == nil:
			return s.add(s.after(at), strings.Repeat(" ", at.Content[0].Column-1), s.path[i:], value)
		case isNull(next) && next.Value == "" && i+1 < len(s.path):
			return s.add(nextLine(s.text, key.Line), strings.Repeat(" ", key.Column+1), s.path[i+1:], value)
		}
		at = next
	}
	return s.replace(at, value)
}

// inline gives a value as text that fits on one line.
func inline(n *yaml.Node) (string, bool) {
	b, err := yaml.Marshal(n)
	text := strings.TrimSuffix(string(b), "\n")
	return text, err == nil && !strings.Contains(text, "\n")
}

// add inserts a setting with the sections around it at an offset that begins a
// line.
func (s *fileEdit) add(offset int, indent string, path []string, value string) []byte {
	eol := "\n"
	if bytes.Contains(s.text, []byte("\r\n")) {
		eol = "\r\n"
	}
	var b bytes.Buffer
	b.Write(s.text[:offset])
	if offset > 0 && s.text[offset-1] != '\n' {
		b.WriteString(eol)
	}
	for i, name := range path {
		key, ok := inline(newText(name))
		if !ok {
			return nil
		}
		b.WriteString(indent + key + ":")
		if i == len(path)-1 {
			b.WriteString(" " + value)
		}
		b.WriteString(eol)
		indent += "  "
	}
	b.Write(s.text[offset:])
	return b.Bytes()
}

// after is the offset of the line after the last one on which something of a
// subtree begins.
func (s *fileEdit) after(n *yaml.Node) int {
	last := 0
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		last = max(last, n.Line)
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(n)
	return nextLine(s.text, last)
}

// nextLine is the offset of the line after a line, or the end of the text.
func nextLine(text []byte, line int) int {
	_, end := lineBounds(text, line)
	return min(end+1, len(text))
}

// replace puts a value in the place of a text on one line.
func (s *fileEdit) replace(n *yaml.Node, value string) []byte {
	if n.Kind != yaml.ScalarNode || n.Anchor != "" || n.Style&^(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		return nil
	}
	start, _ := lineBounds(s.text, n.Line)
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(s.text[start:])
		start += size
	}
	length := token(s.text[start:], n)
	if length == 0 {
		return nil
	}
	return append(append(bytes.Clone(s.text[:start]), value...), s.text[start+length:]...)
}

// token is the length of a scalar at the beginning of a text; 0 when it is
// empty, spans lines or is something else.
func token(text []byte, n *yaml.Node) int {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	switch n.Style {
	case 0:
		if bytes.HasPrefix(line, []byte(n.Value)) {
			return len(n.Value)
		}
	case yaml.SingleQuotedStyle:
		for i := 1; i < len(line); i++ {
			if line[i] != '\'' {
				continue
			}
			if i+1 == len(line) || line[i+1] != '\'' {
				return i + 1
			}
			i++
		}
	case yaml.DoubleQuotedStyle:
		for i := 1; i < len(line); i++ {
			switch line[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
	}
	return 0
}
