package config

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Options says where settings come from.
type Options struct {
	// File is config.yaml; it need not exist. Empty is no file.
	File string
	// Env is the environment: it resolves ${NAME} in the file and overrides the
	// file. See [Layered]. nil is no environment.
	Env func(name string) (value string, ok bool)
	// Flags are settings from the command line, text by key ("model.default").
	// Lists are separated by commas.
	Flags map[string]string
	// Narrow changes what was read, for a command line that says more than settings
	// can. nil changes nothing.
	Narrow func(c *Config)
	// Check tests settings that have a meaning for others, such as rules. A problem
	// that it finds completes a sentence that begins with the key, "" is none; the
	// settings are not valid then. nil tests nothing.
	Check func(c Config) (key, problem string)
}

// Load reads the settings. What neither flag, environment nor file sets has its
// default. The error is an [*Error], the first of the file in its order; there
// is no Config then. Warnings come with a Config only.
func Load(o Options) (Config, []Warning, error) {
	fields := schema()
	c := Config{sources: map[string]string{}}
	v := reflect.ValueOf(&c).Elem()
	if err := setDefaults(fields, v); err != nil {
		return Config{}, nil, err
	}
	warnings, err := loadFile(o, fields, v, c.sources)
	if err != nil {
		return Config{}, nil, err
	}
	file, env, flags := c.Model, Config{}, Config{}
	for _, to := range []*Config{&c, &env, &flags} {
		over := &overlay{fields: fields, v: reflect.ValueOf(to).Elem(), sources: c.sources}
		if to != &flags {
			if err := over.environment(o.Env); err != nil {
				return Config{}, nil, err
			}
		}
		if to != &env {
			if err := over.flags(o.Flags); err != nil {
				return Config{}, nil, err
			}
		}
	}
	c.layers = [3]Model{flags.Model, env.Model, file}
	if o.Narrow != nil {
		o.Narrow(&c)
	}
	if err := c.check(o); err != nil {
		return Config{}, nil, err
	}
	return c, warnings, nil
}

// check runs the test of the options. The error names the place the setting
// comes from.
func (c Config) check(o Options) error {
	if o.Check == nil {
		return nil
	}
	key, problem := o.Check(c)
	if problem == "" {
		return nil
	}
	e := &Error{Kind: KindValue, Key: key, Problem: problem}
	source := c.sources[key]
	if line, ok := strings.CutPrefix(source, o.File+":"); ok && o.File != "" {
		e.File = o.File
		e.Line, _ = strconv.Atoi(line)
		return e
	}
	if e.Origin = source; source == "" {
		e.Origin = "settings"
	}
	return e
}

// setDefaults gives every setting in the struct v its default.
func setDefaults(fields []*field, v reflect.Value) error {
	for _, f := range fields {
		var err error
		switch f.shape {
		case shapeByName, shapeEntries:
		case shapeSection:
			err = setDefaults(f.children, v.Field(f.index))
		default:
			if t := f.setText(v.Field(f.index), f.Default); t != nil {
				err = &Error{Kind: t.kind, Origin: "built-in default", Key: f.Name, Problem: t.problem}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loadFile reads the file into v.
func loadFile(o Options, fields []*field, v reflect.Value, sources map[string]string) ([]Warning, error) {
	if o.File == "" {
		return nil, nil
	}
	data, err := readFile(o.File)
	if err != nil {
		return nil, err
	}
	return decodeFile(o, data, fields, v, sources)
}

// decodeFile reads the text of the file into v.
func decodeFile(o Options, data []byte, fields []*field, v reflect.Value, sources map[string]string) ([]Warning, error) {
	root, err := parse(o.File, data)
	if err != nil || root == nil {
		return nil, err
	}
	d := &decoder{file: o.File, expand: expander{env: o.Env}, sources: sources}
	if err := d.root(root, fields, v); err != nil {
		return nil, err
	}
	return d.warnings, nil
}

// root reads the whole file.
func (d *decoder) root(n *yaml.Node, fields []*field, v reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return &Error{Kind: KindType, File: d.file, Line: n.Line, Column: n.Column,
			Problem: `the file must hold settings, as "display:" with "theme: dark" indented below, not ` + what(n)}
	}
	return d.section(n, nil, fields, v)
}

// overlay puts values from outside the file over those of the file.
type overlay struct {
	fields  []*field
	v       reflect.Value
	sources map[string]string
}

// environment applies the variables that override settings. One that is set to
// nothing counts as not set.
func (o *overlay) environment(env func(string) (string, bool)) error {
	if env == nil {
		return nil
	}
	return o.variables(o.fields, o.v, env)
}

func (o *overlay) variables(fields []*field, v reflect.Value, env func(string) (string, bool)) error {
	for _, f := range fields {
		if f.shape == shapeSection {
			if err := o.variables(f.children, v.Field(f.index), env); err != nil {
				return err
			}
			continue
		}
		if f.Env == "" {
			continue
		}
		value, _ := env(f.Env)
		if value == "" {
			continue
		}
		origin := "environment variable " + f.Env
		if f.EnvValue != "" {
			on, ok := parseSwitch(value)
			if !ok {
				return &Error{Kind: KindType, Origin: origin, Problem: "must be 1 or 0, not " + quote(value)}
			}
			if !on {
				continue
			}
			value = f.EnvValue
		}
		if err := o.set(f, v.Field(f.index), value, origin); err != nil {
			return err
		}
	}
	return nil
}

// flags applies the settings of the command line, in the order of their keys.
func (o *overlay) flags(flags map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(flags)) {
		origin := "flag for " + printable(key)
		f, v := locateField(o.fields, o.v, key)
		if f == nil {
			return &Error{Kind: KindUnknown, Origin: origin, Problem: "there is no such setting, or it can only be set in the file"}
		}
		if err := o.set(f, v, flags[key], origin); err != nil {
			return err
		}
	}
	return nil
}

func (o *overlay) set(f *field, v reflect.Value, text, origin string) error {
	if t := f.setText(v, text); t != nil {
		return &Error{Kind: t.kind, Origin: origin, Key: f.Name, Problem: t.problem}
	}
	o.sources[f.Name] = origin
	return nil
}

// locateField finds a setting and its place in the struct v. Settings below
// names of choice, and those that have no form as one text, are not found.
func locateField(fields []*field, v reflect.Value, key string) (*field, reflect.Value) {
	name, rest, deeper := strings.Cut(key, ".")
	f := find(fields, name)
	switch {
	case f == nil:
		return nil, v
	case f.shape == shapeSection && deeper:
		return locateField(f.children, v.Field(f.index), rest)
	case deeper || !f.shape.oneText():
		return nil, v
	}
	return f, v.Field(f.index)
}
