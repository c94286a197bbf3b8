// Package learnings keeps what agents have learnt from calls that failed: what was
// tried, what came of it, and what worked instead.
//
// The file learnings.jsonl holds one JSON object a line: pattern, error_type, fix,
// context, tags, created_at and times_used, with id, tool, kind, project and used_at
// of our own. Members that the package does not know are kept, and so are lines that
// it cannot read: a line that another program left half written costs only itself.
//
// Guarantees:
//
//   - A change reads the file, changes it and replaces it in one step, under a lock
//     between processes: what several write at once is all there, and a process that
//     is killed leaves the file as it was or as it is to be.
//   - Texts are masked, cut to [MaxText] and free of control characters before they
//     are stored; what [Options.Scan] objects to is refused, and not given out when
//     another program has stored it.
//   - Entries that say the same are one: a new entry counts as a use of the one that is
//     there, and makes one of those that other programs have put there.
//   - The file is bounded: beyond [Options.Limit] what was used least goes first.
//
// Matching reads memory only, after one stat of the file. All methods are safe for
// concurrent use.
package learnings
