package extend_test

import (
	"context"
	"fmt"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/agent/extend"
	"hermes-tui/providers"
	"hermes-tui/tools"
)

// TestBegan checks that what extensions return is joined in their order, and that an extension
// is told which texts are there already.
func TestBegan(t *testing.T) {
	adds := func(text, warn string) extend.Extension {
		return extend.Extension{Began: func(_ context.Context, _ event.Queued, sent func(string) bool) (b extend.Beside) {
			if !sent(text) {
				b.Texts = []tools.Attached{{Text: text}}
			}
			b.Warn = warn
			return b
		}}
	}
	list := extend.List{adds("a", ""), {}, adds("b", "one"), adds("a", "two"), adds("old", "")}
	got := list.Began(t.Context(), event.Queued{}, func(text string) bool { return text == "old" })
	if len(got.Texts) != 2 || got.Texts[0].Text != "a" || got.Texts[1].Text != "b" || got.Warn != "one\ntwo" {
		t.Errorf("%+v", got)
	}
}

// ExampleList shows an extension that notes the ends of turns.
func ExampleList() {
	list := extend.List{{
		Answered: func(said, answer string) { fmt.Println(said, "->", answer) },
		Ended:    func(t extend.Trajectory) { fmt.Println(t.Model, t.Completed) },
	}}
	list.Answered("hello", "Hi.")
	list.Reported("a task", "a report") // no extension hears of that
	fmt.Println(list.Compressing(context.Background(), []providers.Message{}) == "")
	list.Ended(extend.Trajectory{Model: "m", Completed: true})
	// Output:
	// hello -> Hi.
	// true
	// m true
}
