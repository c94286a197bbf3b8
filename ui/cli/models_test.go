package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestModels asks a service once for its list, and again when it is told to.
func TestModels(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, `{"data":[{"id":"a-small-one","context_length":32000},{"id":"a-large-one"}]}`)
	}))
	defer server.Close()
	b := newBox(t)
	b.settings("providers: {work: {base_url: " + server.URL + "/v1}}\nmodel: {provider: work}\nprobe: {local_servers: false}\n")
	if o := b.run("__complete", "--model", ""); strings.Contains(o.out, "\t") || asked.Load() > 0 {
		t.Error(o, asked.Load())
	}
	for range 2 {
		if o := b.run("models", "Small"); o.code != exitOK || !strings.HasPrefix(o.out, "work  a-small-one  32k  —") || strings.Contains(o.out, "large") || o.err != "" {
			t.Error(o)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("it was asked %d times, want once", n)
	}
	if o := b.run("models", "refresh"); o.code != exitOK || !strings.HasPrefix(o.out, "work  2 models in ") || asked.Load() != 2 {
		t.Error(o, asked.Load())
	}
	if o := b.run("models", "none"); o.code != exitOK || o.out != "" || !strings.Contains(o.err, "no model has all of these words in its name: none") {
		t.Error(o)
	}
	server.Close()
	if o := b.run("models", "refresh"); o.code != exitFailed || !strings.Contains(o.err, "1 service did not answer") {
		t.Error(o)
	}
	if o := b.run("models"); o.code != exitOK || strings.Count(o.out, "\n") != 2 {
		t.Error(o)
	}
	if o := b.run("__complete", "--model", ""); !strings.HasPrefix(o.out, "a-large-one\twork\na-small-one\twork\n:") {
		t.Error(o)
	}
}
