package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// words is a protocol whose events are words: "stop" ends an answer, "over" says that
// nothing follows, and "no" is an error.
type words struct{ progress Progress }

func (w *words) Event(_ string, data []byte, out []providers.Delta) ([]providers.Delta, error) {
	switch word := string(data); word {
	case "stop":
		w.progress = Finished
	case "over":
		w.progress = Complete
	case "no":
		return out, &providers.Error{Kind: providers.ErrorStream, Message: "no to " + testKey}
	default:
		if w.progress == Foreign {
			w.progress = Begun
		}
		out = append(out, providers.Delta{Kind: providers.DeltaText, Text: word})
	}
	return out, nil
}

func (w *words) Document(body []byte, out []providers.Delta) ([]providers.Delta, error) {
	if string(body) != `{"all":1}` {
		return out, ErrForeign
	}
	return append(out, providers.Delta{Kind: providers.DeltaText, Text: "all"}), nil
}

func (w *words) Progress() Progress { return w.progress }

func (w *words) End(out []providers.Delta) ([]providers.Delta, error) {
	return append(out, providers.Delta{Kind: providers.DeltaFinish}), nil
}

const testKey = "sk-secret-0123456789"

// wordStream asks a server that writes parts and then waits for the client to go.
func wordStream(ctx context.Context, t *testing.T, w *words, grace time.Duration, parts ...string) *Stream {
	t.Helper()
	url := rawServer(t, func(c net.Conn, _ *http.Request) {
		write(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
		write(c, parts...)
		if grace > 0 {
			hang(c)
		}
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testKey)
	resp, err := newTransport(t, Options{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	s := NewStream(ctx, resp, Answer{Protocol: "words", Endpoint: url, Events: NewEvents(resp.Body), Decoder: w, Grace: grace})
	t.Cleanup(func() { s.Close() })
	return s
}

// told reads a stream to its end: the texts, and what it ended with, nil for an answer
// that is complete.
func told(s *Stream) (string, error) {
	var texts []string
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return strings.Join(texts, " "), nil
		}
		if err != nil {
			return strings.Join(texts, " "), err
		}
		switch d.Kind {
		case providers.DeltaText:
			texts = append(texts, d.Text)
		case providers.DeltaFinish:
			texts = append(texts, "finish")
		}
	}
}

func TestStream(t *testing.T) {
	sse := func(events ...string) string { return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n" }
	for _, c := range []struct {
		name     string
		progress Progress
		body     string
		want     string
		kind     providers.ErrorKind // "" for an answer that is complete
		words    string
	}{
		{"to its end", Begun, sse("a", "b", "stop"), "a b finish", "", ""},
		{"text behind the end marker", Begun, sse("a", "stop", "b"), "a b finish", "", ""},
		{"an error behind the end marker", Begun, sse("a", "stop", "no"), "a finish", "", ""},
		{"nothing can follow", Begun, sse("a", "over", "b"), "a finish", "", ""},
		{"a document", Begun, `{"all":1}`, "all finish", "", ""},
		{"another document", Begun, `{"x":1}`, "", providers.ErrorProtocol, `does not answer in the words protocol; check the base URL; it says "{\"x\":1}"`},
		{"a page", Begun, "<title>Hi</title>", "", providers.ErrorProtocol, "a web page: Hi"},
		{"cut off", Begun, sse("a"), "a", providers.ErrorBroken, "before the answer was complete"},
		{"nothing of the protocol", Foreign, "data: x", "", providers.ErrorProtocol, `it says "x"`},
		{"no event", Begun, "", "", providers.ErrorBroken, "empty"},
		{"no line of a stream", Begun, "Hello\n", "", providers.ErrorProtocol, `it says "Hello"`},
		{"an error", Begun, sse("a", "no"), "a", providers.ErrorStream, "no to sk-sec"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := told(wordStream(t.Context(), t, &words{c.progress}, 0, c.body))
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			var e *providers.Error
			switch {
			case c.kind == "" && err != nil, c.kind != "" && !errors.As(err, &e):
				t.Errorf("error %v", err)
			case c.kind != "" && (e.Kind != c.kind || !strings.Contains(e.Message, c.words) || e.Endpoint == "" || strings.Contains(e.Message, testKey)):
				t.Errorf("got %s %q of %q, want %s with %q", e.Kind, e.Message, e.Endpoint, c.kind, c.words)
			}
		})
	}
}

// A server that says nothing behind the end marker does not hold up the answer.
func TestStreamOfASilentServer(t *testing.T) {
	got, err := told(wordStream(t.Context(), t, &words{}, 20*time.Millisecond, "data: a\n\ndata: stop\n\n"))
	if got != "a finish" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// Whoever waits for the next delta is told why there is none.
func TestStreamThatIsEndedMeanwhile(t *testing.T) {
	why := errors.New("enough")
	for _, c := range []struct {
		name string
		end  func(s *Stream, cancel context.CancelCauseFunc)
		want func(error) bool
	}{
		{"cancelled", func(_ *Stream, cancel context.CancelCauseFunc) { cancel(why) }, func(err error) bool { return errors.Is(err, why) }},
		{"closed", func(s *Stream, _ context.CancelCauseFunc) { s.Close() }, func(err error) bool {
			var e *providers.Error
			return errors.As(err, &e) && e.Kind == providers.ErrorBroken
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			s := wordStream(ctx, t, &words{}, time.Minute, "data: a\n\n")
			for range 2 { // the opening and the text
				if _, err := s.Next(); err != nil {
					t.Fatal(err)
				}
			}
			go c.end(s, cancel)
			if _, err := s.Next(); !c.want(err) {
				t.Errorf("error %v", err)
			}
			if _, err := s.Next(); !c.want(err) {
				t.Errorf("the next error is %v", err)
			}
		})
	}
}
