//go:build !linux

package cli

// runBelowInit does nothing where there are no containers.
func runBelowInit() (handled bool, code int) { return false, 0 }
