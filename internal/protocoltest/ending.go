package protocoltest

import (
	"context"
	"errors"
	"testing"
	"time"

	"hermes-tui/providers"
)

// cancelling ends requests at every stage. The error is the cause, and the
// server sees the connection close.
func (s suite) cancelling(t *testing.T) {
	parts := s.p.Encode([]Step{text("a"), text("bcdefghijkl"), finish(providers.FinishStop)})
	half := append(append([]byte(nil), parts[0]...), parts[1][:len(parts[1])/2]...)
	for _, c := range []struct {
		name string
		send func(c *conn)
	}{
		{"before the headers", func(*conn) {}},
		{"before the first byte", func(c *conn) { c.begin(s.p.ContentType) }},
		{"between events", func(c *conn) { c.begin(s.p.ContentType); c.send(parts[0]) }},
		{"within an event", func(c *conn) { c.begin(s.p.ContentType); c.send(half) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			arrived, gone := make(chan struct{}, 8), make(chan struct{}, 8)
			srv := serve(t, func(conn *conn) { c.send(conn); arrived <- struct{}{}; conn.hang(); gone <- struct{}{} })
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			go func() { <-arrived; cancel(errStop) }()
			st, err := s.p.New(t, srv.url).Stream(ctx, hello())
			if err == nil {
				defer st.Close()
				_, err = read(t, st)
			}
			if !errors.Is(err, errStop) {
				t.Errorf("got %v, want the cause", err)
			}
			wait(t, gone, "the connection stayed open")
		})
	}
	t.Run("before the request", func(t *testing.T) {
		srv := serve(t, func(c *conn) { c.hang() })
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errStop)
		if _, err := s.p.New(t, srv.url).Stream(ctx, hello()); !errors.Is(err, errStop) {
			t.Errorf("got %v, want the cause", err)
		}
		same(t, "requests", len(srv.all()), 0)
	})
	t.Run("what waits is dropped", func(t *testing.T) {
		srv := s.streams(t, s.body(text("a"), finish(providers.FinishStop)))
		ctx, cancel := context.WithCancelCause(t.Context())
		st, err := s.p.New(t, srv.url).Stream(ctx, hello())
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		cancel(errStop)
		if d, err := st.Next(); !errors.Is(err, errStop) {
			t.Errorf("got %+v, %v, want the cause", d, err)
		}
	})
}

// closing ends answers without their context.
func (s suite) closing(t *testing.T) {
	first := s.p.Encode([]Step{text("a"), finish(providers.FinishStop)})[0]
	t.Run("while somebody waits", func(t *testing.T) {
		gone := make(chan struct{}, 8) // more than once only if the client asks again
		srv := serve(t, func(c *conn) { c.begin(s.p.ContentType); c.send(first); c.hang(); gone <- struct{}{} })
		st, err := s.p.New(t, srv.url).Stream(t.Context(), hello())
		if err != nil {
			t.Fatal(err)
		}
		begun, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			text := ""
			for {
				d, err := st.Next()
				if err != nil {
					ended <- err
					return
				}
				if text += d.Text; d.Kind == providers.DeltaText && text == "a" {
					close(begun)
				}
			}
		}()
		wait(t, begun, "the text did not come")
		closeTwice(t, st)
		select {
		case err := <-ended:
			_ = failed(t, err, providers.ErrorBroken)
		case <-time.After(liveness):
			t.Error("Next did not return")
		}
		wait(t, gone, "the connection stayed open")
	})
	t.Run("unread", func(t *testing.T) {
		gone := make(chan struct{}, 8) // more than once only if the client asks again
		srv := serve(t, func(c *conn) { c.begin(s.p.ContentType); c.send(first); c.hang(); gone <- struct{}{} })
		st, err := s.p.New(t, srv.url).Stream(t.Context(), hello())
		if err != nil {
			t.Fatal(err)
		}
		closeTwice(t, st)
		wait(t, gone, "the connection stayed open")
	})
	t.Run("complete", func(t *testing.T) {
		srv := s.streams(t, s.body(text("a"), finish(providers.FinishStop)))
		st, err := s.p.New(t, srv.url).Stream(t.Context(), hello())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read(t, st); err != nil {
			t.Error(err)
		}
		closeTwice(t, st)
	})
}

func closeTwice(t *testing.T, st providers.Stream) {
	t.Helper()
	for range 2 {
		if err := st.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}
