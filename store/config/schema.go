package config

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Class says when a change of a setting in the file takes effect in a running program.
type Class string

// The classes.
const (
	// Live settings take effect at once; what judges, with the next question.
	Live Class = "live"
	// Turn settings take effect with the next turn; a turn keeps what it began
	// with.
	Turn Class = "turn"
	// Session settings take effect with the next session that is begun or resumed.
	Session Class = "session"
	// Start settings take effect when the program starts.
	Start Class = "start"
)

// Key describes a setting.
type Key struct {
	// Name is the path in the file, "display.theme". Below providers the second
	// element is "NAME", below fallback_providers "N": entries count from 1.
	Name string
	// Type is the form of the value in words: "text", "on or off", "whole
	// number", "fraction", "price", "list of texts", "texts by name", "lists of texts
	// by name".
	Type    string
	Default string
	Class   Class
	// Env is the environment variable that overrides the file, empty for none.
	Env string
	// EnvValue is the value the setting takes when the variable is on; without it
	// the variable holds the value itself.
	EnvValue string
	Doc      string
	// Allowed are the values of an enumeration.
	Allowed []string
	// Min and Max bound a number or a fraction; both 0 for other types.
	Min, Max float64
	// Secret marks values that are masked when shown.
	Secret bool
}

// Keys describes all settings, in the order of [Config].
func Keys() []Key {
	var keys []Key
	var add func([]*field)
	add = func(fields []*field) {
		for _, f := range fields {
			if f.children != nil {
				add(f.children)
			} else {
				keys = append(keys, f.Key)
			}
		}
	}
	add(schema())
	return keys
}

// shape is the form of a value.
type shape int

const (
	shapeSection shape = iota // a struct: settings by name
	shapeByName               // a map of structs: sections under names of choice
	shapeEntries              // a list of structs: sections one after the other
	shapeText
	shapeSecret
	shapeNumber
	shapeFraction
	shapeOnOff
	shapeList    // of texts
	shapeHeaders // secrets by name
	shapeLists   // lists of texts by name
	shapeWords   // texts by name, each one of those allowed
)

// oneText reports whether a value can be given as one text, as a default, a
// variable and a flag are.
func (s shape) oneText() bool {
	switch s {
	case shapeSection, shapeByName, shapeEntries, shapeHeaders, shapeLists, shapeWords:
		return false
	}
	return true
}

// field is a [Key] with what is needed to read it.
type field struct {
	Key
	name     string // the last element of Key.Name
	index    int    // in the struct around
	shape    shape
	scalar   string            // in a section: which field a bare text stands for
	alias    map[string]string // other spellings of values
	check    string            // see checkText and checkName
	lone     bool              // of a list: a text stands for a list of one
	strict   string            // the value where the one in the file does not fit, in place of the default
	late     bool              // references in it are put in their place by who uses it
	formerly string            // a key that is read when this one has nothing in it
	need     [][]string        // in entries: settings of which each needs one
	children []*field          // of a section, of the sections by name, of entries
}

// schema is what the tags of [Config] say, which is read and not changed.
var schema = sync.OnceValue(func() []*field { return structFields(reflect.TypeFor[Config](), "") })

func structFields(t reflect.Type, prefix string) []*field {
	var fields []*field
	for i := range t.NumField() {
		name, ok := t.Field(i).Tag.Lookup("yaml")
		if !ok || name == "-" {
			continue
		}
		f := newField(t.Field(i), prefix+name)
		f.name, f.index = name, i
		fields = append(fields, f)
	}
	return fields
}

func newField(sf reflect.StructField, path string) *field {
	tag := sf.Tag
	f := &field{scalar: tag.Get("scalar"), check: tag.Get("check"), strict: tag.Get("strict"), formerly: tag.Get("formerly"), late: tag.Get("late") != "", lone: tag.Get("lone") != "", alias: spellings(tag.Get("alias"))}
	f.Key = Key{Name: path, Default: tag.Get("default"), Class: Class(tag.Get("class")), Doc: tag.Get("doc")}
	f.Env, f.EnvValue, _ = strings.Cut(tag.Get("env"), "=")
	if enum, ok := tag.Lookup("enum"); ok {
		f.Allowed = strings.Split(enum, "|")
	}
	if low, high, ok := strings.Cut(tag.Get("range"), ".."); ok {
		f.Min, _ = strconv.ParseFloat(low, 64)
		f.Max, _ = strconv.ParseFloat(high, 64)
	}
	if need, ok := tag.Lookup("need"); ok {
		for one := range strings.SplitSeq(need, ",") {
			f.need = append(f.need, strings.Split(one, "|"))
		}
	}
	f.shape, f.Type = shapeOf(sf.Type)
	f.Secret = f.shape == shapeSecret || f.shape == shapeHeaders
	switch f.shape {
	case shapeSection:
		f.children = structFields(sf.Type, path+".")
		for name, value := range spellings(tag.Get("defaults")) {
			if c := find(f.children, name); c != nil {
				c.Default = value
			}
		}
	case shapeByName:
		f.children = structFields(sf.Type.Elem(), path+".NAME.")
	case shapeEntries:
		f.children = structFields(sf.Type.Elem(), path+".N.")
	}
	return f
}

// shapeOf gives the form of a Go type, and its name in words.
func shapeOf(t reflect.Type) (shape, string) {
	switch {
	case t == reflect.TypeFor[Secret]():
		return shapeSecret, "text"
	case t == reflect.TypeFor[Price]():
		return shapeText, "price"
	case t == reflect.TypeFor[map[string]Secret]():
		return shapeHeaders, "texts by name"
	case t == reflect.TypeFor[map[string][]string]():
		return shapeLists, "lists of texts by name"
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.String:
		return shapeWords, "texts by name"
	case t.Kind() == reflect.Map:
		return shapeByName, "sections by name"
	case t.Kind() == reflect.Struct:
		return shapeSection, "section"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return shapeEntries, "list of sections"
	case t.Kind() == reflect.Slice:
		return shapeList, "list of texts"
	case t.Kind() == reflect.Int:
		return shapeNumber, "whole number"
	case t.Kind() == reflect.Float64:
		return shapeFraction, "fraction"
	case t.Kind() == reflect.Bool:
		return shapeOnOff, "on or off"
	}
	return shapeText, "text"
}

// spellings reads "a:b,c:d".
func spellings(tag string) map[string]string {
	if tag == "" {
		return nil
	}
	m := map[string]string{}
	for pair := range strings.SplitSeq(tag, ",") {
		from, to, _ := strings.Cut(pair, ":")
		m[from] = to
	}
	return m
}

// find looks up a field by the last element of its name.
func find(fields []*field, name string) *field {
	for _, f := range fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// leaf finds the field of a whole path, with "providers.x.base_url" meaning any
// x. A section is no leaf, and what is in the entries of a list is not found.
func leaf(fields []*field, path string) *field {
	name, rest, deeper := strings.Cut(path, ".")
	f := find(fields, name)
	if f == nil || !deeper {
		if f != nil && f.children != nil {
			return nil
		}
		return f
	}
	switch f.shape {
	case shapeEntries:
		return nil
	case shapeByName:
		// The name itself may contain dots; the last element is the setting.
		i := strings.LastIndexByte(rest, '.')
		if i <= 0 {
			return nil
		}
		rest = rest[i+1:]
	}
	return leaf(f.children, rest)
}
