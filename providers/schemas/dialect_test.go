package schemas_test

import (
	"encoding/json"
	"testing"

	"hermes-tui/providers/schemas"
)

func gemini() *schemas.Dialect   { return schemas.Of("gemini", "", "", schemas.None) }
func moonshot() *schemas.Dialect { return schemas.Of("moonshot", "", "", schemas.None) }
func grok() *schemas.Dialect     { return schemas.Of("xai", "", "", schemas.None) }
func nova() *schemas.Dialect     { return schemas.Of("", "", "amazon.nova-pro-v1:0", schemas.None) }

// TestDialects brings what servers describe their tools with into what services take.
func TestDialects(t *testing.T) {
	const pydantic = `{"$defs":{"Q":{"type":"object","properties":{"limit":{"type":"integer","default":20},"ids":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}],"default":null}}}},"type":"object","properties":{"query_model":{"$ref":"#/$defs/Q"},"both":{"allOf":[{"$ref":"#/$defs/Q"}]}},"required":["query_model"]}`
	const attach = `{"type":"object","anyOf":[{"properties":{"content":{"type":"string"}},"required":["content"]},{"properties":{"source_url":{"type":"string"}},"required":["source_url"]}]}`
	const attached = `{"properties":{"content":{"type":"string"},"source_url":{"type":"string"}},"type":"object"}`
	const q = `{"properties":{"ids":{"default":null,"items":{"type":"string"},"type":"array"},"limit":{"default":20,"type":"integer"}},"type":"object"}`
	const qNull = `{"properties":{"ids":{"default":null,"items":{"type":"string"},"nullable":true,"type":"array"},"limit":{"default":20,"type":"integer"}},"type":"object"}`
	const qRequired = `{"properties":{"ids":{"default":null,"items":{"type":"string"},"type":"array"},"limit":{"default":20,"type":"integer"}},"required":[],"type":"object"}`
	for _, c := range []struct {
		name     string
		of       *schemas.Dialect
		in, want string
	}{
		{"choices at the top", gemini(), attach, attached},
		{"choices at the top", schemas.Claude, attach, attached},
		{"choices at the top", nova(), attach, attached},
		{"choices at the top", moonshot(), attach, `{"properties":{"content":{"type":"string"},"source_url":{"type":"string"}},"required":[],"type":"object"}`},
		{"references", gemini(), pydantic, `{"properties":{"both":` + qNull + `,"query_model":` + qNull + `},"required":["query_model"],"type":"object"}`},
		{"references", moonshot(), pydantic, `{"properties":{"both":` + qRequired + `,"query_model":` + qRequired + `},"required":["query_model"],"type":"object"}`},
		{"references", schemas.Claude, pydantic, `{"properties":{"both":` + q + `,"query_model":` + q + `},"required":["query_model"],"type":"object"}`},
		{"null with an enum", gemini(), `{"type":"object","properties":{"a":{"enum":["A","B"],"type":"null"}}}`, `{"properties":{"a":{"enum":["A","B"],"type":"string"}},"type":"object"}`},
		{"keywords", gemini(), `{"type":"object","properties":{"a":{"type":"string","format":"uri","pattern":"x","$comment":"c","exclusiveMinimum":1},"b":{"type":"string","format":"date-time"}},"additionalProperties":false}`,
			`{"properties":{"a":{"pattern":"x","type":"string"},"b":{"format":"date-time","type":"string"}},"type":"object"}`},
		{"enums", gemini(), `{"type":"object","properties":{"a":{"type":"integer","enum":[1,2]},"b":{"enum":["x","",null]},"c":{"const":"y"}}}`,
			`{"properties":{"a":{"type":"integer"},"b":{"enum":["x"],"type":"string"},"c":{"enum":["y"],"type":"string"}},"type":"object"}`},
		{"choices", gemini(), `{"type":"object","properties":{"a":{"description":"d","anyOf":[{"minLength":1},{"type":"integer"},{"type":"null"}]},"b":{"oneOf":[{"type":"boolean"},{"type":"null"}]},"c":{"type":["string","number","null"]}}}`,
			`{"properties":{"a":{"anyOf":[{"description":"d","minLength":1,"nullable":true,"type":"string"},{"description":"d","nullable":true,"type":"integer"}]},"b":{"nullable":true,"type":"boolean"},"c":{"nullable":true,"type":"string"}},"type":"object"}`},
		{"choices of an object", gemini(), `{"type":"object","properties":{"a":{"type":"object","properties":{"x":{}},"anyOf":[{"required":["x"]},{"properties":{"y":{"type":"array"}}}]}}}`,
			`{"properties":{"a":{"properties":{"x":{"type":"string"},"y":{"items":{"type":"string"},"type":"array"}},"type":"object"}},"type":"object"}`},
		{"choices", moonshot(), `{"type":"object","properties":{"a":{"type":"string","anyOf":[{"minLength":1},{"type":"integer"},{"type":"null"}]},"b":{"oneOf":[{"type":"boolean"},{"type":"null"}]},"c":{}}}`,
			`{"properties":{"a":{"anyOf":[{"minLength":1,"type":"string"},{"type":"integer"}]},"b":{"type":"boolean"},"c":{"type":"string"}},"required":[],"type":"object"}`},
		{"true is a schema", moonshot(), `{"type":"object","properties":{"a":true}}`, `{"properties":{"a":{"type":"string"}},"required":[],"type":"object"}`},
		{"null", schemas.Claude, `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"description":"B","anyOf":[{"type":"integer","description":"i"},{"type":"null"}]},"c":{"type":["string","integer","null"]}}}`,
			`{"properties":{"a":{"type":"string"},"b":{"description":"B","type":"integer"},"c":{"type":["string","integer"]}},"type":"object"}`},
		{"keywords at the top", nova(), `{"type":"object","title":"t","additionalProperties":false,"properties":{"a":{"type":"object","additionalProperties":false}}}`,
			`{"properties":{"a":{"additionalProperties":false,"type":"object"}},"type":"object"}`},
		{"slashes and patterns", grok(), `{"type":"object","properties":{"pattern":{"type":"string","format":"uri","pattern":"x"},"enum":{"enum":["a/b","c",1]},"only":{"enum":["a/b"]}}}`,
			`{"properties":{"enum":{"enum":["c",1]},"only":{},"pattern":{"type":"string"}},"type":"object"}`},
		{"values are no schemas", schemas.Grammar, `{"type":"object","properties":{"a":{"default":{"format":"kept"},"examples":[{"pattern":"kept"}],"format":"x"}}}`,
			`{"properties":{"a":{"default":{"format":"kept"},"examples":[{"pattern":"kept"}]}},"type":"object"}`},
		{"big numbers and <signs>", gemini(), `{"type":"object","properties":{"a":{"type":"integer","maximum":12345678901234567890,"description":"<b>","multipleOf":2}}}`,
			`{"properties":{"a":{"description":"<b>","maximum":12345678901234567890,"type":"integer"}},"type":"object"}`},
		{"nothing", moonshot(), ``, `{"properties":{},"required":[],"type":"object"}`},
		{"no JSON", gemini(), `{`, `{`},
		{"as it is", schemas.None, `{"type":"object", "properties":{}}`, `{"type":"object", "properties":{}}`},
	} {
		if got := string(c.of.For(json.RawMessage(c.in))); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestOf knows services and, behind gateways, models.
func TestOf(t *testing.T) {
	for at, want := range map[[3]string]*schemas.Dialect{
		{"gemini", "", "x"}: gemini(), {"", "generativelanguage.googleapis.com", "x"}: gemini(), {"openrouter", "openrouter.ai", "google/gemini-3-flash"}: gemini(), {"custom", "127.0.0.1", "gemini-3-flash"}: gemini(),
		{"kimi-coding", "api.kimi.com", "for-coding"}: moonshot(), {"custom", "api.moonshot.cn", "x"}: moonshot(), {"groq", "", "moonshotai/kimi-k2-instruct"}: moonshot(), {"", "", "moonshot.kimi-k2-thinking"}: moonshot(), {"", "h", "k3-fast"}: moonshot(),
		{"xai-oauth", "", "x"}: grok(), {"", "api.x.ai", "x"}: grok(), {"openrouter", "openrouter.ai", "x-ai/grok-4"}: grok(), {"", "", "us.amazon.nova-pro-v1:0"}: nova(),
		{"custom", "phoenix.ai", "m"}: schemas.None, {"openai", "api.openai.com", "gpt-6"}: schemas.None, {"custom", "h", "ok3"}: schemas.None,
	} {
		if got := schemas.Of(at[0], at[1], at[2], schemas.None); got != want {
			t.Errorf("%q: another dialect", at)
		}
	}
}

// Whatever goes in, something that can be sent comes out, and cleaning it again changes
// nothing.
func FuzzDialects(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"enum":[1,"x",null]}]},"b":{"type":["null"]}},"required":["a",3]}`)
	f.Add(`{"type":7,"properties":[],"anyOf":{},"items":[{"$ref":"#"}],"enum":{}}`)
	f.Add(`{"properties":{"a":{"anyOf":[{"properties":{"b":{}}},{"anyOf":[{"type":"null"},{}]}],"properties":{},"required":["b"]}}}`)
	f.Fuzz(func(t *testing.T, in string) {
		for name, d := range map[string]*schemas.Dialect{"gemini": gemini(), "moonshot": moonshot(), "xai": grok(), "nova": nova(), "claude": schemas.Claude} {
			out := d.For(json.RawMessage(in))
			if json.Valid([]byte(in)) && !json.Valid(out) {
				t.Fatalf("%s: no JSON: %s", name, out)
			}
			if again := d.For(out); string(again) != string(out) {
				t.Fatalf("%s: %s, then %s", name, out, again)
			}
		}
	})
}
