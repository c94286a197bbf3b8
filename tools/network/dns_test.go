package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"hermes-tui/internal/dnstest"
)

// TestRebindingByName asks a true name server that gives an address that may be connected to
// and then, at once, one of this machine (N2): a page is read from the first, and nothing from
// the second, also not by way of a redirect to the same name.
func TestRebindingByName(t *testing.T) {
	allowed, err := net.Listen("tcp", "127.0.0.2:0") // stands for the public network
	if err != nil {
		t.Skipf("SKIPPED: this system has no second address of its own to listen on: %v", err)
	}
	port := portOf(allowed)
	site := &httptest.Server{Listener: allowed, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/again" {
			http.Redirect(w, r, "/inside", http.StatusFound)
			return
		}
		fmt.Fprint(w, "public")
	})}}
	site.Start()
	t.Cleanup(site.Close)
	inside, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Skipf("SKIPPED: the port is taken: %v", err)
	}
	var reached sync.WaitGroup
	came := 0
	reached.Go(func() {
		for {
			c, err := inside.Accept()
			if err != nil {
				return
			}
			came++
			_ = c.Close()
		}
	})
	public, local := netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.1")
	names := dnstest.Start(t, "127.0.0.1:0", map[string][][]netip.Addr{"rebinds.example.": {{public}, {local}, {public}, {local}}})
	resolver := names.Resolver()
	d := &Dialer{
		Fake: func(a netip.Addr) bool { return a == public },
		Lookup: func(ctx context.Context, name string) ([]netip.Addr, error) {
			return resolver.LookupNetIP(ctx, "ip", name)
		},
		Timeout: patience,
	}
	client := d.Client()
	get := func(path string) (int, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://rebinds.example:%d%s", port, path), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(r)
		if err != nil {
			return 0, err
		}
		_ = resp.Body.Close()
		return resp.StatusCode, nil
	}
	if code, err := get("/"); err != nil || code != http.StatusOK {
		t.Fatalf("%d, %v", code, err)
	}
	for _, path := range []string{"/", "/again"} { // the second question, and the one behind a redirect
		_, err := get(path)
		if _, forbidden := errors.AsType[*ForbiddenError](err); !forbidden || !strings.Contains(err.Error(), "rebinds.example (127.0.0.1)") {
			t.Errorf("%s: %v", path, err)
		}
	}
	_ = inside.Close()
	reached.Wait()
	if came > 0 {
		t.Errorf("this machine was connected to %d times", came)
	}
	if asked := names.Asked(); len(asked) != 4 {
		t.Errorf("asked for %q: once for each connection, not more", asked)
	}
}
