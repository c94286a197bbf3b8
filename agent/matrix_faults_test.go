package agent_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// course is what recovery does about a fault that stays.
type course int

const (
	// courseNone: the fault is none, the answer is as good as any.
	courseNone course = iota
	// courseRefused: asking again is of no use.
	courseRefused
	// courseWaits: it is asked again after a while, until all attempts are used up.
	courseWaits
	// courseWaitsLonger: the same, since what answered is no model.
	courseWaitsLonger
	// courseResends: a lost connection is replaced at once, and when all attempts
	// failed there are as many over a new transport.
	courseResends
	// courseResendsCall: the same, and what had arrived is taken back as long as that
	// costs no time, since a call was lost.
	courseResendsCall
	// courseGoesOn: the output limit was reached, and the rest is asked for.
	courseGoesOn
	// courseRounds: the same as courseResends, but that nothing is asked for again at once.
	courseRounds
	// courseMends: it is asked at once in another way, which is answered, and in that way
	// from then on, so that a fault that stays comes once.
	courseMends
)

// continuations is how often the rest of an answer is asked for.
const continuations = 3

// sends is how many requests meet the fault before the turn ends.
func (c course) sends(p recovery.Policy) int {
	switch c {
	case courseWaits, courseWaitsLonger:
		return p.Retries
	case courseResends, courseResendsCall:
		return p.Resends + 2*p.Retries
	case courseRounds:
		return 2 * p.Retries
	case courseGoesOn:
		return 1 + continuations
	}
	return 1
}

// delays are the waits that are announced while the fault stays.
func (c course) delays(p recovery.Policy) []time.Duration {
	kind := recovery.APIError
	if c == courseWaitsLonger {
		kind = recovery.InvalidResponse
	}
	var out []time.Duration
	for n := 1; n < p.Retries; n++ {
		out = append(out, recovery.Backoff(kind, n, nil))
	}
	switch c {
	case courseWaits, courseWaitsLonger:
		return out
	case courseResends, courseResendsCall, courseRounds:
		return append(append(out[:len(out):len(out)], time.Duration(3+p.Retries)*time.Second), out...)
	}
	return nil
}

// first are the delays when the fault is there once.
func (c course) first(p recovery.Policy) []time.Duration {
	switch c {
	case courseWaits, courseWaitsLonger, courseRounds:
		return c.delays(p)[:1]
	}
	return nil
}

// fault is something that goes wrong between the agent and a model.
type fault struct {
	name string
	// answer plays it on the wire; open gives a way that leads nowhere instead.
	answer func(*ask)
	open   func(t *testing.T) providers.Client
	course course
	// reason is how a turn ends when the fault stays, say a part of what the
	// user is told.
	reason, say string
	// once and kept are the answers that are stored when the fault comes once and
	// when it stays.
	once, kept string
	// silent: it shows only in that nothing comes, or in that it takes long.
	silent bool
	// asks is the delay that the server asks for.
	asks time.Duration
	// dumped: what was asked is kept in a file, which the user is told. leftOut: the prompt
	// is not sent again with the next one, unless a tool has run on it.
	dumped, leftOut bool
	// prompt is what the user says, "go" if it is empty.
	prompt string
	// long is how long a whole call may take, 0 for any time.
	long time.Duration
}

// sameForEver tells that the turn ends with the fault, however long it stays.
func (f fault) sameForEver() bool {
	return f.course == courseRefused || f.course == courseNone && f.kept != ""
}

// stalled is how long nothing may come in the tests of silent servers.
const stalled = 300 * time.Millisecond

// why are the words that a wait is announced with.
func (f fault) why() string {
	switch {
	case f.open != nil:
		return "no connection"
	case f.silent, f.name == "status 408":
		return "no answer in time"
	case f.course == courseWaitsLonger:
		return "garbled response"
	}
	words := map[string]string{"rate_limit": "rate limit", "overloaded": "overloaded", "server_error": "server error", "timeout": "connection lost", "unknown": "failed"}
	return words[f.reason]
}

// policy is how hard the turn tries. Silence takes real time, so there is less of
// it.
func (f fault) policy() recovery.Policy {
	if f.silent {
		return recovery.Policy{Retries: 2, Resends: 1}
	}
	return recovery.Policy{Retries: 3, Resends: 2}
}

// faults are all of them.
func faults() []fault {
	list := append(statuses(), connectFaults()...)
	list = append(list, bodyFaults()...)
	list = append(list, requestFaults()...)
	return append(list, streamFaults()...)
}

// requestFaults are refusals of what is asked, or of the way it is asked in.
func requestFaults() []fault {
	return []fault{
		{name: "streams refused", course: courseMends, answer: func(a *ask) {
			a.fail(400, "'stream': streaming is not supported for this model")
		}},
		{name: "what is said refused", course: courseRefused, reason: "content_policy_blocked", say: "safety system", dumped: true, leftOut: true,
			answer: func(a *ask) {
				a.w.Header().Set("Content-Type", "application/json")
				a.w.WriteHeader(400)
				a.put(`{"error":{"message":"Your request was rejected by our safety system.","code":"content_policy_violation"}}`)
			}},
		{name: "a large message refused", course: courseRefused, reason: "format_error", say: "HTTP 422", dumped: true, leftOut: true,
			prompt: "go " + strings.Repeat("on with a long text ", 12_000), answer: func(a *ask) { a.fail(422, "messages: field is invalid") }},
		{name: "no entitlement", course: courseRefused, reason: "auth", say: "subscription",
			answer: func(a *ask) { a.fail(403, "This model needs an active Grok subscription.") }},
		{name: "no access to the long context", course: courseRefused, reason: "long_context_tier", say: "/compress",
			answer: func(a *ask) { a.fail(429, "Extra usage is required for long context requests.") }},
		{name: "an answer that takes too long", course: courseRounds, reason: "timeout", say: "did not answer in time", once: "part 1. All done.", kept: "part 1. part 2. part 3. part 4.", silent: true, long: time.Second,
			answer: func(a *ask) {
				a.part()
				for a.r.Context().Err() == nil { // something comes all the time
					a.put("data: ", deltaEvent(`{"content":""}`), "\n\n")
					time.Sleep(10 * time.Millisecond)
				}
			}},
	}
}

// statuses are the HTTP statuses that are no success.
func statuses() []fault {
	var list []fault
	for _, s := range []struct {
		status int
		course course
		reason string
		say    string
	}{
		{400, courseRefused, "format_error", "does not accept the request"},
		{401, courseRefused, "auth", "set a valid one"},
		{402, courseRefused, "billing", "top up"},
		{403, courseRefused, "auth", "check what the key may do"},
		{404, courseWaits, "unknown", "base URL"},
		{408, courseWaits, "timeout", "did not answer in time"},
		{409, courseRefused, "format_error", "HTTP 409"},
		{413, courseRefused, "payload_too_large", "/compress"},
		{418, courseRefused, "format_error", "HTTP 418"},
		{422, courseRefused, "format_error", "HTTP 422"},
		{429, courseWaits, "rate_limit", "wait a moment"},
		{499, courseRefused, "format_error", "HTTP 499"},
		{500, courseWaits, "server_error", "status page"},
		{502, courseWaits, "server_error", "HTTP 502"},
		{503, courseWaits, "overloaded", "overloaded"},
		{504, courseWaits, "server_error", "HTTP 504"},
		{524, courseWaits, "server_error", "HTTP 524"},
		{529, courseWaits, "overloaded", "overloaded"},
	} {
		list = append(list, fault{
			name: fmt.Sprint("status ", s.status), course: s.course, reason: s.reason, say: s.say, dumped: s.reason == "format_error",
			answer: func(a *ask) { a.fail(s.status, "It did not work out.") },
		})
	}
	return append(list, fault{
		name: "status 429 with a delay", course: courseWaits, reason: "rate_limit", asks: 7 * time.Second,
		answer: func(a *ask) { a.w.Header().Set("Retry-After", "7"); a.fail(429, "Slow down.") },
	})
}

// connectFaults are endpoints that cannot be reached.
func connectFaults() []fault {
	server := func(t *testing.T, start func(*httptest.Server)) *httptest.Server {
		srv := httptest.NewUnstartedServer(http.NotFoundHandler())
		srv.Config.ErrorLog = log.New(io.Discard, "", 0)
		start(srv)
		t.Cleanup(srv.Close)
		return srv
	}
	list := []fault{
		{name: "connection refused", say: "connection refused", open: func(t *testing.T) providers.Client {
			return clientOf(t, "http://"+closedPort(t)+"/v1", transport.Options{})
		}},
		{name: "no name service", say: "models.invalid", open: func(t *testing.T) providers.Client {
			at := closedPort(t)
			return clientOf(t, "http://models.invalid./v1", transport.Options{Resolver: &net.Resolver{
				PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, "tcp", at)
				},
			}})
		}},
		{name: "no TLS", say: "http://", open: func(t *testing.T) providers.Client {
			srv := server(t, (*httptest.Server).Start)
			return clientOf(t, strings.Replace(srv.URL, "http:", "https:", 1)+"/v1", transport.Options{})
		}},
		{name: "self-signed certificate", say: "certificate", open: func(t *testing.T) providers.Client {
			return clientOf(t, server(t, (*httptest.Server).StartTLS).URL+"/v1", transport.Options{})
		}},
	}
	for i := range list {
		list[i].course, list[i].reason = courseWaits, "timeout"
	}
	return list
}

// bodyFaults are answers that are none as a whole.
func bodyFaults() []fault {
	return []fault{
		{name: "a web page", course: courseWaitsLonger, reason: "unknown", say: "Sign in to the network", answer: func(a *ask) { a.page(200) }},
		{name: "a web page with 502", course: courseWaits, reason: "server_error", say: "Sign in to the network", answer: func(a *ask) { a.page(502) }},
		{name: "a redirect to another server", course: courseRefused, reason: "unknown", say: "another server, which would get what is sent", answer: func(a *ask) {
			http.Redirect(a.w, a.r, "http://127.0.0.1:9/v1/chat/completions", http.StatusTemporaryRedirect)
		}},
		{name: "a redirect that changes the method", course: courseRefused, reason: "unknown", say: "has moved", answer: func(a *ask) {
			http.Redirect(a.w, a.r, "/other", http.StatusFound)
		}},
		{name: "a redirect to nowhere", course: courseRefused, reason: "unknown", say: "check that the base URL is right", answer: func(a *ask) { a.w.WriteHeader(304) }},
		{name: "an empty body", course: courseResends, reason: "timeout", answer: func(a *ask) { a.w.WriteHeader(200) }},
		{name: "an empty stream", course: courseResends, reason: "timeout", answer: func(a *ask) { a.open() }},
		{name: "half an event", course: courseResends, reason: "timeout", answer: func(a *ask) {
			a.open()
			a.put(`data: {"choices":[{"index":0,"del`)
		}},
		{name: "reset before the answer", course: courseResends, reason: "timeout", answer: (*ask).reset},
		{name: "hung up before the answer", course: courseResends, reason: "timeout", answer: (*ask).hangUp},
		{name: "silence", course: courseResends, reason: "timeout", say: "did not answer in time", silent: true, answer: (*ask).stall},
		{name: "silence behind the headers", course: courseResends, reason: "timeout", say: "did not answer in time", silent: true, answer: func(a *ask) { a.open(); a.stall() }},
		{name: "keep-alives for ever", course: courseResends, reason: "timeout", say: "did not answer in time", silent: true, answer: func(a *ask) { a.open(); a.keepAlive() }},
		{name: "a line of 17 MB", course: courseRefused, reason: "unknown", say: "longer than 16 MB", answer: func(a *ask) {
			a.open()
			a.put(": ", strings.Repeat("x", 17<<20), "\n\n")
		}},
	}
}

// streamFaults break an answer that had begun.
func streamFaults() []fault {
	const once = "part 1. All done."
	parts := func(from, to int) string {
		var list []string
		for n := from; n <= to; n++ {
			list = append(list, fmt.Sprintf("part %d.", n))
		}
		return strings.Join(list, " ")
	}
	half := callEvent(0, "w1", "write_file", `{"path": "half.txt", "content": "ha`)
	large := strings.Repeat("x", 3<<20)
	const begin = 64 << 10 // what is kept of an answer without end
	return []fault{
		{name: "half an event behind text", course: courseResends, reason: "timeout", say: "broke off", once: once, kept: parts(1, 8), answer: func(a *ask) {
			a.part()
			a.put(`data: {"choices":[{"ind`)
		}},
		{name: "reset in the text", course: courseResends, reason: "timeout", say: "broke off", once: once, kept: parts(1, 8), answer: func(a *ask) { a.part(); a.reset() }},
		{name: "hung up in the text", course: courseResends, reason: "timeout", say: "broke off", once: once, kept: parts(1, 8), answer: func(a *ask) { a.part(); a.hangUp() }},
		{name: "no end", course: courseResends, reason: "timeout", say: "broke off", once: once, kept: parts(1, 8), answer: func(a *ask) { a.part() }},
		{name: "the output limit", course: courseGoesOn, reason: "length", once: once, kept: parts(1, 4), answer: func(a *ask) { a.part(endEvent("length"), "[DONE]") }},
		{name: "silence behind text", course: courseResends, reason: "timeout", say: "did not answer in time", once: once, kept: parts(1, 5), silent: true, answer: func(a *ask) { a.part(); a.stall() }},
		{name: "keep-alives behind text", course: courseResends, reason: "timeout", say: "did not answer in time", once: once, kept: parts(1, 5), silent: true, answer: func(a *ask) { a.part(); a.keepAlive() }},
		{name: "an overload in the text", course: courseWaits, reason: "overloaded", say: "overloaded", once: once, kept: parts(1, 3),
			answer: func(a *ask) { a.part(`{"error":{"message":"Overloaded","code":529}}`) }},
		{name: "a rate limit with a delay in the text", course: courseWaits, reason: "rate_limit", say: "limits the rate", once: once, kept: parts(1, 3), asks: 7 * time.Second,
			answer: func(a *ask) {
				a.part(`{"error":{"message":"Rate limit reached. Please try again in 7s.","type":"rate_limit_error"}}`)
			}},
		{name: "a failure of the server in the text", course: courseWaits, reason: "server_error", say: "failed", once: once, kept: parts(1, 3),
			answer: func(a *ask) { a.part(`{"error":{"message":"Internal error","code":500}}`) }},
		{name: "a refused key in the text", course: courseRefused, reason: "auth", kept: "part 1.",
			answer: func(a *ask) { a.part(`{"error":{"message":"No.","code":401}}`) }},
		{name: "no JSON in the text", course: courseWaitsLonger, reason: "unknown", once: once, kept: parts(1, 3), answer: func(a *ask) { a.part(`{"choices":[{`) }},
		{name: "a zero byte in the text", course: courseNone, kept: "part 1. More.",
			answer: func(a *ask) {
				a.part("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Mo\x00re.\"}}]}", endEvent("stop"), "[DONE]")
			}},
		{name: "wrong types", course: courseWaitsLonger, reason: "unknown", answer: func(a *ask) {
			a.stream(`{"choices":[{"index":0,"delta":{"tool_calls":"none"}}]}`, endEvent("stop"))
		}},
		{name: "wrong types behind text", course: courseWaitsLonger, reason: "unknown", once: once, kept: parts(1, 3),
			answer: func(a *ask) { a.part(`{"choices":{"delta":{}}}`, endEvent("stop")) }},
		{name: "wrong types that say nothing", course: courseNone, kept: "part 1.", answer: func(a *ask) {
			a.part(deltaEvent(`{"content":7,"role":[],"tool_calls":null,"reasoning":{"a":1}}`), `"ping"`, `[1,2]`, `{"choices":null}`, endEvent("stop"))
		}},
		{name: "reset in the reasoning", course: courseResends, reason: "timeout", answer: func(a *ask) {
			a.stream(deltaEvent(`{"reasoning_content":"Hm."}`))
			a.reset()
		}},
		{name: "reset in a call", course: courseResends, reason: "timeout", answer: func(a *ask) { a.stream(half); a.reset() }},
		{name: "reset in a call behind text", course: courseResendsCall, reason: "timeout",
			kept: parts(3, 8), answer: func(a *ask) { a.part(half); a.reset() }},
		{name: "the same call id twice", course: courseNone, answer: func(a *ask) {
			a.stream(shellEvent(0, "same", fmt.Sprintf("echo %d-a >> twins", a.n)), shellEvent(1, "same", fmt.Sprintf("echo %d-b >> twins", a.n)),
				endEvent("tool_calls"), "[DONE]")
		}},
		{name: "a line of 3 MB", course: courseNone, kept: large, answer: func(a *ask) { a.say(large) }},
		{name: "a line of 10 MB", course: courseRefused, reason: "answer_too_large", say: "4 MB", kept: large[:begin],
			answer: func(a *ask) { a.say(strings.Repeat("x", 10<<20)) }},
		{name: "text without end", course: courseRefused, reason: "answer_too_large", say: "4 MB", kept: large[:begin],
			answer: func(a *ask) { a.endless(deltaEvent(`{"content":"` + large[:1000] + `"}`)) }},
		{name: "reasoning without end", course: courseRefused, reason: "answer_too_large", say: "4 MB",
			answer: func(a *ask) { a.endless(deltaEvent(`{"reasoning_content":"` + large[:1000] + `"}`)) }},
		{name: "arguments without end", course: courseRefused, reason: "answer_too_large", say: "4 MB",
			answer: func(a *ask) {
				a.stream(callEvent(0, "w1", "write_file", `{"path": "half.txt", "content": "`))
				a.endless(callEvent(0, "w1", "", large[:1000]))
			}},
		{name: "arguments without end and without a name", course: courseRefused, reason: "answer_too_large", say: "4 MB",
			answer: func(a *ask) { a.endless(callEvent(0, "w1", "", large[:1000])) }},
	}
}
