package agent

import (
	"bytes"
	"image"
	"image/png"
	"reflect"
	"testing"

	"hermes-tui/agent/attach"
	"hermes-tui/providers"
)

func shown(data string) providers.Part {
	return providers.Part{Image: &providers.Image{MediaType: "image/png", Data: []byte(data)}}
}

// TestWithout: images become notes in a copy, the same one every time, and a history
// without images is not copied.
func TestWithout(t *testing.T) {
	history := []providers.Message{
		{Role: providers.User, Parts: []providers.Part{{Text: "a"}, shown("1"), shown("2"), {Text: "b"}}},
		{Role: providers.Assistant, Parts: providers.TextParts("c")},
		{Role: providers.User, Parts: []providers.Part{shown("3")}},
	}
	before := reflect.ValueOf(history).Pointer()
	got := without(history, "[n]")
	want := []providers.Message{
		{Role: providers.User, Parts: providers.TextParts("a\n[n]\n[n]b")}, history[1], {Role: providers.User, Parts: providers.TextParts("\n[n]")},
	}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(without(history, "[n]"), got) {
		t.Errorf("got %+v", got)
	}
	if history[0].Parts[1].Image == nil || reflect.ValueOf(got).Pointer() == before {
		t.Error("the history was changed")
	}
	plain := history[1:2]
	if same := without(plain, "[n]"); &same[0] != &plain[0] {
		t.Error("a history without images was copied")
	}
}

// TestShrunk: what is within the limits stays, what is not is made smaller, and what
// cannot be becomes a note.
func TestShrunk(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 400, 100))); err != nil {
		t.Fatal(err)
	}
	history := []providers.Message{{Role: providers.User, Parts: []providers.Part{{Text: "a"}, shown(b.String()), shown("broken")}}}
	got := shrunk(history, 1<<20, 200)
	if len(got[0].Parts) != 3 || got[0].Parts[2].Text != "\n"+refusedNote {
		t.Fatalf("got %+v", got[0].Parts)
	}
	if i, ok := attach.Measure(got[0].Parts[1].Image.Data); !ok || i.Width != 200 || i.Height != 50 {
		t.Errorf("%+v", i)
	}
	if same := shrunk(history, 1<<20, 400); !bytes.Equal(same[0].Parts[1].Image.Data, b.Bytes()) {
		t.Error("what fits was changed")
	}
}

// TestOrdered: neighbours of the user become one message with all of their parts.
func TestOrdered(t *testing.T) {
	user := func(parts ...providers.Part) providers.Message {
		return providers.Message{Role: providers.User, Parts: parts}
	}
	text := func(s string) providers.Part { return providers.Part{Text: s} }
	got := ordered([]providers.Message{
		user(text("a")), user(text("b"), shown("1")), user(text("c")), user(shown("2")),
		{Role: providers.Assistant, Parts: providers.TextParts("d")}, user(text("e")), user(text("f")),
	})
	want := []providers.Message{
		user(text("a"), text("\n\nb"), shown("1"), text("\n\nc"), shown("2")),
		{Role: providers.Assistant, Parts: providers.TextParts("d")}, user(text("e\n\nf")),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}
