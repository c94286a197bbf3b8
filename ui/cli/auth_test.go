package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// TestAuthLive asks a service that takes one key only: that key is kept, another one is
// not, and one that is taken no more is found.
func TestAuthLive(t *testing.T) {
	takes := "right-key-of-24-letters-"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+takes {
			http.Error(w, fmt.Sprintf(`{"error":{"message":"no %s"}}`, r.Header.Get("Authorization")), http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"one"},{"id":"two"}]}`)
	}))
	defer server.Close()
	b := newBox(t)
	b.settings("providers: {work: {base_url: " + server.URL + "/v1}}\nmodel: {provider: work}\nprobe: {local_servers: false}\n")
	for _, c := range []struct {
		key  string
		code int
		says string
	}{
		{"wrong-key-of-24-letters-", exitFailed, "does not accept this key (HTTP 401)"},
		{takes, exitOK, "work takes it, and offers 2 models.\nThe key right-...ers- of work is kept"},
	} {
		b.in = strings.NewReader(c.key + "\n")
		o := b.run("auth", "add", "work", "--try")
		if o.code != c.code || !strings.Contains(o.out+o.err, c.says) || strings.Contains(o.out+o.err, c.key) {
			t.Errorf("%v, want %d with %q", o, c.code, c.says)
		}
	}
	o := b.run("auth", "status", "work", "--live")
	if o.code != exitOK || !regexp.MustCompile(`✓ work \(.*\): 2 models in [0-9.]+m?s, key from auth\.json\n`).MatchString(o.out) {
		t.Error(o)
	}
	takes = "another"
	if o := b.run("auth", "status", "--live", "--json"); o.code != exitFailed || !strings.Contains(o.out, `"state": "error"`) || strings.Contains(o.out, "right-key") {
		t.Error(o)
	}
}
