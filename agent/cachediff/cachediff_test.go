package cachediff_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/cachediff"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
)

var (
	start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	here  = cachediff.Endpoint{Provider: "p", Host: "h", Model: "m"}
)

const keep = 5 * time.Minute

func msg(id string, role providers.Role, text string) providers.Message {
	return providers.Message{ID: id, Role: role, Parts: providers.TextParts(text)}
}

// big is a text of some length that begins with a word.
func big(word string) string { return word + strings.Repeat(" and more of it", 200) }

// base is a request with something of everything.
func base() providers.Request {
	return providers.Request{
		Model: "m", System: big("You are"), Effort: "low", Session: "s",
		Tools: []providers.ToolDef{
			{Name: "patch", Description: "changes files", Parameters: json.RawMessage(`{"a":1}`)},
			{Name: "terminal", Description: "runs commands", Parameters: json.RawMessage(`{"b":2}`)},
		},
		Messages: []providers.Message{
			msg("u1", providers.User, big("question")),
			{ID: "a1", Role: providers.Assistant, Reasoning: "hm", Calls: []providers.Call{{ID: "c1", WireID: "w1", Name: "read_file", Arguments: `{"path":"x"}`}}, Native: []providers.Item{{Issuer: "p", Raw: json.RawMessage(`"sig"`)}}},
			{ID: "r1", Role: providers.Tool, CallID: "c1", CallName: "read_file", Parts: providers.TextParts(big("content"))},
		},
	}
}

// grown is base with something added, and copied as deep as anyone changes it.
func grown() providers.Request {
	r := base()
	r.Tools, r.Messages = slices.Clone(r.Tools), slices.Clone(r.Messages)
	r.Messages = append(r.Messages, msg("a2", providers.Assistant, "done"), msg("u2", providers.User, "more"))
	return r
}

// second sends base, answered with nothing read and 20,000 tokens written, and then
// another request after a while.
func second(t testing.TB, r providers.Request, to cachediff.Endpoint, after time.Duration, u *providers.Usage) event.CacheReport {
	t.Helper()
	var x cachediff.Tracker
	first := base()
	x.Sent(here, keep, &first, start)
	if got, ok := x.Answered(&providers.Usage{Input: 10, CacheWrite: 19_990}); !ok || got.Outcome != event.CacheNone || got.Cause != event.CacheFirst {
		t.Fatalf("the first one: %+v", got)
	}
	x.Sent(to, keep, &r, start.Add(after))
	got, ok := x.Answered(u)
	if !ok {
		t.Fatal("no report")
	}
	return got
}

// TestFirstDifference names the first part that is not as it was.
func TestFirstDifference(t *testing.T) {
	for _, c := range []struct {
		change func(r *providers.Request)
		cause  event.CacheCause
		words  string
	}{
		{func(*providers.Request) {}, event.CacheDropped, ""},
		{func(r *providers.Request) { r.MaxOutput = 9 }, event.CacheDropped, ""},
		{func(r *providers.Request) { r.Tools[1].Description = "other" }, event.CacheTools, "tool terminal changed its description"},
		{func(r *providers.Request) { r.Tools[1].Parameters = json.RawMessage(`{}`) }, event.CacheTools, "tool terminal changed its parameters"},
		{func(r *providers.Request) { r.Tools = r.Tools[:1] }, event.CacheTools, "tool terminal went"},
		{func(r *providers.Request) { r.Tools = r.Tools[1:] }, event.CacheTools, "tool patch went"},
		{func(r *providers.Request) { r.Tools = nil }, event.CacheTools, "it was sent without tools"},
		{func(r *providers.Request) { slices.Reverse(r.Tools) }, event.CacheTools, "tool terminal stands where tool patch stood"},
		{func(r *providers.Request) { r.Tools = append(r.Tools, providers.ToolDef{Name: "web"}) }, event.CacheTools, "tool web came"},
		{func(r *providers.Request) {
			r.Tools = slices.Insert(r.Tools, 0, providers.ToolDef{Name: "a"}, providers.ToolDef{Name: "b"})
		}, event.CacheTools, "2 tools came, the first of them a"},
		{func(r *providers.Request) { r.System = r.System[:12] + "X" + r.System[13:] }, event.CacheSystem, "the system prompt changed at byte 12"},
		{func(r *providers.Request) { r.System += "!" }, event.CacheSystem, fmt.Sprintf("the system prompt goes on after byte %d", len(base().System))},
		{func(r *providers.Request) { r.System = "" }, event.CacheSystem, "the system prompt went"},
		{func(r *providers.Request) { r.Effort = "high" }, event.CacheSettings, "the reasoning effort changed from low to high"},
		{func(r *providers.Request) { r.CacheFor = time.Hour }, event.CacheSettings, "the time changed for which the prompt is to be kept"},
		{func(r *providers.Request) { r.Session = "z" }, event.CacheSettings, "the session goes on as another one, by which the provider finds its cache"},
		{func(r *providers.Request) { r.Messages[2].Parts = providers.TextParts("[shortened]") }, event.CacheHistory, "message 3 (tool result of read_file) was shortened"},
		{func(r *providers.Request) { r.Messages[0].Parts = providers.TextParts(big("Question")) }, event.CacheHistory, "message 1 (prompt) was rewritten"},
		{func(r *providers.Request) { r.Messages[0].Parts = providers.TextParts(big("question") + "?") }, event.CacheHistory, "message 1 (prompt) got longer"},
		{func(r *providers.Request) {
			r.Messages[0].Parts = []providers.Part{{Text: big("question")}, {Image: &providers.Image{MediaType: "image/png", Data: []byte("x")}}}
		}, event.CacheHistory, "message 1 (prompt) got longer"},
		{func(r *providers.Request) { r.Messages[1].Reasoning = "" }, event.CacheHistory, "the reasoning of message 2 (answer with a call) went"},
		{func(r *providers.Request) { r.Messages[1].Native = nil }, event.CacheHistory, "what the provider wants back of message 2 (answer with a call) went"},
		{func(r *providers.Request) {
			c := r.Messages[1].Calls[0]
			c.WireID = "w2"
			r.Messages[1].Calls = []providers.Call{c}
		}, event.CacheHistory, "a call of message 2 (answer with a call) was rewritten"},
		{func(r *providers.Request) { r.Messages = slices.Delete(r.Messages, 0, 1) }, event.CacheHistory, "message 1 (prompt) was left out"},
		{func(r *providers.Request) { r.Messages = slices.Delete(r.Messages, 0, 2) }, event.CacheHistory, "message 1 (prompt) and 1 more behind it were left out"},
		{func(r *providers.Request) { r.Messages = r.Messages[:1] }, event.CacheHistory, "message 2 (answer with a call) and 1 more behind it were left out"},
		{func(r *providers.Request) {
			r.Messages = slices.Insert(r.Messages, 1, msg("n", providers.User, "x"))
		}, event.CacheHistory, "another message (prompt) stands before message 2 (answer with a call)"},
		{func(r *providers.Request) { r.Messages[2] = msg("q", providers.Assistant, "x") }, event.CacheHistory, "message 3 (tool result of read_file) gave way to another one (answer)"},
	} {
		r := grown()
		c.change(&r)
		got := second(t, r, here, time.Minute, &providers.Usage{Input: 21_000})
		if got.Outcome != event.CacheMiss || got.Cause != c.cause || got.Change != c.words {
			t.Errorf("%s: %s, %s, %q", c.words, got.Outcome, got.Cause, got.Change)
		}
		if got.Had != 20_000 || got.Expected > got.Had || c.words == "" && got.Expected != got.Had {
			t.Errorf("%s: had %d, expected %d", c.words, got.Had, got.Expected)
		}
	}
}

// TestExpected estimates what the unchanged beginning is worth.
func TestExpected(t *testing.T) {
	r := grown()
	r.Messages[2].Parts = providers.TextParts("[shortened]")
	got := second(t, r, here, time.Minute, &providers.Usage{Input: 7000, CacheRead: 13_000})
	if got.Outcome != event.CachePartial || got.Cause != event.CacheHistory || got.Expected < 13_000 || got.Expected > 14_000 {
		t.Errorf("%+v", got)
	}
	r = grown()
	r.Tools = r.Tools[1:]
	if got := second(t, r, here, time.Minute, &providers.Usage{Input: 20_000}); got.Expected != 0 {
		t.Errorf("%+v", got)
	}
}

// TestVerdicts decides what the figures of a provider mean.
func TestVerdicts(t *testing.T) {
	moved := here
	moved.Model = "n"
	for _, c := range []struct {
		name    string
		to      cachediff.Endpoint
		after   time.Duration
		usage   *providers.Usage
		outcome event.CacheOutcome
		cause   event.CacheCause
	}{
		{"all of it", here, time.Minute, &providers.Usage{Input: 900, CacheRead: 20_000}, event.CacheHit, ""},
		{"all but a block", here, time.Minute, &providers.Usage{Input: 900, CacheRead: 19_800}, event.CacheHit, ""},
		{"half of it", here, time.Minute, &providers.Usage{Input: 10_900, CacheRead: 10_000}, event.CachePartial, event.CacheDropped},
		{"late and gone", here, 6 * time.Minute, &providers.Usage{Input: 20_900}, event.CacheMiss, event.CacheExpired},
		{"late and still there", here, 6 * time.Minute, &providers.Usage{Input: 900, CacheRead: 20_000}, event.CacheHit, ""},
		{"within its time and gone", here, time.Minute, &providers.Usage{CacheWrite: 20_900}, event.CacheMiss, event.CacheDropped},
		{"another model", moved, time.Minute, &providers.Usage{CacheWrite: 20_900}, event.CacheMiss, event.CacheModel},
		{"another model, late", moved, time.Hour, &providers.Usage{CacheWrite: 20_900}, event.CacheMiss, event.CacheModel},
		{"no usage", here, time.Minute, nil, event.CacheSilent, event.CacheUntold},
		{"an empty one", here, time.Minute, &providers.Usage{}, event.CacheSilent, event.CacheUntold},
	} {
		got := second(t, grown(), c.to, c.after, c.usage)
		if got.Outcome != c.outcome || got.Cause != c.cause || got.Idle != c.after || got.Keep != keep {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestSteered tells a change of the effort that keeps the cache from one that does not, and
// goes on to compare what follows.
func TestSteered(t *testing.T) {
	for _, c := range []struct {
		name, effort string
		change       func(*providers.Request)
		cause        event.CacheCause
	}{
		{"steered", "high", func(*providers.Request) {}, ""},
		{"not to that", "", func(*providers.Request) {}, event.CacheSettings},
		{"and something else", "high", func(r *providers.Request) { r.Session = "t" }, event.CacheSettings},
		{"and the history", "high", func(r *providers.Request) { r.Messages = r.Messages[1:] }, event.CacheHistory},
	} {
		x := cachediff.Tracker{Steers: func(_, to string) bool { return to != "" }}
		first, r := base(), grown()
		x.Sent(here, keep, &first, start)
		_, _ = x.Answered(&providers.Usage{Input: 10, CacheWrite: 19_990})
		r.Effort = c.effort
		c.change(&r)
		x.Sent(here, keep, &r, start.Add(time.Minute))
		u := &providers.Usage{Input: 900, CacheRead: 20_000}
		if c.cause != "" {
			u = &providers.Usage{CacheWrite: 20_900}
		}
		if got, _ := x.Answered(u); got.Cause != c.cause || c.cause == "" && got.Change != "" {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// run sends a growing request so often, each answered with a usage.
func run(keep time.Duration, usage ...*providers.Usage) (last event.CacheReport) {
	var x cachediff.Tracker
	r := base()
	for i, u := range usage {
		r.Messages = append(r.Messages, msg(fmt.Sprint(i), providers.User, "x"))
		sent := r
		sent.Messages = slices.Clone(r.Messages)
		x.Sent(here, keep, &sent, start.Add(time.Duration(i)*time.Second))
		last, _ = x.Answered(u)
	}
	return last
}

// TestQuietProviders tells those that say nothing from those that keep nothing.
func TestQuietProviders(t *testing.T) {
	nothing := &providers.Usage{Input: 30_000}
	for _, c := range []struct {
		name    string
		keep    time.Duration
		usage   []*providers.Usage
		outcome event.CacheOutcome
		cause   event.CacheCause
	}{
		{"never a figure", 0, []*providers.Usage{nothing, nothing, nothing}, event.CacheSilent, event.CacheUntold},
		{"never a figure of one that keeps prompts", keep, []*providers.Usage{nothing, nothing}, event.CacheSilent, event.CacheUntold},
		{"a figure before", 0, []*providers.Usage{nothing, {Input: 1000, CacheRead: 29_000}, nothing}, event.CacheMiss, event.CacheDropped},
		{"short", keep, []*providers.Usage{{Input: 800}, {Input: 900}}, event.CacheNone, event.CacheSmall},
		{"too short for this model, probably", keep, []*providers.Usage{{Input: 3000}, {Input: 3100}}, event.CacheNone, event.CacheSmall},
		{"short, and it was kept", keep, []*providers.Usage{{CacheWrite: 800}, {CacheWrite: 900}}, event.CacheMiss, event.CacheDropped},
		{"nothing known of the one before", keep, []*providers.Usage{nil, nothing}, event.CacheNone, event.CacheUntold},
		{"warm from before", keep, []*providers.Usage{{Input: 9, CacheRead: 5000}}, event.CacheHit, ""},
	} {
		if got := run(c.keep, c.usage...); got.Outcome != c.outcome || got.Cause != c.cause {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestAttempts compares with what was answered, and not with what failed before it.
func TestAttempts(t *testing.T) {
	var x cachediff.Tracker
	if _, ok := x.Answered(&providers.Usage{Input: 3}); ok {
		t.Error("a report without a request")
	}
	r := base()
	x.Sent(here, keep, &r, start)
	x.Answered(&providers.Usage{CacheWrite: 20_000})
	odd := grown()
	odd.System = "another form"
	x.Sent(here, keep, &odd, start.Add(time.Second))
	again := grown()
	x.Sent(here, keep, &again, start.Add(2*time.Second))
	got, _ := x.Answered(&providers.Usage{Input: 100, CacheRead: 20_000})
	if got.Outcome != event.CacheHit || got.Change != "" || got.Idle != 2*time.Second {
		t.Errorf("%+v", got)
	}
	if _, ok := x.Answered(&providers.Usage{Input: 3}); ok {
		t.Error("a second report for one request")
	}
}

// TestNotes tells what travelled with one request only.
func TestNotes(t *testing.T) {
	var x cachediff.Tracker
	r := base()
	r.Messages = append(r.Messages, msg("", providers.User, big("go on")))
	x.Sent(here, keep, &r, start)
	x.Answered(&providers.Usage{CacheWrite: 20_000})
	r = grown()
	x.Sent(here, keep, &r, start.Add(time.Second))
	got, _ := x.Answered(&providers.Usage{Input: 6000, CacheRead: 15_000})
	if got.Outcome != event.CachePartial || got.Cause != event.CacheNote || got.Change != "message 4 was for one request only" {
		t.Errorf("%+v", got)
	}
}

// TestHashesAreReused finds a text that is another string with the same bytes, and
// one that is other bytes of the same length, wherever it stands.
func TestHashesAreReused(t *testing.T) {
	r := grown()
	r.Messages[0].Parts = providers.TextParts(strings.Clone(r.Messages[0].Text()))
	if got := second(t, r, here, time.Minute, &providers.Usage{CacheRead: 20_000}); got.Change != "" {
		t.Errorf("%+v", got)
	}
	var x cachediff.Tracker
	for round := range 3 { // the third is compared with reused sums
		r := base()
		x.Sent(here, keep, &r, start)
		if got, _ := x.Answered(&providers.Usage{Input: 20_000}); got.Change != "" {
			t.Errorf("round %d: %+v", round, got)
		}
	}
	r = base()
	text := []byte(r.Messages[2].Text())
	text[len(text)/2] ^= 1
	r.Messages[2].Parts = providers.TextParts(string(text))
	x.Sent(here, keep, &r, start)
	if got, _ := x.Answered(&providers.Usage{Input: 20_000}); got.Change != "message 3 (tool result of read_file) was rewritten" {
		t.Errorf("%+v", got)
	}
}

// TestHostileNames bounds what names from outside make of a report.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{strings.Repeat("n", 10_000), strings.Repeat("漢", 10_000), "\xff\xfe", "\x1b[2J"} {
		r := grown()
		r.Tools = append(r.Tools, providers.ToolDef{Name: name})
		got := second(t, r, here, time.Minute, &providers.Usage{Input: 20_000})
		if len(got.Change) > event.ChangeLimit || strings.ToValidUTF8(got.Change, "") != got.Change || !strings.HasPrefix(got.Change, "tool ") {
			t.Errorf("%d bytes: %q", len(got.Change), got.Change)
		}
	}
}

// FuzzCompare sends requests made of random pieces: no input panics, and what is
// equal is never called changed.
func FuzzCompare(f *testing.F) {
	f.Add("a", "b", uint8(3), uint8(5))
	f.Add("", "\xff", uint8(0), uint8(255))
	f.Fuzz(func(t *testing.T, a, b string, n, m uint8) {
		made := func(n uint8) providers.Request {
			r := providers.Request{System: a}
			for i := range n % 16 {
				role := []providers.Role{providers.User, providers.Assistant, providers.Tool}[i%3]
				id := ""
				if n&16 != 0 {
					id = fmt.Sprint(i)
				}
				r.Messages = append(r.Messages, providers.Message{ID: id, Role: role, Parts: []providers.Part{{Text: a}, {Text: b}}[:1+i%2], Calls: []providers.Call{{Name: b, Arguments: a}}[:i%2]})
				r.Tools = append(r.Tools, providers.ToolDef{Name: a[:min(int(i), len(a))], Description: b})
			}
			return r
		}
		var x cachediff.Tracker
		for i, k := range []uint8{n, n, m, n} {
			r := made(k)
			x.Sent(here, keep, &r, start)
			got, ok := x.Answered(&providers.Usage{Input: int64(n), CacheRead: int64(m)})
			if !ok || i == 1 && got.Change != "" || len(got.Change) > event.ChangeLimit {
				t.Fatalf("%d: %+v", i, got)
			}
		}
	})
}

// long is a request of so many messages.
func long(n int) []providers.Message {
	var list []providers.Message
	for i := range n {
		m := msg(fmt.Sprint("m", i), providers.Tool, fmt.Sprint(i, strings.Repeat(" some output of a tool", 90)))
		if i%2 == 0 {
			m = providers.Message{ID: m.ID, Role: providers.Assistant, Reasoning: big("thinking"), Calls: []providers.Call{{WireID: "w", Name: "terminal", Arguments: `{"command":"ls"}`}}}
		}
		list = append(list, m)
	}
	return list
}

// TestSteadyStateAllocatesNothing holds that a request whose messages were seen
// before costs no allocation but for the report.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	var x cachediff.Tracker
	r := base()
	r.Messages = long(1000)
	u := &providers.Usage{CacheRead: 500_000}
	send := func() {
		x.Sent(here, keep, &r, start)
		x.Answered(u)
	}
	send()
	send()
	if n := testing.AllocsPerRun(20, send); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkThousandMessages takes note of a request of 1,000 messages, seen before
// and all new.
func BenchmarkThousandMessages(b *testing.B) {
	for _, fresh := range []bool{false, true} {
		b.Run(map[bool]string{false: "seen", true: "new"}[fresh], func(b *testing.B) {
			var x cachediff.Tracker
			a, c := base(), base()
			a.Messages, c.Messages = long(1000), long(1000)
			for i := range c.Messages {
				if m := &c.Messages[i]; fresh {
					m.Parts, m.Reasoning = providers.TextParts(m.Text()+"!"), m.Reasoning+"!"
				}
			}
			if !fresh {
				c = a
			}
			u := &providers.Usage{CacheRead: 500_000}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r := &a
				if i%2 == 1 {
					r = &c
				}
				x.Sent(here, keep, r, start)
				x.Answered(u)
			}
		})
	}
}
