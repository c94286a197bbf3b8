package agent

import (
	"context"

	"hermes-tui/agent/recover"
)

func (t *turn) compressFor(context.Context, recover.Compress, *reply) error { return errImpossible }
