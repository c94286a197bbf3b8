package anthropic

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"hermes-tui/providers"
)

func TestModels(t *testing.T) {
	pages := map[string]string{
		"":         `{"data":[{"id":"claude-b","display_name":"B","max_input_tokens":1000000,"max_tokens":128000},null,{"id":7},{"id":"x","max_tokens":"y"}],"has_more":true,"last_id":"claude-b"}`,
		"claude-b": `{"data":[{"id":"a","display_name":"a","max_tokens":-1}],"has_more":false,"last_id":"a"}`,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/x/v1/models" || r.URL.Query().Get("k") != "v" || r.Header.Get("X-Api-Key") == "" || r.Header.Get("Anthropic-Version") == "" || r.ContentLength != 0 {
			t.Errorf("asked %s %v", r.URL, r.Header)
		}
		_, _ = io.WriteString(w, pages[r.URL.Query().Get("after_id")])
	}))
	t.Cleanup(srv.Close)
	got, err := newClient(t, srv.URL+"/x?k=v").Models(t.Context())
	want := []providers.Model{{ID: "claude-b", Name: "B", ContextMax: 1_000_000, OutputMax: 128_000}, {ID: "a"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for body, says := range map[string]string{
		"<title>Hi sk-secret-0123456789abcdef</title>": "a web page: Hi sk-sec...cdef",
		`{"ok":true}`: "check the base URL",
		`{"data":[],"has_more":true,"last_id":"a"}`: "",
	} {
		got, err := newClient(t, serve(t, "text/plain", body).URL).Models(t.Context())
		if says != "" {
			failed(t, err, providers.ErrorProtocol, says)
		} else if err != nil || len(got) != 0 {
			t.Errorf("got %+v, %v", got, err)
		}
	}
}
