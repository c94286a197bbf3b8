package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hermes-tui/agent/event"
)

const pricedList = `{"data":[
	{"id":"odd-name","context_length":77000,"pricing":{"prompt":"0.000002","completion":"0.00001","input_cache_read":"0.0000002"},
	 "architecture":{"input_modalities":["text","image"]},"supported_parameters":["tools","reasoning"]},
	{"id":"claude-sonnet-4-6"},
	{"id":"text-only","context_length":70000,"architecture":{"input_modalities":["text"]},"supported_parameters":["tools"]}]}`

// shop is an endpoint that lists models while it is open, and answers always.
type shop struct {
	*httptest.Server
	open  atomic.Bool
	lists atomic.Int64
}

func newShop(t *testing.T, list string, refuse func(n int) string) *shop {
	t.Helper()
	s := &shop{}
	s.open.Store(true)
	var calls atomic.Int64
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet && s.open.Load():
			s.lists.Add(1)
			fmt.Fprint(w, list)
		case r.Method == http.MethodGet:
			http.Error(w, "closed", http.StatusServiceUnavailable)
		default:
			if why := refuse(int(calls.Add(1))); why != "" {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, why)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Here."},"finish_reason":"stop"}]}`+"\n\n"+
				`data: {"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":600}}}`+"\n\ndata: [DONE]\n\n")
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func never(int) string { return "" }

const shopConfig = "probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: shop, default: %s}\nproviders:\n  shop: {base_url: %s, api_key: a-key-0123456789}\n"

// TestFactsOfTheList takes what an endpoint lists for a model that no one else knows,
// keeps it, and has it when the endpoint tells no more.
func TestFactsOfTheList(t *testing.T) {
	s := newShop(t, pricedList, never)
	b := newBox(t)
	b.config(fmt.Sprintf(shopConfig, "odd-name", s.URL))
	a, conv := b.begin()
	if m := model(conv); m.ContextMax != 77_000 || m.Vision != event.Yes {
		t.Errorf("%+v answers", m)
	}
	say(t, conv, "hello")
	// 400 fresh tokens at 2, 600 cached at 0.2 and 10 of the answer at 10 dollars a million.
	if u := conv.State().Root().Usage; u.Status() != event.CostEstimated || u.Cost != event.Dollar*(400*20+600*2+10*100)/10_000_000 || u.Saved != event.Dollar*600*18/10_000_000 {
		t.Errorf("it cost %d, saved %d (%s)", u.Cost, u.Saved, u.Status())
	}
	list, err := offered(t, a)
	if err != nil || len(list) != 4 {
		t.Fatalf("%+v, %v", list, err)
	}
	odd, plain := list[1], list[2]
	if odd.Name != "odd-name" || odd.Price == nil || odd.Price.Output != 10*event.Dollar || odd.Reasons != event.Yes || odd.Key != "config.yaml" {
		t.Errorf("%+v", odd)
	}
	if plain.Sees != event.No || plain.Price != nil {
		t.Errorf("%+v", plain)
	}
	if known := list[0]; known.ContextMax != 1_000_000 || known.Sees != event.Yes {
		t.Errorf("%+v", known)
	}
	closed(t, a)

	s.open.Store(false)
	a, conv = b.begin()
	if m := model(conv); m.ContextMax != 77_000 {
		t.Errorf("the second time, %+v answers", m)
	}
	if list, err = offered(t, a); err != nil || len(list) != 5 || !strings.Contains(list[0].Problem, "within the last hour") || list[2].Name != "odd-name" {
		t.Errorf("%+v, %v", list, err)
	}
	if n := s.lists.Load(); n != 2 { // at the first start and for the first list
		t.Errorf("listed %d times", n)
	}
}

// TestWindowFromAnError learns the context window from an error, and writes it down
// once a request below it was answered.
func TestWindowFromAnError(t *testing.T) {
	s := newShop(t, `{"data":[{"id":"odd-name"}]}`, func(n int) string {
		if n == 1 {
			return `{"error":{"message":"This model's maximum context length is 66000 tokens. However, your messages resulted in 70000 tokens.","code":"context_length_exceeded"}}`
		}
		return ""
	})
	b := newBox(t)
	b.config(fmt.Sprintf(shopConfig, "odd-name", s.URL))
	a, conv := b.begin()
	if m := model(conv); m.ContextMax != 0 {
		t.Errorf("%+v answers", m)
	}
	if _, err := conv.Submit("too long"); err != nil {
		t.Fatal(err)
	}
	s1 := conv.State()
	until(t, conv, s1, "the turn has failed", func() bool { return strings.Contains(notices(conv), "odd-name takes 66,000") })
	say(t, conv, "shorter")
	file := filepath.Join(b.home.Dir(), "context_length_cache.yaml")
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for deadline := time.Now().Add(patience); ; <-look.C {
		if raw, err := os.ReadFile(file); err == nil && strings.Contains(string(raw), "66000") {
			break
		}
		if time.Now().After(deadline) {
			raw, err := os.ReadFile(file)
			t.Fatalf("nothing was learnt: %s, %v; %s", raw, err, notices(conv))
		}
	}
	closed(t, a)
	_, conv = b.begin()
	if m := model(conv); m.ContextMax != 66_000 {
		t.Errorf("the second time, %+v answers", m)
	}
}

// TestClosingWhileItLists does not wait for an endpoint that never answers.
func TestClosingWhileItLists(t *testing.T) {
	asked, leave := make(chan struct{}, 8), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-leave:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	defer close(leave)
	b := newBox(t)
	b.config(fmt.Sprintf(shopConfig, "claude-sonnet-4-6", s.URL)) // whose facts are known: no one waits
	a, _ := b.begin()
	<-asked
	begin := time.Now()
	closed(t, a)
	if took := time.Since(begin); took > patience/2 {
		t.Errorf("closing took %v", took)
	}
}
