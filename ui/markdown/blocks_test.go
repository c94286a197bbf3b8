package markdown

import (
	"reflect"
	"strings"
	"testing"
)

func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []Code
	}{
		{"none", "only `a span` of text", nil},
		{"languages", "a\n\n```go title=x\nfunc f() {\n\treturn\n}\n```\n\n~~~\nplain ``` in it\n\nend\n~~~\n", []Code{{Lang: "go", Text: "func f() {\n\treturn\n}"}, {Lang: "", Text: "plain ``` in it\n\nend"}}},
		{"in a list and a quote", "1. do\n   ```sh\n   ls\n     -l\n   ```\n\n> ```\n> quoted\n> ```\n", []Code{{Lang: "sh", Text: "ls\n  -l"}, {Lang: "", Text: "quoted"}}},
		{"indented", "text\n\n    a\n    \tb\n\nend", []Code{{Lang: "", Text: "a\n\tb"}}},
		{"not closed", "```py\nprint(1)", []Code{{Lang: "py", Text: "print(1)"}}},
		{"empty", "```\n```\n", nil},
	} {
		got := Blocks([]byte(c.src))
		for i := range got {
			if line, _, _ := strings.Cut(got[i].Text, "\n"); !strings.HasPrefix(c.src[got[i].At:], line) {
				t.Errorf("%s: block %d is not at %d", c.name, i, got[i].At)
			}
			got[i].At = 0
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
