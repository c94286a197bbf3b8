package providers

// Usage counts the tokens of one answer. Input excludes cached tokens,
// Reasoning is a part of Output.
type Usage struct {
	Input      int64
	Output     int64
	CacheRead  int64
	CacheWrite int64
	Reasoning  int64
	// Charged is what the provider says the call cost, in US dollars as it wrote
	// the number; empty if it says nothing.
	Charged string
}

// Prompt is the number of tokens sent.
func (u Usage) Prompt() int64 { return u.Input + u.CacheRead + u.CacheWrite }
