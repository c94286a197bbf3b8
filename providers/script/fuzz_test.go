package script

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hermes-tui/providers"
)

func FuzzSplit(f *testing.F) {
	f.Add("hello  wörld\n\nx", 0)
	f.Add("😀\xff\xfe abcdefghijklmnopqrstuvwxyz", 3)
	f.Fuzz(func(t *testing.T, text string, n int) {
		pieces := split(text, max(0, n%50))
		if strings.Join(pieces, "") != text {
			t.Errorf("the pieces of %q are %q", text, pieces)
		}
		for _, p := range pieces {
			if p == "" {
				t.Errorf("an empty piece of %q", text)
			}
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-7}]}}]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		whole, errWhole := (&reader{}).read(nil, data)
		var r reader
		var parts []providers.Delta
		var err error
		for i := 0; i < len(data) && err == nil; i++ {
			parts, err = r.read(parts, data[i:i+1])
		}
		if fmt.Sprint(describeAll(whole), errWhole) != fmt.Sprint(describeAll(parts), err) {
			t.Errorf("%q: whole %v %v, in bytes %v %v", data, describeAll(whole), errWhole, describeAll(parts), err)
		}
	})
}

func describeAll(list []providers.Delta) (out []string) {
	for _, d := range list {
		out = append(out, describeDelta(d))
	}
	return out
}

func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\n\x00\x7f\u2028😀\xff")
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(appendString(nil, s), &got); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if want := string([]rune(s)); got != want {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func FuzzDemo(f *testing.F) {
	f.Add("hello", `{"files":["README.md"]}`, `{"content":"1|# x"}`)
	f.Add("", `{"matches":[{"path":"a","line":3,"content":"x"}]}`, `[out-of-band]`)
	f.Fuzz(func(t *testing.T, prompt, one, two string) {
		r := providers.Request{Messages: []providers.Message{user(prompt)}}
		for _, name := range allTools() {
			r.Tools = append(r.Tools, providers.ToolDef{Name: name})
		}
		for turn := range 2 {
			for i := range 12 {
				s, err := Demo(DemoOptions{}).Stream(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				m, err := collect(s)
				if err != nil {
					t.Fatal(err)
				}
				r.Messages = append(r.Messages, m)
				if len(m.Calls) == 0 {
					break
				}
				if i == 11 {
					t.Fatalf("turn %d does not end", turn)
				}
				for j, c := range m.Calls {
					r.Messages = append(r.Messages, providers.Message{
						Role: providers.Tool, CallID: c.ID, Parts: providers.TextParts([]string{one, two}[(i+j)%2]),
					})
				}
			}
			r.Messages = append(r.Messages, user(prompt+" again"))
		}
	})
}
