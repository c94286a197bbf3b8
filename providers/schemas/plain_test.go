package schemas_test

import (
	"encoding/json"
	"strings"
	"testing"

	"hermes-tui/providers/schemas"
)

// TestPlain makes schemas plain that services refuse or cut short.
func TestPlain(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"as it should be": {`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":["string","null"],"enum":["x",null]}},"required":["b"]}`, ""},
		"choices at the top": {`{"type":"object","anyOf":[{"properties":{"content":{"type":"string"},"id":{"type":"string"}},"required":["content","id"]},{"properties":{"url":{"type":"string"}},"required":["url","id"]}]}`,
			`{"properties":{"content":{"type":"string"},"id":{"type":"string"},"url":{"type":"string"}},"required":["id"],"type":"object"}`},
		"all at the top": {`{"type":"object","properties":{"a":{"type":"string"}},"allOf":[{"properties":{"b":{"type":"integer"}},"required":["b"]},{"not":{}}]}`,
			`{"properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["b"],"type":"object"}`},
		"references": {`{"$defs":{"Q":{"type":"object","properties":{"limit":{"type":"integer","default":20}}}},"type":"object","properties":{"q":{"$ref":"#/$defs/Q","description":"what"},"both":{"allOf":[{"$ref":"#/$defs/Q"}]},"no":{"$ref":"http://elsewhere/x"}}}`,
			`{"properties":{"both":{"properties":{"limit":{"default":20,"type":"integer"}},"type":"object"},"no":{"type":"object"},"q":{"description":"what","properties":{"limit":{"default":20,"type":"integer"}},"type":"object"}},"type":"object"}`},
		"types": {`{"type":"object","properties":{"a":{"enum":["A","B"],"type":"null"},"b":{"type":"int"},"c":{"type":["str","None"]},"d":{"type":"array"},"e":{"type":"any"},"f":{"type":"integer","enum":["1"]}}}`,
			`{"properties":{"a":{"enum":["A","B"],"type":"string"},"b":{"type":"integer"},"c":{"type":["string","null"]},"d":{"items":{},"type":"array"},"e":{},"f":{"enum":["1"],"type":"string"}},"type":"object"}`},
		"names like keywords": {`{"type":"object","properties":{"$ref":{"type":"string"},"allOf":{"type":"string"},"id":{"type":"string"}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want == "" {
				c.want = c.in
			}
			if got := string(schemas.Plain(json.RawMessage(c.in))); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	tree := string(schemas.Plain(json.RawMessage(`{"$defs":{"N":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/N"}}}}},"type":"object","properties":{"tree":{"$ref":"#/$defs/N"}}}`)))
	if n := strings.Count(tree, "children"); n != 3 || strings.Contains(tree, "$") {
		t.Errorf("%d levels: %s", n, tree)
	}
}
