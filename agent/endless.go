package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hermes-tui/agent/recovery"
)

const (
	// mostReply bounds each of the reasoning, the text, the arguments of all calls and
	// the provider's own items of one answer, in bytes. No model gives as much; one
	// that repeats itself without end does, and so does a broken server.
	mostReply = 4 << 20
	// keptReply is how much of the reasoning and of the text is kept of an answer that
	// exceeds that, so that the conversation can go on.
	keptReply = 64 << 10
)

// reasonTooLarge ends a turn whose answer exceeded [mostReply].
const reasonTooLarge = "answer_too_large"

// endless reports whether an answer exceeds what is taken of it.
func (r *reply) endless() bool {
	return max(r.reasoning.Len(), r.text.Len(), r.drafted, r.native) > mostReply
}

// giveUpEndless keeps the beginning of an endless answer, and none of its calls.
func (t *turn) giveUpEndless(r *reply) error {
	r.mu.Lock()
	for _, b := range []*strings.Builder{&r.reasoning, &r.text} {
		if text := b.String(); len(text) > keptReply {
			end := keptReply
			for !utf8.RuneStart(text[end]) {
				end--
			}
			b.Reset()
			b.WriteString(text[:end])
		}
	}
	r.saved = -1
	r.mu.Unlock()
	r.clear()
	t.redraw(r)
	return &gaveUp{recovery.Abort{Reason: reasonTooLarge, Cause: recovery.CauseRefused, Attempts: 1, Sentence: fmt.Sprintf(
		"The model wrote more than %d MB in one answer without coming to an end, so it was stopped and only the beginning is kept: "+
			"send the message again, or choose another model with /model.", mostReply>>20)}}
}
