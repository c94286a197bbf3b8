package config

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// entries reads a list of sections. name is the key as it stands in the file.
// An empty list is the same as none.
func (d *decoder) entries(n *yaml.Node, path []string, name string, f *field, v reflect.Value) error {
	if nothing(n) {
		return nil
	}
	content := n.Content
	switch n.Kind {
	case yaml.MappingNode: // stands for a list of one
		content = []*yaml.Node{n}
	case yaml.SequenceNode:
	default:
		return d.fail(n, join(path, name), wrong(KindType, "must be a list of sections, each with - before it, not %s", what(n)))
	}
	list := reflect.Zero(v.Type())
	for i, c := range content {
		item := reflect.New(v.Type().Elem()).Elem()
		at := slices.Concat(path, []string{name, strconv.Itoa(i + 1)})
		err := d.entry(target(c), at, f, item)
		if err == nil {
			err = d.complete(c, at, f, item)
		}
		if err != nil {
			if err = d.pass(err); err != nil {
				return err
			}
			d.forget(strings.Join(at, "."))
			item.SetZero()
		}
		list = reflect.Append(list, item)
	}
	v.Set(list)
	d.drop(join(path, name), v)
	return nil
}

// forget takes away where the values below a key come from.
func (d *decoder) forget(key string) {
	for name := range d.sources {
		if strings.HasPrefix(name, key+".") {
			delete(d.sources, name)
		}
	}
}

// drop takes the entries out that were passed over; those behind them move up.
func (d *decoder) drop(key string, v reflect.Value) {
	n := 0
	for i := range v.Len() {
		if v.Index(i).IsZero() {
			continue
		}
		if v.Index(n).Set(v.Index(i)); n < i {
			d.moved(key+"."+strconv.Itoa(i+1)+".", key+"."+strconv.Itoa(n+1)+".")
		}
		n++
	}
	if v.SetLen(n); n == 0 {
		v.SetZero()
	}
}

// complete checks that an entry has what it needs.
func (d *decoder) complete(n *yaml.Node, path []string, f *field, v reflect.Value) error {
	for _, names := range f.need {
		if !slices.ContainsFunc(names, func(name string) bool { return !v.Field(find(f.children, name).index).IsZero() }) {
			return d.fail(n, strings.Join(path, "."), wrong(KindMissing, "needs a value for %s: add it, or remove the entry", oneOf(names)))
		}
	}
	return nil
}

// entry reads one of the sections into the struct v. path leads to it. It may
// lack what it needs.
func (d *decoder) entry(n *yaml.Node, path []string, f *field, v reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		problem := wrong(KindType, "must be a section with settings in it, not %s", what(n))
		if isNull(n) {
			problem = wrong(KindType, "is an empty entry: remove it")
		}
		return d.fail(n, strings.Join(path, "."), problem)
	}
	if err := setDefaults(f.children, v); err != nil {
		return err
	}
	return d.section(n, path, f.children, v)
}

// formerly finds the setting that had a key before, or has it elsewhere.
func formerly(fields []*field, key *yaml.Node) *field {
	for _, f := range fields {
		if f.formerly != "" && f.formerly == key.Value && key.Kind == yaml.ScalarNode {
			return f
		}
	}
	return nil
}

// filled reports whether a key is there with something in it.
func filled(all []pair, name string) bool {
	for _, p := range all {
		if key := target(p.key); key.Kind != yaml.ScalarNode || key.Value != name {
			continue
		}
		value := target(p.value)
		return !isNull(value) && (value.Kind != yaml.SequenceNode || len(value.Content) > 0)
	}
	return false
}

// formerEntries reads a list of sections under its former key, name. It may be
// one section there; one without any value counts as not there. Messages show
// the key as it was written, the sources of values the one of the setting.
func (d *decoder) formerEntries(n *yaml.Node, name string, path []string, f *field, v reflect.Value) error {
	from, to := join(path, name)+".", join(path, f.name)+"."
	if n.Kind != yaml.MappingNode || nothing(n) {
		if err := d.entries(n, path, name, f, v); err != nil {
			return err
		}
		d.moved(from, to)
		return nil
	}
	item := reflect.New(v.Type().Elem()).Elem()
	at := slices.Concat(path, []string{name})
	err := d.entry(n, at, f, item)
	if err == nil && item.IsZero() {
		return nil
	}
	if err == nil {
		err = d.complete(n, at, f, item)
	}
	if err != nil {
		d.forget(strings.Join(at, "."))
		return d.pass(err)
	}
	v.Set(reflect.Append(reflect.Zero(v.Type()), item))
	d.moved(from, to+"1.")
	return nil
}

// namedEntries reads a list of sections, each with its name in it, as sections by
// name; those that are there by name already win. An entry that cannot be read is
// passed over with a warning.
func (d *decoder) namedEntries(n *yaml.Node, key string, path []string, f *field, v reflect.Value) error {
	if n.Kind == yaml.MappingNode && !nothing(n) && f.find(n) == nil { // they are by name already
		n = listed(n)
	} else if n.Kind == yaml.MappingNode {
		n = &yaml.Node{Kind: yaml.SequenceNode, Line: n.Line, Column: n.Column, Content: []*yaml.Node{n}}
	}
	if n.Kind != yaml.SequenceNode {
		d.ignore(d.fail(n, key, wrong(KindType, "must be a list of sections, each with - before it, not %s", what(n))))
		return nil
	}
	for i, c := range n.Content {
		at := key + "." + strconv.Itoa(i+1)
		section := *target(c)
		section.Content = nil
		var name *yaml.Node
		for _, p := range pairs(target(c)) {
			if target(p.key).Value == "name" {
				name = target(p.value)
				continue
			}
			section.Content = append(section.Content, p.key, p.value)
		}
		if section.Kind != yaml.MappingNode || name == nil || name.Kind != yaml.ScalarNode || name.Value == "" {
			d.ignore(d.fail(c, at, wrong(KindMissing, "needs a name")))
			continue
		}
		named := *name // Hermes Agent means the same by a name with hyphens for its spaces
		named.Value = strings.ReplaceAll(name.Value, " ", "-")
		if v.MapIndex(reflect.ValueOf(named.Value)).IsValid() {
			continue
		}
		one := &yaml.Node{Kind: yaml.MappingNode, Line: c.Line, Column: c.Column, Content: []*yaml.Node{&named, &section}}
		if err := d.byName(one, join(path, f.name), path, f, v); err != nil {
			d.ignore(err)
		}
	}
	return nil
}

// find returns a setting of a section of the form of an entry, nil where there is none.
func (f *field) find(n *yaml.Node) *field {
	for _, p := range pairs(n) {
		if c := find(f.children, target(p.key).Value); c != nil || target(p.key).Value == "name" {
			return cmp.Or(c, f)
		}
	}
	return nil
}

// listed makes a list of sections of sections by name.
func listed(n *yaml.Node) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Line: n.Line, Column: n.Column}
	for _, p := range pairs(n) {
		one := *target(p.value)
		if one.Kind == yaml.MappingNode {
			one.Content = slices.Concat([]*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: "name", Line: p.key.Line, Column: p.key.Column}, p.key}, one.Content)
		}
		list.Content = append(list.Content, &one)
	}
	return list
}

// moved gives the sources of all keys below one prefix to another.
func (d *decoder) moved(from, to string) {
	for key, source := range d.sources {
		if rest, ok := strings.CutPrefix(key, from); ok {
			delete(d.sources, key)
			d.sources[to+rest] = source
		}
	}
}

// words reads texts by name, each one of those allowed. An empty text counts as
// not there.
func (d *decoder) words(n *yaml.Node, key string, f *field, v reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return d.fail(n, key, wrong(KindType, "must be a section with a text for each name, not %s", what(n)))
	}
	m := reflect.MakeMap(v.Type())
	for _, p := range pairs(n) {
		name, err := d.entryName(p.key, key, f)
		value := target(p.value)
		item := reflect.New(v.Type().Elem()).Elem()
		if err == nil {
			if isNull(value) {
				continue
			}
			s, t := d.text(value, f)
			if t == nil && strings.TrimSpace(s.text) == "" {
				continue
			}
			if t == nil {
				t = f.setEnum(item, s)
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
		m.SetMapIndex(reflect.ValueOf(name), item)
	}
	if m.Len() > 0 {
		v.Set(m)
	}
	d.note(key, n)
	return nil
}
