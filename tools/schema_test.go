package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func schemaOf(properties string, required ...string) json.RawMessage {
	list, _ := json.Marshal(append([]string{}, required...))
	return json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":` + string(list) + `}`)
}

func TestCoerce(t *testing.T) {
	for _, c := range []struct{ name, property, in, want string }{
		{"exponent to zero", `{"type":"integer"}`, `"0e999999999"`, `0`},
		{"tiny remainder", `{"type":"integer"}`, `"0.01e-9223372036854775808"`, `"0.01e-9223372036854775808"`},
		{"not finite", `{"type":"integer"}`, `"1e400"`, `"1e400"`},
		{"fraction cancelled", `{"type":"integer"}`, `"12.50e1"`, `125`},
		{"plus sign", `{"type":"number"}`, `"+1.50E+3"`, `1500`},
		{"leading zeros", `{"type":"number"}`, `"-007.5"`, `-7.5`},
		{"bare point", `{"type":"number"}`, `"."`, `"."`},
		{"hexadecimal", `{"type":"number"}`, `"0x1p4"`, `"0x1p4"`},
		{"underscore", `{"type":"integer"}`, `"1_000"`, `"1_000"`},
		{"exponent without digits", `{"type":"number"}`, `"1e"`, `"1e"`},
		{"array first, text is a string", `{"type":["array","string"]}`, `"a,b"`, `"a,b"`},
		{"array first, text is an array", `{"anyOf":[{"type":"array"},{"type":"string"}]}`, `"[1]"`, `[1]`},
		{"array last resort", `{"type":["object","array"]}`, `"x"`, `["x"]`},
		{"an object is not wrapped when one is allowed", `{"type":["array","object"]}`, `{"k":1}`, `{"k":1}`},
		{"a number is not wrapped when one is allowed", `{"type":["array","integer"]}`, `3.0`, `3`},
		{"a fraction is wrapped", `{"type":["array","integer"]}`, `3.5`, `[3.5]`},
		{"member without type", `{"anyOf":[{"enum":[1]},{"type":"integer"}]}`, `"1"`, `"1"`},
		{"nothing declared", `{}`, `"1"`, `"1"`},
		{"null where it is not allowed", `{"type":"integer"}`, `"null"`, `"null"`},
		{"deep text", `{"type":"array"}`, `"` + strings.Repeat("[", 20000) + `"`, `["` + strings.Repeat("[", 20000) + `"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Coerce(schemaOf(`"v":`+c.property), json.RawMessage(`{"v":`+c.in+`}`))
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, got, []byte(`{"v":`+c.want+`}`)) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestCoerceKeepsOrderAndLastOfEqualKeys(t *testing.T) {
	got, err := Coerce(schemaOf(`"b":{"type":"integer"}`), json.RawMessage(`{"z": "<&>", "b": "1", "a": 2.50, "b": "7"}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"z":"<&>","b":7,"a":2.50}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCoerceRefusesOtherThanObjects(t *testing.T) {
	for _, args := range []string{``, `null`, `[]`, `"{}"`, `{`, `{} {}`, `{"a":1,}`, "{\"a\":\x01}"} {
		if got, err := Coerce(schemaOf(``), json.RawMessage(args)); err == nil {
			t.Errorf("Coerce(%q) = %s, want an error", args, got)
		}
	}
}

func TestCheck(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","required":["path","items"],"properties":{
		"path":{"type":"string","minLength":1},
		"limit":{"type":"integer","minimum":1,"maximum":10},
		"ratio":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},
		"mode":{"type":"string","enum":["a","b"]},
		"maybe":{"type":["string","null"]},
		"either":{"anyOf":[{"type":"string"},{"type":"object","required":["k"],"properties":{"k":{"type":"integer"}}}]},
		"items":{"type":"array","maxItems":2,"items":{"type":"object","required":["id"],
			"properties":{"id":{"type":"string"},"n":{"const":1}}}}}}`)
	for _, c := range []struct {
		name, args string
		want       []string
	}{
		{"all well", `{"path":"x","limit":3.0,"ratio":0.5,"mode":"b","maybe":null,"either":{"k":1},"items":[{"id":"1","n":1.0}],"extra":1}`, nil},
		{"missing", `{}`, []string{"path is required", "items is required"}},
		{"null for required", `{"path":null,"items":[]}`, []string{"path is required", `path must be a string, not null`}},
		{"null for optional", `{"path":"x","items":[],"limit":null}`, nil},
		{"types", `{"path":5,"items":"x"}`, []string{`items must be an array, not the string "x"`, `path must be a string, not 5`}},
		{"whole number", `{"path":"x","items":[],"limit":1.5}`, []string{"limit must be an integer, not 1.5"}},
		{"limits", `{"path":"","items":[{"id":"1"},{"id":"2"},{"id":"3"}],"limit":11,"ratio":1}`, []string{
			"items must have at most 2 elements, not 3", "limit must be at most 10, not 11",
			"path must have at least 1 characters, not 0", "ratio must be less than 1, not 1"}},
		{"enum", `{"path":"x","items":[],"mode":"c"}`, []string{`mode must be one of a, b, not the string "c"`}},
		{"nested", `{"path":"x","items":[{"id":"1"},{"n":2}]}`, []string{"items[1].id is required", "items[1].n must be one of 1, not 2"}},
		{"closest member", `{"path":"x","items":[],"either":{"k":"z"}}`, []string{`either.k must be an integer, not the string "z"`}},
		{"no member", `{"path":"x","items":[],"either":5}`, []string{"either must be a string or an object, not 5"}},
		{"case", `{"path":"x","items":[],"Path":"y"}`, []string{"Path is not an argument, path is"}},
		{"folded", `{"path":"x","itemſ":[],"items":[]}`, []string{"itemſ is not an argument, items is"}},
		{"no object", `[]`, []string{"the arguments must be one JSON object"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range Check(schema, json.RawMessage(c.args)) {
				if s := p.String(); !slices.Contains(got, s) {
					got = append(got, s)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestCheckIsBounded(t *testing.T) {
	var args strings.Builder
	args.WriteString(`{"items":[`)
	for i := range 5000 {
		if i > 0 {
			args.WriteByte(',')
		}
		args.WriteString(`"` + strings.Repeat("x", 500) + `"`)
	}
	args.WriteString(`]}`)
	problems := Check(schemaOf(`"items":{"type":"array","items":{"type":"integer"}}`), json.RawMessage(args.String()))
	if len(problems) != maxProblems {
		t.Fatalf("%d problems, want %d", len(problems), maxProblems)
	}
	text := Explain("demo", problems)
	if n := utf8.RuneCountInString(text); n > 2000 {
		t.Errorf("the explanation has %d characters", n)
	}
	if !strings.HasPrefix(text, "demo did not run: items[0] must be an integer") {
		t.Errorf("explanation: %s", text)
	}
}

func TestCheckClosedSchema(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`)
	got := Check(schema, json.RawMessage(`{"a":1,"c":2}`))
	if len(got) != 1 || got[0].String() != "c is not an argument; known are a, b" {
		t.Errorf("got %v", got)
	}
}

func TestInteger(t *testing.T) {
	for _, c := range []struct {
		json string
		want int
		bad  bool
	}{
		{`3`, 3, false}, {`3.0`, 3, false}, {`3e2`, 300, false}, {`-1`, -1, false}, {`null`, 9, false},
		{`1e30`, int(^uint(0) >> 1), false}, {`1.5`, 0, true}, {`"3"`, 0, true}, {`[3]`, 0, true},
	} {
		args := struct{ N Integer }{N: 9}
		err := Call{Name: "demo", Args: json.RawMessage(`{"n":` + c.json + `}`)}.Decode(&args)
		if (err != nil) != c.bad || err == nil && int(args.N) != c.want {
			t.Errorf("%s: %d, %v", c.json, args.N, err)
		}
	}
}

func TestDecodeExplains(t *testing.T) {
	var args struct {
		Path  string `json:"path"`
		Limit Integer
		Deep  struct {
			List []string `json:"list"`
		} `json:"deep"`
	}
	for in, want := range map[string]string{
		`{"path":5}`:          "argument path of demo: a string is wanted, not a number",
		`{"path":{}}`:         "argument path of demo: a string is wanted, not an object",
		`{"deep":{"list":1}}`: "argument deep.list of demo: an array is wanted, not a number",
		`{"limit":true}`:      "argument Limit of demo: an integer is wanted, not a boolean",
	} {
		err := Call{Name: "demo", Args: json.RawMessage(in)}.Decode(&args)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}

func FuzzCoerce(f *testing.F) {
	f.Add(`{"n":{"type":"integer"},"a":{"type":["array","null"]}}`, `{"n":"1e3","a":"[1]"}`)
	f.Add(`{"v":{"anyOf":[{"type":"object"},{"type":"boolean"}]}}`, `{"v":" TRUE ","v":"{}"}`)
	f.Add(`{"x":{"type":"number","nullable":true}}`, `{"x":"0.01e-9223372036854775808"}`)
	f.Fuzz(func(t *testing.T, properties, args string) {
		schema := json.RawMessage(`{"type":"object","properties":` + properties + `}`)
		start := time.Now()
		once, err := Coerce(schema, json.RawMessage(args))
		if err != nil {
			return
		}
		if !json.Valid(once) {
			t.Fatalf("not JSON: %s", once)
		}
		twice, err := Coerce(schema, once)
		if err != nil {
			t.Fatal(err)
		}
		var a, b map[string]json.RawMessage
		if json.Unmarshal(once, &a) != nil || json.Unmarshal(twice, &b) != nil || len(a) != len(b) {
			t.Fatalf("unstable: %s, then %s", once, twice)
		}
		Check(schema, once)
		if d := time.Since(start); d > 5*time.Second {
			t.Fatalf("took %v", d)
		}
	})
}

func BenchmarkCoerce(b *testing.B) {
	schema := schemaOf(`"path":{"type":"string"},"limit":{"type":"integer"},"content":{"type":"string"}`)
	args := json.RawMessage(`{"path":"a.go","limit":"50","content":"` + strings.Repeat("line of text\\n", 1000) + `"}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(args)))
	for b.Loop() {
		if _, err := Coerce(schema, args); err != nil {
			b.Fatal(err)
		}
	}
}
