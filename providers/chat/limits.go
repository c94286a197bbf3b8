package chat

import (
	"cmp"

	"hermes-tui/providers/models"
)

// atMost is a limit that holds for every model of a service.
func atMost(tokens int) func(string) int { return func(string) int { return tokens } }

// claudeOutput gives the most tokens of an answer of Claude, which has to be named
// where its maker's own protocol is spoken behind the service. Names that are not known
// are those of newer models.
func claudeOutput(model string) int { return cmp.Or(models.Of(model).Output, 128_000) }
