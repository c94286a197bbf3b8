// Package approval decides what an agent may do without asking, asks a person
// about the rest, and makes the permits without which nothing runs.
//
// Three parts build on each other:
//
//   - [Judge] and [JudgeWrite] are pure: they look at a shell command, or at the
//     path of a file to be written, and say blocked, ask or allow, with the
//     reason. A command is parsed and followed as a shell would follow it, word
//     by word after quote removal, through wrappers, substitutions,
//     here-documents and literal code; patterns are never searched in raw text.
//     What cannot be parsed, or is not known before it runs where that matters,
//     is asked about.
//   - [Gate] applies hard blocks, stored grants, the mode and at last the
//     person's answer, in this order.
//   - [Permit] is the gate's leave. It binds the exact arguments, directory and
//     environment, and the content of the program and scripts that will run. No
//     other package can make one.
//
// Judging is done with a bounded effort: a command of more than [MaxCommand]
// characters, or one whose analysis takes too many steps, is asked about.
//
// Limits. The judge reads one command; it knows nothing of what programs, which
// are allowed because they are not known to be dangerous, do when they run. It
// is a guard against mistakes and against injected instructions, not a sandbox.
//
// A [Gate] is safe for concurrent use; the functions have no state.
package approval
