package config

import (
	"bytes"
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fileEdit changes one setting of a file.
type fileEdit struct {
	text  []byte
	path  []string
	bare  string // which setting of the first section a bare text stands for
	value *yaml.Node
}

// splitKey gives the path of a setting. The name of a provider may contain
// dots.
func splitKey(key string) []string {
	first, rest, deeper := strings.Cut(key, ".")
	if !deeper {
		return []string{key}
	}
	if f := find(schema(), first); f != nil && f.shape == shapeByName {
		i := strings.LastIndexByte(rest, '.')
		return []string{first, rest[:i], rest[i+1:]}
	}
	return strings.Split(key, ".")
}

// entry finds the value of a key in a mapping itself, not in what is merged
// into it.
func entry(m *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Kind == yaml.ScalarNode && m.Content[i].Value == name {
			return m.Content[i], m.Content[i+1]
		}
	}
	return nil, nil
}

// tree gives a copy of a document with the setting changed.
func (s *fileEdit) tree(doc *yaml.Node) (*yaml.Node, error) {
	copied := copyTree(doc, map[*yaml.Node]*yaml.Node{})
	if len(copied.Content) == 0 {
		copied.Content = []*yaml.Node{newSection()}
	}
	at := &copied.Content[0]
	for i, name := range s.path {
		if err := s.makeSection(*at, i); err != nil {
			return nil, err
		}
		if (*at).Kind == yaml.ScalarNode { // a bare text that stands for the setting
			break
		}
		at = child(*at, name)
	}
	if (*at).Kind == yaml.AliasNode {
		return nil, errors.New("is an alias in the file: edit the file by hand")
	}
	if (*at).Anchor != "" {
		return nil, errors.New("is used in several places of the file: edit the file by hand")
	}
	changed := *s.value
	keepComments(&changed, *at)
	if old := *at; old.Kind == yaml.SequenceNode && changed.Kind == yaml.SequenceNode {
		keepEntries(&changed, old)
	}
	*at = &changed
	return copied, nil
}

func keepComments(n, old *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = old.HeadComment, old.LineComment, old.FootComment
}

// keepEntries gives a list the layout of the old one, and each entry that was
// in it the comments it had there. The comment above the first entry belongs to
// the list.
func keepEntries(list, old *yaml.Node) {
	list.Style = old.Style
	entries := make([]*yaml.Node, len(list.Content))
	for i, n := range list.Content {
		entry := *n
		for _, o := range old.Content {
			if o.Value == n.Value {
				keepComments(&entry, o)
				break
			}
		}
		entries[i] = &entry
	}
	if len(entries) > 0 && len(old.Content) > 0 && entries[0].HeadComment == "" {
		entries[0].HeadComment = old.Content[0].HeadComment
	}
	list.Content = entries
}

// makeSection turns a node into a mapping if it is none. depth counts the
// elements of the path that lead to it. A bare text is kept as one when it
// stands for the very setting.
func (s *fileEdit) makeSection(n *yaml.Node, depth int) error {
	switch {
	case n.Kind == yaml.AliasNode, n.Anchor != "":
		return errors.New("is in a section that is used in several places of the file: edit the file by hand")
	case n.Kind == yaml.MappingNode:
		return nil
	case isNull(n):
		old := *n
		*n = *newSection()
		keepComments(n, &old)
		return nil
	case depth == 1 && s.path[1] == s.bare:
		return nil
	}
	old := *n
	*n = *newSection()
	n.Content = []*yaml.Node{newText(s.bare), &old}
	return nil
}

// child gives the place of a key's value in a mapping; a new key comes last.
func child(m *yaml.Node, name string) **yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Kind == yaml.ScalarNode && m.Content[i].Value == name {
			return &m.Content[i+1]
		}
	}
	m.Content = append(m.Content, newText(name), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"})
	return &m.Content[len(m.Content)-1]
}

func newSection() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

func newText(s string) *yaml.Node {
	n := new(yaml.Node)
	n.SetString(s)
	return n
}

// copyTree copies a tree; aliases lead to the copies.
func copyTree(n *yaml.Node, done map[*yaml.Node]*yaml.Node) *yaml.Node {
	if c, ok := done[n]; ok {
		return c
	}
	c := *n
	done[n] = &c
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, below := range n.Content {
		c.Content[i] = copyTree(below, done)
	}
	if n.Alias != nil {
		c.Alias = copyTree(n.Alias, done)
	}
	return &c
}

// layOut writes a whole document; nil when that is not possible.
func layOut(doc *yaml.Node) []byte {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if enc.Encode(doc) != nil || enc.Close() != nil {
		return nil
	}
	return b.Bytes()
}

// sameTree reports whether a text is the document wanted, apart from comments and
// layout.
func sameTree(wanted *yaml.Node, text []byte) bool {
	got, more, err := documents(bytes.NewReader(text))
	return err == nil && more == nil && got != nil && sameNode(wanted, got)
}

func sameNode(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == yaml.ScalarNode && a.ShortTag() != b.ShortTag() {
		return false
	}
	for i := range a.Content {
		if !sameNode(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
