// Package scrub takes out of a model's answer what is not meant to be read in it:
// reasoning between tags, echoes of the memory that was put into the prompt, and
// tool calls that were written as text instead of being made.
//
// [Stream] does so while the answer arrives. What is taken out is given back under
// its own [Kind], except memory, which is dropped.
//
// Reasoning stands between tags (think, thinking, reasoning, thought,
// REASONING_SCRATCHPAD, in any case). A tag that starts a line opens a block, which
// ends at the closing tag of the same name or with the text. A tag inside a line
// opens one only when it is closed on that line, otherwise it is a mention and
// stays. A closing tag without a block is dropped with the white space behind it; one at the
// start or the end of a line, in an answer that opened no block, is given back as [Closing]:
// templates that open the block themselves leave it to the model to end it.
//
// Memory is a memory-context tag that starts a line and has a line break behind
// it, and everything up to its closing tag, or to the end.
//
// A call stands between the tags or special tokens of a model family, anywhere but
// directly behind a quotation mark or backtick. Special tokens, and tags that are
// followed by what looks like a call, hide everything up to their end, or to the
// end of the text; so does a function or invoke tag with a name, but only if it is
// closed, or at the start of a line with further tags or an object behind it. Other tags count when they are closed on their line.
//
// A tag starts a line when nothing but white space is shown before it there.
//
// The result does not depend on where the text was cut. Held back is only what may
// still become a tag (at most 200 bytes, usually none) and, behind a tag that
// counts only if it is closed, at most [LongestHeld] bytes. Together the pieces are
// never longer than the text. Time is linear in its length. Nothing fails: text
// that is not valid UTF-8 passes as it is.
package scrub

// Kind says what a piece is.
type Kind uint8

// The kinds of pieces.
const (
	// Text is to be shown, stored and sent again.
	Text Kind = iota
	// Reasoning is what stood between reasoning tags, without white space at the
	// beginning of a block.
	Reasoning
	// Call is a tool call, or its result, that was written as text; with its tags,
	// byte for byte. It was not made.
	Call
	// Closing is the closing tag of reasoning that was not opened. What stood before it is
	// most likely reasoning.
	Closing
)

// Piece is a part of an answer, in the order of the answer.
type Piece struct {
	Kind Kind
	// Begin marks the first piece of a block of reasoning or of a call. A block
	// without text has no pieces.
	Begin bool
	// Text is never empty.
	Text string
}

// Rules say what is taken out.
type Rules uint8

// The rules, to be combined.
const (
	// HideReasoning gives reasoning back as [Reasoning].
	HideReasoning Rules = 1 << iota
	// HideMemory drops echoes of memory.
	HideMemory
	// HideCalls gives calls back as [Call].
	HideCalls
	// KeepCode leaves code as it is: fenced blocks, and spans between backticks
	// on one line. A memory echo counts there as well.
	KeepCode

	// Answer is what the answer of a model asks for.
	Answer = HideReasoning | HideMemory | HideCalls | KeepCode
)

// LongestHeld is how far behind its tag, in bytes from there, the end of a block
// is looked for when the tag counts only if it is closed. Further on, a function
// or invoke tag counts as a call, and every other such tag, with those that follow
// on its line, is a mention.
const LongestHeld = 64 << 10
