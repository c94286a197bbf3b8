// Package config reads the settings of the program: config.yaml, overridden by
// the environment, overridden by the command line, over built-in defaults.
//
// Guarantees:
//
//   - A [Config] is validated whole and never changes. Reading again gives
//     another value with a higher generation, or an error and the old value.
//   - Every error names its place (file, line and column, or variable, or flag)
//     and what is wrong in one sentence, without showing a secret. See [Error].
//   - Reading never writes. [Set] writes one setting in one step, under a lock
//     between processes, and keeps comments and order; it refuses to touch a
//     file that cannot be read.
//   - Keys that belong to another program with the same file layout are passed
//     over in silence; other keys that are not known give a [Warning].
//   - Hostile input is bounded: files up to 1 MB, nesting up to 100 levels,
//     aliases that add up to 10,000 nodes, ${NAME} references up to 1 MB in all.
//
// A setting exists exactly when it is a field of [Config]: its tags give key,
// default, limits, class, environment variable and documentation, and
// docs/config.md is made from them.
//
// Values are plain data, safe for concurrent reading; no one may write to the
// lists and maps in them. Functions are safe for concurrent use.
package config
