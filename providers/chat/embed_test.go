package chat

import (
	"errors"
	"net"
	"reflect"
	"testing"

	"hermes-tui/providers"
)

// TestEmbed reads vectors as OpenAI and Ollama send them, and nothing else.
func TestEmbed(t *testing.T) {
	want := [][]float32{{1, -0.5}, {0, 2}}
	for name, c := range map[string]struct {
		body   string
		tokens int64 // -1: it is an error
	}{
		"OpenAI":         {`{"object":"list","data":[{"object":"embedding","index":1,"embedding":[0,2]},{"object":"embedding","index":0,"embedding":[1,-0.5]}],"model":"e","usage":{"prompt_tokens":8,"total_tokens":8}}`, 8},
		"without places": {`{"data":[{"embedding":[1,-0.5]},{"embedding":[0,2]}]}`, 0},
		"too few":        {`{"data":[{"index":0,"embedding":[1,-0.5]}]}`, -1},
		"of two lengths": {`{"data":[{"index":0,"embedding":[1,-0.5]},{"index":1,"embedding":[0]}]}`, -1},
		"twice the same": {`{"data":[{"index":0,"embedding":[1,-0.5]},{"index":0,"embedding":[0,2]}]}`, -1},
		"out of range":   {`{"data":[{"index":2,"embedding":[1,-0.5]},{"index":-1,"embedding":[0,2]}]}`, -1},
		"encoded":        {`{"data":[{"index":0,"embedding":"AACAPw=="},{"index":1,"embedding":"AAAAAA=="}]}`, -1},
		"no list":        {`{"error":null}`, -1},
		"a page":         {`<html><title>Welcome</title></html>`, -1},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(conn net.Conn) { write(conn, jsonHead, c.body) })
			got, usage, err := newClient(t, s.url).Embed(t.Context(), "e", []string{"a", "b"})
			if c.tokens < 0 {
				if e, ok := errors.AsType[*providers.Error](err); !ok || e.Kind != providers.ErrorProtocol {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, want) || (usage == nil) != (c.tokens == 0) || usage != nil && usage.Input != c.tokens {
				t.Errorf("got %v, %+v, %v", got, usage, err)
			}
			if s.got.path != "/v1/embeddings" || s.got.body != `{"encoding_format":"float","input":["a","b"],"model":"e"}` {
				t.Errorf("asked %s with %s", s.got.path, s.got.body)
			}
		})
	}
}
