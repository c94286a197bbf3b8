package flight

import (
	"context"
	"encoding/json"

	"hermes-tui/providers/redact"
)

// Call is a call of a tool that is being recorded.
type Call struct {
	r  *Recorder
	id int
}

// Asked records what a tool says of a call before it is made.
func (r *Recorder) Asked(tool, key string, value any, err error) {
	i := Item{Kind: KindAsked, Name: tool, Key: r.Mask(key)}
	r.value(&i, value, err)
	r.add(i)
}

// Begin records that a tool is called.
func (r *Recorder) Begin(tool string, args json.RawMessage) *Call {
	c := &Call{r, r.id()}
	r.add(Item{Kind: KindCall, ID: c.id, Name: tool, Key: string(maskJSON(args, r.Mask))})
	return c
}

// Write records live output.
func (c *Call) Write(p []byte) (int, error) {
	c.r.add(Item{Kind: KindOutput, ID: c.id, Text: c.r.Mask(string(p))})
	return len(p), nil
}

// End records what came of it.
func (c *Call) End(ctx context.Context, value any, err error) {
	i := Item{Kind: KindResult, ID: c.id}
	c.r.value(&i, value, err)
	if err != nil {
		i.Error = c.r.failure(ctx, err)
	}
	c.r.add(i)
}

// value puts what something gave into an item.
func (r *Recorder) value(i *Item, value any, err error) {
	text, wrong := json.Marshal(value)
	if wrong != nil {
		text = []byte("null")
	}
	i.Val = maskJSON(text, r.Mask)
	if err != nil {
		i.Error = &Failure{failureKind(err), r.Mask(err.Error())}
	}
}

// maskJSON hides secrets in the strings of a JSON text.
func maskJSON(text []byte, mask func(string) string) json.RawMessage {
	masked := []byte(redact.JSON(string(text), mask))
	if !json.Valid(masked) {
		return json.RawMessage(`null`)
	}
	return masked
}
