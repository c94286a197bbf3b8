package script

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// everything uses every key there is.
const everything = `{
  "$schema": "scenario.schema.json", "note": "all keys", "name": "all",
  "rate": 90.5, "split": 3, "reasoning_field": "reasoning",
  "models": ["a", {"id": "b", "context_length": 32000}],
  "rules": [
    {"note": "first", "times": 2,
     "match": {"user": "(?i)hi", "tool_result": "ok$", "tool": "terminal", "results": 0, "system": "^You", "tools": false, "nth": 3},
     "steps": [
      {"open": true, "note": "headers"},
      {"reasoning": "hm", "rate": 0, "split": 1},
      {"text": "a {{last_user}}", "rate": 12},
      {"tokens": {"n": 5, "rate": 100, "split": 2, "kind": "prose", "seed": 7, "reasoning": true}},
      {"call": {"name": "t", "args": {"x": [1, 2.50], "s": "a b"}, "id": "c1"}, "split": 4},
      {"call": {"name": "u", "raw_args": "{\"x\":"}},
      {"call": {"name": "v"}},
      {"usage": {"input": 1, "output": 2, "cache_read": 3, "cache_write": 4, "reasoning": 5}},
      {"usage": "none"},
      {"finish": "length"},
      {"finish": "none"},
      {"sleep_ms": 20},
      {"stall": 30},
      {"stall": true},
      {"error": {"status": 429, "message": "m", "type": "t", "code": "c", "headers": {"X-A": "b"}, "retry_after": 1.5, "with_id": true}},
      {"error": {"body": {"detail": "no"}}},
      {"error": {"body": "plain"}},
      {"error": {"body": 7}},
      {"error": {"html": "<p>"}},
      {"cut": true}, {"cut": "half"}, {"cut": "clean"},
      {"raw": "x\n"}, {"raw_base64": "/w=="},
      {"malformed": true},
      {"keepalive": 4}
    ]},
    {"steps": []}
  ]
}`

func TestParseEverything(t *testing.T) {
	got, err := Parse("dir/file.json", []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	zero, no := 0, false
	want := &Scenario{
		Name: "all", Rate: 90.5, Split: 3, ReasoningField: "reasoning", Models: []Model{{ID: "a"}, {ID: "b", ContextLength: 32000}},
		Rules: []Rule{{
			Times: 2,
			Match: Match{User: "(?i)hi", ToolResult: "ok$", Tool: "terminal", Results: &zero, System: "^You", Tools: &no, Nth: 3},
			Steps: []Step{
				Open{},
				Reasoning{Text: "hm", Pace: Pace{Rate: -1, Split: 1}},
				Text{Text: "a {{last_user}}", Pace: Pace{Rate: 12}},
				Tokens{N: 5, Kind: Prose, Seed: 7, Reasoning: true, Pace: Pace{Rate: 100, Split: 2}},
				Call{Name: "t", Args: `{"x":[1,2.50],"s":"a b"}`, ID: "c1", Pace: Pace{Split: 4}},
				Call{Name: "u", Args: `{"x":`},
				Call{Name: "v", Args: "{}"},
				Usage{Usage: providers.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5}},
				Usage{Omit: true},
				Finish{Reason: "length"},
				Finish{Omit: true},
				Sleep{For: 20 * time.Millisecond},
				Stall{For: 30 * time.Millisecond},
				Stall{},
				Failure{Status: 429, Message: "m", Type: "t", Code: "c", Header: map[string]string{"X-A": "b"}, RetryAfter: 1500 * time.Millisecond, WithID: true},
				Failure{Body: []byte(`{"detail":"no"}`)},
				Failure{Body: []byte("plain")},
				Failure{Body: []byte("7")},
				Failure{HTML: "<p>"},
				CutReset, CutHalf, CutClean,
				Raw("x\n"), Raw("\xff"),
				Malformed{},
				Keepalive{N: 4},
			},
		}, {}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	step := func(s string) string { return `{"rules": [{"steps": [` + s + `]}]}` }
	for in, want := range map[string]string{
		``:                                       "it is not a scenario: EOF",
		`{oops}`:                                 "it is not a scenario: invalid character",
		`[]`:                                     "cannot unmarshal array",
		`{} {}`:                                  "there is more behind it",
		`{"rools": []}`:                          `unknown field "rools"`,
		`{"rate": -1}`:                           "rate is at least 0",
		`{"rate": 1e999}`:                        "1e999",
		`{"split": 1.5}`:                         "1.5",
		`{"name": 7}`:                            "Go struct field scenarioFile.name",
		`{"reasoning_field": "thoughts"}`:        `reasoning_field: "thoughts" is neither`,
		`{"models": [{"context_length": 7}]}`:    "a model needs an id",
		`{"models": [{"size": 7}]}`:              `unknown field "size"`,
		`{"rules": {}}`:                          "cannot unmarshal object",
		`{"rules": [{}]}`:                        "rules[0]: times is at least 1, and a rule needs steps",
		`{"rules": [{"times": 0, "steps": []}]}`: "rules[0]: times is at least 1",
		`{"rules": [{"steps": []}, {"match": {"user": "("}, "steps": []}]}`: "rules[1].match: user: error parsing regexp",
		`{"rules": [{"match": {"usr": ""}, "steps": []}]}`:                  `unknown field "usr"`,
		step(`{}`):           "rules[0].steps[0]: a step has one of the keys text, ",
		step(`{"txt": "a"}`): `unknown field "txt"`,
		step(`{"text": "a"}, {"text": "b", "cut": true}`):           "rules[0].steps[1]: a step has one of the keys text,",
		step(`{"open": true, "rate": 7}`):                           "steps[0]: rate and split belong to ",
		step(`{"open": false}`):                                     "a step has one of the keys",
		step(`{"cut": "slowly"}`):                                   `cut "slowly" is none of reset, half, clean`,
		step(`{"stall": 0}`):                                        "stall is true or at least 1",
		step(`{"stall": "long"}`):                                   "stall is true or at least 1",
		step(`{"sleep_ms": 1e12}`):                                  "1e12",
		step(`{"sleep_ms": -1}`):                                    "a pause is from 0 to",
		step(`{"tokens": {"n": 2000000}}`):                          "n is from 0 to 1000000",
		step(`{"tokens": {"kind": "verse"}}`):                       `kind "verse" is neither markdown nor prose`,
		step(`{"call": {"args": {}}}`):                              "a call needs a name",
		step(`{"call": {"name": "a", "args": []}}`):                 "args is an object; raw_args takes any text",
		step(`{"call": {"name": "a", "args": {}, "raw_args": ""}}`): "a call has either args or raw_args",
		step(`{"usage": {"tokens": 1}}`):                            `unknown field "tokens"`,
		step(`{"usage": "many"}`):                                   `usage is an object or "none"`,
		step(`{"finish": ""}`):                                      "finish needs a reason",
		step(`{"error": {"status": 99}}`):                           "status is from 200 to 599",
		step(`{"error": {"retry_after": -1}}`):                      "retry_after is from 0 to ",
		step(`{"error": {"headers": {"a": 1}}}`):                    "headers",
		step(`{"raw_base64": "*"}`):                                 "illegal base64",
		step(`{"keepalive": 100001}`):                               "keepalive is from 0 to 100000",
	} {
		_, err := Parse("f.json", []byte(in))
		var le *LoadError
		if !errors.As(err, &le) || !strings.HasPrefix(strings.Replace(err.Error(), ", line 1: ", ": ", 1), "scenario f.json: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got  %v\n want %s", in, err, want)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "greet.json")
	if err := os.WriteFile(path, []byte(`{"rules": [{"steps": [{"text": "hi"}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "greet" || len(s.Rules) != 1 {
		t.Errorf("loaded %+v", s)
	}
	_, err = Load(filepath.Join(dir, "none.json"))
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "check the path") {
		t.Errorf("missing file: %v", err)
	}
	big := filepath.Join(dir, "big.json")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, maxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err = Load(big); err == nil || !strings.Contains(err.Error(), "larger than 16 MB") {
		t.Errorf("big file: %v", err)
	}
}

func TestValidate(t *testing.T) {
	for name, s := range map[string]*Scenario{
		"expression": {Rules: []Rule{{Match: Match{System: "["}}}},
		"nil step":   {Rules: []Rule{{Steps: []Step{nil}}}},
		"call":       {Rules: []Rule{{Steps: []Step{Call{}}}}},
		"cut":        {Rules: []Rule{{Steps: []Step{Cut("")}}}},
		"times":      {Rules: []Rule{{Times: -1}}},
		"split":      {Split: -1},
		"field":      {ReasoningField: "x"},
		"pause":      {Rules: []Rule{{Steps: []Step{Sleep{For: -1}}}}},
	} {
		if err := s.Validate(); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := New(s, Options{}); err == nil {
			t.Errorf("%s: New takes it", name)
		}
		if _, err := NewPlayer(s, Options{}); err == nil {
			t.Errorf("%s: NewPlayer takes it", name)
		}
	}
}

// TestDocs holds docs/dev/scenarios.md to the parser: its examples load, and it
// names every key.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "dev", "scenarios.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(data, -1)
	if len(examples) < 3 {
		t.Errorf("%d examples", len(examples))
	}
	for i, e := range examples {
		if _, err := Parse("example", e[1]); err != nil {
			t.Errorf("example %d: %v", i+1, err)
		}
	}
	keys := append(actions(), "rate", "split", "reasoning_field", "models", "context_length", "rules", "match", "times", "steps", "note",
		"user", "tool_result", "tool", "results", "system", "tools", "nth", "args", "raw_args", "id", "kind", "seed",
		"cache_read", "cache_write", "status", "message", "type", "code", "body", "html", "headers", "retry_after", "with_id")
	for _, k := range keys {
		if !strings.Contains(string(data), "`"+k+"`") {
			t.Errorf("the key %s is not described", k)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte(`{"rules":[{"steps":[{"text":"a"}]}]}`))
	f.Add([]byte(`{"rules":[[[[{"a":"\ud800"}]]]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("fuzz", data)
		if err != nil {
			var le *LoadError
			if !errors.As(err, &le) || le.Problem == "" {
				t.Fatalf("error %#v", err)
			}
			return
		}
		if err := s.Validate(); err != nil {
			t.Fatalf("a loaded scenario is not valid: %v", err)
		}
	})
}
