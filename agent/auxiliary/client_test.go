package auxiliary

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/failure"
)

func TestComplete(t *testing.T) {
	w := newWorld(t)
	w.says("main", `{"reasoning":"hm"},{"text":"\n<think>what now</think>\n Paris \n"},{"usage":{"input":7,"output":2}}`)
	got, err := w.client(nil).Complete(context.Background(), other, "be short", "capital of France?")
	if err != nil || got != "Paris" {
		t.Fatalf("%q, %v", got, err)
	}
	r := w.sent("main")
	if r.Model != "big" || r.MaxTokens != usual.tokens || len(r.Tools) != 0 || len(r.Messages) != 2 ||
		r.Messages[0].Content != "be short" || r.Messages[1].Content != "capital of France?" {
		t.Errorf("sent %+v", r)
	}
	want := Service{Provider: "main", Model: "big"}
	if len(w.spent) != 1 || w.spent[0].task != other || w.spent[0].on != want || w.spent[0].usage == nil || w.spent[0].usage.Output != 2 {
		t.Errorf("spent %+v", w.spent)
	}
}

// The chain: what is set, its fallbacks, the main model, each once.
func TestChain(t *testing.T) {
	main := Service{Provider: "main", Model: "big", BaseURL: "http://main/v1"}
	for _, c := range []struct {
		name string
		set  Setting
		want string
	}{
		{"nothing set", Setting{}, "main/big"},
		{"auto", Setting{Service: Service{Provider: "auto"}}, "main/big"},
		{"another provider", Setting{Service: Service{Provider: "x"}}, "x main/big"},
		{"a model of the main one", Setting{Service: Service{Provider: "auto", Model: "small"}}, "main/small main/big"},
		{"the main model itself", Setting{Service: main}, "main/big"},
		{"an address", Setting{Service: Service{BaseURL: "http://box:8080/v1", Model: "m"}}, "box:8080/m main/big"},
		{"fallbacks", Setting{Service: Service{Provider: "x"}, Fallbacks: []Service{{Provider: "y", Model: "m"}, {Provider: "x"}, main, {}}}, "x y/m main/big"},
	} {
		cl := New(Options{Tasks: map[Task]Setting{other: c.set}, Main: func() Service { return main }})
		var names []string
		for _, s := range cl.chain(other) {
			names = append(names, s.String())
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if _, err := New(Options{}).Complete(context.Background(), Title, "", "x"); err == nil || !strings.Contains(err.Error(), "auxiliary.title_generation") {
		t.Errorf("no service at all: %v", err)
	}
}

// What a failure does: whether the next service is asked, and for how long this
// one is left out.
func TestFailures(t *testing.T) {
	failed := func(status int, message string) string {
		return fmt.Sprintf(`{"error":{"status":%d,"message":%q}}`, status, message)
	}
	for _, c := range []struct {
		name, steps string
		reason      failure.Reason
		next        bool
		out         time.Duration
	}{
		{"no credit", failed(402, "insufficient credits"), failure.Billing, true, 600 * time.Second},
		{"bad key", failed(401, "invalid api key"), failure.Auth, true, 600 * time.Second},
		{"too many", failed(429, "rate limit reached"), failure.RateLimit, true, 600 * time.Second},
		{"too many, for a while", `{"error":{"status":429,"message":"rate limit reached","retry_after":20}}`, failure.RateLimit, true, 20 * time.Second},
		{"too many, for long", `{"error":{"status":429,"message":"rate limit reached","retry_after":80000}}`, failure.RateLimit, true, 600 * time.Second},
		{"reset", `{"cut":"reset"}`, failure.Timeout, true, 600 * time.Second},
		{"broken off", `{"text":"a"},{"cut":"clean"}`, failure.Timeout, true, 600 * time.Second},
		{"overloaded", failed(503, "overloaded"), failure.Overloaded, true, 0},
		{"broken", failed(500, "oops"), failure.ServerError, true, 0},
		{"no such model", failed(404, "model not found"), failure.ModelNotFound, true, 0},
		{"malformed", failed(400, "unknown parameter: max_tokens"), failure.FormatError, true, 0},
		{"empty", `{"text":"  \n"}`, failure.Unknown, true, 0},
		{"nothing but reasoning", `{"reasoning":"hm"},{"text":"<think>so"}`, failure.Unknown, true, 0},
		{"refused", failed(400, "this violates our usage policies"), failure.ContentPolicyBlocked, false, 0},
		{"filtered", `{"text":"well"},{"finish":"content_filter"}`, failure.ContentPolicyBlocked, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.says("side", c.steps)
			w.says("main", text("from main"))
			cl := w.client(map[Task]Setting{Title: {Service: Service{Provider: "side"}}})
			got, err := cl.Complete(context.Background(), Title, "", "x")
			if c.next != (err == nil) || c.next != (got == "from main") {
				t.Fatalf("%q, %v", got, err)
			}
			if !c.next {
				var e *Error
				if !errors.As(err, &e) || len(e.Tried) != 1 || e.Tried[0].Reason != c.reason {
					t.Errorf("%v", err)
				}
			}
			side := Service{Provider: "side"}.site()
			if until := cl.leftOut(side); c.out == 0 && !until.IsZero() || c.out > 0 && !until.Equal(w.now.Add(c.out)) {
				t.Errorf("left out until %v", until)
			}
			if _, err := cl.Complete(context.Background(), other, "", "x"); c.out > 0 && (err != nil || w.requests("side") != 1) {
				t.Errorf("left out, it was asked %d times (%v)", w.requests("side"), err)
			}
			w.now = w.now.Add(c.out)
			_, _ = cl.Complete(context.Background(), Title, "", "x")
			if want := 2; w.requests("side") != want {
				t.Errorf("later, it was asked %d times, want %d", w.requests("side"), want)
			}
		})
	}
}

func TestNoOneListens(t *testing.T) {
	w := newWorld(t)
	w.closed("side")
	w.closed("main")
	w.says("spare", text("from spare"))
	cl := w.client(map[Task]Setting{
		Title: {Service: Service{Provider: "side", APIKey: key}},
		other: {Service: Service{Provider: "side", APIKey: key}, Fallbacks: []Service{{Provider: "spare"}}},
	})
	_, err := cl.Complete(context.Background(), Title, "", "x")
	var e *Error
	if !errors.As(err, &e) || len(e.Tried) != 2 || e.Tried[0].Reason != failure.Timeout || !strings.Contains(err.Error(), "auxiliary.title_generation") {
		t.Fatalf("%v", err)
	}
	if got, err := cl.Complete(context.Background(), other, "", "x"); err != nil || got != "from spare" {
		t.Errorf("%q, %v", got, err)
	}
	_, err = cl.Complete(context.Background(), Title, "", "x")
	if !errors.As(err, &e) || e.Tried[0].Reason != "" || !strings.Contains(err.Error(), "left out until 12:10:00") {
		t.Errorf("%v", err)
	}
	noKey(t, err.Error())
}

// A service that is silent, or too slow, costs one timeout, and no more.
func TestTimeouts(t *testing.T) {
	w := newWorld(t)
	w.says("silent", `{"stall":true}`)
	w.says("slow", `{"text":"one"},{"stall":true}`)
	w.says("main", text("from main"))
	cl := w.client(map[Task]Setting{Title: {
		Service: Service{Provider: "silent"}, Fallbacks: []Service{{Provider: "slow", APIKey: key}}, Timeout: 50 * time.Millisecond,
	}})
	if got, err := cl.Complete(context.Background(), Title, "", "x"); err != nil || got != "from main" {
		t.Fatalf("%q, %v", got, err)
	}
	if cl.leftOut(site{"silent", ""}).IsZero() || !cl.leftOut(site{"slow", ""}).IsZero() {
		t.Errorf("left out: %v", cl.out)
	}
	if len(w.spent) != 2 || w.spent[0].on != (Service{Provider: "slow", Model: "usual-of-slow"}) || w.spent[0].usage != nil {
		t.Errorf("spent %+v", w.spent)
	}
	if d := New(Options{}).timeout(other); d != 30*time.Second {
		t.Errorf("usual timeout %v", d)
	}
}

func TestCancelled(t *testing.T) {
	w := newWorld(t)
	w.says("side", `{"open":true},{"stall":true}`)
	w.says("main", text("from main"))
	cl := w.client(map[Task]Setting{Title: {Service: Service{Provider: "side"}}})
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := errors.New("stopped by the user")
	done := make(chan error, 1)
	go func() { _, err := cl.Complete(ctx, Title, "", "x"); done <- err }()
	if _, err := w.servers["side"].WaitRequests(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	cancel(stopped)
	if err := <-done; !errors.Is(err, stopped) {
		t.Errorf("%v", err)
	}
	if !cl.leftOut(site{"side", ""}).IsZero() || w.requests("main") != 0 {
		t.Error("a cancelled call counts as a failed service")
	}
	if _, err := cl.Complete(ctx, Title, "", "x"); !errors.Is(err, stopped) || w.requests("side") != 1 {
		t.Errorf("%v", err)
	}
}

// A service that talks without end is cut, at a character.
func TestLongAnswers(t *testing.T) {
	w := newWorld(t)
	w.says("main", `{"text":"a"},`+text(strings.Repeat("ö", 5000))+`,`+text("end")+`,{"stall":true}`)
	got, err := w.client(nil).Complete(context.Background(), Title, "", "x")
	if err != nil || len(got) > limits[Title].bytes || len(got) < limits[Title].bytes-4 || strings.ContainsRune(got, '\ufffd') || strings.HasSuffix(got, "end") {
		t.Errorf("%d bytes ending in %.20q, %v", len(got), got[max(0, len(got)-20):], err)
	}
}

func TestImages(t *testing.T) {
	w := newWorld(t)
	w.says("main", text("a cat"))
	got, err := w.client(nil).Complete(context.Background(), other, "", "what is it?", providers.Image{MediaType: "image/png", Data: []byte("png")})
	if err != nil || got != "a cat" {
		t.Fatalf("%q, %v", got, err)
	}
	m := request(other, "", "what is it?", []providers.Image{{MediaType: "image/png"}, {MediaType: "image/gif"}}).Messages[0]
	if len(m.Parts) != 3 || m.Parts[1].Image.MediaType != "image/png" || m.Parts[2].Image.MediaType != "image/gif" {
		t.Errorf("parts %+v", m.Parts)
	}
}

// Keys do not show, whatever says them: servers that repeat what they were sent,
// connections, printing.
func TestKeysDoNotShow(t *testing.T) {
	w := newWorld(t)
	secret := key.Reveal()
	w.says("echo", fmt.Sprintf(`{"error":{"status":401,"message":%q}}`, "bad key "+secret+" and sk-live-0123456789abcdefghijklmnop"))
	w.closed("main")
	side := Service{Provider: "echo", APIKey: key}
	cl := w.client(map[Task]Setting{Title: {Service: side, Fallbacks: []Service{{BaseURL: "http://user:" + secret + "@127.0.0.1:1/v1?k=" + secret, APIKey: key}}}})
	_, err := cl.Complete(context.Background(), Title, "", "x")
	if err == nil {
		t.Fatal("it was answered")
	}
	broken := New(Options{
		Tasks: map[Task]Setting{Title: {Service: side}},
		Open: func(_ context.Context, s Service) (Runtime, error) {
			return Runtime{}, errors.New("cannot use " + s.APIKey.Reveal())
		},
	})
	_, opening := broken.Complete(context.Background(), Title, "", "x")
	for _, s := range []string{err.Error(), fmt.Sprintf("%v %+v %#v", err, err, side), fmt.Sprint(opening), fmt.Sprintf("%#v", w.spent)} {
		noKey(t, s)
	}
	if !strings.Contains(opening.Error(), "cannot use ***") && !strings.Contains(opening.Error(), "cannot use plain-") {
		t.Errorf("%v", opening)
	}
}

func TestSideBySide(t *testing.T) {
	w := newWorld(t)
	w.says("side", `{"error":{"status":402,"message":"no credit"}}`)
	w.says("main", text("from main"))
	cl := w.client(map[Task]Setting{Title: {Service: Service{Provider: "side"}}})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if got, err := cl.Complete(context.Background(), Title, "", "x"); err != nil || got != "from main" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	wg.Wait()
	if w.requests("main") != 20 || w.requests("side") > 20 {
		t.Errorf("main was asked %d times, side %d", w.requests("main"), w.requests("side"))
	}
}

// TestUse: a task counts its calls, names the link of the chain that answered and the
// last failure, without a key, and says once that none answers.
func TestUse(t *testing.T) {
	w := newWorld(t)
	w.serve("side", `{"rules":[{"times":1,"steps":[{"error":{"status":503,"message":"overloaded"}}]},{"steps":[`+text("from side")+`]}]}`)
	w.says("main", text("from main"))
	w.closed("gone")
	set := map[Task]Setting{Title: {Service: Service{Provider: "side", Model: "m", APIKey: key}}, other: {Service: Service{Provider: "gone", APIKey: key}}}
	var told []string
	c := New(Options{Tasks: set, Open: w.open, Main: func() Service { return Service{Provider: "main", Model: "big"} }, Failed: func(e *Error) { told = append(told, e.Error()) }})
	if list := c.Used(); len(list) != 0 {
		t.Errorf("before any call: %+v", list)
	}
	for i, want := range []Use{
		{Task: Title, Calls: 1, By: "main/big", Link: 2, Err: "side/m: overloaded (overloaded)"},
		{Task: Title, Calls: 2, By: "side/m", Link: 1, Err: "side/m: overloaded (overloaded)"},
	} {
		if _, err := c.Complete(t.Context(), Title, "", "x"); err != nil {
			t.Fatal(err)
		}
		if got := c.Used(); len(got) != 1 || got[0] != want {
			t.Errorf("call %d: %+v, want %+v", i+1, got, want)
		}
	}
	alone := New(Options{Tasks: set, Open: w.open, Failed: func(e *Error) { told = append(told, e.Error()) }})
	for range 3 {
		if _, err := alone.Complete(t.Context(), other, "", "x"); err == nil {
			t.Error("answered by no one")
		}
	}
	if _, err := New(Options{Failed: func(e *Error) { told = append(told, e.Error()) }}).Complete(t.Context(), other, "", "x"); err == nil {
		t.Error("answered without a service")
	}
	if got := alone.Used(); len(got) != 1 || got[0].Failed != 3 || got[0].Calls != 0 || got[0].Err == "" || len(told) != 1 || !strings.Contains(told[0], "auxiliary.other") {
		t.Errorf("%+v, told %q", got, told)
	} else {
		noKey(t, got[0].Err+told[0])
	}
}

// TestSlowLink: a service that does not answer in time is followed by the next one, a
// server nearby.
func TestSlowLink(t *testing.T) {
	w := newWorld(t)
	w.says("slow", `{"stall":true}`)
	w.says("near", text("in time"))
	c := w.client(map[Task]Setting{Title: {Service: Service{Provider: "slow"}, Fallbacks: []Service{{Provider: "near"}}, Timeout: 50 * time.Millisecond}})
	got, err := c.Complete(t.Context(), Title, "", "x")
	if u := c.Used(); err != nil || got != "in time" || u[0].Link != 2 || !strings.Contains(u[0].Err, "timed out") {
		t.Errorf("%q, %v, %+v", got, err, u)
	}
}
