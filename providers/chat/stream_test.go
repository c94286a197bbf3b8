package chat

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

const usage = `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":5}}}`

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name string
		body string
		want []string
	}{
		{"text", sse(delta(`"role":"assistant","content":""`), delta(`"content":"Hel"`), delta(`"content":"lo \u00e4\n\ud83d\ude00"`), finish("stop"), "[DONE]"),
			[]string{"open", "text Hel", "text lo ä\n😀", "finish stop"}},
		{"usage in an event of its own", sse(delta(`"content":"a"`), finish("stop"), usage, "[DONE]"),
			[]string{"open", "text a", "usage 40 20 60 0 5", "finish stop"}},
		{"usage with the finish", sse(delta(`"content":"a"`), `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`, "[DONE]"),
			[]string{"open", "text a", "usage 3 1 0 0 0", "finish stop"}},
		{"usage that grows", sse(`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`, `{"choices":[{"delta":{"content":"b"},"usage":{"prompt_tokens":3,"completion_tokens":2}}],"usage":null}`, finish("stop"), `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`),
			[]string{"open", "text a", "usage 3 1 0 0 0", "text b", "usage 3 2 0 0 0", "finish stop"}},
		{"no [DONE]", sse(delta(`"content":"a"`), finish("length")), []string{"open", "text a", "finish length"}},
		{"text behind an early finish", sse(delta(`"content":"a"`), finish("stop"), delta(`"content":"b"`), finish("stop"), "[DONE]"),
			[]string{"open", "text a", "text b", "finish stop"}},
		{"error behind the finish", sse(delta(`"content":"a"`), finish("stop"), `{"error":"late"}`, "[DONE]"), []string{"open", "text a", "finish stop"}},
		{"other choices", sse(`{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"stop"},{"index":0,"delta":{"content":"yes"}}]}`, finish("stop")),
			[]string{"open", "text yes", "finish stop"}},
		{"an event of several lines", "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\ndata: b\"}}]}\n\n" + sse(finish("stop")), []string{"open", "text a b", "finish stop"}},
		{"unknown fields and events", "id: 7\nretry: 10\nevent: ping\n" + sse(`{"type":"ping"}`, `"ping"`, `17`, `{}`, `{"choices":null,"error":null}`, `{"choices":[{"delta":{"content":"a","new":{"x":[1]},"tool_calls":null},"logprobs":{"content":[]},"finish_reason":null}],"x_vendor":1}`) + "data:\n\nevent: done\n" + sse(finish("stop")),
			[]string{"open", "text a", "finish stop"}},
		{"content that is null or a list", sse(delta(`"content":null`), delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"},{"type":"text","text":"b"}]`), finish("stop")),
			[]string{"open", "reasoning hm", "text ab", "finish stop"}},
		{"message in place of delta", sse(`{"choices":[{"message":{"role":"assistant","content":"all"},"finish_reason":"stop"}]}`), []string{"open", "text all", "finish stop"}},
		{"line ends", "data:" + delta(`"content":"a"`) + "\r\n\r\ndata: " + finish("stop") + "\n", []string{"open", "text a", "finish stop"}},
		{"byte order mark", "\ufeff" + sse(delta(`"content":"a"`), finish("stop")), []string{"open", "text a", "finish stop"}},
		{"no blank lines", strings.ReplaceAll(sse(delta(`"content":"a"`), delta(`"content":"b"`), finish("stop"), "[DONE]"), "\n\n", "\n"),
			[]string{"open", "text a", "text b", "finish stop"}},
		{"last line without end", sse(delta(`"content":"a"`)) + "data: " + finish("stop"), []string{"open", "text a", "finish stop"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, sseHead, c.body)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, c.want...)
		})
	}
}

func TestEveryByteInAPacketOfItsOwn(t *testing.T) {
	body := sse(delta(`"content":"grüße 😀"`), delta(`"reasoning_content":"ö"`), finish("stop"), usage, "[DONE]")
	s := serve(t, func(c net.Conn) {
		write(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
		for i := range len(body) {
			write(c, "1\r\n"+body[i:i+1]+"\r\n")
		}
		write(c, "0\r\n\r\n")
	})
	got, err := collect(t, newClient(t, s.url), hello())
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, "open", "text grüße 😀", "reasoning ö", "usage 40 20 60 0 5", `item acme m-1 0 reasoning_content "ö"`, "finish stop")
}

func TestFinishReasons(t *testing.T) {
	for reason, want := range map[string]string{
		"stop": "stop", "STOP": "stop", "eos": "stop", "end_turn": "stop", "something_new": "stop",
		"tool_calls": "tool_calls", "function_call": "tool_calls",
		"length": "length", "MAX_TOKENS": "length", "model_length": "length",
		"content_filter": "content_filter", "safety": "content_filter", "sensitive": "content_filter",
	} {
		t.Run(reason, func(t *testing.T) {
			got, err := answer(t, sseHead, sse(delta(`"content":"a"`), finish(reason), "[DONE]"))
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, "open", "text a", "finish "+want)
		})
	}
	for _, reason := range []string{"error", "network_error", "insufficient_system_resource"} {
		t.Run(reason, func(t *testing.T) {
			got, err := answer(t, sseHead, sse(delta(`"content":"a"`), finish(reason), "[DONE]"))
			same(t, got, "open", "text a")
			failure(t, err, providers.ErrorStream, reason)
		})
	}
	t.Run("refusal", func(t *testing.T) {
		got, err := answer(t, sseHead, sse(delta(`"content":null,"refusal":"I can"`), delta(`"refusal":"not."`), finish("stop"), "[DONE]"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, "open", "text I can", "text not.", "finish content_filter")
	})
}

func TestErrorsInAStream(t *testing.T) {
	for _, c := range []struct {
		name, event string
		message     string
		code, kind  string
		status      int
	}{
		{"alone", "data: " + `{"error":{"message":"The server is overloaded","type":"overloaded_error","code":"busy"}}` + "\n\n", "The server is overloaded", "busy", "overloaded_error", 0},
		{"alone, without blank", "data:" + `{"error":{"message":"x","code":null}}` + "\n", "x", "", "", 0},
		{"with an id", "data: " + `{"id":"gen-1","object":"chat.completion.chunk","error":{"code":429,"message":"Rate limited"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}` + "\n\n", "Rate limited", "429", "", 429},
		{"gateway", "data: " + `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"upstream connect error"}}}` + "\n\n", "Provider returned error: upstream connect error", "502", "", 502},
		{"no message", "data: " + `{"error":{"code":"x"}}` + "\n\n", "the provider reported an error", "x", "", 0},
		{"text", "data: " + `{"error":"went wrong with sk-secret-0123456789"}` + "\n\n", "went wrong with sk-sec...6789", "", "", 0},
		{"object of its own", "data: " + `{"object":"error","message":"too long","type":"BadRequestError","code":400}` + "\n\n", "too long", "400", "BadRequestError", 400},
		{"event name only", "event: error\ndata: " + `{"message":"kaput","code":"k"}` + "\n\n", "kaput", "k", "", 0},
		{"event name, wrapped", "event: error\ndata: " + `{"error":{"message":"kaput"}}` + "\n\n", "kaput", "", "", 0},
		{"event name, no JSON", "event: error\ndata: out of memory\n\n", "out of memory", "", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, sseHead, sse(delta(`"content":"a"`)), c.event, sse("[DONE]"))
			same(t, got, "open", "text a")
			e := failure(t, err, providers.ErrorStream, c.message)
			if e.Code != c.code || e.Type != c.kind || e.Status != c.status || len(e.Body) == 0 {
				t.Errorf("got code %q, type %q, status %d, body %q", e.Code, e.Type, e.Status, e.Body)
			}
		})
	}
}

// TestDoneIsAnEnd takes the mark of the end for one, also where no reason is stated.
func TestDoneIsAnEnd(t *testing.T) {
	for _, reason := range []string{"", `,"finish_reason":null`, `,"finish_reason":""`} {
		got, err := answer(t, sseHead, sse(`{"choices":[{"index":0,"delta":{"content":"a"}`+reason+`}]}`, "[DONE]"))
		if err != nil {
			t.Errorf("%s: %v", reason, err)
		}
		same(t, got, "open", "text a", "finish stop")
		got, err = answer(t, sseHead, sse(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}`+reason+`}]}`, "[DONE]"))
		if err != nil {
			t.Errorf("%s: %v", reason, err)
		}
		same(t, got, "open", "call 0 c f", "arguments 0 {}", "finish tool_calls")
	}
}

func TestIncompleteAnswers(t *testing.T) {
	text := sse(delta(`"content":"a"`))
	for _, c := range []struct {
		name string
		body string
		kind providers.ErrorKind
		says string
		want []string
	}{
		{"clean end without finish", text, providers.ErrorBroken, "before the answer was complete", []string{"open", "text a"}},
		{"[DONE] without anything", sse("[DONE]"), providers.ErrorBroken, "before the answer was complete", []string{"open"}},
		{"cut in an event", text + "data: " + finish("stop")[:30], providers.ErrorBroken, "before the answer was complete", []string{"open", "text a"}},
		{"cut in a field name", text + "dat", providers.ErrorBroken, "before the answer was complete", []string{"open", "text a"}},
		{"empty body", "", providers.ErrorBroken, "empty answer", []string{"open"}},
		{"comments only", ": hi\n\n: hi\n\n", providers.ErrorBroken, "empty answer", []string{"open"}},
		{"malformed event", text + sse(`{"choices":[{"delta":{"content":}]}`), providers.ErrorProtocol, `{\"choices\"`, []string{"open", "text a"}},
		{"other types", text + sse(`{"choices":{"delta":1}}`), providers.ErrorProtocol, "cannot be read", []string{"open", "text a"}},
		{"no JSON", text + sse(`keep going`), providers.ErrorProtocol, `"keep going"`, []string{"open", "text a"}},
		{"another service", "Ollama is running", providers.ErrorProtocol, `check the base URL; it says "Ollama is running"`, []string{"open"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, sseHead, c.body)
			failure(t, err, c.kind, c.says)
			same(t, got, c.want...)
		})
	}
}

func TestDocuments(t *testing.T) {
	for _, c := range []struct {
		name, head, body string
		want             []string
	}{
		{"completion", jsonHead, `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"all","reasoning_content":"why","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":4,"completion_tokens":2}}`,
			[]string{"open", "reasoning why", "text all", "usage 4 2 0 0 0", "call 0 c1 f", "arguments 0 {}", `item acme m-1 0 reasoning_content "why"`, "finish tool_calls"}},
		{"without a reason", jsonHead, "\n  " + `{"choices":[{"message":{"content":"all"}}]}`, []string{"open", "text all", "finish stop"}},
		{"called a stream", sseHead, `{"choices":[{"message":{"content":"all"},"finish_reason":"length"}]}`, []string{"open", "text all", "finish length"}},
		{"a stream called a document", jsonHead, sse(delta(`"content":"a"`), finish("stop")), []string{"open", "text a", "finish stop"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, c.head, c.body)
			if err != nil {
				t.Fatal(err)
			}
			// Calls without index are opened as their arguments come.
			same(t, sorted(got), sorted(c.want)...)
		})
	}
	for _, c := range []struct {
		name, head, body string
		kind             providers.ErrorKind
		says             string
	}{
		{"error", jsonHead, `{"error":{"message":"no such model","code":404}}`, providers.ErrorStream, "no such model"},
		{"page", htmlHead, "<!doctype html><title>Welcome to nginx!</title>", providers.ErrorProtocol, "a web page: Welcome to nginx!; the base URL may be wrong"},
		{"other object", jsonHead, `{"status":"ok"}`, providers.ErrorProtocol, `it says "{\"status\":\"ok\"}"`},
		{"list", jsonHead, `[1,2]`, providers.ErrorProtocol, `"[1,2]"`},
		{"half an object", jsonHead, `{"choices":[{"mess`, providers.ErrorProtocol, "check the base URL"},
		{"lines of JSON", jsonHead, `{"message":{"content":"a"}}` + "\n" + `{"done":true}` + "\n", providers.ErrorProtocol, "check the base URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, c.head, c.body)
			failure(t, err, c.kind, c.says)
			same(t, got, "open")
		})
	}
}

func TestManyComments(t *testing.T) {
	got, err := answer(t, sseHead, strings.Repeat(": PROCESSING\n\n", 400), sse(delta(`"content":"a"`)),
		strings.Repeat(": PROCESSING\n\n", 400), sse(finish("stop"), "[DONE]"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, "open", "text a", "finish stop")
}

func TestAHugeLine(t *testing.T) {
	long := strings.Repeat("ä", 3<<19)
	got, err := answer(t, sseHead, sse(delta(`"content":"`+long+`"`), finish("stop")))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, "open", "text "+long, "finish stop")
}

// TestThoughtsInContent takes content that is marked as a thought for reasoning, in either namespace
// and whether its tag is closed or not.
func TestThoughtsInContent(t *testing.T) {
	for _, space := range []string{"google", "vertex"} {
		mark := `,"extra_content":{"` + space + `":{"thought":true}}`
		for _, closing := range []string{"</thought>", ""} {
			got, err := answer(t, sseHead, sse(delta(`"content":"<thought>pl"`+mark), delta(`"content":"an"`+mark), delta(`"content":"`+closing+`Hello"`), finish("stop"), "[DONE]"))
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, "open", "reasoning pl", "reasoning an", "text Hello", "finish stop")
		}
		got, err := answer(t, sseHead, sse(delta(`"content":"<thought>plan"`+mark), finish("stop"), "[DONE]"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, "open", "reasoning plan", "finish stop")
	}
}

// TestTagsAreSentBack sends reasoning that a model writes between tags back in its place, to that
// model alone.
func TestTagsAreSentBack(t *testing.T) {
	const said = "<think>\nFirst a, then b.\n</think>\n\nReading."
	const model = "MiniMaxAI/MiniMax-M2.7"
	s := serve(t, func(c net.Conn) {
		write(c, sseHead, sse(delta(`"content":"`+strings.ReplaceAll(said, "\n", `\n`)+`"`), delta(`"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]`), finish("tool_calls"), "[DONE]"))
	})
	client := newClient(t, s.url)
	r := hello()
	r.Model = model
	stream, err := client.Stream(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	m := providers.Message{ID: "2", Role: providers.Assistant, Parts: providers.TextParts("Reading."), Calls: []providers.Call{{ID: "k", WireID: "c", Name: "f", Arguments: "{}"}}}
	for {
		d, err := stream.Next()
		if err != nil {
			break
		}
		if d.Item != nil {
			m.Native = append(m.Native, *d.Item)
		}
	}
	for to, want := range map[string]string{model: said, "MiniMaxAI/MiniMax-M2.8": "Reading.", "gpt-4o": "Reading."} {
		r.Model, r.Messages = to, append(hello().Messages, m, providers.Message{ID: "3", Role: providers.Tool, CallID: "k", CallName: "f", Parts: providers.TextParts("x")})
		if got := client.messages(r, client.needs(to))[1].Content; got != want {
			t.Errorf("%s got %q", to, got)
		}
	}
}

func TestAnEndlessLine(t *testing.T) {
	s := serve(t, func(c net.Conn) {
		write(c, sseHead, "data: ")
		block := strings.Repeat("x", 1<<20)
		for range 32 {
			write(c, block)
		}
		hang(c)
	})
	_, err := collect(t, newClient(t, s.url), hello())
	failure(t, err, providers.ErrorProtocol, "longer than 16 MB")
	if !errors.Is(err, transport.ErrLineTooLong) {
		t.Errorf("got %v", err)
	}
}

func TestResetInTheText(t *testing.T) {
	sent := make(chan struct{})
	s := serve(t, func(c net.Conn) {
		write(c, sseHead, sse(delta(`"content":"a"`)))
		<-sent
		if err := c.(*net.TCPConn).SetLinger(0); err != nil {
			t.Error(err)
		}
	})
	st, err := newClient(t, s.url).Stream(t.Context(), hello())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, want := range []string{"open", "text a"} {
		if d, err := st.Next(); err != nil || show(d) != want {
			t.Fatalf("got %s, %v, want %s", show(d), err, want)
		}
	}
	close(sent)
	_, err = st.Next()
	failure(t, err, providers.ErrorBroken, "in the middle of the answer")
	if _, again := st.Next(); !errors.Is(again, err) {
		t.Errorf("the error did not stay: %v, then %v", err, again)
	}
}

func TestAResetBehindTheFinishHarmsNothing(t *testing.T) {
	s := serve(t, func(c net.Conn) {
		write(c, strings.Replace(sseHead, "Connection: close", "Content-Length: 100000", 1), sse(delta(`"content":"a"`), finish("stop")))
	})
	got, err := collect(t, newClient(t, s.url), hello())
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, "open", "text a", "finish stop")
}

func TestSilenceBehindTheFinish(t *testing.T) {
	s := serve(t, func(c net.Conn) {
		write(c, sseHead, sse(delta(`"content":"a"`), finish("stop"), usage))
		hang(c)
	})
	c := newClient(t, s.url)
	c.grace = 20 * time.Millisecond
	got, err := collect(t, c, hello())
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, "open", "text a", "usage 40 20 60 0 5", "finish stop")
}

func TestAStalledServer(t *testing.T) {
	s := serve(t, func(c net.Conn) {
		write(c, sseHead, sse(delta(`"content":"a"`)))
		hang(c)
	})
	tr := transport.New(transport.Options{ReadTimeout: 30 * time.Millisecond})
	t.Cleanup(tr.CloseIdle)
	got, err := collect(t, newClient(t, s.url, func(c *Config) { c.Transport = tr }), hello())
	same(t, got, "open", "text a")
	failure(t, err, providers.ErrorBroken, "no data came for 30ms")
}

// A finished stream leaves its connection for the next request.
func TestConnectionsAreUsedAgain(t *testing.T) {
	body := sse(delta(`"content":"a"`), finish("stop"), "[DONE]")
	conns := make(chan net.Conn, 4)
	var s *server
	s = serve(t, func(c net.Conn) {
		conns <- c
		for {
			write(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
			write(c, strings.Join([]string{hex(len(body)), "\r\n", body, "\r\n0\r\n\r\n"}, ""))
			if !s.read(c) {
				return
			}
		}
	})
	client := newClient(t, s.url)
	for range 3 {
		if _, err := collect(t, client, hello()); err != nil {
			t.Fatal(err)
		}
	}
	if len(conns) != 1 {
		t.Errorf("three requests took %d connections", len(conns))
	}
	client.config.Transport.CloseIdle()
}

func TestCancelling(t *testing.T) {
	cause := errors.New("the user said stop")
	for _, c := range []struct{ name, sent string }{
		{"before the headers", ""},
		{"before the first byte", sseHead},
		{"in the middle", sseHead + sse(delta(`"content":"a"`)) + "data: {"},
		{"behind the finish", sseHead + sse(finish("stop"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			arrived, gone := make(chan struct{}), make(chan struct{})
			s := serve(t, func(conn net.Conn) {
				write(conn, c.sent)
				close(arrived)
				hang(conn)
				close(gone)
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { <-arrived; cancel(cause) }()
			st, err := newClient(t, s.url).Stream(ctx, hello())
			if err == nil {
				_, err = protocoltest.Drain(st)
				defer st.Close()
			}
			if !errors.Is(err, cause) {
				t.Errorf("got %v, want the cause", err)
			}
			select {
			case <-gone: // the connection is closed
			case <-time.After(5 * time.Second):
				t.Error("the connection stayed open")
			}
		})
	}
}

func TestACancelledContextDropsWhatWaits(t *testing.T) {
	cause := errors.New("enough")
	s := serve(t, func(c net.Conn) { write(c, sseHead, sse(finish("stop"))) })
	ctx, cancel := context.WithCancelCause(t.Context())
	st, err := newClient(t, s.url).Stream(ctx, hello())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	cancel(cause)
	if d, err := st.Next(); !errors.Is(err, cause) {
		t.Errorf("got %s, %v", show(d), err)
	}
}

func TestClosing(t *testing.T) {
	s := serve(t, func(c net.Conn) { write(c, sseHead, sse(delta(`"content":"a"`))); hang(c) })
	st, err := newClient(t, s.url).Stream(t.Context(), hello())
	if err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	ready := make(chan struct{})
	go func() {
		for range 2 {
			if _, err := st.Next(); err != nil {
				t.Error(err)
			}
		}
		close(ready)
		_, err := st.Next()
		result <- err
	}()
	<-ready
	for range 2 {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}
	select {
	case err := <-result:
		failure(t, err, providers.ErrorBroken, "was closed")
	case <-time.After(5 * time.Second):
		t.Fatal("Next did not return")
	}
}
