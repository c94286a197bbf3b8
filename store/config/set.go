package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hermes-tui/store/atomicfile"
)

// Set writes one setting to the file o.File, which is made (mode 0600) when it
// is missing; its directory must exist. value is a text, a bool, an integer, a
// float64 or a list of texts, as the setting needs. A text like "${NAME}" is a reference
// when it is read again. What the environment or a flag sets still overrides
// the file.
//
// Comments, order and mode of the file are kept; if the place allows it nothing
// but the value is touched, otherwise the file is laid out again. A link is
// followed. The file is replaced in one step, under the lock o.File + ".lock";
// ctx bounds the wait for it. A file that cannot be read, or a value that does
// not fit or that o.Check refuses, gives an [*Error] and leaves the file as it is.
func Set(ctx context.Context, o Options, key string, value any) error {
	if f := leaf(schema(), key); f == nil || !f.shape.oneText() {
		return unwritable(key, f)
	}
	node, err := encodeValue(key, value)
	if err != nil {
		return err
	}
	return rewrite(ctx, o, "write setting "+key, func(old []byte) ([]byte, error) { return edit(o, old, key, splitKey(key), node) })
}

// Named is a key of an entry, with what [Set] takes or texts by name.
type Named struct {
	Key   string
	Value any
}

// Add writes an entry that is not there yet into a section that has them by name, such as a
// server into mcp_servers: all of it at once, so that a program that follows the file never
// sees a part. Otherwise it works like [Set].
func Add(ctx context.Context, o Options, section, name string, fields []Named) error {
	key := section + "." + name
	entryNode := newSection()
	for _, f := range fields {
		if leaf(schema(), key+"."+f.Key) == nil {
			return unwritable(key+"."+f.Key, nil)
		}
		node, err := encodeValue(key+"."+f.Key, f.Value)
		if err != nil {
			return err
		}
		entryNode.Content = append(entryNode.Content, newText(f.Key), node)
	}
	return rewrite(ctx, o, "write setting "+key, func(old []byte) ([]byte, error) {
		doc, _, err := documents(bytes.NewReader(old))
		if err != nil {
			return nil, syntaxError(o.File, old, err)
		}
		if doc != nil && len(doc.Content) > 0 {
			if _, list := entry(doc.Content[0], section); list != nil {
				if found, _ := entry(list, name); found != nil {
					return nil, &Error{Kind: KindNesting, Origin: "the file", Key: printable(key), Problem: "is there already"}
				}
			}
		}
		return edit(o, old, key, []string{section, name}, entryNode)
	})
}

// rewrite changes the file in one step, under its lock. what is for errors.
func rewrite(ctx context.Context, o Options, what string, change func(old []byte) ([]byte, error)) (err error) {
	lock, err := atomicfile.Acquire(ctx, o.File+".lock")
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	name, mode, err := resolve(o.File)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	old, err := readFile(o.File)
	if err != nil {
		return err
	}
	changed, err := change(old)
	if err != nil || bytes.Equal(changed, old) {
		return err
	}
	if err := atomicfile.Write(name, changed, mode); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// resolve gives the file behind a name that may be a link, and its mode.
func resolve(file string) (name string, mode fs.FileMode, err error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return file, 0o600, nil
	}
	if err != nil {
		return "", 0, err
	}
	name, err = filepath.EvalSymlinks(file)
	return name, info.Mode().Perm(), err
}

// encodeValue makes the YAML of a value.
func encodeValue(key string, value any) (*yaml.Node, error) {
	v := reflect.ValueOf(value)
	switch {
	case v.Kind() == reflect.String, v.Kind() == reflect.Bool, v.CanInt(), v.CanFloat():
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String:
	case v.IsValid() && v.Type() == reflect.TypeFor[map[string]string]():
	default:
		return nil, &Error{Kind: KindType, Origin: "new value", Key: key, Problem: fmt.Sprintf("cannot be written as a %T", value)}
	}
	n := new(yaml.Node)
	if err := n.Encode(value); err != nil {
		return nil, fmt.Errorf("encode setting %s: %w", key, err)
	}
	if n.Kind == yaml.SequenceNode {
		n.Style = yaml.FlowStyle
	}
	return n, nil
}

// edit gives the text of the file with a setting changed. Text of the file that
// is not good gives an error.
func edit(o Options, old []byte, key string, path []string, value *yaml.Node) ([]byte, error) {
	_, before, err := decodeText(o, old)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(before, func(e *Error) bool { return e.Key == "" }); i >= 0 {
		return nil, before[i] // where the setting would count is not clear
	}
	doc, _, err := documents(bytes.NewReader(old))
	if err != nil {
		return nil, syntaxError(o.File, old, err)
	}
	if doc == nil {
		doc = &yaml.Node{Kind: yaml.DocumentNode}
	}
	s := &fileEdit{text: old, path: path, bare: find(schema(), path[0]).scalar, value: value}
	wanted, err := s.tree(doc)
	if err != nil {
		return nil, &Error{Kind: KindNesting, Origin: "new value", Key: key, Problem: err.Error()}
	}
	candidates := [][]byte{s.splice(doc), layOut(wanted)}
	for _, text := range candidates {
		if text == nil || !sameTree(wanted, text) {
			continue
		}
		c, passed, err := decodeText(o, text)
		for _, e := range passed {
			was := func(o *Error) bool { return o.Key == e.Key && o.Problem == e.Problem }
			if err == nil && (e.Key == key || strings.HasPrefix(e.Key, key+".") || !slices.ContainsFunc(before, was)) {
				err = e
			}
		}
		if err == nil && o.Check != nil {
			if at, problem := o.Check(c); problem != "" && (at == key || strings.HasPrefix(at, key+".")) {
				err = &Error{Kind: KindValue, Key: at, Problem: problem}
			}
		}
		if bad := (*Error)(nil); errors.As(err, &bad) {
			return nil, &Error{Kind: bad.Kind, Origin: "new value", Key: bad.Key, Problem: bad.Problem}
		}
		return text, err
	}
	return nil, &Error{Kind: KindNesting, Origin: "new value", Key: key, Problem: "cannot be put into the file without changing other settings: edit the file by hand"}
}

// decodeText reads the settings of a text as those of the file.
func decodeText(o Options, data []byte) (Config, []*Error, error) {
	c := Config{sources: map[string]string{}}
	v, fields := reflect.ValueOf(&c).Elem(), schema()
	if err := setDefaults(fields, v); err != nil {
		return Config{}, nil, err
	}
	_, passed, err := decodeFile(o, data, fields, v, c.sources)
	return c, passed, err
}
