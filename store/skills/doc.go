// Package skills finds skills: folders with a SKILL.md that tells an agent how some
// work is done.
//
// Guarantees:
//
//   - Reading is lenient. What is wrong with a skill is said in [Skill.Problems] or
//     [Index.Problems]; nothing that looks like a skill is passed over without a word.
//   - Of skills with one name the one of the earlier root counts. The others are in
//     [Index.Skills] as well, in the state [Shadowed].
//   - Nothing outside the folder of a skill is read on its behalf: links that lead out
//     of it are refused.
//   - A skill of a project counts only when its content, as a hash, was allowed.
//   - What was read before is kept in a cache file, by the times and sizes of folders
//     and files. What has changed is read again at the next [Library.Index].
//   - Each change of a skill of the home, by an agent or the [Curator], is in the ledger
//     before it is made, and [Writer.Rollback] takes a single one back as long as what it
//     left has not changed. A kill at any moment loses no skill.
//
// Limits: [MaxDepth] folders below a root, [MaxFolders] folders in one, [MaxFile] bytes
// of a SKILL.md. A [Library] is safe for concurrent use.
package skills
