package event

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/events.schema.json again")

// TestSchema holds that the published schema is that of the events.
func TestSchema(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "events.schema.json")
	want, err := json.MarshalIndent(Schema(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *updateDocs {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != string(want) {
		t.Errorf("docs/events.schema.json is not what events are (%v); write it again with: go test ./agent/event -run TestSchema -update-docs", err)
	}
}

// TestSchemaOfEvents has events of every type fit, empty ones and full ones.
func TestSchemaOfEvents(t *testing.T) {
	text, err := json.Marshal(Schema())
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	rules, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	fits := func(line []byte) error {
		var v any
		if err := json.Unmarshal(line, &v); err != nil {
			return err
		}
		return rules.Validate(v)
	}
	for _, r := range registrations() {
		full := r.blank()
		fill(reflect.ValueOf(full).Elem(), 0)
		for _, e := range []Event{r.blank(), full} {
			e.Head().Type, e.Head().V = r.name, r.version
			line, err := Marshal(e)
			if err == nil {
				err = fits(line)
			}
			if err != nil {
				t.Errorf("%s: %v\n%s", r.name, err, line)
			}
		}
	}
	for _, wrong := range []string{`{}`, `{"type":"turn_started"}`, `{"type":"news","v":1,"at":"2026-01-01T00:00:00Z","conv":"c"}`} {
		if fits([]byte(wrong)) == nil {
			t.Errorf("%s fits", wrong)
		}
	}
}
