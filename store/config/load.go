package config

import (
	"cmp"
	"errors"
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
// default, and so has what the file sets to a value that does not fit: a warning says so.
// Where such a value was to forbid or to confine something, the strictest counts in its
// place. The error is an [*Error]: the file is no YAML, or a flag or the environment is
// wrong. Warnings come with a Config only.
func Load(o Options) (Config, []Warning, error) {
	fields := schema()
	c := Config{sources: map[string]string{}}
	v := reflect.ValueOf(&c).Elem()
	if err := setDefaults(fields, v); err != nil {
		return Config{}, nil, err
	}
	warnings, passed, err := loadFile(o, fields, v, c.sources)
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
	c.confine(passed)
	warnings, err = c.checked(o, warnings)
	slices.SortStableFunc(warnings, func(a, b Warning) int { return cmp.Compare(a.rank(), b.rank()) })
	return c, warnings[:min(len(warnings), maxWarnings)], err
}

// confines reports whether a setting says what may run, or where.
func confines(key string) bool {
	return key == "approvals" || strings.HasPrefix(key, "approvals.") || key == "terminal" || key == "terminal.backend"
}

// passedOver ends the warning about a value that does not fit.
func passedOver(key string) string {
	if confines(key) {
		return "; it is ignored, and everything is asked about"
	}
	return "; it is ignored"
}

// confine makes up for settings that were to forbid or to confine something and could not
// be read: everything is asked about, and where rules are missing that might have
// forbidden it, none allows anything.
func (c *Config) confine(passed []*Error) {
	for _, e := range passed {
		below := func(keys ...string) bool {
			return slices.ContainsFunc(keys, func(k string) bool { return e.Key == k || strings.HasPrefix(e.Key, k+".") })
		}
		from, file := c.sources[e.Key], e.File+":"
		if !confines(e.Key) || from != "" && !strings.HasPrefix(from, file) { // it counts from elsewhere
			continue
		}
		if c.doubt == "" {
			c.doubt = e.Error()
		}
		if c.Approvals.Mode != ApprovalPlan {
			c.Approvals.Mode = ApprovalManual
		}
		if e.Key == "approvals" || e.Key == "approvals.rules" || below("approvals.ask", "approvals.deny", "approvals.rules") {
			c.Approvals.Allow = nil
			c.Approvals.Rules = slices.DeleteFunc(c.Approvals.Rules, func(r ApprovalRule) bool { return r.Allow != "" })
		}
	}
}

// Doubt is what is wrong with a setting that says what may run, which everything is asked
// about for; empty for nothing.
func (c Config) Doubt() string { return c.doubt }

// checked runs the test of the options. What it refuses of the file is taken out, with a
// warning.
func (c *Config) checked(o Options, warnings []Warning) ([]Warning, error) {
	const most = 100
	for range most {
		err := c.check(o)
		e, ok := errors.AsType[*Error](err)
		if !ok || e.File == "" || !c.withdraw(e.Key) {
			return warnings, err
		}
		warnings = append(warnings, e.passed())
		c.confine([]*Error{e})
	}
	return warnings, c.check(o)
}

// withdraw sets a setting of the file back to its default, or takes an entry out of a list, and
// reports whether it could.
func (c *Config) withdraw(key string) bool {
	v, fields := reflect.ValueOf(c).Elem(), schema()
	for key != "" {
		name, rest, _ := strings.Cut(key, ".")
		f := find(fields, name)
		if f == nil {
			return false
		}
		v, key = v.Field(f.index), rest
		number, _, _ := strings.Cut(rest, ".")
		n, err := strconv.Atoi(number)
		switch {
		case f.shape == shapeSection && rest != "":
			fields = f.children
		case (f.shape == shapeEntries || f.shape == shapeList) && err == nil && n >= 1 && n <= v.Len():
			v.Set(reflect.AppendSlice(v.Slice3(0, n-1, n-1), v.Slice(n, v.Len())))
			return true
		case v.IsZero():
			return false
		case f.shape == shapeEntries || f.shape == shapeByName:
			v.SetZero()
			return true
		default:
			return f.setText(v, f.Default) == nil
		}
	}
	return false
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
	for at := key; source == "" && at != ""; source = c.sources[at] { // an entry of a list stands where the list does
		at = at[:max(strings.LastIndexByte(at, '.'), 0)]
	}
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
func loadFile(o Options, fields []*field, v reflect.Value, sources map[string]string) ([]Warning, []*Error, error) {
	if o.File == "" {
		return nil, nil, nil
	}
	data, err := readFile(o.File)
	if err != nil {
		return nil, nil, err
	}
	return decodeFile(o, data, fields, v, sources)
}

// decodeFile reads the text of the file into v. passed are the values that do not fit, of
// which there are warnings as well.
func decodeFile(o Options, data []byte, fields []*field, v reflect.Value, sources map[string]string) (warnings []Warning, passed []*Error, err error) {
	root, doubles, err := parse(o.File, data)
	if err != nil || root == nil {
		return nil, nil, err
	}
	d := &decoder{file: o.File, expand: expander{env: o.Env}, sources: sources}
	_, version := entry(root, "_config_version")
	d.theirs = version != nil
	for _, e := range doubles {
		d.passed, d.warnings = append(d.passed, e), append(d.warnings, Warning{File: e.File, Line: e.Line, Column: e.Column, Problem: e.Problem, Wrong: true})
	}
	if root.Kind != yaml.MappingNode && !nothing(root) {
		err = d.pass(&Error{Kind: KindType, File: d.file, Line: root.Line, Column: root.Column,
			Problem: `the file must hold settings, as "display:" with "theme: dark" indented below, not ` + what(root)})
	} else {
		err = d.section(root, nil, fields, v)
	}
	return d.warnings, d.passed, err
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
