package failure

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"

	"hermes-tui/internal/corpustest"
	"hermes-tui/providers"
)

// classificationInput is a failed call as the corpus writes it.
type classificationInput struct {
	Status        *int
	Body          json.RawMessage
	Transport     string
	ApproxTokens  int `json:"approx_tokens"`
	ContextLength int `json:"context_length"`
	MessageCount  int `json:"message_count"`
}

// providerError writes it the way the transports do.
func (in classificationInput) providerError(t *testing.T) *providers.Error {
	t.Helper()
	e := &providers.Error{Kind: providers.ErrorStatus, Endpoint: "https://api.example/v1/chat/completions"}
	var text *string
	isText := json.Unmarshal(in.Body, &text) == nil
	switch {
	case isText && text != nil:
		e.Body = []byte(*text)
	case !isText:
		e.Body = in.Body
	}
	if in.Status != nil {
		e.Status = *in.Status
		return e
	}
	e.Kind = providers.ErrorStream
	if isText && text != nil {
		e.Body, e.Message = nil, *text
	}
	switch in.Transport {
	case "timeout":
		e.Kind, e.Cause = providers.ErrorConnect, os.ErrDeadlineExceeded
	case "connection":
		e.Kind = providers.ErrorConnect
	case "tls":
		e.Kind, e.Cause = providers.ErrorConnect, tls.AlertError(20)
	case "":
	default:
		t.Fatalf("unknown transport %q", in.Transport)
	}
	return e
}

func TestClassificationConformance(t *testing.T) {
	type testCase struct {
		ID    string
		Input classificationInput
		Want  struct {
			Reason    string
			Retryable bool
			Compress  bool `json:"should_compress"`
			Rotate    bool `json:"should_rotate_credential"`
			Fallback  bool `json:"should_fallback"`
		}
	}
	for _, c := range corpustest.Cases[testCase](t, "error_classification") {
		t.Run(c.ID, func(t *testing.T) {
			got := Classify(c.Input.providerError(t), Context{
				Provider: "Example", Model: "m", Tokens: c.Input.ApproxTokens,
				ContextMax: c.Input.ContextLength, Messages: c.Input.MessageCount,
			})
			if string(got.Reason) != c.Want.Reason || got.Retryable != c.Want.Retryable || got.Compress != c.Want.Compress ||
				got.Rotate != c.Want.Rotate || got.Fallback != c.Want.Fallback {
				t.Errorf("got %+v, want %+v", got, c.Want)
			}
			checkSentence(t, got.Sentence())
		})
	}
}

func TestLimitsConformance(t *testing.T) {
	type testCase struct {
		ID    string
		Input struct{ Text string }
		Want  struct {
			Window *int `json:"context_limit"`
			Output *int `json:"available_output"`
		}
	}
	value := func(p *int) int {
		if p == nil {
			return 0
		}
		return *p
	}
	for _, c := range corpustest.Cases[testCase](t, "overflow_limits") {
		t.Run(c.ID, func(t *testing.T) {
			window, output := Limits(c.Input.Text)
			if window != value(c.Want.Window) || output != value(c.Want.Output) {
				t.Errorf("got %d, %d; want %d, %d", window, output, value(c.Want.Window), value(c.Want.Output))
			}
		})
	}
}

func TestRetryAfterConformance(t *testing.T) {
	type testCase struct {
		ID    string
		Input struct {
			Headers map[string]string
			Body    json.RawMessage
			Now     time.Time
		}
		Want struct{ Seconds, Wait *float64 }
	}
	for _, c := range corpustest.Cases[testCase](t, "retry_after") {
		t.Run(c.ID, func(t *testing.T) {
			h := http.Header{}
			for k, v := range c.Input.Headers {
				h[k] = []string{v}
			}
			d, ok := RetryAfter(h, c.Input.Body, c.Input.Now)
			compareSeconds(t, "delay", d, ok, c.Want.Seconds)
			wait, waits := Wait(d)
			compareSeconds(t, "wait", wait, ok && waits, c.Want.Wait)
		})
	}
}

func compareSeconds(t *testing.T, what string, got time.Duration, ok bool, want *float64) {
	t.Helper()
	if ok != (want != nil) {
		t.Errorf("%s: got %v, %v", what, got, ok)
	} else if ok && got != time.Duration(*want*float64(time.Second)) {
		t.Errorf("%s: got %v, want %v s", what, got, *want)
	}
}
