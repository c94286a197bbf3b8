// Package memory keeps what an agent remembers over sessions: notes of its own in
// MEMORY.md and what it knows of the user in USER.md.
//
// A file holds entries joined by a line with a section sign, as other programs read and
// write them; their limits count the joined text in characters. What these files have
// no room for stands beside them, so that a program that does not know it still reads
// them:
//
//   - entries.json: when an entry was written and, if it is about one project, which.
//     It is found by the text of the entry; one that it does not list has neither. A text
//     that is remembered about several projects is several entries and one line of its file.
//   - ARCHIVE.jsonl: entries that had to make room, one JSON object a line.
//   - HISTORY.jsonl: the last writes, each with what it took away and added, to undo them.
//
// Changes that wait for the user, because no one was there to be asked, are files of
// another folder, each named by eight hexadecimal digits. Taking one changes the entries
// that its diff shows or none; it is removed once that is stored.
//
// Guarantees:
//
//   - A change of several operations is made whole or not at all; the limit holds for
//     what comes of it.
//   - Changes are made under locks between processes ("MEMORY.md.lock", "USER.md.lock" and
//     ".lock") and files are replaced in one step: what several write at once is all
//     there, and a process that is killed leaves each file as it was or as it is to be.
//   - What makes room is in the archive before it leaves its file. Where it cannot be
//     archived, nothing is changed.
//   - A file that does not read back to what it says, or holds an entry over the limit,
//     is copied to a ".bak" file with the time in its name and refused.
//   - Links, and whatever else is no regular file, are refused, not followed.
//
// All methods are safe for concurrent use.
package memory
