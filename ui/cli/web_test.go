package cli

import (
	"fmt"
	"hermes-tui/providers/script"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// site is a web server that remembers what was asked for.
type site struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

// newSite answers with what page writes.
func newSite(t *testing.T, page http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.URL.String())
		s.mu.Unlock()
		page(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) at() string { return strings.TrimPrefix(s.URL, "http://") }

// asked are the addresses that were asked for.
func (s *site) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.seen, " ")
}

// TestWhoNamesAddresses: an address that carries something is fetched unasked when the user
// or the web has named it, not when the agent has written it somewhere before.
func TestWhoNamesAddresses(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		prompt  string
		call    func(address string) (tool string, args map[string]any)
		fetched bool
	}{
		"command": {"go", func(a string) (string, map[string]any) {
			return "terminal", map[string]any{"command": "echo " + a}
		}, false},
		"file": {"go", func(a string) (string, map[string]any) {
			return "write_file", map[string]any{"path": "notes", "content": a}
		}, false},
		"todo": {"go", func(a string) (string, map[string]any) {
			return "todo", map[string]any{"todos": []any{map[string]any{"id": "1", "content": a, "status": "pending"}}}
		}, false},
		"task": {"go", func(a string) (string, map[string]any) {
			return "delegate_task", map[string]any{"goal": "fetch " + a}
		}, false},
		"user":   {"go ADDRESS", nil, true},
		"search": {"go", func(string) (string, map[string]any) { return "web_search", map[string]any{"query": "x"} }, true},
		"page": {"go", func(a string) (string, map[string]any) {
			at, _, _ := strings.Cut(a, "/page")
			return "web_extract", map[string]any{"urls": []any{at + "/links"}}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var address string
			s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.FormValue("q") != "":
					fmt.Fprintf(w, `{"results":[{"title":"T","url":%q}]}`, address)
				default:
					fmt.Fprintf(w, "<p>See %s for more.</p>", address)
				}
			})
			address = s.URL + "/page?data=what-the-workspace-holds"
			fetch := use("web_extract", map[string]any{"urls": []any{address}})
			rules := []script.Rule{on("go", fetch), after("go", 1, say("done")), on("fetch", say("done"))} // the last is for the task
			if row.call != nil {
				tool, args := row.call(address)
				rules = []script.Rule{on("go", use(tool, args)), after("go", 1, fetch), after("go", 2, say("done")), on("fetch", say("done"))}
			}
			b, _ := with(t, rules...)
			b.env["SEARXNG_URL"] = s.URL
			b.settings("probe: {local_servers: false}\napprovals: {hosts: ['" + s.at() + "']}\n")
			b.exec(strings.Replace(row.prompt, "ADDRESS", address, 1))
			if got := strings.Contains(s.asked(), "what-the-workspace-holds"); got != row.fetched {
				t.Errorf("fetched %v: %s", got, s.asked())
			}
		})
	}
}
