//go:build !unix

package screen

import "context"

// scrolls says that terminals scroll regions as they should. Windows Terminal
// loses its margins (microsoft/terminal issue 19016).
const scrolls = false

// Suspend does nothing: there are no jobs on this system.
func (t *Terminal) Suspend() {}

// signals has nothing to wait for: sizes arrive with the keys.
func (t *Terminal) signals(context.Context) {}

// drop does nothing: output cannot be taken back on this system.
func (t *Terminal) drop() {}

// dropInput does nothing, like drop.
func (t *Terminal) dropInput() {}
