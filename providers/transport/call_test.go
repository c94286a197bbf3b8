package transport

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"hermes-tui/providers"
)

// echo gives a server that records what it was asked.
type echo struct {
	header http.Header
	body   string
	length int64
}

func echoServer(t *testing.T) (*echo, string) {
	t.Helper()
	e := &echo{}
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		e.header, e.body, e.length = r.Header, string(data), r.ContentLength
	}))
	t.Cleanup(srv.Close)
	return e, srv.URL
}

func TestCallRewritesTheBody(t *testing.T) {
	e, url := echoServer(t)
	for _, c := range []struct {
		name string
		call Call
		want string
	}{
		{"nothing", Call{}, `{"model":"m","n":12345678901234567890}`},
		{"extra", Call{Extra: map[string]any{"z": "a<b", "a": json.RawMessage(`{"y":1,"x":2.50}`)}},
			`{"a":{"y":1,"x":2.50},"model":"m","n":12345678901234567890,"z":"a<b"}`},
		{"replace and remove", Call{Extra: map[string]any{"model": "other", "n": nil, "absent": nil}}, `{"model":"other"}`},
		{"patch", Call{
			Extra: map[string]any{"more": []int{1}},
			Patch: func(body map[string]any) error {
				body["list"] = body["more"].([]any)[0]
				body["digits"] = body["n"].(json.Number).String()
				return nil
			},
		}, `{"digits":"12345678901234567890","list":1,"model":"m","more":[1],"n":12345678901234567890}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := get(newTransport(t, Options{}), request(t, WithCall(t.Context(), c.call), url)); err != nil {
				t.Fatal(err)
			}
			want(t, "body", e.body, c.want)
			want(t, "Content-Length", e.length, int64(len(c.want)))
		})
	}
}

func TestCallsOfAContextAreJoined(t *testing.T) {
	e, url := echoServer(t)
	var order []string
	note := func(name string) func(map[string]any) error {
		return func(map[string]any) error { order = append(order, name); return nil }
	}
	ctx := WithCall(t.Context(), Call{Headers: map[string]string{"X-A": "caller"}, Extra: map[string]any{"k": "caller"}, Patch: note("caller")})
	ctx = WithCall(ctx, Call{Headers: map[string]string{"X-A": "inner", "X-B": "inner"}, Extra: map[string]any{"k": "inner", "l": "inner"}, Patch: note("inner")})
	if _, err := get(newTransport(t, Options{}), request(t, ctx, url)); err != nil {
		t.Fatal(err)
	}
	want(t, "X-A", e.header.Get("X-A"), "caller")
	want(t, "X-B", e.header.Get("X-B"), "inner")
	want(t, "body", e.body, `{"k":"caller","l":"inner","model":"m","n":12345678901234567890}`)
	if len(order) != 2 || order[0] != "inner" || order[1] != "caller" {
		t.Errorf("patches ran as %v", order)
	}
}

func TestHeaders(t *testing.T) {
	e, url := echoServer(t)
	tr := newTransport(t, Options{Version: "1.2.3", Headers: map[string]string{"X-Title": "mine", "authorization": "Bearer person"}})
	ctx := WithCall(t.Context(), Call{Headers: map[string]string{"X-Title": "call", "X-Call": "call"}})
	if _, err := get(tr, request(t, ctx, url)); err != nil {
		t.Fatal(err)
	}
	want(t, "User-Agent", e.header.Get("User-Agent"), "hermes-tui/1.2.3")
	want(t, "Accept-Encoding", e.header.Get("Accept-Encoding"), "identity")
	want(t, "X-Title", e.header.Get("X-Title"), "mine")
	want(t, "X-Call", e.header.Get("X-Call"), "call")
	want(t, "Authorization", e.header.Get("Authorization"), "Bearer person")
}

func TestARequestThatCannotBeBuilt(t *testing.T) {
	_, url := echoServer(t)
	refusal := errors.New("not this one")
	for name, c := range map[string]Call{
		"patch refuses": {Patch: func(map[string]any) error { return refusal }},
		"no JSON":       {Extra: map[string]any{"k": func() {}}},
		"bad header":    {Headers: map[string]string{"X-Bad": "a\nb"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := fail(t, newTransport(t, Options{}), request(t, WithCall(t.Context(), c), url))
			want(t, "kind", e.Kind, providers.ErrorRequest)
			if c.Patch != nil && !errors.Is(e, refusal) {
				t.Errorf("%v does not wrap the patch's error", e)
			}
		})
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add(`{"a":1}`, "k", "v")
	f.Add(`{"a":[{"b":1e400}],"a":2}`, "a", "\xff")
	f.Add(`[]`, "", "")
	f.Fuzz(func(t *testing.T, body, key, value string) {
		deep := Call{Extra: map[string]any{key: value}, Patch: func(map[string]any) error { return nil }}
		a, errA := Call{Extra: deep.Extra}.rewrite([]byte(body))
		b, errB := deep.rewrite([]byte(body))
		if (errA == nil) != (errB == nil) {
			t.Fatalf("shallow: %v, deep: %v", errA, errB)
		}
		if errA != nil {
			return
		}
		if !json.Valid(a) || !json.Valid(b) {
			t.Fatalf("no JSON: %q, %q", a, b)
		}
	})
}

func TestContextEndsARequest(t *testing.T) {
	cause := errors.New("the user said stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	_, url := echoServer(t)
	if _, err := newTransport(t, Options{}).Do(request(t, ctx, url)); !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
}
