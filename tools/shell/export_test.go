//go:build unix

package shell

// noLimit never ends a command.
func noLimit() *limit { return &limit{} }
