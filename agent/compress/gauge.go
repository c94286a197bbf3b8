package compress

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"hermes-tui/providers"
)

const (
	charsPerToken    = 4
	tokensPerMessage = 10
	tokensPerImage   = 1_500
)

// isImage tells which of a provider's own items are pictures by the provider's
// name for the kind. Pictures weigh the same whatever their encoding takes.
func isImage(kind string) bool {
	return kind == "image" || kind == "image_url" || kind == "input_image"
}

// isShadow tells which of a provider's own items add nothing to a request: they
// repeat the text or the calls of their message, of which a request has either these
// or those, or only say in which order they go.
func isShadow(kind string) bool {
	switch kind {
	case "message", "function_call", "hermes_order", "layout":
		return true
	}
	return false
}

// tokens turns a number of characters into an estimate of tokens.
func tokens(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }

// TextSize estimates the tokens of a text, ToolSize those of a tool, and Size those of
// a message.
func TextSize(text string) int { return tokens(utf8.RuneCountInString(text)) }

// ToolSize is explained at [TextSize].
func ToolSize(d providers.ToolDef) int { return tokens(toolChars(d)) }

// Size is explained at [TextSize].
func Size(m *providers.Message) int { return size(m) }

func toolChars(d providers.ToolDef) int {
	return utf8.RuneCountInString(d.Name) + utf8.RuneCountInString(d.Description) + utf8.RuneCount(d.Parameters)
}

// size estimates what a message weighs in a request. Readable reasoning is not
// sent; native items are, once.
func size(m *providers.Message) int {
	chars, pictures := 0, 0
	for _, p := range m.Parts {
		chars += utf8.RuneCountInString(p.Text)
		if p.Image != nil {
			pictures++
		}
	}
	for _, c := range m.Calls {
		chars += utf8.RuneCountInString(c.Name) + utf8.RuneCountInString(c.Arguments) + utf8.RuneCount(c.Extra)
	}
	for _, item := range m.Native {
		switch {
		case isImage(item.Kind):
			pictures++
		case !isShadow(item.Kind):
			chars += utf8.RuneCount(item.Raw)
		}
	}
	return tokens(chars) + tokensPerMessage + pictures*tokensPerImage
}

// alike reports whether two messages are the same in what [size] reads. Texts that
// were not copied are compared without being read.
func alike(a, b *providers.Message) bool {
	return a.ID == b.ID &&
		slices.EqualFunc(a.Parts, b.Parts, func(a, b providers.Part) bool {
			return a.Text == b.Text && (a.Image == nil) == (b.Image == nil)
		}) &&
		slices.EqualFunc(a.Calls, b.Calls, func(a, b providers.Call) bool {
			return a.Name == b.Name && a.Arguments == b.Arguments && bytes.Equal(a.Extra, b.Extra)
		}) &&
		slices.EqualFunc(a.Native, b.Native, func(a, b providers.Item) bool {
			return a.Kind == b.Kind && bytes.Equal(a.Raw, b.Raw)
		})
}

// Gauge estimates the requests of one agent and remembers how its compressions
// went. The zero value is ready. It belongs to the agent's goroutine.
//
// What was measured is kept by its place, for as many messages as the request
// measured last has, and counts again when it is the same message with the same
// content; so measuring costs what is new.
type Gauge struct {
	seen   []measured
	system string
	tools  []providers.ToolDef

	systemSize, toolsSize int

	total int // size of the request measured last, as estimated
	fixed int // of that, system prompt and tools
	// factor is what the provider counted per estimated token, 0 if not known.
	factor float64

	wasted int // compressions in a row that saved little
	rest   int // size of the history after the last of them
}

// measured is a message and its size.
type measured struct {
	message providers.Message
	size    int // 0: not measured
}

// Request estimates the size of a request in tokens, corrected by what the
// provider counted before.
func (g *Gauge) Request(r providers.Request) int {
	g.measureSystem(r.System)
	g.measureTools(r.Tools)
	g.fixed = g.systemSize + g.toolsSize
	g.total = g.fixed + g.messages(r.Messages)
	return int(float64(g.total) * g.Scale())
}

// messages adds the messages up.
func (g *Gauge) messages(list []providers.Message) int {
	if len(g.seen) > len(list) {
		clear(g.seen[len(list):])
		g.seen = g.seen[:len(list)]
	}
	g.seen = append(g.seen, make([]measured, len(list)-len(g.seen))...)
	total := 0
	for i := range list {
		s := &g.seen[i]
		if s.size == 0 || !alike(&s.message, &list[i]) {
			*s = measured{list[i], size(&list[i])}
		}
		total += s.size
	}
	return total
}

func (g *Gauge) measureSystem(prompt string) {
	if prompt == g.system {
		return
	}
	g.system, g.systemSize = prompt, 0
	if prompt != "" {
		g.systemSize = tokens(utf8.RuneCountInString(prompt)) + tokensPerMessage
	}
}

func (g *Gauge) measureTools(defs []providers.ToolDef) {
	if slices.EqualFunc(defs, g.tools, func(a, b providers.ToolDef) bool {
		return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
	}) {
		return
	}
	chars := 0
	for _, d := range defs {
		chars += toolChars(d)
	}
	g.tools, g.toolsSize = slices.Clone(defs), tokens(chars)
}

// A count is learned from when the estimate is not tiny, and within limits: some
// servers count what was not asked of them.
const (
	leastLearned              = 1_000 // tokens
	leastFactor, mostFactor   = 0.5, 6.0
	enoughSaved, enoughGrowth = 0.10, 0.20
	patience                  = 2
)

// Counted tells how many tokens the provider counted for the request that was
// measured last, caches included. Zero means that it did not say.
func (g *Gauge) Counted(prompt int) {
	if prompt <= 0 || g.total < leastLearned {
		return
	}
	g.factor = min(max(float64(prompt)/float64(g.total), leastFactor), mostFactor)
}

// Scale is what the service counted per estimated token, 1 if that is not known.
func (g *Gauge) Scale() float64 {
	if g.factor == 0 {
		return 1
	}
	return g.factor
}

// history is the size of the messages that were measured last.
func (g *Gauge) history() int { return g.total - g.fixed }

// Compressed notes how a compression went.
func (g *Gauge) Compressed(r Result) {
	if r.Effective() {
		g.wasted = 0
		return
	}
	g.wasted++
	g.rest = r.After
}

// Kept notes that the user wants the history as it is: it is not due until it has grown
// by a fifth.
func (g *Gauge) Kept() { g.wasted, g.rest = patience, g.history() }

// futile reports whether another compression would be one of many that save
// little.
func (g *Gauge) futile() bool {
	return g.wasted >= patience && float64(g.history()) < float64(g.rest)*(1+enoughGrowth)
}
