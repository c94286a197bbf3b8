package recovery

import (
	"cmp"
	"strings"
)

// Change is one way in which a request is altered so that a service takes it.
// Changes are made to the copy that is sent, never to the history.
type Change int

// The changes.
const (
	// CleanText: replace what is not valid Unicode.
	CleanText Change = iota
	// ASCIIOnly: leave out everything beyond ASCII, in the key and the headers too.
	ASCIIOnly
	// DropImages: put a note in the place of each image, and take no new ones in
	// this turn.
	DropImages
	// ShrinkImages: scale images to [Shape.ImageBytes] and [Shape.ImagePixels].
	ShrinkImages
	// DropLongContext: do not ask for the long context beta.
	DropLongContext
	// DropReasoning: leave out replayed reasoning and its signatures.
	DropReasoning
	// StopReplay: replay no encrypted reasoning.
	StopReplay
	// PlainSchemas: leave pattern and format out of the tools' schemas.
	PlainSchemas
	// SmallerAnswer: cap the answer at [Shape.MaxOutput].
	SmallerAnswer
	// WholeAnswer: do not stream.
	WholeAnswer
	// SetAside: leave out the tools that [Shape.Aside] names.
	SetAside
	// FewerTools: send [Shape.Tools] tools at most.
	FewerTools
	// FewerImages: send [Shape.Images] images at most.
	FewerImages
	// ShortIDs: make the ids of calls nine letters and digits.
	ShortIDs
	// Alternate: let the roles take turns, with images of results behind a word of the
	// model.
	Alternate
	// SignCalls: send back the signatures of all calls, with one that stands for those
	// that are missing.
	SignCalls
	// EchoReasoning: give messages with calls reasoning.
	EchoReasoning
	// PlainMessages: send nothing of a message but texts and calls that are in order.
	PlainMessages
	// OtherEffort: ask for [Shape.Effort] in place of an effort that is refused.
	OtherEffort
)

// String names the change.
func (c Change) String() string {
	names := [...]string{
		"clean text", "ASCII only", "drop images", "shrink images", "drop long context",
		"drop reasoning", "stop replay", "plain schemas", "smaller answer", "whole answer",
		"set aside", "fewer tools", "fewer images", "short ids", "alternate", "sign calls", "echo reasoning", "plain messages", "other effort",
	}
	if c < 0 || int(c) >= len(names) {
		return "unknown change"
	}
	return names[c]
}

// Shape is the form a request must have: the changes made so far. The zero value
// changes nothing.
type Shape struct {
	on uint32
	// MaxOutput caps the answer in tokens, 0 for no cap beyond the usual one.
	MaxOutput int
	// ImageBytes and ImagePixels bound each image and its longest side when
	// [ShrinkImages] is on.
	ImageBytes, ImagePixels int
	// Cap is the longest answer of the model in tokens, as its service said it; 0 for none.
	Cap int
	// Total is the room for a request and its answer together in tokens, as far as the service
	// said it; 0 for unknown.
	Total int
	// Tools and Images are how many of each are sent when [FewerTools] or [FewerImages] is on.
	Tools, Images int
	// Effort is what is asked for in place of refused when [OtherEffort] is on; empty says
	// nothing of reasoning.
	Effort, refused string
	// aside has the names of tools, each behind a line feed.
	aside string
}

// Has reports whether a change is part of the shape.
func (s Shape) Has(c Change) bool { return s.on&(1<<c) != 0 }

// Aside reports whether a tool is left out.
func (s Shape) Aside(tool string) bool { return strings.Contains(s.aside+"\n", "\n"+tool+"\n") }

// with adds a change.
func (s Shape) with(c Change) Shape {
	s.on |= 1 << c
	return s
}

// only keeps the changes given, without figures.
func (s Shape) only(keep ...Change) Shape {
	var out Shape
	for _, c := range keep {
		if s.Has(c) {
			out = out.with(c)
		}
	}
	return out
}

// forNextRequest drops what holds for one request: the smaller answer, and
// reasoning left out, since the next answer brings reasoning that is in order.
func (s Shape) forNextRequest() Shape {
	s.MaxOutput = 0
	s.on &^= 1<<SmallerAnswer | 1<<DropReasoning
	return s
}

// Lasting keeps what a service will not learn within a session.
func (s Shape) Lasting() Shape {
	out := s.only(DropLongContext, StopReplay, PlainSchemas, WholeAnswer,
		SetAside, FewerTools, FewerImages, ShortIDs, Alternate, SignCalls, EchoReasoning, PlainMessages, OtherEffort)
	out.Tools, out.Images, out.Cap, out.Total, out.aside = s.Tools, s.Images, s.Cap, s.Total, s.aside
	out.Effort, out.refused = s.Effort, s.refused
	return out
}

// And adds to a shape what another one of the same service has beyond it.
func (s Shape) And(other Shape) Shape {
	if !s.Has(FewerTools) {
		s.Tools = other.Tools
	}
	if !s.Has(FewerImages) {
		s.Images = other.Images
	}
	if !s.Has(OtherEffort) {
		s.Effort, s.refused = other.Effort, other.refused
	}
	s.Cap, s.Total = cmp.Or(s.Cap, other.Cap), cmp.Or(s.Total, other.Total)
	for tool := range strings.SplitSeq(strings.TrimPrefix(other.aside, "\n"), "\n") {
		if tool != "" && !s.Aside(tool) {
			s.aside += "\n" + tool
		}
	}
	s.on |= other.on
	return s
}
