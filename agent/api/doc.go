// Package api is what front ends know of the program: an interface for each topic, and plain
// values.
//
// A front end takes the interfaces it needs. The values are copies, safe to keep and to hand
// to other goroutines; what a method gets of them it looks at by its name and its version, so
// that a decision holds for what the user has seen. Methods may read files and wait; they take
// a context where they wait for long. Errors are sentences for the user.
package api
