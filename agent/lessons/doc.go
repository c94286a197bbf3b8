// Package lessons learns from calls that fail: one that fails, and one of the same
// kind that does the same thing in another way and works, teach what to do next
// time. What was learnt is put behind the result of a later call that fails in the
// same way, or that runs with all rights of the user.
//
// A lesson is drawn only where what changed between two calls is the likely cause:
// the failure is one of how something was called (see [Classify]), nothing was
// changed in files between them, and the call that works still does all that the
// first one was to do. A test that fails and passes after an edit teaches nothing.
// Nothing is kept of what strangers may have written.
package lessons
