//go:build race

package uitest

// raced tells that the test was built with the race detector.
const raced = true
