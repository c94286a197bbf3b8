// Package approval decides what an agent may do without asking, asks a user
// about the rest, and makes the permits without which nothing runs.
//
// Five parts build on each other:
//
//   - [Judge] and [JudgeWrite] are pure: they look at a shell command, or at the
//     path of a file to be written, and say blocked, ask or allow, with the
//     reason. A command is parsed and followed as a shell would follow it, word
//     by word after quote removal, through wrappers, substitutions,
//     here-documents and literal code; patterns are never searched in raw text.
//     What cannot be parsed, or is not known before it runs where that matters,
//     is asked about. A verdict also says whether the command is proved to only
//     read: by a second reading, with tables of what is known. What is proved needs
//     neither a question nor confinement.
//   - [Rules] are what a user, or a project, has written down: what never runs,
//     what is always asked about, and what needs no question. They are pure, too.
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
// # Rules
//
// A rule names tools, as "tool" or "tool*", or what one of them does, as
// "tool(pattern)". Deny wins over ask, ask over allow, whatever their order;
// nothing wins over a hard block. Deny and ask hold in every mode and place.
//
// For terminal the pattern is the words of one simple command, quotes removed. A
// star in a word is any text in it, a star as the last word any further words:
// "git log *" is "git log" and "git log -1", never "git logout". In a rule that
// allows, a star that is not a word by itself stands for no way up ("..") and not
// for the beginning of an absolute path. Other signs of patterns mean themselves.
//
//   - A rule that denies or asks is about every simple command anywhere in the
//     line: in lists, pipes and substitutions, behind env, sudo, timeout, xargs,
//     find -exec and sh -c. The program is known by its name, whatever path leads
//     to it. If it is not certain whether it matches (words are not known before it
//     runs, further options stand between, code could not be read), the user is
//     asked, in every mode.
//   - A rule that allows must match each simple command of the line, with all
//     words known, nothing assigned or declared beside them, and a program that
//     does not come from a folder the agent writes to. A few wrappers that change
//     nothing (timeout, nice, nohup …) need no rule of their own. It excuses deletions
//     and the like; what runs other code, sends data, or changes what programs and
//     agents obey only if the rule has no star; what hides, is not understood or
//     changes other programs' environment never.
//
// For write_file and patch the pattern is a path: absolute, from "~" or
// "$HERMES_HOME", or from the root of the workspace; with *, **, ?, [a-z] and {a,b}.
// What denies or asks looks at the name that was given and the one behind links, takes all
// spellings for the same that any file system does (case, accents), and includes
// what is below. What allows must match both names, and files that programs or
// agents obey only if it spells the path out. For execute_code there is only the
// pattern *. Other tools are known by name alone.
//
// # Limits
//
// Judging is done with a bounded effort: a command of more than [MaxCommand]
// characters, or one whose analysis takes too many steps, is asked about.
//
// Every shell is followed as bash is: where a plainer one leaves braces as they are
// written, rules see what bash makes of them.
//
// The judge and the rules read one command; they know nothing of what programs
// and scripts do when they run: a rule about rm does not see a script, or code of
// another language, that deletes. It is a guard against mistakes and against
// injected instructions, not a sandbox.
//
// A [Gate] is safe for concurrent use; [Rules] do not change; the functions have no
// state.
package approval
