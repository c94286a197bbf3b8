// Package dnstest is a name server for tests, which can be made to change its mind.
package dnstest

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Server answers over UDP, as any name server.
type Server struct {
	addr string

	mu      sync.Mutex
	answers map[string][][]netip.Addr
	asked   []string
}

// Start listens at HOST:PORT until the test ends. Each question for the addresses of version 4
// of a name, which ends with a dot, gets the next of its answers; the last one stays.
func Start(t testing.TB, at string, answers map[string][][]netip.Addr) *Server {
	t.Helper()
	var config net.ListenConfig
	conn, err := config.ListenPacket(t.Context(), "udp", at)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{addr: conn.LocalAddr().String(), answers: answers}
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
	return s
}

func (s *Server) reply(packet []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(packet) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	s.mu.Lock()
	defer s.mu.Unlock()
	name := q.Name.String()
	list, known := s.answers[name]
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	}
	if q.Type == dnsmessage.TypeA && len(list) > 0 {
		s.asked = append(s.asked, name)
		for _, a := range list[0] {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 0},
				Body:   &dnsmessage.AResource{A: a.As4()},
			})
		}
		if len(list) > 1 {
			s.answers[name] = list[1:]
		}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}

// Asked lists the names whose addresses it was asked for, in order.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Resolver asks it.
func (s *Server) Resolver() *net.Resolver {
	var d net.Dialer
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { return d.DialContext(ctx, "udp", s.addr) }}
}
