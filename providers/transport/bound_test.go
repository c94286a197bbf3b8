package transport

import (
	"encoding/json"
	"slices"
	"testing"

	"hermes-tui/providers"
)

// TestUnbind holds that a changed prefix is found wherever it changed, and that a prefix
// which was only stored counts as unchanged.
func TestUnbind(t *testing.T) {
	user := func(s string) providers.Message {
		return providers.Message{Role: providers.User, Parts: providers.TextParts(s)}
	}
	thought := func(raw, prefix string) providers.Message {
		return providers.Message{Role: providers.Assistant, Parts: providers.TextParts("a"), Native: []providers.Item{
			*Own(ItemPrefix, "p", "m", prefix, 0), {Issuer: "p", Model: "m", Kind: "thinking", Raw: json.RawMessage(raw)},
		}}
	}
	r := providers.Request{Model: "m", System: "s", Tools: []providers.ToolDef{{Name: "t", Parameters: json.RawMessage(`{}`)}}, Messages: []providers.Message{user("one")}}
	first := r
	r.Messages = append(r.Messages, thought(`{"thinking":"<"}`, Unbind(&first, "p")), user("two"))
	second := r
	r.Messages = append(r.Messages, thought(`{"thinking":"x"}`, Unbind(&second, "p")), user("three"))
	for name, c := range map[string]struct {
		change func(*providers.Request)
		kept   []int // items of the two answers
	}{
		"as it was":     {func(*providers.Request) {}, []int{2, 2}},
		"stored":        {func(r *providers.Request) { r.Messages[1].Native[1].Raw = json.RawMessage(`{ "thinking":"\u003c"}`) }, []int{2, 2}},
		"prompt":        {func(r *providers.Request) { r.System = "other" }, []int{0, 0}},
		"tools":         {func(r *providers.Request) { r.Tools = nil }, []int{0, 0}},
		"first message": {func(r *providers.Request) { r.Messages[0] = user("shorter") }, []int{0, 0}},
		"second":        {func(r *providers.Request) { r.Messages[2] = user("masked") }, []int{2, 0}},
		"left out":      {func(r *providers.Request) { r.Messages = slices.Delete(r.Messages, 0, 1) }, []int{0, 0}},
		"of two requests": {func(r *providers.Request) {
			m := &r.Messages[1]
			m.Native = append(m.Native, m.Native[0])
		}, []int{0, 0}},
		"of before": {func(r *providers.Request) { r.Messages[1].Native = r.Messages[1].Native[1:] }, []int{1, 2}},
	} {
		now := r
		now.Messages = slices.Clone(r.Messages)
		for i := range now.Messages {
			now.Messages[i].Native = slices.Clone(now.Messages[i].Native)
		}
		c.change(&now)
		Unbind(&now, "p")
		var kept []int
		for _, m := range now.Messages {
			if m.Role == providers.Assistant {
				kept = append(kept, len(m.Native))
			}
		}
		if !slices.Equal(kept, c.kept) {
			t.Errorf("%s: kept %v, want %v", name, kept, c.kept)
		}
	}
	if len(r.Messages[1].Native) != 2 {
		t.Error("the history itself was changed")
	}
}
