package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// LoadError says where a scenario file is wrong.
type LoadError struct {
	File string
	// Line is counted from 1, 0 when it is the file as a whole.
	Line int
	// Path leads to the value, such as rules[0].steps[2].rate; empty for the
	// file as a whole.
	Path    string
	Problem string
	// Cause is set when the file could not be read.
	Cause error
}

// Error implements error.
func (e *LoadError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "scenario %s", e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ", line %d", e.Line)
	}
	if e.Path != "" {
		fmt.Fprintf(&b, ", %s", e.Path)
	}
	fmt.Fprintf(&b, ": %s", e.Problem)
	return b.String()
}

// Unwrap gives the cause.
func (e *LoadError) Unwrap() error { return e.Cause }

// maxFile bounds a scenario file in bytes.
const maxFile = 16 << 20

// Load reads a scenario file. Errors are [*LoadError].
func Load(path string) (*Scenario, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxFile {
		return nil, &LoadError{File: path, Problem: "the file is larger than 16 MB"}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &LoadError{File: path, Problem: fmt.Sprintf("it cannot be read (%v); check the path", reason(err)), Cause: err}
	}
	return Parse(path, data)
}

// reason is an error without the path that stands before it.
func reason(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// node is a JSON value that knows where it stands.
type node struct {
	file string
	line int
	up   *node  // what it stands in
	key  string // its name there, in an object
	at   int    // its place there, in an array
	raw  []byte // of objects and arrays
	// token is the value: a string, json.Number, bool, nil, or json.Delim for
	// objects and arrays.
	token  json.Token
	fields []*node
	items  []*node
}

// parser reads the tokens of a document that is known to be valid.
type parser struct {
	file string
	data []byte
	dec  *json.Decoder
	line int // of the bytes up to seen
	seen int
}

func parseNodes(file string, data []byte) (*node, error) {
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		e := &LoadError{File: file, Problem: "it is not valid JSON: " + err.Error()}
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at := min(max(int(syntax.Offset), 0), len(data))
			e.Line = 1 + bytes.Count(data[:at], []byte("\n"))
		}
		return nil, e
	}
	p := &parser{file: file, data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	p.dec.UseNumber()
	return p.value(&node{file: file})
}

// fail makes an error at a node.
func (n *node) fail(format string, args ...any) error {
	return &LoadError{File: n.file, Line: n.line, Path: n.path(), Problem: fmt.Sprintf(format, args...)}
}

// maxKey is how many characters of a key are shown.
const maxKey = 60

// path leads from the document to the node.
func (n *node) path() string {
	switch {
	case n.up == nil:
		return ""
	case n.up.token == json.Delim('['):
		return fmt.Sprintf("%s[%d]", n.up.path(), n.at)
	}
	return strings.TrimPrefix(n.up.path()+"."+clip(n.key, maxKey), ".")
}

// value reads one value with everything in it into n, whose place is set.
func (p *parser) value(n *node) (*node, error) {
	token, err := p.dec.Token()
	if err != nil {
		return nil, n.fail("it is not valid JSON: %v", err)
	}
	end := int(p.dec.InputOffset())
	p.line += bytes.Count(p.data[p.seen:end], []byte("\n"))
	p.seen = end
	n.line, n.token = p.line, token
	switch token {
	case json.Delim('{'):
		err = p.object(n)
	case json.Delim('['):
		err = p.array(n)
	default:
		return n, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := p.dec.Token(); err != nil {
		return nil, n.fail("it is not valid JSON: %v", err)
	}
	n.raw = p.data[end-1 : p.dec.InputOffset()]
	return n, nil
}

func (p *parser) object(n *node) error {
	seen := map[string]bool{}
	for p.dec.More() {
		key, err := p.value(&node{file: n.file, up: n})
		if err != nil {
			return err
		}
		key.key, _ = key.token.(string)
		if seen[key.key] {
			return key.fail("this key stands there twice")
		}
		seen[key.key] = true
		v, err := p.value(&node{file: n.file, up: n, key: key.key})
		if err != nil {
			return err
		}
		n.fields = append(n.fields, v)
	}
	return nil
}

func (p *parser) array(n *node) error {
	for p.dec.More() {
		v, err := p.value(&node{file: n.file, up: n, at: len(n.items)})
		if err != nil {
			return err
		}
		n.items = append(n.items, v)
	}
	return nil
}

// each hands the fields of an object to f. When f returns errUnknownKey, that
// becomes an error at the field.
func (n *node) each(f func(key string, v *node) error) error {
	if n.token != json.Delim('{') {
		return n.fail("must be an object")
	}
	for _, v := range n.fields {
		err := f(v.key, v)
		if errors.Is(err, errUnknownKey) {
			err = v.fail("there is no such key")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errUnknownKey = errors.New("unknown key")

func (n *node) text(into *string) error {
	s, ok := n.token.(string)
	if !ok {
		return n.fail("must be a text")
	}
	*into = s
	return nil
}

func (n *node) number(into *float64) error {
	num, ok := n.token.(json.Number)
	if !ok {
		return n.fail("must be a number")
	}
	f, err := num.Float64()
	if err != nil {
		return n.fail("the number is out of range")
	}
	*into = f
	return nil
}

// integer reads a whole number from 0 to most.
func (n *node) integer(into *int, most int) error {
	num, ok := n.token.(json.Number)
	if !ok {
		return n.fail("must be a number")
	}
	i, err := num.Int64()
	if err != nil || i < 0 || i > int64(most) {
		return n.fail("must be a whole number from 0 to %d", most)
	}
	*into = int(i)
	return nil
}

func (n *node) boolean(into *bool) error {
	b, ok := n.token.(bool)
	if !ok {
		return n.fail("must be true or false")
	}
	*into = b
	return nil
}
