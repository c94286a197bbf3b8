package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"
)

// decoder fills a [Config] from the tree of a file.
type decoder struct {
	file     string
	expand   expander
	sources  map[string]string
	warnings []Warning
	passed   []*Error // what the warnings about values say
	others   *known   // nil until needed
	theirs   bool     // Hermes Agent has written the file, with keys that newer versions of it have
}

// pass passes over a value that does not fit, with a warning: what stands beside it
// counts. What a file may not do at all stays an error.
func (d *decoder) pass(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind == KindTooBig || e.Kind == KindNesting {
		return err
	}
	d.passed, d.warnings = append(d.passed, e), append(d.warnings, e.passed())
	return nil
}

// nothing reports whether a value stands for no entries, whatever their form.
func nothing(n *yaml.Node) bool {
	return len(n.Content) == 0 && (n.Kind == yaml.SequenceNode || n.Kind == yaml.MappingNode || n.Kind == yaml.ScalarNode && n.Value == "")
}

// fail makes the error of a setting.
func (d *decoder) fail(n *yaml.Node, key string, t *valueError) *Error {
	return &Error{Kind: t.kind, File: d.file, Line: n.Line, Column: n.Column, Key: printable(key), Problem: t.problem}
}

// section reads the settings of a mapping into the struct v. path is the way
// there.
func (d *decoder) section(n *yaml.Node, path []string, fields []*field, v reflect.Value) error {
	all := pairs(n)
	for _, p := range all {
		key := target(p.key)
		f := find(fields, key.Value)
		if f == nil || key.Kind != yaml.ScalarNode {
			if err := d.strange(p, all, path, fields, v); err != nil {
				if err = d.pass(err); err != nil {
					return err
				}
			}
			continue
		}
		at := v.Field(f.index)
		if err := d.setting(target(p.value), join(path, f.name), path, f, at); err != nil {
			if err = d.pass(err); err != nil {
				return err
			}
			if f.strict != "" && f.setText(at, f.strict) == nil {
				d.note(join(path, f.name), target(p.value))
			}
		}
	}
	return nil
}

// strange reads a key that is no setting: the former one of a setting, or one of
// another program. all are the keys beside it.
func (d *decoder) strange(p pair, all []pair, path []string, fields []*field, v reflect.Value) error {
	f := formerly(fields, target(p.key))
	if f == nil {
		d.foreign(p, path, fields)
		return nil
	}
	at, name, value := v.Field(f.index), target(p.key).Value, target(p.value)
	switch {
	case isNull(value):
		return nil
	case f.shape == shapeByName:
		return d.namedEntries(value, name, path, f, at)
	case filled(all, f.name):
		return nil
	case f.shape == shapeEntries:
		return d.formerEntries(value, name, path, f, at)
	}
	key := join(path, name)
	if err := d.setting(value, key, path, f, at); err != nil {
		d.ignore(err)
		return nil
	}
	d.moved(key, join(path, f.name))
	return nil
}

// ignore makes a warning of what is wrong with a setting under a key of another
// program, which may mean more there.
func (d *decoder) ignore(err error) {
	if e, ok := errors.AsType[*Error](err); ok && len(d.warnings) < maxWarnings {
		d.warnings = append(d.warnings, e.passed())
	}
}

// setting reads one value, which may be a section. An absent value leaves the
// default.
func (d *decoder) setting(n *yaml.Node, key string, path []string, f *field, v reflect.Value) error {
	if isNull(n) {
		return nil
	}
	switch f.shape {
	case shapeSection:
		return d.child(n, key, path, f, v)
	case shapeByName:
		return d.byName(n, key, path, f, v)
	case shapeEntries:
		return d.entries(n, path, f.name, f, v)
	case shapeList:
		return d.list(n, key, f, v)
	case shapeHeaders:
		return d.headers(n, key, f, v)
	case shapeLists:
		return d.lists(n, key, f, v)
	case shapeWords:
		return d.words(n, key, f, v)
	}
	return d.scalar(n, key, f, v)
}

// child reads a section, or the text that stands for one of its settings.
func (d *decoder) child(n *yaml.Node, key string, path []string, f *field, v reflect.Value) error {
	if n.Kind == yaml.ScalarNode && f.scalar != "" {
		c := find(f.children, f.scalar)
		return d.scalar(n, key+"."+c.name, c, v.Field(c.index))
	}
	if nothing(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return d.fail(n, key, wrong(KindType, "must be a section with settings in it, not %s", what(n)))
	}
	return d.section(n, append(path[:len(path):len(path)], f.name), f.children, v)
}

// byName reads sections under names of the user's choice.
func (d *decoder) byName(n *yaml.Node, key string, path []string, f *field, v reflect.Value) error {
	if nothing(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return d.fail(n, key, wrong(KindType, "must be a section with a section for each name, not %s", what(n)))
	}
	m := reflect.MakeMap(v.Type())
	for before := v.MapRange(); before.Next(); {
		m.SetMapIndex(before.Key(), before.Value())
	}
	for _, p := range pairs(n) {
		name, err := d.entryName(p.key, key, f)
		if err != nil {
			if err = d.pass(err); err != nil {
				return err
			}
			continue
		}
		item := reflect.New(v.Type().Elem()).Elem()
		if err := setDefaults(f.children, item); err != nil {
			return err
		}
		value := target(p.value)
		entry := key + "." + name
		switch {
		case isNull(value):
		case value.Kind != yaml.MappingNode:
			if err := d.pass(d.fail(value, entry, wrong(KindType, "must be a section with settings in it, not %s", what(value)))); err != nil {
				return err
			}
			continue
		default:
			at := append(path[:len(path):len(path)], f.name, name)
			if err := d.section(value, at, f.children, item); err != nil {
				return err
			}
		}
		m.SetMapIndex(reflect.ValueOf(name), item)
	}
	v.Set(m)
	return nil
}

// entryName reads the name of an entry.
func (d *decoder) entryName(n *yaml.Node, key string, f *field) (string, error) {
	name := target(n)
	if name.Kind != yaml.ScalarNode {
		return "", d.fail(n, key, wrong(KindType, "has a name that is not a text"))
	}
	if t := f.checkName(name.Value); t != nil {
		return "", d.fail(n, key, t)
	}
	return name.Value, nil
}

// list reads a list of texts. An empty list is a value, not the default.
func (d *decoder) list(n *yaml.Node, key string, f *field, v reflect.Value) error {
	entries := n.Content
	switch {
	case n.Kind == yaml.ScalarNode && n.Value == "" && !f.lone:
		return nil
	case n.Kind == yaml.ScalarNode: // stands for a list of one
		entries = []*yaml.Node{n}
	case n.Kind != yaml.SequenceNode:
		return d.fail(n, key, wrong(KindType, "must be a list like [one, two], not %s", what(n)))
	}
	texts, err := d.texts(entries, key, f)
	if err != nil {
		return err
	}
	if f.check == "pair" && len(texts) > 2 {
		return d.fail(entries[2], key, wrong(KindValue, "names at most two files, a certificate and its key: a key with a password is not read, so store it without one (openssl pkey -in KEY -out NEW), for you alone to read"))
	}
	v.Set(reflect.ValueOf(texts))
	d.note(key, n)
	return nil
}

// texts reads the entries of a list. The result is nil when there are none, as
// in a default.
func (d *decoder) texts(entries []*yaml.Node, key string, f *field) ([]string, error) {
	var texts []string
	for _, c := range entries {
		s, t := d.text(target(c), f)
		if t == nil {
			t = f.checkText(s)
		}
		if t == nil && s.text == "" {
			t = wrong(KindValue, "has an empty entry")
		}
		if t != nil {
			if err := d.pass(d.fail(c, key, t)); err != nil {
				return nil, err
			}
			continue
		}
		texts = append(texts, s.text)
	}
	return texts, nil
}

// lists reads lists of texts by name. A single text is a list of one. An empty
// list is a value; a name without one counts as not there.
func (d *decoder) lists(n *yaml.Node, key string, f *field, v reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return d.fail(n, key, wrong(KindType, "must be a section with a list for each name, not %s", what(n)))
	}
	var m map[string][]string
	for _, p := range pairs(n) {
		name, err := d.entryName(p.key, key, f)
		if err == nil && isNull(target(p.value)) {
			continue
		}
		var texts []string
		if err == nil {
			texts, err = d.entryList(p.value, key+"."+name, f)
		}
		if err != nil {
			if err = d.pass(err); err != nil {
				return err
			}
			continue
		}
		if m == nil {
			m = map[string][]string{}
		}
		m[name] = texts
	}
	v.Set(reflect.ValueOf(m))
	d.note(key, n)
	return nil
}

// entryList reads one of the lists by name; the result is never nil.
func (d *decoder) entryList(n *yaml.Node, key string, f *field) ([]string, error) {
	value := target(n)
	entries := value.Content
	switch value.Kind {
	case yaml.SequenceNode:
	case yaml.ScalarNode:
		entries = []*yaml.Node{n}
	default:
		return nil, d.fail(n, key, wrong(KindType, "must be a list like [one, two] or one text, not %s", what(value)))
	}
	texts, err := d.texts(entries, key, f)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(texts))
	for i, text := range texts {
		if seen[text] {
			return nil, d.fail(entries[i], key, wrong(KindDuplicate, "has %s a second time: remove one of them", quote(target(entries[i]).Value)))
		}
		seen[text] = true
	}
	return append([]string{}, texts...), nil
}

// headers reads secrets by name.
func (d *decoder) headers(n *yaml.Node, key string, f *field, v reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return d.fail(n, key, wrong(KindType, "must be a section with a text for each name, not %s", what(n)))
	}
	var m map[string]Secret
	for _, p := range pairs(n) {
		name, err := d.entryName(p.key, key, f)
		if err == nil && isNull(target(p.value)) {
			continue
		}
		var s scalarValue
		if err == nil {
			var t *valueError
			if s, t = d.text(target(p.value), f); t == nil {
				t = f.checkText(s)
			}
			if t != nil {
				err = d.fail(p.value, key+"."+name, t)
			}
		}
		if err != nil {
			if err = d.pass(err); err != nil {
				return err
			}
			continue
		}
		if m == nil {
			m = map[string]Secret{}
		}
		m[name] = newSecret(s.text, s.written)
	}
	v.Set(reflect.ValueOf(m))
	d.note(key, n)
	return nil
}

// scalar reads a value that is a single text.
func (d *decoder) scalar(n *yaml.Node, key string, f *field, v reflect.Value) error {
	if f.check == "object" && n.Kind == yaml.MappingNode {
		n = flat(n)
	}
	s, t := d.text(n, f)
	if t == nil {
		t = f.setScalar(v, s)
	}
	if t != nil {
		return d.fail(n, key, t)
	}
	d.note(key, n)
	return nil
}

// flat is an object that is written out, as its JSON text; one that has none stays.
func flat(n *yaml.Node) *yaml.Node {
	var o map[string]any
	if n.Decode(&o) != nil {
		return n
	}
	text, err := json.Marshal(o)
	if err != nil {
		return n
	}
	out := *n
	out.Kind, out.Tag, out.Value, out.Content = yaml.ScalarNode, "!!str", string(text), nil
	return &out
}

// text gives the text of a value with references expanded. Words that YAML
// takes for true and false are no texts, unless the field knows them.
func (d *decoder) text(n *yaml.Node, f *field) (scalarValue, *valueError) {
	if n.Kind != yaml.ScalarNode {
		return scalarValue{}, wrong(KindType, "must be %s, not %s", article(f), what(n))
	}
	switch tag := n.ShortTag(); tag {
	case "!!str", "!!int", "!!float", "!!timestamp":
	case "!!bool":
		texts := f.shape == shapeHeaders || f.shape == shapeList && f.check == ""
		if f.shape != shapeOnOff && f.alias == nil && f.check != "trusts" && !texts {
			return scalarValue{}, wrong(KindType, "must be %s, not %s: put quotes around it if it is meant", article(f), n.Value)
		}
	case "!!null":
		return scalarValue{}, wrong(KindType, "has an empty entry")
	default:
		return scalarValue{}, wrong(KindType, "must be %s, not a value with the tag %s", article(f), quote(tag))
	}
	if f.shape == shapeOnOff && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float") {
		return scalarValue{}, wrong(KindType, "must be true or false, not %s", quote(n.Value))
	}
	if f.late {
		return plain(n.Value), nil
	}
	expanded, ok := d.expand.expand(n.Value)
	if !ok {
		return scalarValue{}, wrong(KindTooBig, "and the other ${NAME} references of the file expand to more than 1 MB")
	}
	return scalarValue{text: expanded, written: n.Value}, nil
}

// article names what a field wants, for messages.
func article(f *field) string {
	switch f.shape {
	case shapeNumber:
		return "a whole number"
	case shapeFraction:
		return "a number like 0.5"
	case shapeOnOff:
		return "true or false"
	}
	if f.Allowed != nil {
		return oneOf(f.Allowed)
	}
	if f.check == "price" {
		return "a price like 2.50"
	}
	return "a text"
}

// note records where the value of a setting comes from.
func (d *decoder) note(key string, n *yaml.Node) {
	d.sources[key] = fmt.Sprintf("%s:%d", d.file, n.Line)
}
