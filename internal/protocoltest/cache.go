package protocoltest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// Bill is what the requests of a conversation cost at a service that keeps marked
// prefixes, in tokens of four bytes.
type Bill struct {
	Requests             int
	Input, Read, Written int
}

// Price is the sum in millionths of a dollar, for a model at $3 a million tokens of input:
// reading costs a tenth of that, writing a quarter more.
func (b Bill) Price() float64 {
	return 3*float64(b.Input) + 0.3*float64(b.Read) + 3.75*float64(b.Written)
}

// String implements fmt.Stringer.
func (b Bill) String() string {
	return fmt.Sprintf("%d requests: %d tokens in full, %d read, %d written: $%.4f", b.Requests, b.Input, b.Read, b.Written, b.Price()/1e6)
}

// lookBack is how many blocks before a mark are looked at for an entry of the cache.
const lookBack = 20

// most is how many marks a request may have.
const most = 4

// PrefixCache counts what requests cost: each mark keeps what stands up to it, and is
// looked for at each mark and [lookBack] blocks before it.
type PrefixCache struct {
	kept map[string]bool
	bill Bill
}

// block is a piece of a request that can be marked.
type block struct {
	text   string
	marked bool
}

// Ask counts a request, and reports what was wrong with it.
func (c *PrefixCache) Ask(body string) (problem string) {
	blocks, problem := blocksOf(body)
	if c.kept == nil {
		c.kept = map[string]bool{}
	}
	c.bill.Requests++
	prefixes, sizes := make([]string, len(blocks)), make([]int, len(blocks))
	prefix, size := "", 0
	for i, b := range blocks {
		prefix, size = digest(prefix+b.text), size+len(b.text)/4
		prefixes[i], sizes[i] = prefix, size
	}
	read, written, marks := 0, 0, 0
	for i, b := range blocks {
		if !b.marked {
			continue
		}
		marks++
		written = sizes[i]
		for k := i; k >= 0 && k > i-lookBack; k-- {
			if c.kept[prefixes[k]] {
				read = max(read, sizes[k])
			}
		}
	}
	for i, b := range blocks {
		if b.marked {
			c.kept[prefixes[i]] = true
		}
	}
	c.bill.Read, c.bill.Written, c.bill.Input = c.bill.Read+read, c.bill.Written+max(written-read, 0), c.bill.Input+size-max(written, read)
	if marks > most && !strings.Contains(body, `"input":[`) {
		problem = fmt.Sprintf("%d marks", marks)
	}
	return problem
}

// digest stands for a text.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return string(sum[:])
}

// blocksOf takes a request apart, in whichever of the protocols that have marks it is.
func blocksOf(body string) (out []block, problem string) {
	var r struct {
		Tools, ToolConfig json.RawMessage
		Reasoning         json.RawMessage
		Output            json.RawMessage `json:"output_config"`
		Thinking          json.RawMessage
		Input             []json.RawMessage
		Instructions      string
		System            []json.RawMessage
		Messages          []struct {
			Role    string
			Content json.RawMessage
			Calls   json.RawMessage `json:"tool_calls"`
			Mark    json.RawMessage `json:"cache_control"`
			Output  json.RawMessage `json:"output_config"`
		}
	}
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		return nil, err.Error()
	}
	settings := string(r.Reasoning) + string(r.Output) + string(r.Thinking)
	out = append(out, block{text: string(r.Tools) + string(r.ToolConfig) + settings + r.Instructions, marked: r.Input != nil})
	for _, raw := range r.Input { // a protocol without marks, which keeps all prefixes
		out = append(out, block{string(raw), true})
	}
	for _, raw := range r.System {
		out = addBlock(out, "system", raw)
	}
	for _, m := range r.Messages {
		if len(m.Mark) > 0 {
			problem = "a mark on a message, which services hang at or pass over"
		}
		var list []json.RawMessage
		if json.Unmarshal(m.Content, &list) != nil {
			list = []json.RawMessage{m.Content}
		}
		for _, raw := range list {
			out = addBlock(out, m.Role, raw)
		}
		out = append(out, block{text: string(m.Calls) + string(m.Output)})
	}
	return out, problem
}

// addBlock adds a piece; a cache point marks the one before it.
func addBlock(out []block, role string, raw json.RawMessage) []block {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return out // null
		}
		return append(out, block{text: role + text})
	}
	if fields["cachePoint"] != nil {
		out[len(out)-1].marked = true
		return out
	}
	marked := fields["cache_control"] != nil
	delete(fields, "cache_control")
	text := role
	if only, err := json.Marshal(fields); err == nil {
		text += string(only)
	}
	var said string
	if kind := string(fields["type"]); kind == `"text"` && json.Unmarshal(fields["text"], &said) == nil {
		text = role + said // a text is the same as a list of one
	}
	return append(out, block{text, marked})
}

// Loop is a conversation in which a model calls tools again and again.
type Loop struct {
	Name string
	// Rounds are how many turns call, Calls how many calls each has.
	Rounds, Calls int
	// Says is the text beside the calls; Pictures says that results have images.
	Says     string
	Pictures bool
}

// Loops are those that every protocol with marks is held to.
func Loops() []Loop {
	return []Loop{
		{Name: "calls only", Rounds: 20, Calls: 1},
		{Name: "a text beside each call", Rounds: 20, Calls: 1, Says: "I look at the next file."},
		{Name: "many calls at once", Rounds: 6, Calls: 15},
		{Name: "pictures", Rounds: 12, Calls: 2, Pictures: true},
	}
}

// Cached holds a protocol to what marks are for: each request of a loop pays for what is
// new in it and reads the rest.
func Cached(t *testing.T, p Protocol, model string) {
	for _, l := range Loops() {
		t.Run(l.Name, func(t *testing.T) {
			srv := suite{p}.streams(t, suite{p}.body(text("a"), finish(providers.FinishStop)))
			client := p.New(t, srv.url)
			r := hello()
			r.Model, r.System, r.CacheFor, r.Session = model, strings.Repeat("Be kind to them. ", 600), 5*time.Minute, "s1"
			r.Tools = []providers.ToolDef{{Name: "read_file", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}
			var cache PrefixCache
			sent := 0
			for n := range l.Rounds + 1 {
				if _, err := ask(t, client, r); err != nil {
					t.Fatal(err)
				}
				before := cache.bill
				body := srv.last().body
				if problem := cache.Ask(body); problem != "" {
					t.Fatalf("request %d: %s: %s", n, problem, body)
				}
				fresh := cache.bill.Input + cache.bill.Written - before.Input - before.Written
				if added := len(body)/4 - sent; n > 0 && fresh > added+200 {
					t.Errorf("request %d has %d tokens more than the one before it and pays for %d", n, added, fresh)
				}
				sent = len(body) / 4
				r.Messages = append(r.Messages, l.round(n)...)
			}
			t.Log(cache.bill)
		})
	}
}

// round is a turn of the model with its results.
func (l Loop) round(n int) []providers.Message {
	m := providers.Message{ID: fmt.Sprint("a", n), Role: providers.Assistant, Parts: providers.TextParts(l.Says), Finish: providers.FinishToolCalls}
	out := []providers.Message{m}
	for i := range l.Calls {
		id := fmt.Sprintf("k%d-%d", n, i)
		out[0].Calls = append(out[0].Calls, providers.Call{ID: id, WireID: id, Name: "read_file", Arguments: `{"path":"main.go"}`})
		result := providers.Message{
			ID: "r" + id, Role: providers.Tool, CallID: id, CallName: "read_file",
			Parts: providers.TextParts(id + strings.Repeat(" a line of the file\n", 200)),
		}
		if l.Pictures {
			result.Parts = append(result.Parts, providers.Part{Image: &providers.Image{MediaType: "image/png", Data: []byte(id)}})
		}
		out = append(out, result)
	}
	return out
}
