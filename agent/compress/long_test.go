package compress

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// fact is something that is said once in a long session, in a turn, and that is asked
// about when the session has been compressed many times.
type fact struct {
	turn     int
	where    string // user, answer, result, call
	said     string
	question string
	answer   string // holds when this stands in what is left
}

// facts are spread over the session. What is worth keeping is said as people and programs
// say it: a demand, a decision with its reason, a failure, what was changed.
var facts = []fact{
	{0, "user", "Goal: move the billing service from REST to gRPC without a break for mobile clients.", "What is the goal?", "from REST to gRPC"},
	{1, "user", "You must never touch anything under vendor/legacy.", "What must not be touched?", "vendor/legacy"},
	{2, "user", "I want tabs, and lines of at most 110 characters.", "How wide may lines be?", "110 characters"},
	{4, "answer", "Decided: the proto package is called acme.billing.v3, because v2 is taken by the partner API.", "What is the proto package called?", "acme.billing.v3"},
	{5, "result", "Error: listen tcp :7443: bind: address already in use", "Which port was taken?", ":7443"},
	{7, "answer", "Decided: deadlines are 2.5 s for reads, since the load balancer gives up after 3 s.", "What is the deadline of reads?", "2.5 s for reads"},
	{9, "call", "ALTER TABLE invoices ADD COLUMN grpc_seen_at", "Which column was added to invoices?", "grpc_seen_at"},
	{11, "user", "The release is called Heron, and it must be out on the 14th of March.", "When must the release be out?", "14th of March"},
	{13, "result", "Error: proto: field acme.billing.v3.Invoice.total has conflicting numbers 7 and 11", "Which field had conflicting numbers?", "Invoice.total"},
	{16, "answer", "Decided: money is sent as integer cents with a currency code; floats lost 1 cent in 40,000.", "How is money sent?", "integer cents"},
	{18, "user", "Never log the header X-Acme-Tenant-Key.", "Which header is never logged?", "X-Acme-Tenant-Key"},
	{21, "result", "Error: TestRefundTwice: got 2 refunds, want 1", "Which test found the double refund?", "TestRefundTwice"},
	{22, "answer", "Fixed: refunds are keyed by idempotency token; the cause was a retry in billing/pool12.go.", "Where was the cause of the double refund?", "pool12.go"},
	{26, "user", "Ask Priya before anything changes in the dunning job.", "Who is asked about the dunning job?", "Priya"},
	{29, "answer", "Decided: the old endpoints stay until traffic is below 0.5 %, because two partners cannot move before autumn.", "Until when do old endpoints stay?", "below 0.5 %"},
	{33, "result", "Error: benchmark regressed: 418 µs/op, limit 300 µs/op", "What did the benchmark regress to?", "418 µs/op"},
	{34, "answer", "Fixed: the pool reuses buffers; the benchmark is at 240 µs/op.", "Where is the benchmark now?", "240 µs/op"},
	{38, "user", "Use port 7555 for staging, the old one belongs to search.", "Which port has staging?", "7555"},
	{43, "answer", "Decided: no generated mocks; tests run against bufconn.", "What do tests run against?", "bufconn"},
	{47, "result", "Error: lint: exported method Ledger.Close should have comment", "Which method lacked a comment?", "Ledger.Close"},
	{52, "user", "The customer Oakfield gets invoices in two languages, you must keep that.", "Which customer gets two languages?", "Oakfield"},
	{57, "answer", "Decided: retries are limited to 4 with a cap of 800 ms.", "How many retries are there?", "limited to 4"},
	{63, "result", "Error: deadlock between invoice_lock and ledger_lock", "Which locks deadlocked?", "ledger_lock"},
	{64, "answer", "Fixed: ledger_lock is always taken first; it is written down in docs/locks.md.", "Where is the order of locks written down?", "docs/locks.md"},
	{70, "user", "Next week we look at the reports; leave them alone now, I must talk to finance.", "Whom must the user talk to?", "finance"},
}

// coding adds a turn of a coding session over forty files: twenty messages.
func coding(s *script, turn int) {
	at := func(where string) string {
		var said []string
		for _, f := range facts {
			if f.turn == turn && f.where == where {
				said = append(said, f.said)
			}
		}
		return strings.Join(said, " ")
	}
	prompt := at("user")
	if prompt == "" {
		prompt = fmt.Sprintf("Please go on with step %d of the plan.", turn)
	}
	s.user(prompt)
	for i := range 9 {
		path := fmt.Sprintf("billing/pool%02d.go", (turn*9+i)%40)
		body := strings.Repeat(fmt.Sprintf("func step%d(ctx context.Context) error { return nil } // %s\n", turn, path), 25)
		c := made{"read_file", encode(map[string]any{"path": path}), encode(map[string]any{"content": body, "total_lines": 25})}
		switch i % 3 {
		case 1:
			c = made{"write_file", encode(map[string]any{"path": path, "content": body}), `{"bytes_written": 1800}`}
		case 2:
			command, output := "go test ./billing", "ok  billing 0.4s\n"+strings.Repeat("=== RUN TestPool\n--- PASS: TestPool\n", 20)
			code := 0
			if i == 8 && at("call") != "" {
				command = "psql -c '" + at("call") + "'"
			}
			if i == 5 && at("result") != "" {
				output, code = at("result")+"\n"+output, 1
			}
			c = made{"terminal", encode(map[string]any{"command": command}), encode(map[string]any{"output": output, "exit_code": code})}
		}
		s.calls(c)
	}
	answer := at("answer")
	if answer == "" {
		answer = fmt.Sprintf("Step %d is done: %s", turn, strings.Repeat("the pools were changed as planned and the tests pass. ", 6))
	}
	s.says(answer)
}

// worthKeeping finds what a summariser keeps that follows the instructions which models
// get: demands, decisions, failures, what was changed.
var worthKeeping = regexp.MustCompile(`(?i)[^.\n"]*\b(goal:|must|never|i want|ask|use port|decided:|fixed:|error:|alter table)[^\n"]*`)

// scripted is a summariser that follows rules instead of a model's mind. It keeps what is
// worth keeping of the messages, and of the record before, in its room: the oldest lines
// go first.
func scripted(p Past) string {
	var lines []string
	add := func(text string) {
		for _, line := range strings.Split(text, "\n") {
			if line = strings.TrimSpace(strings.Trim(line, "- ")); line != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	add(strings.ReplaceAll(p.Earlier, "## Critical Context", ""))
	for _, m := range p.Messages {
		text := m.Text()
		for _, c := range m.Calls {
			text += "\n" + c.Arguments
		}
		if m.Role == providers.Tool {
			text = strings.NewReplacer(`\n`, "\n", `{"output":"`, "").Replace(text)
		}
		for _, found := range worthKeeping.FindAllString(text, -1) {
			add(found)
		}
	}
	room := p.Room*charsPerToken - 100
	for size := len(strings.Join(lines, "\n- ")); size > room && len(lines) > 0; size = len(strings.Join(lines, "\n- ")) {
		lines = lines[1:]
	}
	return "## Critical Context\n- " + strings.Join(lines, "\n- ")
}

// TestWhatIsLeftOfALongSession compresses a session of more than 1,500 messages about 40
// files again and again as it grows, and asks 25 questions about it: how many are answered
// by what the model still gets, with a summariser and with the record that needs none.
func TestWhatIsLeftOfALongSession(t *testing.T) {
	const turns, window = 80, 40_000
	for name, c := range map[string]struct {
		summarise func(Past) string
		least     int
	}{"with a summary": {scripted, 25}, "without": {nil, 9}} {
		t.Run(name, func(t *testing.T) {
			s := &script{}
			e := engine()
			b := Budget{History: window / 2, Tail: window / 8, Summary: window / 20}
			var history []providers.Message
			messages, times := 0, 0
			for turn := range turns {
				from := len(s.list)
				coding(s, turn)
				history = append(slices.Clip(history), s.list[from:]...)
				messages += len(s.list) - from
				if sum(history) <= window*4/5 {
					continue
				}
				r := e.Compress(history, b, nil)
				if r.Turns > 0 && c.summarise != nil {
					r = e.Summarised(r, c.summarise(r.Past))
				}
				if why := fault(r.History); why != "" {
					t.Fatalf("turn %d: %s", turn, why)
				}
				history = r.History
				times++
			}
			if messages < 1_500 || times < 5 {
				t.Fatalf("%d messages, compressed %d times", messages, times)
			}
			var all strings.Builder
			for _, m := range history {
				all.WriteString(m.Text() + "\n")
				for _, c := range m.Calls {
					all.WriteString(c.Arguments + "\n")
				}
			}
			answered := 0
			for _, f := range facts {
				if strings.Contains(all.String(), f.answer) {
					answered++
				} else {
					t.Logf("not answered: %s", f.question)
				}
			}
			t.Logf("%d of %d questions are answered by %d of %d tokens, after %d compressions", answered, len(facts), sum(history), sum(s.list), times)
			if len(facts) != 25 || answered < c.least {
				t.Errorf("%d of %d questions are answered, at least %d were", answered, len(facts), c.least)
			}
		})
	}
}
