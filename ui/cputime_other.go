//go:build !linux && !darwin

package ui

import "time"

// threadTime is 0: this system does not say what a thread has used.
func threadTime() time.Duration { return 0 }
