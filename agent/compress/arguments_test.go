package compress

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"hermes-tui/tools/shorten"
)

func TestCutArguments(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	cut := x(200) + "...[truncated]"
	cases := []struct{ name, in, want string }{
		{"short enough", `{"a":"` + x(490) + `"}`, `{"a":"` + x(490) + `"}`},
		{"a long text", `{"path":"a","content":"` + x(501) + `"}`, `{"path":"a","content":"` + cut + `"}`},
		{"order, spaces and numbers stay", `{ "z" : 1.50e3 , "content":"` + x(501) + `", "a":[true,null,-0] }`, `{ "z" : 1.50e3 , "content":"` + cut + `", "a":[true,null,-0] }`},
		{"deep inside", `{"a":[{"b":["` + x(300) + `","` + x(300) + `","short"]}]}`, `{"a":[{"b":["` + cut + `","` + cut + `","short"]}]}`},
		{"a text that would not get shorter stays", `{"a":"` + x(214) + `","b":"` + x(215) + `","c":"` + x(214) + `"}`, `{"a":"` + x(214) + `","b":"` + cut + `","c":"` + x(214) + `"}`},
		{"keys stay", `{"` + x(600) + `" :"` + x(300) + `"}`, `{"` + x(600) + `" :"` + cut + `"}`},
		{"many short texts stay", `["` + strings.Repeat(`abc","`, 100) + `"]`, `["` + strings.Repeat(`abc","`, 100) + `"]`},
		{"a text alone", `"` + x(600) + `"`, `"` + cut + `"`},
		{"escapes count once", `{"a":"` + strings.Repeat(`\n`, 300) + `"}`, `{"a":"` + strings.Repeat(`\n`, 200) + `...[truncated]"}`},
		{"no escapes for HTML", `{"a":"` + strings.Repeat(`<&>`, 200) + `"}`, `{"a":"` + strings.Repeat(`<&>`, 66) + `<&...[truncated]"}`},
		{"a quote before the cut", `{"a":"` + strings.Repeat(`\"`, 300) + `"}`, `{"a":"` + strings.Repeat(`\"`, 200) + `...[truncated]"}`},
		{"wide characters", `{"a":"` + strings.Repeat("日", 600) + `"}`, `{"a":"` + strings.Repeat("日", 200) + `...[truncated]"}`},
		{"half a pair", `{"a":"\ud83d` + x(600) + `"}`, `{"a":"` + "\ufffd" + x(199) + `...[truncated]"}`},
		{"not JSON", `{"a":"` + x(600), `{}`},
		{"not JSON, but short", `{"a":"`, `{"a":"`},
		{"nothing", ``, ``},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, changed := cutArguments(c.in)
			if got != c.want || changed != (c.in != c.want) {
				t.Errorf("changed %v\ngot  %s\nwant %s", changed, got, c.want)
			}
		})
	}
}

// shape is JSON with every text replaced, keys in their order.
func shape(t *testing.T, raw string) []any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	var all []any
	for {
		token, err := d.Token()
		if err != nil {
			return all
		}
		if s, ok := token.(string); ok && utf8.RuneCountInString(s) > leafKept {
			token = shorten.Runes(s, leafKept)
		}
		all = append(all, token)
	}
}

func FuzzCutArguments(f *testing.F) {
	f.Add(`{"a":"` + strings.Repeat("x", 600) + `","b":["` + strings.Repeat(`\\\"`, 300) + `"]}`)
	f.Add(`{"` + strings.Repeat("k", 600) + `"  :"` + strings.Repeat("\\u2028", 300) + `"}`)
	f.Add(strings.Repeat("\xff", 600))
	f.Fuzz(func(t *testing.T, raw string) {
		got, changed := cutArguments(raw)
		switch again, more := cutArguments(got); {
		case !changed && got != raw, more && utf8.RuneCountInString(again) >= utf8.RuneCountInString(got):
			t.Fatalf("%q, then %q", got, again)
		case !changed:
			return
		case utf8.RuneCountInString(got) >= utf8.RuneCountInString(raw), !json.Valid([]byte(got)):
			t.Fatalf("%q became %q", raw, got)
		case json.Valid([]byte(raw)) && !reflect.DeepEqual(shape(t, raw), shape(t, got)):
			t.Fatalf("%q became %q", raw, got)
		}
	})
}
