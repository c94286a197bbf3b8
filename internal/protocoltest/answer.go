package protocoltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// hello is a small request.
func hello() providers.Request {
	return providers.Request{
		Model:    Model,
		Messages: []providers.Message{{ID: "u1", Role: providers.User, Parts: providers.TextParts("hi")}},
	}
}

// answer is what the deltas of an answer add up to.
type answer struct {
	text, reasoning string
	calls           []providers.Call
	usage           providers.Usage
	finish          providers.Finish
	items           []providers.Item
	// order names the kinds in the order in which they came, neighbours joined.
	order []string
}

// message makes the message that a conversation would keep.
func (a *answer) message(id string) providers.Message {
	m := providers.Message{
		ID: id, Role: providers.Assistant, Parts: providers.TextParts(a.text), Reasoning: a.reasoning,
		Finish: a.finish, Native: a.items, Calls: slices.Clone(a.calls),
	}
	for i := range m.Calls {
		m.Calls[i].ID = fmt.Sprintf("%s-k%d", id, i)
	}
	return m
}

// ask sends a request and reads the whole answer. The error is nil for a
// complete one.
func ask(t *testing.T, c providers.Client, r providers.Request) (*answer, error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), liveness, errors.New("the test took too long"))
	defer cancel()
	s, err := c.Stream(ctx, r)
	if err != nil {
		return &answer{}, err
	}
	defer s.Close()
	return read(t, s)
}

// read reads an answer to its end and checks what holds for every one: it opens
// once and first, finishes once and last but for usage, opens calls in order and
// before their arguments, and stays at its end.
func read(t *testing.T, s providers.Stream) (*answer, error) {
	t.Helper()
	a := &answer{}
	for n := 0; ; n++ {
		d, err := s.Next()
		if err != nil {
			if _, again := s.Next(); !errors.Is(again, err) {
				t.Errorf("the end did not stay: %v, then %v", err, again)
			}
			if errors.Is(err, io.EOF) {
				if a.finish == providers.FinishNone {
					t.Error("the answer is complete without a finish")
				}
				return a, nil
			}
			return a, err
		}
		if (n == 0) != (d.Kind == providers.DeltaOpen) {
			t.Errorf("delta %d is %+v; an answer opens once and first", n, d)
		}
		if a.finish != providers.FinishNone && d.Kind != providers.DeltaUsage {
			t.Errorf("%+v follows the finish", d)
		}
		a.add(t, d)
	}
}

// add takes one delta.
func (a *answer) add(t *testing.T, d providers.Delta) {
	t.Helper()
	switch d.Kind {
	case providers.DeltaOpen:
	case providers.DeltaText:
		a.text += d.Text
		a.note("text")
	case providers.DeltaReasoning:
		a.reasoning += d.Text
		a.note("reasoning")
	case providers.DeltaCall:
		if d.Index != len(a.calls) {
			t.Errorf("call %d opens as number %d", len(a.calls), d.Index)
		}
		a.calls = append(a.calls, providers.Call{WireID: d.CallID, Name: d.Name, Extra: d.Extra})
		a.note(fmt.Sprint("call ", d.Index))
	case providers.DeltaArguments:
		if d.Index < 0 || d.Index >= len(a.calls) {
			t.Fatalf("arguments of call %d, which is not open", d.Index)
		}
		a.calls[d.Index].Arguments += d.Text
		a.note(fmt.Sprint("arguments ", d.Index))
	case providers.DeltaUsage:
		a.usage = *d.Usage
	case providers.DeltaItem:
		a.items = append(a.items, *d.Item)
	case providers.DeltaFinish:
		if d.Finish == providers.FinishNone {
			t.Error("a finish without a reason")
		}
		a.finish = d.Finish
	default:
		t.Errorf("unknown delta %+v", d)
	}
}

func (a *answer) note(kind string) {
	if len(a.order) == 0 || a.order[len(a.order)-1] != kind {
		a.order = append(a.order, kind)
	}
}

// want is what the deltas must add up to.
type want struct {
	text, reasoning string
	calls           []providers.Call
	usage           providers.Usage
	finish          providers.Finish
	order           string // joined by ", "; empty is any
}

func (a *answer) check(t *testing.T, w want) {
	t.Helper()
	same(t, "text", a.text, w.text)
	same(t, "reasoning", a.reasoning, w.reasoning)
	same(t, "calls", showCalls(a.calls), showCalls(w.calls))
	same(t, "usage", a.usage, w.usage)
	same(t, "finish", a.finish, w.finish)
	if w.order != "" {
		same(t, "order", strings.Join(a.order, ", "), w.order)
	}
}

// showCalls writes calls without what differs between protocols.
func showCalls(calls []providers.Call) string {
	var b strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&b, "%s %s %s\n", c.WireID, c.Name, c.Arguments)
	}
	return b.String()
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %s, want %s", what, brief(got), brief(want))
	}
}

// brief writes a value in a few lines at most.
func brief(v any) string {
	const most = 500
	s := fmt.Sprintf("%+v", v)
	if len(s) > most {
		return fmt.Sprintf("%s… (%d bytes)", s[:most], len(s))
	}
	return s
}

// failed checks that an error is a whole one of some kinds and keeps the
// credential.
func failed(t *testing.T, err error, kinds ...providers.ErrorKind) *providers.Error {
	t.Helper()
	var e *providers.Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want a *providers.Error", err)
	}
	if !slices.Contains(kinds, e.Kind) {
		t.Errorf("got kind %s (%s), want one of %v", e.Kind, e.Message, kinds)
	}
	if e.Endpoint == "" || strings.Contains(e.Endpoint, "?") {
		t.Errorf("the endpoint is %q", e.Endpoint)
	}
	if e.Message == "" {
		t.Error("the error says nothing")
	}
	cause := ""
	if e.Cause != nil {
		cause = e.Cause.Error()
	}
	if all := fmt.Sprintf("%s %+v %s %s", e, *e, e.Body, cause); strings.Contains(all, Key) {
		t.Errorf("the error holds the credential: %s", all)
	}
	return e
}
