package protocoltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// Read reads a whole answer. The error is nil for a complete one.
func Read(t testing.TB, c providers.Client, r providers.Request) ([]providers.Delta, error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), liveness, errors.New("the test took too long"))
	defer cancel()
	s, err := c.Stream(ctx, r)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return Drain(s)
}

// Drain reads what is left of an answer. The error is nil for a complete one.
func Drain(s providers.Stream) (out []providers.Delta, err error) {
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, d)
	}
}

// Collect is [Read], with a line for each delta.
func Collect(t testing.TB, c providers.Client, r providers.Request) ([]string, error) {
	t.Helper()
	deltas, err := Read(t, c, r)
	return Lines(deltas), err
}

// Lines writes deltas as lines.
func Lines(deltas []providers.Delta) (out []string) {
	for _, d := range deltas {
		out = append(out, Show(d))
	}
	return out
}

// Show writes a delta as one line.
func Show(d providers.Delta) string {
	switch d.Kind {
	case providers.DeltaOpen:
		return "open"
	case providers.DeltaText:
		return "text " + d.Text
	case providers.DeltaReasoning:
		return "reasoning " + d.Text
	case providers.DeltaCall:
		return strings.TrimSuffix(fmt.Sprintf("call %d %s %s %s", d.Index, d.CallID, d.Name, d.Extra), " ")
	case providers.DeltaArguments:
		return fmt.Sprintf("arguments %d %s", d.Index, d.Text)
	case providers.DeltaExtra:
		return fmt.Sprintf("extra %d %s", d.Index, d.Extra)
	case providers.DeltaUsage:
		return fmt.Sprintf("usage %d %d %d %d %d", d.Usage.Input, d.Usage.Output, d.Usage.CacheRead, d.Usage.CacheWrite, d.Usage.Reasoning)
	case providers.DeltaItem:
		return fmt.Sprintf("item %s %s %d %s %s", d.Item.Issuer, d.Item.Model, d.Item.At, d.Item.Kind, d.Item.Raw)
	case providers.DeltaFinish:
		return "finish " + string(d.Finish)
	}
	return fmt.Sprintf("unknown delta %+v", d)
}

// Same compares what came with what should have come.
func Same(t testing.TB, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// Failed checks that an error is of a kind, contains some words and keeps secrets.
func Failed(t testing.TB, err error, kind providers.ErrorKind, words string, secrets ...string) *providers.Error {
	t.Helper()
	var e *providers.Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want a *providers.Error", err)
	}
	if e.Kind != kind || !strings.Contains(e.Message, words) {
		t.Errorf("got %s %q, want %s with %q", e.Kind, e.Message, kind, words)
	}
	if e.Endpoint == "" {
		t.Error("the error names no endpoint")
	}
	all := fmt.Sprintf("%v %+v %s %v", e, *e, e.Body, e.Cause)
	for _, s := range secrets {
		if strings.Contains(all, s) {
			t.Errorf("the error holds a credential: %s", all)
		}
	}
	return e
}

// Quote writes a text as JSON.
func Quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Bench reads answers that consist of so many deltas of text.
func Bench(b *testing.B, c providers.Client, r providers.Request, tokens int) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		s, err := c.Stream(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for {
			d, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			if d.Kind == providers.DeltaText {
				n++
			}
		}
		s.Close()
		if n != tokens {
			b.Fatalf("%d tokens", n)
		}
	}
}
