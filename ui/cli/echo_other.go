//go:build !unix

package cli

// hide is nil: what is typed cannot be hidden here.
func (s *sys) hide() func() func() { return nil }
