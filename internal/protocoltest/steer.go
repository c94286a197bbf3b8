package protocoltest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// Steered holds a protocol to changes of the effort within a conversation: no request pays
// for what was said before, also when the conversation was stored in between.
func Steered(t *testing.T, p Protocol, model string) {
	srv := suite{p}.streams(t, suite{p}.body(text("Done."), finish(providers.FinishStop)))
	client := p.New(t, srv.url)
	r := hello()
	r.Messages = nil
	r.Model, r.System, r.CacheFor, r.Session = model, strings.Repeat("Be kind to them. ", 600), 5*time.Minute, "s1"
	var cache PrefixCache
	sent := 0
	for n, effort := range []string{"", "high", "high", "low", "max", "low"} {
		r.Effort = effort
		r.Messages = append(r.Messages, providers.Message{Role: providers.User, Parts: providers.TextParts(strings.Repeat("Go on. ", 100))})
		a, err := ask(t, client, r)
		if err != nil {
			t.Fatal(err)
		}
		before, body := cache.bill, srv.last().body
		if problem := cache.Ask(body); problem != "" {
			t.Fatalf("request %d: %s: %s", n, problem, body)
		}
		fresh, added := cache.bill.Input+cache.bill.Written-before.Input-before.Written, len(body)/4-sent
		if n > 0 && fresh > added+50 {
			t.Errorf("request %d, at effort %q, has %d tokens more than the one before it and pays for %d:\n%s", n, effort, added, fresh, body)
		}
		sent = len(body) / 4
		r.Messages = append(r.Messages, stored(t, a.message("m")))
	}
	t.Log(cache.bill)
}

// stored is a message as it comes back from a store.
func stored(t *testing.T, m providers.Message) (out providers.Message) {
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err = json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
