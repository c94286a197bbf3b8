// Package approval decides what an agent may do without asking, asks a user
// about the rest, and makes the permits without which nothing runs. What a command
// would do, and which rules are about it, it has from package shellrisk; what that
// needs to know of the machine it reads from the place.
//
//   - [Gate] applies hard blocks, rules, what the place makes harmless, stored
//     permissions, the mode and at last the user's answer; see [Gate.Decide]
//     for the order. Every decision can be recorded.
//   - A judge, in [ModeSmart], is a model behind a port ([Options].Judge). It is heard
//     where the user would be asked. It may refuse, and it may allow once what is
//     of low risk; see the tables in risk.go. Whatever it says, it cannot allow what
//     is blocked, denied by a rule, to be asked by a rule, in a folder that is not
//     trusted, or destructive. One that fails or is late is not heard.
//   - [Permit] is the gate's leave. It binds the exact arguments, directory and
//     environment, and the content of the program, of the scripts that will run and
//     of the files that build tools obey first. No other package can make one. A
//     [Grant] is bound to the same content, see [Pin].
//
// A [Gate] is safe for concurrent use.
package approval
