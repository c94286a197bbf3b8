// Package shellrisk says what a shell command, or writing a file, would do: whether it
// is harmless, to be asked about or never to run, and which rules of a user are about it.
// It is pure: text and what [Setting] tells of the surroundings go in, a [Verdict] and a
// [Survey] come out. It reads no file, starts nothing and keeps no state.
//
// # Limits
//
//   - It reads one command. What programs and scripts do when they run it does not
//     know: a rule about rm sees neither a script nor code of another language that
//     deletes. It is a guard against mistakes and injected instructions, not a sandbox;
//     what is not proved harmless is for confinement to hold.
//   - An allowed command is one without a known reason to ask. Only [Verdict].Proved
//     says that it is known to do nothing but read.
//   - Every shell is followed as bash is: where a plainer one leaves braces as they
//     are written, rules see what bash makes of them. Aliases and functions of the
//     user's own start-up files are not known.
//   - Files may change between judging and running. Whoever runs what was judged has
//     to bind what it named (Runs, [Survey.Names]) to its content.
//   - Programs are known by tables. An option that is not in them is taken for one that
//     may do harm where the program is a wrapper, and for harmless elsewhere.
//   - The effort is bounded: a command of more than [MaxCommand] characters, or one
//     that takes too many steps, is asked about. A shell may be in up to eight states
//     at a time; beyond, what differs is unknown.
//
// # What it promises
//
//   - [Judge] follows a command as bash would, word by word after quote removal,
//     through wrappers, substitutions, here-documents, functions and literal code;
//     patterns are never searched in raw text. Where more than one thing may be so,
//     the strictest counts: both sides of a list, a folder that may be missing, all
//     places to which the command itself has linked a path.
//   - What cannot be parsed, or is not known before it runs where that matters, is
//     asked about; what no mode may run is blocked whatever is not known beside it.
//   - A verdict is proved by a second reading with tables of what is known, which shares
//     the expansion of words with the first and nothing else.
//   - [JudgeWrite] judges the name of a file, [JudgeRead] and [JudgeScript] ask.
//   - [Rules] are what a user, or a project, has written down: what never runs, what is
//     always asked about, and what needs no question. They are matched here, since they
//     are about what a shell would run, not about text.
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
// [Rules] do not change; all of it is safe for concurrent use.
package shellrisk
