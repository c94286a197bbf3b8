// Package process runs commands in the background of a conversation and gives
// agents the process tool to deal with them.
//
// [Jobs] is the registry of one conversation, shared by its agents. A job starts
// with a permit of the approval gate, and exactly its bytes run, confined where the
// permit says so; input that may run only confined reaches a job with all rights only
// when the user says so. It has pipes, or
// a terminal of 30 rows and 120 columns; its input stays open until it is closed.
//
// Output. The newest 200,000 characters are kept in memory. A job with pipes
// writes into a file of its own (0600, in a private folder), which is read at
// least every 100 ms while the job runs; so it loses nothing when this program
// dies. When the file has 64 MB, it is emptied; what is written in the moment
// between reading and emptying is lost then. The place opens it for appending, so nothing else
// goes wrong. While no program looks after a job, its file grows; the next program
// ends a job that has written more than 128 MB unread ([place.Local.Tidy]).
//
// Ends. A job that was ended had its whole group ended, within a second. What has
// ended is kept for 30 minutes. At most 64 jobs are kept, running ones included;
// when 64 run, another one is refused.
//
// Restart. A [Ledger] remembers the running jobs. [Jobs.Restore] finds those of
// an earlier run again: they are detached, their output goes on, they can be
// ended, but have no input any more and give no exit code. What no longer runs is
// lost and reported once. A job with a terminal ends with the program. When two
// programs restore the same jobs, both see them and either may end them.
//
// Notices. [Options.Notify] hears that a job has ended, when that was asked for
// and the agent has not seen it by poll, log or wait, and that watched output has
// appeared: at most one notice in 15 seconds for each job, and 15 in 10 seconds
// for all.
//
// Jobs is safe for concurrent use. Callbacks are called without locks and must
// not block.
package process
