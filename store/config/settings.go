package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Setting is a setting with its value, for a user to read.
type Setting struct {
	Key
	// Value is masked where it is secret.
	Value string
	// Source is where the value comes from: "default", "FILE:LINE",
	// "environment variable NAME" or "flag for KEY".
	Source string
}

// IsSet reports whether a setting is given by the file, the environment or a flag,
// be it with its default. key is a name as [Config.Settings] lists it.
func (c Config) IsSet(key string) bool { return c.sources[key] != "" }

// ModelLayers are what the command line, the environment and the file say of Model,
// in this order. Model is all of it together, also where one names another endpoint
// than the next.
func (c Config) ModelLayers() [3]Model { return c.layers }

// Secrets are the values of all secret settings, also of those that an override
// puts out of use. Of headers they are those whose name says that they open
// something, without the scheme of an Authorization.
func (c Config) Secrets() []string {
	var out []string
	visit := func(_ *field, _ string, v reflect.Value) {
		switch value := v.Interface().(type) {
		case Secret:
			out = append(out, value.Reveal())
		case map[string]Secret:
			for name, s := range value {
				if opens(name) {
					words := strings.Fields(s.Reveal())
					out = append(out, words[max(len(words)-1, 0):]...)
				}
			}
		}
	}
	each(schema(), reflect.ValueOf(c), "", visit)
	for _, m := range c.layers {
		each(structFields(reflect.TypeFor[Model](), ""), reflect.ValueOf(m), "", visit)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(v string) bool { return v == "" })
}

// opens reports whether a header holds a credential, by its name.
func opens(header string) bool {
	header = strings.ToLower(header)
	return slices.ContainsFunc([]string{"auth", "key", "token", "secret", "password", "cookie", "credential"}, func(part string) bool {
		return strings.Contains(header, part)
	})
}

// KeyVariables lists the environment variables that hold keys for endpoints, in
// alphabetical order: those that a key_env names, and those that a secret
// setting refers to by ${NAME}. Commands should not see them.
func (c Config) KeyVariables() []string {
	found := map[string]bool{} // by name
	add := func(s Secret) {
		for name := range strings.FieldsSeq(s.vars) {
			found[name] = true
		}
	}
	each(schema(), reflect.ValueOf(c), "", func(f *field, _ string, v reflect.Value) {
		switch value := v.Interface().(type) {
		case Secret:
			add(value)
		case map[string]Secret:
			for _, s := range value {
				add(s)
			}
		case string:
			if f.name == "key_env" && validName(value) {
				found[value] = true
			}
		}
	})
	return slices.Sorted(maps.Keys(found))
}

// Place says where a setting comes from, as [Setting] does, with its name; empty for the default.
func (c Config) Place(key string) string {
	if at := c.sources[key]; at != "" {
		return " (" + key + ", " + at + ")"
	}
	return ""
}

// Settings lists all settings, in the order of [Keys]; each configured provider
// is listed under its name, in alphabetical order, each entry of a list of
// sections under its number, from 1.
func (c Config) Settings() []Setting {
	var all []Setting
	each(schema(), reflect.ValueOf(c), "", func(f *field, name string, v reflect.Value) {
		s := Setting{Key: f.Key, Value: f.format(v), Source: c.sources[name]}
		if s.Source == "" {
			s.Source = "default"
		}
		s.Name = name
		all = append(all, s)
	})
	return all
}

// each visits the settings in the struct v, with their names and values.
func each(fields []*field, v reflect.Value, prefix string, visit func(f *field, name string, v reflect.Value)) {
	for _, f := range fields {
		at, name := v.Field(f.index), prefix+f.name
		switch f.shape {
		case shapeSection:
			each(f.children, at, name+".", visit)
		case shapeByName:
			names := at.MapKeys()
			slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			for _, n := range names {
				each(f.children, at.MapIndex(n), name+"."+n.String()+".", visit)
			}
		case shapeEntries:
			for i := range at.Len() {
				each(f.children, at.Index(i), name+"."+strconv.Itoa(i+1)+".", visit)
			}
		default:
			visit(f, name, at)
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
	case PoolStrategies:
		lines := make([]string, 0, len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			lines = append(lines, name+": "+string(value[name]))
		}
		return strings.Join(lines, ", ")
	case string:
		if f.check == "url" {
			return redactURL(value)
		}
	}
	return fmt.Sprint(v.Interface())
}
