package guard

// Config says how patient a guard is.
type Config struct {
	// Warnings tells the model.
	Warnings bool
	// HardStops keeps calls from running and ends turns.
	HardStops            bool
	WarnAfter, StopAfter Limits
}

// Limits are how often something may happen; 0 is as often as it likes.
type Limits struct {
	// ExactFailure counts how often a call failed with the same result.
	ExactFailure int
	// SameToolFailure counts failures of one tool in a row, whatever the arguments.
	SameToolFailure int
	// NoProgress counts how often a call that only reads had the same result, and
	// how often a group of calls was gone through with the same results.
	NoProgress int
}

// reached reports whether a count is at a limit.
func reached(count, limit int) bool { return limit > 0 && count >= limit }
