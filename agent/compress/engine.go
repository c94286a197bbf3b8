package compress

import "hermes-tui/tools"

// Config says when and how far a history is compressed.
type Config struct {
	// Enabled allows compression before a request. [Engine.Compress] itself
	// works either way, for a request that was refused or a user who asks.
	Enabled bool
	// Threshold is the share of the context at which compression begins, from 0
	// to 1.
	Threshold float64
	// TargetRatio is the share of the threshold whose newest messages are not
	// shortened as long as there is another way; 0.10 to 0.80.
	TargetRatio float64
	// ProtectFirst is how many messages at the beginning are never left out, the
	// first user message in any case.
	ProtectFirst int
	// ProtectLast is how many at the end are shortened last.
	ProtectLast int
	// SaidOpen and SaidClose stand around what the user said while a tool ran,
	// at the end of its result. Empty marks find nothing.
	SaidOpen, SaidClose string
	// GivenOpen begins the instructions of folders behind a result, which go to its end
	// or to what the user said; empty finds none.
	GivenOpen string
}

// The limits of the settings.
const (
	leastShare, mostShare = 0.05, 1.0
	leastRatio, mostRatio = 0.10, 0.80
)

// leastThreshold is the size in tokens below which no compression begins,
// however small its share of the context.
const leastThreshold = 64_000

// goal is the share of the threshold that a request shrinks to, so that there is
// room to grow before the next compression. A larger [Config.TargetRatio] counts
// instead.
const goal = 0.5

// Window is the room a model has, in tokens.
type Window struct {
	// Max is the context window, 0 when it is not known.
	Max int
	// Reserve is kept free for the answer; 0 takes a small share of the window.
	Reserve int
}

// The room for an answer when no limit is set, and the largest share of a window
// that a limit can take.
const (
	plainReserve      = 8_192 // tokens, at most
	plainReserveShare = 8     // an eighth of the window
	mostReserveShare  = 2     // half of the window
)

// free is the window without the room for the answer.
func (w Window) free() int {
	reserve := w.Reserve
	if reserve <= 0 {
		reserve = min(plainReserve, w.Max/plainReserveShare)
	}
	return w.Max - min(reserve, w.Max/mostReserveShare)
}

// Engine compresses histories by one configuration.
type Engine struct {
	c    Config
	find func(name string) (tools.Tool, bool)
}

// New makes an engine. Settings outside their limits are taken as the nearest
// that is inside. find gives the tools whose calls stand in histories.
func New(c Config, find func(name string) (tools.Tool, bool)) *Engine {
	c.Threshold = min(max(c.Threshold, leastShare), mostShare)
	c.TargetRatio = min(max(c.TargetRatio, leastRatio), mostRatio)
	c.ProtectFirst, c.ProtectLast = max(c.ProtectFirst, 0), max(c.ProtectLast, 0)
	return &Engine{c, find}
}

// Threshold is the size of a request, in tokens, at which compression begins: the
// configured share of the window, but at least 64,000, and at most what the
// answer leaves free. It is 0 when the window is not known.
func (e *Engine) Threshold(w Window) int {
	if w.Max <= 0 {
		return 0
	}
	return min(max(int(e.c.Threshold*float64(w.Max)), leastThreshold), w.free())
}

// Begins is [Engine.Threshold] where compression begins by itself, otherwise 0.
func (e *Engine) Begins(w Window) int {
	if !e.c.Enabled {
		return 0
	}
	return e.Threshold(w)
}

// Due reports whether the history should be compressed before the next request.
// used is the size of that request, see [Gauge.Request]; messages is how many
// the history has. After two compressions in a row that saved little it is not
// due until the history has grown by a fifth.
func (e *Engine) Due(g *Gauge, used int, w Window, messages int) bool {
	limit := e.Begins(w)
	switch {
	case limit == 0, used < limit:
		return false
	case messages <= e.c.ProtectFirst+e.c.ProtectLast+1:
		return false
	}
	return !g.futile()
}

// Budget is what a history may weigh, in uncorrected estimates of tokens.
type Budget struct {
	// History is the size to reach, without system prompt and tools.
	History int
	// Tail is the size of the newest messages that are shortened last.
	Tail int
	// Summary is the room that History has for a summary of what is left out; 0 is no
	// summary.
	Summary int
}

// The room for a summary: a fifth of what the history weighs, from 2,000 to 12,000
// tokens, and at most a twentieth of the window and a quarter of the budget.
const (
	leastSummary, mostSummary = 2_000, 12_000
	summaryShare              = 5
	summaryOfWindow           = 20
	summaryOfBudget           = 4
)

// summary is the room for a summary, in uncorrected estimates of tokens.
func (e *Engine) summary(g *Gauge, w Window, budget int) int {
	n := min(max(g.history()/summaryShare, leastSummary), mostSummary, max(budget, 0)/summaryOfBudget)
	if w.Max > 0 {
		n = min(n, max(int(float64(w.Max)/g.Scale())/summaryOfWindow, leastSummary/2))
	}
	return n
}

// The smallest budget of a history is this share of the threshold, whatever the
// system prompt and tools take, and its tail takes at most three quarters of it.
const leastBudget = 0.1

// Budget is what the history may weigh after a compression. The gauge must have
// measured the request that is too large.
func (e *Engine) Budget(g *Gauge, w Window) Budget {
	limit := float64(e.Threshold(w))
	if limit == 0 {
		limit = leastThreshold
	}
	limit /= g.Scale()
	history := max(int(limit*max(goal, e.c.TargetRatio))-g.fixed, int(limit*leastBudget))
	return Budget{History: history, Tail: min(int(limit*e.c.TargetRatio), history/4*3), Summary: e.summary(g, w, history)}
}

// Tighter is the budget after a request was refused as too large, or when the
// user asks for a compression: half of what the history weighs now, or less.
func (e *Engine) Tighter(g *Gauge, w Window) Budget {
	b := e.Budget(g, w)
	b.History = min(b.History, g.history()/2)
	b.Tail, b.Summary = min(b.Tail, b.History/4*3), e.summary(g, w, b.History)
	return b
}
