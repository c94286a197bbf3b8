// Package recovery decides what is done when a model call or its answer goes
// wrong. It only decides: everything here is pure, takes what happened and a
// state, and gives an action and the state that follows it. Carrying actions out
// is the caller's work, and the caller looks at no error text to do so.
//
// There are two kinds of trouble:
//
//   - A call that failed. [Read] turns the error into a [Fault], [Policy.Next]
//     goes through the steps of recovery in their order and gives the first
//     [Action] that applies: send again, change the request, use another
//     credential, compress, wait, use another service, or give up with a sentence
//     for the user.
//   - An answer that arrived and is of no use: cut off ([Truncation]), empty
//     ([Empty]), with calls that cannot run ([Malformed]), stuck in a scratchpad
//     ([Unclosed]). Each is a small value with a Decide method that gives a [Step].
//
// States are plain values: keeping an old one is going back to it. Their zero
// values are ready, except for [State], which [Start] makes.
//
// Guarantees:
//
//   - However failures follow each other, Next reaches an [Abort] after a number of
//     actions bounded by the number of attempts, credentials and fallbacks; every
//     Decide reaches a StepStop after a bounded number of useless answers.
//   - No wait is longer than 180 s: 120 s plus half of it as jitter, or what the
//     server asks for, at most [failure.MostWait].
//   - Randomness is injected, time is an argument. Nothing is shared, so
//     everything is safe for concurrent use on different values.
//   - Texts made here hold nothing of an error beyond what
//     [failure.Failure.Sentence] shows.
//
// The package has the name of a builtin. A file that also needs the builtin
// imports it under another name.
package recovery
