package tools

import (
	"encoding/json"
	"testing"
)

func FuzzUnquote(f *testing.F) {
	for _, raw := range []string{`""`, `"text"`, `"a\nb é 日本"`, "\"\xff\"", `"\ud800"`, `null`, `1`, `{}`, `["a"]`, `"\""`} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !json.Valid([]byte(raw)) || raw == "" || raw[0] == ' ' || raw[len(raw)-1] <= ' ' {
			return
		}
		var want string
		err := json.Unmarshal([]byte(raw), &want)
		if got, ok := Unquote(raw); ok != (err == nil) || ok && got != want {
			t.Errorf("Unquote(%q) = %q, %v; want %q, %v", raw, got, ok, want, err)
		}
	})
}
