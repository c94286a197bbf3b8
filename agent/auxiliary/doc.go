// Package auxiliary makes the model calls beside a conversation: its title, the
// opinion of a judge about an action, a record of what no longer fits, vectors.
//
// Guarantees:
//
//   - A call has a task, and a task a chain of services: the one that is set for
//     it, its fallbacks, at last the model that answers the conversation. Each is
//     asked once at most. What another service may cure goes on to the next one;
//     a refusal of the content, and a cancelled context, end the call.
//   - A service that took no money, refused the key, was over its rate or could not
//     be reached is left out for 10 minutes, in all tasks of the client; after a
//     rate limit for as long as the service asked, if that is less.
//   - Each attempt, connecting included, takes no longer than the task's timeout. A
//     context that ends gives its cause at once.
//   - An answer is what is left of it without reasoning, echoes of memory and calls
//     written as text, without white space around it, and of bounded size.
//     Nothing of it is kept here.
//   - What was used is reported for every attempt that got an answer, or a part of
//     one, also when it was of no use.
//   - No error and no reason holds a key: those of the services are masked, and what
//     looks like one.
//
// A [Client] is safe for concurrent use and starts no goroutines. Times are those of
// the clock it is given, except timeouts, which are the system's.
package auxiliary
