// Package prompt is the panel above the composer in which the requests of a
// session wait for the user: approvals, questions and trust in folders.
//
// Guarantees:
//
//   - Nothing is answered by accident. A request takes no keys before it was on
//     the screen and is armed: by [Quiet] without a key and with an empty draft,
//     or by tab. After each answer the next request has to be armed again, and so
//     has one that was hidden by a window or by a screen that is too small.
//     A digit or letter that stands for a row marks it, and is the answer only if no
//     text follows within [Pause]; see [Panel.Picked]. Pastes answer nothing. A batch of
//     questions is answered once, from the page that shows all its answers; each of its
//     questions takes keys once it was drawn.
//   - What is on the screen is what is answered. A request stays in sight until
//     it is answered, withdrawn or put off, whatever else arrives, and each
//     answer names its request.
//   - Nothing is lost on the way. What was taken and typed for a request stays with it
//     while others are answered, when it is put off, and when its answer is refused.
//     A request that is put off keeps its place and waits for tab.
//   - Who asks is said in full: in the header, or below the content where the header has
//     no room for it.
//   - What allows or answers something is taken only after all of it was in sight: the
//     whole action or question, the reasons, and what would be allowed from now on.
//     Denying, and giving no answer, always work.
//   - Content can't imitate the panel. It holds no control character, stands
//     behind a bar of its own, and every row of it begins with a mark that the
//     rows to choose from don't have. What has no width, piles up marks or
//     hides behind blanks is spelled out.
//   - Rows are exact in number and width.
//
// A Panel belongs to one goroutine. It runs no timer and reads no clock: the
// root tells the time and asks with [Panel.ArmAt] when to come again. Time changes
// what is shown only while [Panel.Animating], which is while the request on the
// screen has an end.
package prompt
