package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"hermes-tui/store/atomicfile"
)

// maxFile bounds the files this package reads, in bytes.
const maxFile = 1 << 20

// readFile reads a settings file. A missing file is nil and no error; the
// byte order mark of UTF-8 is cut off.
func readFile(name string) ([]byte, error) {
	data, _, err := atomicfile.Read(name, maxFile)
	switch _, large := errors.AsType[*atomicfile.LargeError](err); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, atomicfile.ErrNotRegular):
		return nil, &Error{Kind: KindRead, File: name,
			Problem: "is not a regular file: move it away and write the settings to a file of that name"}
	case large:
		return nil, &Error{Kind: KindTooBig, File: name,
			Problem: "is larger than 1 MB: settings are never that long, move the file away"}
	case err != nil:
		return nil, readError(name, err)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if i := invalidUTF8(data); i >= 0 {
		line, col := lineColumn(data, i)
		return nil, &Error{Kind: KindEncoding, File: name, Line: line, Column: col, Problem: "the text is not UTF-8 from here on: save the file as UTF-8"}
	}
	return data, nil
}

func readError(name string, err error) *Error {
	cause := err
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		cause = pe.Err
	}
	return &Error{Kind: KindRead, File: name, Problem: fmt.Sprintf("cannot be read (%v): correct its permissions or move it away", cause), Err: err}
}

// invalidUTF8 is the place of the first byte that is not UTF-8, -1 if there is
// none.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	i := 0
	for {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
}

// lineColumn converts an offset, both results counted from 1.
func lineColumn(data []byte, offset int) (line, col int) {
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// parse reads the one document of a file as a tree. No document, or an empty
// one, gives nil. doubles are keys that appear twice.
func parse(name string, data []byte) (root *yaml.Node, doubles []*Error, err error) {
	first, second, err := documents(bytes.NewReader(data))
	if err != nil {
		return nil, nil, syntaxError(name, data, err)
	}
	if second != nil {
		return nil, nil, &Error{Kind: KindDocuments, File: name, Line: second.Line, Column: second.Column,
			Problem: `a second document begins here: remove the line "---" before it`}
	}
	if first == nil || len(first.Content) == 0 {
		return nil, nil, nil
	}
	if doubles, err = checkTree(name, first); err != nil {
		return nil, nil, err
	}
	if root = first.Content[0]; isNull(root) {
		return nil, nil, nil
	}
	return root, doubles, nil
}

// documents parses at most two documents, and all of the input up to there.
func documents(r io.Reader) (first, second *yaml.Node, err error) {
	defer func() {
		// The parser panics on input that trips its own consistency checks.
		if p := recover(); p != nil {
			first, second, err = nil, nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	dec := yaml.NewDecoder(r)
	for _, doc := range []**yaml.Node{&first, &second} {
		n := new(yaml.Node)
		switch err := dec.Decode(n); {
		case errors.Is(err, io.EOF):
			return first, second, nil
		case err != nil:
			return nil, nil, err
		}
		*doc = n
	}
	return first, second, nil
}

// isNull reports whether a value is absent, as in "key:" or "key: null".
func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// The bounds of a tree: nesting in levels, aliases in the nodes that they add.
const (
	maxDepth   = 100
	maxAliased = 10_000
)

// treeCheck looks for what the parser lets pass.
type treeCheck struct {
	file string
	// sizes holds the number of nodes below each anchor, 0 while it is counted.
	sizes   map[*yaml.Node]int
	aliased int
	doubles []*Error
}

// checkTree refuses deep nesting and aliases that grow without bound or contain
// themselves. Of duplicate keys the last one stays; doubles names them.
func checkTree(file string, root *yaml.Node) (doubles []*Error, err error) {
	c := &treeCheck{file: file, sizes: map[*yaml.Node]int{}}
	_, err = c.node(root, 0)
	return c.doubles, err
}

func (c *treeCheck) fail(kind Kind, n *yaml.Node, format string, args ...any) error {
	return &Error{Kind: kind, File: c.file, Line: n.Line, Column: n.Column, Problem: fmt.Sprintf(format, args...)}
}

// node checks a subtree and counts its nodes, those behind aliases included.
func (c *treeCheck) node(n *yaml.Node, depth int) (int, error) {
	if depth > maxDepth {
		return 0, c.fail(KindNesting, n, "the settings are nested deeper than %d levels: remove what is not needed", maxDepth)
	}
	if n.Kind == yaml.AliasNode {
		return c.alias(n)
	}
	if n.Anchor != "" {
		c.sizes[n] = 0
	}
	size := 1
	for _, child := range n.Content {
		below, err := c.node(child, depth+1)
		if err != nil {
			return 0, err
		}
		size += below
	}
	if n.Kind == yaml.MappingNode {
		c.duplicates(n)
	}
	if n.Anchor != "" {
		c.sizes[n] = size
	}
	return size, nil
}

func (c *treeCheck) alias(n *yaml.Node) (int, error) {
	size := c.sizes[n.Alias]
	if size == 0 {
		return 0, c.fail(KindNesting, n, "the alias *%s stands inside what it means: write the settings out", n.Value)
	}
	if c.aliased += size; c.aliased > maxAliased {
		return 0, c.fail(KindNesting, n, "the aliases of this file add up to more than %d values: write the settings out", maxAliased)
	}
	return size, nil
}

// duplicates takes the earlier ones of equal keys out of a mapping, as other readers of
// YAML do.
func (c *treeCheck) duplicates(n *yaml.Node) {
	last := make(map[string]int, len(n.Content)/2)
	name := func(i int) (string, bool) {
		key := target(n.Content[i])
		return key.Value, key.Kind == yaml.ScalarNode && key.ShortTag() != mergeTag
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key, ok := name(i); ok {
			last[key] = i
		}
	}
	var kept []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, ok := name(i)
		if ok && last[key] != i {
			at := n.Content[last[key]]
			c.doubles = append(c.doubles, &Error{Kind: KindDuplicate, File: c.file, Line: at.Line, Column: at.Column,
				Problem: fmt.Sprintf("the key %s appears a second time, it is in line %d already, which is ignored: remove one of them", quote(key), n.Content[i].Line)})
			continue
		}
		kept = append(kept, n.Content[i], n.Content[i+1])
	}
	n.Content = kept
}

const mergeTag = "!!merge"

// pair is a setting in the file.
type pair struct{ key, value *yaml.Node }

// pairs lists the entries of a mapping in their order. Entries merged in by
// "<<" follow, as far as the mapping does not have them itself.
func pairs(n *yaml.Node) []pair {
	var own []pair
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := target(n.Content[i]), n.Content[i+1]
		if key.Kind == yaml.ScalarNode && key.ShortTag() == mergeTag {
			merged = append(merged, target(value))
			continue
		}
		own = append(own, pair{n.Content[i], value})
	}
	if merged == nil {
		return own
	}
	seen := map[string]bool{}
	for _, p := range own {
		seen[target(p.key).Value] = true
	}
	for len(merged) > 0 {
		m := merged[0]
		merged = merged[1:]
		switch m.Kind {
		case yaml.SequenceNode:
			for _, child := range m.Content {
				merged = append(merged, target(child))
			}
		case yaml.MappingNode:
			for _, p := range pairs(m) {
				if name := target(p.key).Value; !seen[name] {
					seen[name] = true
					own = append(own, p)
				}
			}
		}
	}
	return own
}

// target follows an alias.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// what names the form of a node for messages. It does not show a text, which
// may be a secret in the wrong place.
func what(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a section"
	case yaml.SequenceNode:
		return "a list"
	}
	return "a single text"
}
