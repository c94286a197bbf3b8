package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every field of Config is described completely.
func TestSchema(t *testing.T) {
	var check func([]*field)
	names, vars := map[string]bool{}, map[string]bool{}
	check = func(fields []*field) {
		for _, f := range fields {
			if names[f.Name] || f.name == "" || f.name != strings.ToLower(f.name) {
				t.Errorf("%s: name is not good", f.Name)
			}
			names[f.Name] = true
			if f.formerly != "" && find(fields, f.formerly) != nil {
				t.Errorf("%s: former key %s", f.Name, f.formerly)
			}
			for _, name := range slices.Concat(f.need...) {
				if f.shape != shapeEntries || find(f.children, name) == nil {
					t.Errorf("%s: needs %s", f.Name, name)
				}
			}
			if f.children != nil {
				check(f.children)
				continue
			}
			if f.Class != Live && f.Class != Turn && f.Class != Session && f.Class != Start {
				t.Errorf("%s: class %q", f.Name, f.Class)
			}
			if !strings.HasSuffix(f.Doc, ".") || strings.ContainsAny(f.Doc, "|\n") {
				t.Errorf("%s: doc %q", f.Name, f.Doc)
			}
			if (f.shape == shapeNumber || f.shape == shapeFraction) != (f.Max > f.Min) {
				t.Errorf("%s: range %v..%v", f.Name, f.Min, f.Max)
			}
			if f.shape == shapeWords && (f.Allowed == nil || f.alias != nil) {
				t.Errorf("%s: the values allowed are not plain", f.Name)
			}
			if f.Env != "" && (vars[f.Env] || !validName(f.Env)) {
				t.Errorf("%s: variable %s", f.Name, f.Env)
			}
			vars[f.Env] = true
			if !f.shape.oneText() && (f.Env != "" || f.Default != "") {
				t.Errorf("%s: a text cannot give its value", f.Name)
			}
			for _, to := range f.alias {
				if !slices.Contains(f.Allowed, to) {
					t.Errorf("%s: another spelling of %q", f.Name, to)
				}
			}
			if !slices.Contains([]string{"", "url", "object", "envname", "word", "header", "variable", "action", "price", "trusts", "pair"}, f.check) ||
				(f.check == "header" || f.check == "variable") != (f.shape == shapeHeaders) || (f.check == "action") != (f.shape == shapeLists) || (f.check == "price") != (f.Type == "price") {
				t.Errorf("%s: check %q", f.Name, f.check)
			}
		}
	}
	check(schema())
}

// Every field of every struct is a setting.
func TestSchemaIsComplete(t *testing.T) {
	var check func(reflect.Type)
	check = func(typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			if !f.IsExported() {
				continue
			}
			if f.Tag.Get("yaml") == "" {
				t.Errorf("%s.%s has no key", typ, f.Name)
			}
			switch {
			case f.Type == reflect.TypeFor[Secret]():
			case f.Type.Kind() == reflect.Struct:
				check(f.Type)
			case f.Type.Kind() == reflect.Map && f.Type.Elem().Kind() == reflect.Struct && f.Type.Elem() != reflect.TypeFor[Secret]():
				check(f.Type.Elem())
			case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct:
				check(f.Type.Elem())
			}
		}
	}
	check(reflect.TypeFor[Config]())
}

func TestKeys(t *testing.T) {
	byName := map[string]Key{}
	for _, k := range Keys() {
		byName[k.Name] = k
	}
	theme := byName["display.theme"]
	if theme.Default != "auto" || theme.Class != Live || theme.Env != "HERMES_TUI_THEME" {
		t.Errorf("%+v", theme)
	}
	if k := byName["approvals.mode"]; k.Env != "HERMES_YOLO_MODE" || k.EnvValue != "off" {
		t.Errorf("%+v", k)
	}
	if k := byName["providers.NAME.api_key"]; !k.Secret || k.Type != "text" {
		t.Errorf("%+v", k)
	}
	if k := byName["keys"]; k.Class != Live || k.Type != "lists of texts by name" || k.Default != "" || k.Env != "" {
		t.Errorf("%+v", k)
	}
	if k := byName["fallback_providers.N.api_key"]; !k.Secret || k.Type != "text" || k.Class != Session {
		t.Errorf("%+v", k)
	}
	if k := byName["pricing.N.cache_read"]; k.Type != "price" || k.Class != Session || k.Secret {
		t.Errorf("%+v", k)
	}
	if k := byName["credential_pool_strategies"]; k.Type != "texts by name" || k.Class != Session || len(k.Allowed) != 4 || k.Secret {
		t.Errorf("%+v", k)
	}
	if k := byName["compression.threshold"]; k.Min != 0.1 || k.Max != 0.95 || k.Type != "fraction" || k.Default != "0.5" {
		t.Errorf("%+v", k)
	}
	if k := byName["network.stream_stale_timeout_s"]; k.Env != "HERMES_STREAM_STALE_TIMEOUT" || k.Class != Session {
		t.Errorf("%+v", k)
	}
	if k := byName["agent.max_turns"]; k.Min != 1 || k.Max != 100000 || k.Type != "whole number" {
		t.Errorf("%+v", k)
	}
}
