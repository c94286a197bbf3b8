package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Setting is a setting with its value, for a person to read.
type Setting struct {
	Key
	// Value is masked where it is secret.
	Value string
	// Source is where the value comes from: "default", "FILE:LINE",
	// "environment variable NAME" or "flag for KEY".
	Source string
}

// Settings lists all settings, in the order of [Keys]; each configured provider
// is listed under its name, in alphabetical order.
func (c Config) Settings() []Setting {
	var all []Setting
	c.list(schema(), reflect.ValueOf(c), "", func(s Setting) { all = append(all, s) })
	return all
}

func (c Config) list(fields []*field, v reflect.Value, prefix string, add func(Setting)) {
	for _, f := range fields {
		at, name := v.Field(f.index), prefix+f.name
		switch f.shape {
		case shapeSection:
			c.list(f.children, at, name+".", add)
		case shapeByName:
			entries := at.MapKeys()
			slices.SortFunc(entries, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			for _, e := range entries {
				c.list(f.children, at.MapIndex(e), name+"."+e.String()+".", add)
			}
		default:
			s := Setting{Key: f.Key, Value: f.format(at), Source: c.sources[name]}
			if s.Source == "" {
				s.Source = "default"
			}
			s.Name = name
			add(s)
		}
	}
}

// format shows a value.
func (f *field) format(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case []string:
		return strings.Join(value, ", ")
	case bool:
		return strconv.FormatBool(value)
	case map[string]Secret:
		lines := make([]string, 0, len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			lines = append(lines, name+": "+value[name].String())
		}
		return strings.Join(lines, ", ")
	case map[string][]string:
		lines := make([]string, 0, len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			lines = append(lines, name+": ["+strings.Join(value[name], ", ")+"]")
		}
		return strings.Join(lines, ", ")
	case string:
		if f.check == "url" {
			return redactURL(value)
		}
	}
	return fmt.Sprint(v.Interface())
}
