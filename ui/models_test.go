//go:build unix

package ui_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// endpoint is a service that lists models, and answers every request with its
// name. Its list can be held back.
type endpoint struct {
	*httptest.Server
	list []string
	code int // of the list, 0 for success

	held  chan struct{} // the list is sent when it is closed; nil sends it at once
	asked chan struct{} // closed at the first question for the list
	left  chan struct{} // closed when such a question was given up
	once  sync.Once
	gone  sync.Once

	mu     sync.Mutex
	bodies []string
}

func newEndpoint(t *testing.T, e *endpoint) *endpoint {
	t.Helper()
	e.asked, e.left = make(chan struct{}), make(chan struct{})
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

// ServeHTTP implements [http.Handler].
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		e.models(w, r)
		return
	}
	var body json.RawMessage
	_ = json.NewDecoder(r.Body).Decode(&body)
	e.mu.Lock()
	e.bodies = append(e.bodies, string(body))
	e.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for _, s := range []string{
		`{"choices":[{"index":0,"delta":{"content":"The second one answers."}}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":900,"completion_tokens":4}}`, `[DONE]`,
	} {
		fmt.Fprintf(w, "data: %s\n\n", s)
	}
}

func (e *endpoint) models(w http.ResponseWriter, r *http.Request) {
	e.once.Do(func() { close(e.asked) })
	if e.held != nil {
		select {
		case <-e.held:
		case <-r.Context().Done():
			e.gone.Do(func() { close(e.left) })
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if e.code != 0 {
		w.WriteHeader(e.code)
		fmt.Fprint(w, `{"error":{"message":"Incorrect API key provided"}}`)
		return
	}
	fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(e.list, ","))
}

// sent is the newest request for an answer.
func (e *endpoint) sent() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.bodies) == 0 {
		return ""
	}
	return e.bodies[len(e.bodies)-1]
}

// entry is a model of an endpoint's list.
func entry(name string, context int) string {
	return fmt.Sprintf(`{"id":%q,"context_length":%d}`, name, context)
}

// used reports token counts.
func used(input, cached int64) script.Usage {
	var u script.Usage
	u.Input, u.CacheRead, u.Output = input, cached, 10
	return u
}

// pickSizes are the screens on which models are chosen.
var pickSizes = [][2]int{{160, 50}, {100, 30}, {60, 20}, {40, 10}}

// withModels starts the program with models of its own and Groq beside them.
func withModels(t *testing.T, size [2]int, groq *endpoint, s *script.Scenario, env ...string) *Driver {
	t.Helper()
	s.Models = []script.Model{{ID: "first", ContextLength: 200_000}, {ID: "second", ContextLength: 100_000}, {ID: "small", ContextLength: 1_000}}
	prices := "pricing:\n  - {provider: groq, model: llama-large, input: 5, output: 25}\n"
	return Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: prices, Env: append([]string{
		"GROQ_API_KEY=k", "GROQ_BASE_URL=" + groq.URL + "/v1",
	}, env...)}).WaitIdle()
}

// TestPickAModel chooses a model of another endpoint before anything was said, on
// every screen, and is answered by it.
func TestPickAModel(t *testing.T) {
	t.Parallel()
	for _, size := range pickSizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			groq := newEndpoint(t, &endpoint{list: []string{entry("llama-large", 131_072), entry("kimi-small", 65_536)}})
			d := withModels(t, size, groq, answers())
			d.Type("/model").Press("enter").WaitIdle()
			d.Expect(Contains("Models", "6 models", "▸● first", "200k", "no key needed"), CursorAfter("❯ "))
			if size[0] >= 100 {
				d.Expect(Contains("$ in/out", "$5/$25", "per million tokens"))
			}
			d.Type("groq lla").WaitIdle().Expect(Contains("1 of 6", "▸  llama-large", "key from GROQ_API", "131k"), NotContains("kimi-small", "second"))
			d.Press("esc").WaitIdle().Expect(Contains("▸● first"))
			d.Type("kimi").Press("enter").WaitIdle().Expect(NotContains("Models"), Contains("kimi-small"))
			d.Type("hello").Press("enter").WaitIdle().Expect(Contains("The second one answers."))
			if body := groq.sent(); !strings.Contains(body, `"model":"kimi-small"`) {
				t.Errorf("the endpoint was asked %s", body)
			}
			d.Type("/model").Press("enter").WaitIdle().Expect(Contains("▸● kimi-small"))
			d.Press("esc").WaitIdle().Expect(NotContains("Models"))
		})
	}
}

// TestModelsComeLate has an endpoint that answers late and one that fails: the
// window can be used at once, the late ones appear without moving the selection, and
// esc gives up what is still being asked.
func TestModelsComeLate(t *testing.T) {
	t.Parallel()
	for _, size := range pickSizes[:3] {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			late := newEndpoint(t, &endpoint{list: []string{entry("llama-large", 131_072)}, held: make(chan struct{})})
			bad := newEndpoint(t, &endpoint{code: http.StatusUnauthorized})
			never := newEndpoint(t, &endpoint{held: make(chan struct{})})
			d := withModels(t, size, late, answers(), "XAI_API_KEY=k", "XAI_BASE_URL="+bad.URL, "DEEPSEEK_API_KEY=k", "DEEPSEEK_BASE_URL="+never.URL)
			d.WaitIdle().Type("/model").Press("enter")
			d.WaitFor(Contains("second", "does not accept", "asking 2 providers"))
			d.Press("down").WaitFor(Contains("▸  second"))
			_, row, _ := d.Screen().Find("▸")
			close(late.held)
			d.WaitFor(Contains("asking 1 provider"), Contains("▸  second"))
			if _, now, _ := d.Screen().Find("▸"); now != row {
				t.Errorf("the selection went from row %d to %d", row, now)
			}
			d.Type("llama").WaitFor(Contains("▸  llama-large"))
			d.Press("esc").WaitFor(Contains("type to filter"))
			d.Press("esc").WaitFor(NotContains("Models"))
			<-never.left
			d.WaitIdle().Expect(Contains("ready"))
		})
	}
}

// TestChangingAsks changes the model of a conversation: it says what that drops, and
// keeps the former one on esc.
func TestChangingAsks(t *testing.T) {
	t.Parallel()
	for _, size := range pickSizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			groq := newEndpoint(t, &endpoint{list: []string{entry("llama-large", 131_072)}})
			d := withModels(t, size, groq, answers(on("hello", say("Hello."), used(24_000, 60_000)), on("more", say("More."))))
			d.Type("hello").Press("enter").WaitIdle()
			d.Type("/model small").Press("enter").WaitIdle()
			d.Expect(Contains("Change the model?", "first → small"))
			d.Press("end").WaitIdle().Expect(Contains("window"), Contains("shortened"))
			d.Press("esc").WaitIdle().Expect(NotContains("Change the model?"))
			d.Type("/model llama-large").Press("enter").WaitIdle()
			d.Expect(Contains("first → llama-large (Groq)"), Contains("prompt cache"), Contains("84k"), Contains("$0.42"), NotContains("shortened"))
			d.Press("esc").WaitIdle()
			d.Type("more").Press("enter").WaitIdle().Expect(Contains("More."))
			d.Type("/model groq:llama-large").Press("enter").WaitIdle().Press("enter").WaitIdle().Expect(NotContains("Change the model?"))
			d.Type("and now").Press("enter").WaitIdle().Expect(Contains("The second one answers."))
			if body := groq.sent(); !strings.Contains(body, `"model":"llama-large"`) {
				t.Errorf("the endpoint was asked %s", body)
			}
		})
	}
}

// TestChangingWhileBusy picks a model while a turn runs: the turn goes on, and the
// next one is the new model's.
func TestChangingWhileBusy(t *testing.T) {
	t.Parallel()
	groq := newEndpoint(t, &endpoint{list: []string{entry("llama-large", 131_072)}})
	d := withModels(t, pickSizes[1], groq, answers(on("wait", say("I begin."), script.Stall{})))
	d.WaitIdle().Type("wait").Press("enter").WaitFor(Contains("I begin."))
	d.Type("/model llama-large").Press("enter").WaitFor(Contains("The running turn ends with first", "enter change", "esc keep first"))
	d.Press("enter").WaitFor(Contains("llama-large answers from the next turn on"))
	d.Press("esc").WaitIdle()
	d.Type("go on").Press("enter").WaitIdle().Expect(Contains("The second one answers."))
	if !strings.Contains(groq.sent(), `"model":"llama-large"`) {
		t.Errorf("the endpoint was asked %s", groq.sent())
	}
}

// TestModelNames types names: a wrong one gives the nearest ones and can be had all
// the same, one that several endpoints offer is to be chosen.
func TestModelNames(t *testing.T) {
	t.Parallel()
	for _, size := range pickSizes[1:] {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			groq := newEndpoint(t, &endpoint{list: []string{entry("llama-large", 131_072), entry("twin", 9_000)}})
			xai := newEndpoint(t, &endpoint{list: []string{entry("twin", 9_000)}})
			d := withModels(t, size, groq, answers(), "XAI_API_KEY=k", "XAI_BASE_URL="+xai.URL)
			d.Type("/model lalma-large").Press("enter").WaitIdle().Expect(Contains("No provider offers", "▸  llama-large", "As it was typed"))
			d.Press("enter").WaitIdle().Expect(Contains("llama-large"), NotContains("No provider"))
			d.Type("/model xai/grok-private").Press("enter").WaitIdle().Expect(Contains("No provider offers", "grok-private", "xAI"))
			d.Press("end", "enter").WaitIdle().Expect(Contains("grok-private"), NotContains("No provider"))
			d.Type("/model custom:second").Press("enter").WaitIdle().Expect(Contains("second"), NotContains("No provider"))
			d.Type("/model twin").Press("enter").WaitIdle().Expect(Contains("is offered by", "xAI", "Groq"))
			d.Type("groq").WaitIdle().Press("enter").WaitIdle()
			d.Type("hi").Press("enter").WaitIdle().Expect(Contains("The second one answers."))
			if !strings.Contains(groq.sent(), `"model":"twin"`) || xai.sent() != "" {
				t.Errorf("asked: %q, %q", groq.sent(), xai.sent())
			}
		})
	}
}

// TestNameFoundTooLate types on while a name is looked for: no window opens over
// what is being written, and the model stays.
func TestNameFoundTooLate(t *testing.T) {
	t.Parallel()
	late := newEndpoint(t, &endpoint{list: []string{entry("llama-large", 131_072)}, held: make(chan struct{})})
	d := withModels(t, pickSizes[1], late, answers())
	d.Type("/model lalma").Press("enter").WaitFor(Contains("Looking for lalma"))
	<-late.asked
	d.Type("a draft").WaitSync()
	close(late.held)
	d.WaitIdle().Expect(NotContains("No provider offers"), Contains("give the command again"), CursorAfter("❯ a draft"), Contains("first"))
}

// TestModelCompletion completes names behind the command.
func TestModelCompletion(t *testing.T) {
	t.Parallel()
	groq := newEndpoint(t, &endpoint{list: []string{entry("llama-large", 131_072), entry("second", 9_000)}})
	d := withModels(t, pickSizes[1], groq, answers())
	d.WaitIdle().Type("/model ").WaitIdle().Expect(Contains("▸ first", "llama-large", "groq:second", "Groq · 131k"))
	d.Type("lla").WaitIdle().Expect(Contains("▸ llama-large"), NotContains("groq:second"))
	d.Press("tab").WaitIdle().Expect(CursorAfter("❯ /model llama-large"), NotContains("Groq · 131k"))
	d.Press("enter").WaitIdle().Expect(Contains("llama-large answers"))
	d.Type("/model groq:s").WaitIdle().Expect(Contains("groq:second")).Press("enter", "enter").WaitIdle()
	d.Expect(Contains("second answers"), NotContains("Change the model?"))
	d.Type("/model second").WaitIdle().Expect(NotContains("▸")) // complete: enter runs it
	d.Press("enter").WaitIdle().Expect(Contains("second answers"))
}

// TestEffort says how much is to be reasoned: it shows, and the next call has it,
// whatever model answers.
func TestEffort(t *testing.T) {
	t.Parallel()
	groq := newEndpoint(t, &endpoint{list: []string{entry("llama-large", 131_072), entry("gpt-4o", 0), `{"id":"plain","supported_parameters":["tools"]}`}})
	d := withModels(t, pickSizes[0], groq, answers(on("hello", say("Hello."))))
	d.Type("/reasoning xhigh").Press("enter").WaitIdle().Expect(Contains("Reasoning effort"), Contains("first · xhigh"))
	d.Type("hello").Press("enter").WaitIdle().Expect(Contains("Hello."))
	if body := string(d.Server().Requests()[0].Body); !strings.Contains(body, `"reasoning_effort":"xhigh"`) {
		t.Errorf("the request is %s", body)
	}
	d.Type("/model llama-large").Press("enter").WaitIdle().Press("enter").WaitIdle().Expect(Contains("llama-large · xhigh"))
	d.Type("/reasoning lots").Press("enter").WaitIdle().Expect(Contains("it takes show, hide, or an effort"), Contains("· xhigh"))
	d.Type("/reasoning default").Press("enter").WaitIdle().Expect(NotContains("· xhigh"))
	d.Type("/model gpt-4o").Press("enter").WaitIdle().Expect(Contains("gpt-4o answers"), NotContains("Change the model?")) // llama has not answered yet
	d.Type("/reasoning high").Press("enter").WaitIdle().Expect(Contains("from the next turn on: high. gpt-4o takes no reasoning effort, so it is asked for none."), NotContains("known not to reason"))
	d.Type("/model plain").Press("enter").WaitIdle().Type("/reasoning low").Press("enter").WaitIdle().Expect(Contains("from the next turn on: low. But plain is known not to reason."))
}

// TestManyModels types into a list of five thousand.
func TestManyModels(t *testing.T) {
	t.Parallel()
	list := make([]string, 5000)
	for i := range list {
		list[i] = entry(fmt.Sprintf("vendor-%d/model-%d", i%40, i), 1000*(i%300+1))
	}
	groq := newEndpoint(t, &endpoint{list: list})
	d := withModels(t, pickSizes[0], groq, answers())
	d.WaitIdle().Type("/model").Press("enter").WaitIdle().Expect(Contains("5004 models", "▸● first"))
	began := time.Now()
	d.Type("model-4321").WaitIdle().Expect(Contains("▸  vendor-1/model-4321"))
	t.Logf("ten keys took %v", time.Since(began))
	d.Press("enter").WaitIdle().Expect(Contains("vendor-1/model-4321 answers"))
}
