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

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers on the loopback interface, over UDP as any name server, with one address
// after the other: each for one question about an address of the version that it has.
type nameServer struct {
	mu      sync.Mutex
	answers []netip.Addr
	asked   []string
}

// start serves until the test ends and gives what asks it.
func (s *nameServer) start(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply := s.reply(buf[:n]); reply != nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	})
	t.Cleanup(func() { _ = conn.Close(); served.Wait() })
	var d net.Dialer
	at := conn.LocalAddr().String()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { return d.DialContext(ctx, "udp", at) }}
}

func (s *nameServer) reply(packet []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(packet) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.Type == dnsmessage.TypeA && len(s.answers) > 0 {
		s.asked = append(s.asked, q.Name.String())
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 0},
			Body:   &dnsmessage.AResource{A: s.answers[0].As4()},
		}}
		if len(s.answers) > 1 {
			s.answers = s.answers[1:]
		}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}

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
	names := &nameServer{answers: []netip.Addr{public, local, public, local}}
	resolver := names.start(t)
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
	names.mu.Lock()
	defer names.mu.Unlock()
	if len(names.asked) != 4 {
		t.Errorf("asked for %q: once for each connection, not more", names.asked)
	}
}
