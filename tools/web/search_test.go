package web_test

import (
	"encoding/json"
	"fmt"
	"io"
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

// TestSearch speaks to each service in its own words.
func TestSearch(t *testing.T) {
	answers := map[string]string{
		"brave":         `{"web":{"results":[{"title":"A <b>saw</b>","url":"https://a.example/","description":"It <strong>cuts</strong> &amp; saws"},{"title":"x","url":"javascript:1"}]}}`,
		"tavily":        `{"results":[{"title":"A saw","url":"https://a.example/","content":"It cuts & saws"}]}`,
		"exa":           `{"results":[{"title":"A saw","url":"https://a.example/","highlights":["It cuts","& saws"]}]}`,
		"parallel":      `{"results":[{"title":"A saw","url":"https://a.example/","excerpts":["It cuts","& saws"]}]}`,
		"firecrawl":     `{"success":true,"data":[{"title":"A saw","url":"https://a.example/","description":"It cuts & saws"}]}`,
		"exa-free":      "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"Title: A saw\\nURL: https://a.example/\\nPublished: x\\nHighlights:\\nIt cuts\\n& saws\\n---\\nTitle: no address\"}]}}\n\n",
		"parallel-free": `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"results\":[{\"title\":\"A saw\",\"url\":\"https://a.example/\",\"excerpts\":[\"It cuts\",\"& saws\"]}]}"}]}}`,
		"keenable":      `{"results":[{"title":"A saw","url":"https://a.example/","snippet":"It cuts & saws"}]}`,
		"searxng":       `{"results":[{"title":"A saw","url":"https://a.example/","content":"It cuts & saws"},{"title":"again","url":"https://a.example/"}]}`,
		"duckduckgo":    `<div><a class="result__a x" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F&amp;rut=1">A <b>saw</b></a><a class="result__snippet">It cuts &amp; saws</a></div>`,
	}
	asked := map[string]func(r *http.Request, body string) bool{
		"brave": func(r *http.Request, _ string) bool {
			return r.FormValue("q") == "hand saws" && r.FormValue("count") == "5" && r.Header.Get("X-Subscription-Token") == "the-key"
		},
		"tavily": func(r *http.Request, body string) bool {
			return r.Method == http.MethodPost && strings.Contains(body, `"query":"hand saws"`) && r.Header.Get("Authorization") == "Bearer the-key"
		},
		"exa": func(r *http.Request, body string) bool {
			return strings.Contains(body, `"numResults":5`) && r.Header.Get("X-Api-Key") == "the-key"
		},
		"parallel": func(r *http.Request, body string) bool {
			return strings.Contains(body, `"search_queries":["hand saws"]`) && r.Header.Get("X-Api-Key") == "the-key"
		},
		"firecrawl": func(r *http.Request, body string) bool {
			return strings.Contains(body, `"limit":5`) && r.Header.Get("Authorization") == "Bearer the-key"
		},
		"exa-free": func(r *http.Request, body string) bool {
			return strings.Contains(body, `"method":"tools/call"`) && strings.Contains(body, `"name":"web_search_exa"`) && strings.Contains(r.Header.Get("Accept"), "text/event-stream")
		},
		"parallel-free": func(_ *http.Request, body string) bool {
			return strings.Contains(body, `"objective":"hand saws"`) && strings.Contains(body, `"session_id":"`)
		},
		"keenable": func(r *http.Request, body string) bool {
			return strings.Contains(body, `"max_results":5`) && r.Header.Get("X-Keenable-Title") == "hermes-tui"
		},
		"searxng": func(r *http.Request, _ string) bool {
			return r.URL.Path == "/search" && r.FormValue("format") == "json"
		},
		"duckduckgo": func(r *http.Request, _ string) bool { return r.FormValue("q") == "hand saws" },
	}
	d := &network.Dialer{Private: func(host string, _ int) bool { return host == "127.0.0.1" }}
	for _, e := range web.Engines() {
		var times atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			times.Add(1)
			body, _ := io.ReadAll(r.Body)
			switch {
			case r.FormValue("q") == "limit" || strings.Contains(string(body), `"query":"limit"`) || strings.Contains(string(body), `["limit"]`):
				w.WriteHeader(http.StatusTooManyRequests)
			case r.FormValue("q") == "junk" || strings.Contains(string(body), `"query":"junk"`) || strings.Contains(string(body), `["junk"]`):
				fmt.Fprint(w, "{")
			case !asked[e.Name](r, string(body)):
				t.Errorf("%s was asked %s %v %s", e.Name, r.URL, r.Header, body)
			default:
				fmt.Fprint(w, answers[e.Name])
			}
		}))
		e.URL = server.URL
		now := time.Now()
		tool := web.NewSearch(web.SearchOptions{Client: d.Client(), Agent: "test", Backends: []web.Backend{{Engine: e, Key: "the-key"}}, Secret: func(s string) bool { return strings.Contains(s, "sk-1") }, Timeout: 5 * time.Second, Cache: web.NewCache(), Now: func() time.Time { return now }})
		run := func(query string) tools.Result {
			raw, err := json.Marshal(map[string]any{"query": query})
			if err != nil {
				t.Fatal(err)
			}
			r, err := tool.Run(t.Context(), tools.Call{Args: raw}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		r := run("hand saws")
		var got struct {
			Data struct{ Web []web.Hit }
			By   string `json:"served_by"`
		}
		if err := json.Unmarshal([]byte(r.Content), &got); err != nil || got.By != e.Name || len(got.Data.Web) != 1 || r.Untrusted == "" {
			t.Fatalf("%s: %s, %v", e.Name, r.Content, err)
		}
		if h := got.Data.Web[0]; h.URL != "https://a.example/" || !strings.HasPrefix(h.Title, "A ") || !strings.HasPrefix(h.Description, "It cuts") || !strings.HasSuffix(h.Description, "& saws") {
			t.Errorf("%s: %+v", e.Name, h)
		}
		if run(" Hand  SAWS "); times.Load() != 1 {
			t.Errorf("%s was asked %d times", e.Name, times.Load())
		}
		if r := run("limit"); r.Status != tools.StatusFailed || r.Untrusted == "" || !strings.Contains(r.Content, "web.search_backend") {
			t.Errorf("%s: %s", e.Name, r.Content)
		}
		if r := run("junk"); e.Name != "duckduckgo" && (r.Status != tools.StatusFailed || !strings.Contains(r.Content, "cannot be read")) {
			t.Errorf("%s: %s", e.Name, r.Content)
		}
		for _, bad := range []string{"", strings.Repeat("x", 401), "who owns sk-1"} {
			if r := run(bad); r.Status != tools.StatusFailed {
				t.Errorf("%s: %s", e.Name, r.Content)
			}
		}
		a, err := tool.Action(json.RawMessage(`{"query":"hand saws"}`))
		if err != nil || a.Kind != tools.ActFetch || a.Command != "hand saws" || len(a.URLs) != 1 || a.URLs[0] != e.URL {
			t.Errorf("%s: %+v, %v", e.Name, a, err)
		}
		server.Close()
	}
}

// TestSearchRedirect: neither the key nor what is searched for follows a redirect to another
// host, in the address, a header or the body.
func TestSearchRedirect(t *testing.T) {
	d := &network.Dialer{Private: func(host string, _ int) bool { return host == "127.0.0.1" || host == "localhost" }}
	for _, e := range web.Engines() {
		for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
			var heard atomic.Int32
			thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { heard.Add(1) }))
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", thief.URL+"/?"+r.URL.RawQuery)
				w.WriteHeader(status)
			}))
			e.URL = server.URL
			tool := web.NewSearch(web.SearchOptions{Client: d.Client(), Backends: []web.Backend{{Engine: e, Key: "the-key"}}, Secret: func(string) bool { return false }, Timeout: 5 * time.Second, Cache: web.NewCache(), Now: time.Now})
			r, err := tool.Run(t.Context(), tools.Call{Args: json.RawMessage(`{"query":"hand saws"}`)}, nil, nil)
			if err != nil || !strings.Contains(r.Content, "it leads to another host") || r.Untrusted == "" || heard.Load() != 0 {
				t.Errorf("%s, %d: %+v, %v, %d requests there", e.Name, status, r, err, heard.Load())
			}
			server.Close()
			thief.Close()
		}
	}
}

// TestSearchStandsIn has services that need no key take turns, and stand in for others that
// do not let us search or do not work, which are then asked last for a while.
func TestSearchStandsIn(t *testing.T) {
	said := map[string]string{"keenable": "429"}
	var asked []string
	var list []web.Backend
	for _, e := range web.Engines() {
		if !e.Free() {
			continue
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked = append(asked, e.Name)
			switch said[e.Name] {
			case "429":
				w.WriteHeader(http.StatusTooManyRequests)
			case "500":
				w.WriteHeader(http.StatusInternalServerError)
			case "":
				fmt.Fprint(w, `<a class="result__a" href="https://a.example/">A saw</a>`)
			default:
				fmt.Fprint(w, said[e.Name])
			}
		}))
		defer server.Close()
		e.URL = server.URL
		list = append(list, web.Backend{Engine: e})
	}
	said["exa-free"] = `{"result":{"isError":true,"content":[{"type":"text","text":"Rate limit exceeded"}]}}`
	said["parallel-free"] = `{"error":{"message":"daily_cap_reached"}}`
	now := time.Now()
	d := &network.Dialer{Private: func(host string, _ int) bool { return host == "127.0.0.1" }}
	tool := web.NewSearch(web.SearchOptions{Client: d.Client(), Backends: list, Secret: func(string) bool { return false }, Timeout: 5 * time.Second, Cache: web.NewCache(), Now: func() time.Time { return now }})
	run := func(query, by, want string) {
		t.Helper()
		asked = nil
		raw, err := json.Marshal(map[string]any{"query": query})
		if err != nil {
			t.Fatal(err)
		}
		r, err := tool.Run(t.Context(), tools.Call{Args: raw}, nil, nil)
		if err != nil || !strings.Contains(r.Content, by) || strings.Join(asked, " ") != want {
			t.Errorf("%s: %s, %v, asked %v", query, r.Content, err, asked)
		}
	}
	run("saws", `"served_by":"duckduckgo"`, "exa-free parallel-free keenable duckduckgo")
	run("saws", `"served_by":"duckduckgo"`, "")
	run("files", `"served_by":"duckduckgo"`, "duckduckgo")
	said["duckduckgo"] = "500"
	run("planes", `duckduckgo: it does not work just now (500`, "duckduckgo keenable exa-free parallel-free")
	said["duckduckgo"] = "429"
	run("drills", `web.search_backend names another service`, "duckduckgo exa-free parallel-free keenable")
	now, said["duckduckgo"], said["exa-free"] = now.Add(time.Hour), "", "{"
	run("drills", `"served_by":"duckduckgo"`, "exa-free parallel-free keenable duckduckgo")
	now = now.Add(time.Hour)
	run("nails", `"served_by":"duckduckgo"`, "parallel-free keenable duckduckgo") // another one begins
	for i := range list {
		if list[i].Name == "keenable" {
			list[i].URL = "http://127.0.0.1:1/" // where no one listens
		}
	}
	now = now.Add(time.Hour)
	run("bolts", `"served_by":"duckduckgo"`, "duckduckgo")
	if a, err := tool.Action(json.RawMessage(`{"query":"x"}`)); err != nil || len(a.URLs) != 4 {
		t.Errorf("%+v, %v", a, err)
	}
}
