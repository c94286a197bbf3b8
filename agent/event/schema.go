package event

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// object is a JSON object of a schema.
type object = map[string]any

// Schema is a JSON Schema (draft 2020-12) of one event as [Marshal] writes it, as a value
// that can be written as JSON. Members may be added in later versions, and types of events;
// names never change their meaning. A reader skips what it does not know.
func Schema() any {
	w := schemaWriter{defs: object{}}
	var all []any
	for _, r := range registrations() {
		of := reflect.TypeOf(r.blank()).Elem()
		form := w.object(of)
		if properties, ok := form["properties"].(object); ok {
			properties["type"] = object{"const": string(r.name)}
			properties["v"] = object{"const": r.version}
		}
		form["title"] = of.Name()
		w.defs[of.Name()] = form
		all = append(all, object{"$ref": "#/$defs/" + of.Name()})
	}
	return object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "An event of hermes-tui, as a line of exec --json",
		"description": "Costs are in trillionths of a US dollar. A reader skips members and types of events that it does not know.",
		"anyOf":       all, "$defs": w.defs,
	}
}

// schemaWriter collects the schemas of named types.
type schemaWriter struct{ defs object }

// object is the schema of a struct.
func (w schemaWriter) object(t reflect.Type) object {
	properties, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" || !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		optional := strings.Contains(options, "omit")
		properties[name] = w.value(f.Type, !optional)
		if !optional {
			required = append(required, name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}

// value is the schema of a value of a type, which may be null where it can be nil and is
// written all the same.
func (w schemaWriter) value(t reflect.Type, null bool) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return object{}
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Pointer:
		form := w.value(t.Elem(), false)
		if null {
			return object{"anyOf": []any{form, object{"type": "null"}}}
		}
		return form
	case reflect.Slice, reflect.Array:
		form := object{"type": "array", "items": w.value(t.Elem(), true)}
		if t.Elem().Kind() == reflect.Uint8 {
			form = object{"type": "string", "contentEncoding": "base64"}
		}
		return orNull(form, null)
	case reflect.Map:
		return orNull(object{"type": "object", "additionalProperties": w.value(t.Elem(), true)}, null)
	case reflect.Struct:
		if t.Name() == "" {
			return w.object(t)
		}
		if _, known := w.defs[t.Name()]; !known {
			w.defs[t.Name()] = object{} // it may hold itself
			w.defs[t.Name()] = w.object(t)
		}
		return object{"$ref": "#/$defs/" + t.Name()}
	default:
		return object{}
	}
}

func orNull(form object, null bool) object {
	if null {
		form["type"] = []any{form["type"], "null"}
	}
	return form
}
