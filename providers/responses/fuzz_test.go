package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// whole is an answer with everything.
func whole() string {
	var b strings.Builder
	for _, part := range new(writer).answer([]protocoltest.Step{
		{Kind: protocoltest.Reasoning, Text: "r", Opaque: "o"}, {Kind: protocoltest.Text, Text: "ä\n"},
		{Kind: protocoltest.Call, ID: "c1", Name: "f"}, {Kind: protocoltest.Arguments, Text: `{"a":1}`},
		{Kind: protocoltest.KeepAlive}, {Kind: protocoltest.Unknown}, {Kind: protocoltest.Refusal, Text: "no"},
		{Kind: protocoltest.Usage, Usage: providers.Usage{Input: 1, Output: 2}}, {Kind: protocoltest.Finish, Finish: providers.FinishStop},
	}) {
		b.Write(part)
	}
	return b.String()
}

// FuzzStream feeds bytes to the reader and the decoder. Nothing panics, nothing is
// complete without its terminal event, calls are opened in order and before their
// arguments, and it does not matter how the bytes are cut.
func FuzzStream(f *testing.F) {
	f.Add(whole())
	f.Add(sse(reasoningDone, messageDone, callDone, completed))
	f.Add(sse(`{"type":"response.output_text.delta","delta":"a"}`, completed)[:40])
	f.Add("event: error\ndata: {\"message\":\"x\"}\n\n")
	f.Add("data: {\"type\":\ndata: \"response.done\",\"response\":{}}\n")
	f.Fuzz(func(t *testing.T, body string) {
		deltas, err := play(strings.NewReader(body))
		again, err2 := play(iotest.OneByteReader(strings.NewReader(body)))
		if !reflect.DeepEqual(deltas, again) || (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("cut otherwise: %v, %v and %v, %v", deltas, err, again, err2)
		}
		calls := 0
		for i, d := range deltas {
			switch d.Kind {
			case providers.DeltaCall:
				if d.Index != calls {
					t.Fatalf("call %d opens as %d", calls, d.Index)
				}
				calls++
			case providers.DeltaArguments:
				if d.Index >= calls {
					t.Fatalf("arguments of call %d, which is not open", d.Index)
				}
			case providers.DeltaItem:
				if !json.Valid(d.Item.Raw) {
					t.Fatalf("an item that is no JSON: %s", d.Item.Raw)
				}
			case providers.DeltaFinish:
				if i != len(deltas)-1 {
					t.Fatal("something follows the finish")
				}
			}
		}
		finished := len(deltas) > 0 && deltas[len(deltas)-1].Kind == providers.DeltaFinish
		if finished != (err == nil) || finished && !strings.Contains(body, "response.") {
			t.Fatalf("finished: %t, error: %v", finished, err)
		}
	})
}

// play decodes a stream. The error is nil for a complete one.
func play(src io.Reader) (out []providers.Delta, err error) {
	e, d := transport.NewEvents(src), decoder{issuer: "acme", model: "m"}
	for d.Progress() != transport.Complete {
		name, raw, err := e.Next()
		if err != nil {
			return out, err
		}
		if out, err = d.Event(name, raw, out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// FuzzScan compares the quick reader of events with the decoder of the library.
func FuzzScan(f *testing.F) {
	f.Add([]byte(tokenEvent))
	f.Add([]byte(`{"type":"response.output_text.delta","delta":"\u00e4\n\ud83d","output_index":3}`))
	f.Add([]byte(`{"delta":"x","type":"response.reasoning_text.delta","content_index":10,"a":[ ],"b":null,"c":true,"d":"e","delta":"y"}`))
	f.Add([]byte(`{"type":"response.output_text.delta","Delta":"x","output_index":01}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var quick, slow event
		if !new(decoder).scan(raw, &quick) {
			return
		}
		if err := json.Unmarshal(raw, &slow); err != nil {
			t.Fatalf("%s is read as %+v, but: %v", raw, quick, err)
		}
		if !reflect.DeepEqual(quick, slow) {
			t.Fatalf("%s is read as %+v, want %+v", raw, quick, slow)
		}
	})
}

// The events that answers consist of are read quickly, and others are not.
func TestScan(t *testing.T) {
	for raw, want := range map[string]bool{
		tokenEvent: true,
		`{ "type" : "response.output_text.delta" , "delta" : "a\"ä\\" , "output_index" : 0 , "logprobs" : [ ] } `: true,
		`{"type":"response.function_call_arguments.delta","delta":"{\"a\":1}"}`:                                   true,
		`{"type":"response.reasoning_summary_text.delta","summary_index":1,"delta":"x","obfuscation":null}`:       true,
		`{"type":"response.output_text.delta","delta":"a","logprobs":[{"token":"a"}]}`:                            false,
		`{"type":"response.output_text.delta","delta":null}`:                                                      false,
		`{"type":"response.refusal.delta","delta":"a"}`:                                                           false,
		`{"type":"response.output_text.delta","delta":"a"`:                                                        false,
		`{"type":"response.output_text.delta","delta":"a"}x`:                                                      false,
		`{"type":"response.output_text.delta","delta":"a","error":null}`:                                          false,
		`{"delta":"a"}`: false, `{}`: false, `{`: false, ``: false,
	} {
		var e event
		if got := new(decoder).scan([]byte(raw), &e); got != want {
			t.Errorf("%s: got %t", raw, got)
		}
	}
}

func TestEventsByteByByte(t *testing.T) {
	want, err := play(strings.NewReader(whole()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := play(iotest.OneByteReader(bytes.NewBufferString(whole())))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for i := range len(whole()) - 2 { // the blank line at the end may be missing
		if _, err := play(strings.NewReader(whole()[:i])); i < len(whole())-2 && !errors.Is(err, io.EOF) && err == nil {
			t.Fatalf("complete after %d bytes", i)
		}
	}
}
