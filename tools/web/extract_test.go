package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/network"
	"hermes-tui/tools/web"
)

// TestExtract reads several pages at once; what goes wrong with one is said beside the
// others, a redirect to another site is not followed, and what was read is not asked again.
func TestExtract(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch r.URL.Path {
		case "/page":
			fmt.Fprint(w, "<title>A page</title><h1>Head</h1><p>Some <b>text</b>.</p>")
		case "/long":
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "begin "+strings.Repeat("x", 10_000)+" end")
		case "/data":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"a":1}`)
		case "/away":
			http.Redirect(w, r, "http://localhost:1/", http.StatusFound)
		case "/picture":
			w.Header().Set("Content-Type", "image/png")
		case "/slow":
			<-r.Context().Done()
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	now := time.Now()
	saved := ""
	d := &network.Dialer{Private: func(host string, _ int) bool { return host == "127.0.0.1" }}
	tool := web.New(web.ExtractOptions{
		Client: d.Client(), Agent: "test", Known: func(u string) bool { return strings.HasSuffix(u, "/page") }, Chars: 3000, Reader: web.Here, Timeout: 300 * time.Millisecond,
		Save: func(_ context.Context, name string, data []byte) (string, error) {
			saved = string(data)
			return "/kept/" + name, nil
		},
		Cache: web.NewCache(), Now: func() time.Time { return now }, Secret: func(s string) bool { return strings.Contains(s, "sk-1 2") },
	})
	run := func(args any) (tools.Result, error) {
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		return tool.Run(t.Context(), tools.Call{Name: web.Name, Args: raw}, nil, nil)
	}
	type m = map[string]any
	for _, c := range []struct {
		path, want string
		failed     bool
	}{
		{"/page", `"title":"A page"`, false}, {"/page", `Some **text**.`, false}, {"/data", `{\"a\":1}`, false},
		{"/long", "[7010 characters are left out here; the whole is in /kept/page.md: read it with read_file]", false},
		{"/away", "another site: read http://localhost:1/", true}, {"/picture", "of which no text can be made", true}, {"/none", "404", true},
		{"/slow", "it took longer than 300ms", true},
	} {
		r, err := run(m{"urls": []string{server.URL + c.path}})
		if err != nil || !strings.Contains(r.Content, c.want) || (r.Status == tools.StatusFailed) != c.failed || r.Untrusted != "the web" {
			t.Errorf("%s: %.400s %s %v", c.path, r.Content, r.Status, err)
		}
	}
	if len(saved) != 10_010 {
		t.Errorf("%d characters were kept", len(saved))
	}
	before := asked.Load()
	r, err := run(m{"urls": []string{server.URL + "/page", server.URL + "/none", server.URL + "/data"}})
	if err != nil || r.Status != tools.StatusOK || r.View.Summary != "2 pages" || asked.Load() != before+1 {
		t.Errorf("%+v, %v, asked %d times", r.View, err, asked.Load()-before)
	}
	if now = now.Add(web.CacheAge); true {
		if _, err := run(m{"urls": []string{server.URL + "/page"}}); err != nil || asked.Load() != before+2 {
			t.Errorf("not read again: %v", err)
		}
	}
	for _, bad := range []any{m{}, m{"urls": []string{}}, m{"urls": strings.Split("a,b,c,d,e,f", ",")}, m{"urls": []string{"ftp://x"}}, m{"urls": []string{"https://u:p@x/"}}, m{"urls": 5},
		m{"urls": []string{"https://x.example/?api_key=a"}}, m{"urls": []string{"https://x.example/?a=b&Access-Token=a"}}, m{"urls": []string{"https://x.example/sk-1%202"}}, m{"urls": []string{"https://x.example/#sk-1%252520" + "2"}}} {
		r, err := run(bad)
		if err != nil || r.Status != tools.StatusFailed {
			t.Errorf("%v: %+v %v", bad, r, err)
		}
		raw, _ := json.Marshal(bad)
		if a, err := tool.Action(raw); err != nil || a.Kind != "" {
			t.Errorf("%v is asked about: %+v %v", bad, a, err)
		}
	}
	a, err := tool.Action(json.RawMessage(`{"urls":["https://a.example/page","https://a.example/b?token=&a=tokens"]}`))
	if err != nil || a.Kind != tools.ActFetch || len(a.URLs) != 2 || len(a.Known) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped"))
	if _, err := tool.Run(ctx, tools.Call{Args: json.RawMessage(`{"urls":["` + server.URL + `/slow"]}`)}, nil, nil); err == nil || err.Error() != "stopped" {
		t.Errorf("stopped: %v", err)
	}
}
