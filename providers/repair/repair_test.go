package repair

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"hermes-tui/providers"
)

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		raw, want string
		verdict   Verdict
	}{
		{"\ufeff {\"a\" : 1}\u00a0\n", `{"a" : 1}`, Intact},
		{`{"a":1,,}`, `{"a":1}`, Tidied},
		{`[,]`, `[]`, Tidied},
		{`{"a":1},}`, `{"a":1}`, Tidied},
		{`5}`, `5`, Tidied},
		{"{\"a\":\"\x01\x08\x0c\r\"}", `{"a":"\u0001\b\f\r"}`, Tidied},
		{"{\"a\ttab\":1}", `{"a\ttab":1}`, Tidied},
		{`[1,,2]`, none, Rejected},
		{`{"a":1},`, none, Rejected},
		{`{"a":[1}`, none, Rejected},
		{`{"a":"\d"}`, none, Rejected},
		{`{"a":"\u12zz"}`, none, Rejected},
		{`{"a":01}`, none, Rejected},
		{`{"a":1 "b":2}`, none, Rejected},
		{`{"a":1}{"b":2}`, none, Rejected},
		{`}`, none, Rejected},
		{`{"a":1,"b"}`, none, Rejected},
		{`{1:2}`, none, Rejected},
		{`{"a"::1}`, none, Rejected},
		{`[-]`, none, Rejected},
		{`[1.]`, none, Rejected},
		{`{"a":-1.5e+3`, `{"a":-1.5e+3}`, CutOff},
		{`{"a":[{"b":1},,`, `{"a":[{"b":1}]}`, CutOff},
		{`{"a":{`, `{"a":{}}`, CutOff},
		{"{\"a\":\"x\ty\"", `{"a":"x\ty"}`, CutOff},
		{`{"a":-`, none, CutOff},
		{`{"a":1.`, none, CutOff},
		{`{"a":1e`, none, CutOff},
		{`{"a":"\u00`, none, CutOff},
		{`{"a"`, none, CutOff},
		{`tr`, none, CutOff},
		{`"abc`, none, CutOff},
		{strings.Repeat("[", deepest+1), none, Rejected},
	} {
		got, verdict := Arguments(c.raw)
		if got != c.want || verdict != c.verdict {
			t.Errorf("%q gave %q, %v; want %q, %v", c.raw, got, verdict, c.want, c.verdict)
		}
	}
}

// TestArgumentsCutAnywhere cuts the arguments of an edit at every byte. No prefix
// may be taken for complete, and what is closed holds only values of the whole.
func TestArgumentsCutAnywhere(t *testing.T) {
	whole := `{"path":"src/ä.go","edits":[{"old":"a\n\"b\"","new":"\u00e9"},{"old":"x","count":12}],"dry":false}`
	var full map[string]any
	if err := json.Unmarshal([]byte(whole), &full); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(whole); i++ {
		got, verdict := Arguments(whole[:i])
		if verdict != CutOff {
			t.Errorf("%q is %v", whole[:i], verdict)
		}
		var part map[string]any
		if err := json.Unmarshal([]byte(got), &part); err != nil {
			t.Errorf("%q gave %q: %v", whole[:i], got, err)
			continue
		}
		if p, ok := part["path"]; ok && p != full["path"] {
			t.Errorf("%q invented the path %q", whole[:i], p)
		}
	}
}

func TestVerdictNames(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range []Verdict{Intact, Tidied, CutOff, Rejected, Rejected + 1} {
		if seen[v.String()] {
			t.Errorf("%q twice", v)
		}
		seen[v.String()] = true
	}
}

func TestName(t *testing.T) {
	known := []string{"read_file", "write_file", "web_search", "mcp_GitHub_list", "mcp__sky__weather", "http_request", "todo", "réseau"}
	for _, c := range []struct{ wrong, want string }{
		{"mcp_GitHub_list", "mcp_GitHub_list"},
		{"mcp_github_list", "mcp_GitHub_list"},
		{"mcp_sky_weather", "mcp__sky__weather"}, // as the tools of servers were called before
		{"HTTPRequest", "http_request"},
		{" Read File Tool ", "read_file"},
		{"wirte_file_tool", "write_file"},
		{"serchFiles", ""},
		{"reseau", "réseau"},
		{"tod", "todo"},
		{"td", ""},
		{"<read_file>", ""},
		{strings.Repeat("x", 1<<16), ""},
	} {
		got, ok := Name(c.wrong, known)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%.40q gave %q, %v; want %q", c.wrong, got, ok, c.want)
		}
	}
	if got, ok := Name("ax", []string{"ab", "ac"}); ok {
		t.Errorf("two names are equally near, got %q", got)
	}
	if got, ok := Name("list_itens", []string{"list_items", "list_items"}); !ok || got != "list_items" {
		t.Errorf("the same name twice is one, got %q, %v", got, ok)
	}
	if got, ok := Name("", []string{""}); ok {
		t.Errorf("an empty name was found as %q", got)
	}
}

func TestRatio(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"", "", 1},
		{"abcd", "bcde", 0.75},
		{"WIKIMEDIA", "WIKIMANIA", 14.0 / 18},
		{"tide", "diet", 0.25},
		{"diet", "tide", 0.5},
		{"äöü", "äxü", 4.0 / 6},
	} {
		if got := ratio(c.a, c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("ratio(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestMessages(t *testing.T) {
	user := func(id, s string) providers.Message {
		return providers.Message{ID: id, Role: providers.User, Parts: providers.TextParts(s)}
	}
	asks := providers.Message{ID: "a", Role: providers.Assistant, Calls: []providers.Call{{ID: "c1"}, {ID: "c2"}}}
	answer := func(id, call string) providers.Message {
		return providers.Message{ID: id, Role: providers.Tool, CallID: call, Parts: providers.TextParts("ok")}
	}
	history := []providers.Message{
		user("1", "go"), asks, answer("2", "c2"), answer("3", "c2"), answer("4", "c1"), answer("5", ""),
		user("6", "a"), answer("7", "c1"), user("8", ""), user("9", "b"),
	}
	before := append([]providers.Message(nil), history...)
	got, repairs := Messages(history)
	want := []providers.Message{user("1", "go"), asks, answer("2", "c2"), answer("4", "c1"), user("6", "a\n\nb")}
	if repairs != 5 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d repairs, got %v", repairs, got)
	}
	if !reflect.DeepEqual(history, before) {
		t.Error("the history passed in was changed")
	}
	if again, n := Messages(got); n != 0 || &again[0] != &got[0] {
		t.Errorf("%d repairs of a repaired history", n)
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":"c\u00e9"}],}`, `{"a":`, "None", "{\"a\":\"\t\"}}]", `[,1`, `-0.1e+5`, `{"a":1},}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, verdict := Arguments(raw)
		if !json.Valid([]byte(got)) {
			t.Fatalf("%q gave %q", raw, got)
		}
		if verdict == Rejected && got != none {
			t.Errorf("%q was rejected with %q", raw, got)
		}
		if json.Valid([]byte(raw)) && (verdict != Intact || got != strings.Trim(raw, " \t\r\n")) {
			t.Errorf("valid %q gave %q, %v", raw, got, verdict)
		}
		if again, v := Arguments(got); again != got || v != Intact {
			t.Errorf("%q is not stable: %q, %v", got, again, v)
		}
	})
}

func FuzzName(f *testing.F) {
	f.Add("ReadFile_tool", "read_file", "write_file")
	f.Add("\xff<", "a", "")
	f.Fuzz(func(t *testing.T, wrong, a, b string) {
		known := []string{a, b}
		got, ok := Name(wrong, known)
		if ok && got != a && got != b || !ok && got != "" {
			t.Errorf("%q gave %q, %v", wrong, got, ok)
		}
		if got, ok := Name(a, known); a != "" && (!ok || got != a) {
			t.Errorf("the known %q gave %q, %v", a, got, ok)
		}
		if r := ratio(a, b); r < 0 || r > 1 {
			t.Errorf("ratio %v", r)
		}
	})
}

// FuzzSequence reads a history from letters: u and w are user turns with and
// without text, s a system turn, A and B calls, a and b their results.
func FuzzSequence(f *testing.F) {
	f.Add("uAabuwusBbba")
	f.Fuzz(func(t *testing.T, letters string) {
		view := func(b byte) Turn {
			switch b {
			case 'u', 'w':
				return Turn{Kind: Says, Text: strings.Trim(string(b), "w"), Plain: true}
			case 'A', 'B':
				return Turn{Kind: Asks, Calls: []string{strings.ToLower(string(b))}}
			case 'a', 'b':
				return Turn{Kind: Answers, CallID: string(b)}
			}
			return Turn{}
		}
		keep := func(b byte, text string) byte {
			if text == "" {
				return 'w'
			}
			return 'u'
		}
		got, n := Sequence([]byte(letters), view, keep)
		if len(got)+n != len(letters) {
			t.Errorf("%q became %q with %d repairs", letters, got, n)
		}
		if again, n := Sequence(got, view, keep); n != 0 {
			t.Errorf("%q was repaired again to %q", got, again)
		}
	})
}
