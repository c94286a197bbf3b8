// Package tmux runs the program in a real tmux: in a server of its own, with a
// socket of its own and no configuration file. It is for what a model of a
// terminal can't show. Where there is no tmux the test is skipped, and says so.
//
//	s := tmux.Start(t, tmux.Options{})
//	s.Type("hello").Press("enter").WaitIdle()
//	s.Expect(uitest.Contains("hello"))
//	s.KillServer().WaitGone()
//
// Nothing sleeps: a second client in control mode tells when the program has
// written something, and only then the screen is looked at. For what only an
// outer terminal can do (the mouse, focus, detaching and attaching again) there
// is [Session.Attach], which is a [uitest.Driver] in front of tmux.
//
// A [Session] belongs to the goroutine of its test. It needs Unix.
package tmux
