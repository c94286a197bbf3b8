package tools

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"testing"

	"hermes-tui/internal/corpustest"
)

func TestCoerceConformance(t *testing.T) {
	type input struct {
		Properties json.RawMessage `json:"properties"`
		Args       json.RawMessage `json:"args"`
	}
	type want struct {
		Args json.RawMessage `json:"args"`
	}
	corpustest.Run(t, "arg_coercion", func(t *testing.T, in input, w want) {
		schema := json.RawMessage(`{"type":"object","properties":` + string(in.Properties) + `}`)
		got, err := Coerce(schema, in.Args)
		if err != nil {
			t.Fatal(err)
		}
		if !sameJSON(t, got, w.Args) {
			t.Errorf("Coerce(%s) = %s, want %s", in.Args, got, w.Args)
		}
	})
}

func TestParallelConformance(t *testing.T) {
	type input struct {
		Cwd   string `json:"cwd"`
		Home  string `json:"home"`
		Calls []struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"calls"`
		Parallel []string `json:"parallel_mcp_tools"`
	}
	type want struct {
		Parallel bool `json:"parallel"`
	}
	classes := map[string]Class{
		"clarify": Interactive, "read_file": ReadsPath, "write_file": PathScoped, "patch": PathScoped,
		"search_files": ReadsTree, "ha_get_state": ReadOnly, "ha_list_entities": ReadOnly,
		"ha_list_services": ReadOnly, "session_search": ReadOnly, "skill_view": ReadOnly, "skills_list": ReadOnly,
		"vision_analyze": ReadOnly, "web_extract": ReadOnly, "web_search": ReadOnly,
	}
	corpustest.Run(t, "parallel_batch", func(t *testing.T, in input, w want) {
		var calls []Call
		for _, c := range in.Calls {
			calls = append(calls, Call{Name: c.Name, Args: json.RawMessage(c.Arguments)})
		}
		class := func(name string) Class {
			for _, mcp := range in.Parallel {
				if mcp == name {
					return ReadOnly
				}
			}
			return classes[name]
		}
		if got := Parallel(calls, class, in.Cwd, in.Home); got != w.Parallel {
			t.Errorf("Parallel = %v, want %v", got, w.Parallel)
		}
	})
}

// sameJSON compares JSON; numbers are the same when their decimal values are.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	decode := func(raw []byte) any {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("decode %s: %v", raw, err)
		}
		return exact(v)
	}
	return reflect.DeepEqual(decode(a), decode(b))
}

// exact replaces numbers by their values as fractions.
func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		r, ok := new(big.Rat).SetString(v.String())
		if !ok {
			return v
		}
		return "number " + r.RatString()
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = exact(v[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for k := range v {
			m[k] = exact(v[k])
		}
		return m
	}
	return v
}
