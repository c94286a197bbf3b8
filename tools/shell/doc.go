// Package shell is the terminal tool: it runs shell commands for an agent.
//
// Every command runs in a fresh shell, in a session of its own, without input
// and, unless it asks for one, without a terminal. Three things last from one
// command to the next: the working directory, exported variables, and, taken once
// from the user's own start-up files, functions and aliases. Variables that are
// not exported do not last; a command that replaces the shell (exec) or sets an exit trap of its own
// leaves directory and variables as they were before it.
//
// Nothing runs without a permit of the approval gate, and what runs is exactly
// what the permit binds: arguments, directory and environment, of which a confined
// command, or one with all rights, may get a part only.
//
// A command whose permit says so runs confined. When it fails and the system refused
// it something, the user is asked, unless it has changed something, whether the same
// is run once more with all rights; the model reads the outcome of the second run, and
// in any case what was refused. What a confined command leaves is data: directory and
// variables last, but of the variables only those reach a command with all rights that
// its text names, and none that steers which programs run or what these load; its PATH
// ends with the folders that confined ones can write. Variables of the user that are named like credentials are left out
// of confined commands.
//
// A command ends with its main process. When it is interrupted or takes too
// long, everything it started is killed within a second. What it left in the
// background by itself goes on, but its output is no longer read; the model is told so
// where that is on purpose (nohup), and else advised to make a job of it.
//
// A command may run in the background instead, where [Jobs] are given: it gets
// its own input, lasts as long as it likes, and changes nothing for the commands
// that follow.
//
// sudo gets its password from the user, at the moment in which it wants one and
// never over the input of the command. The password is kept in memory until the
// shell is closed or sudo refuses it; it is in no file, argument, variable or
// result. Time spent asking is not the command's.
//
// Output goes to the sink as it comes, and to the model without control
// sequences, cut in the middle when it is long. Memory does not grow with it.
//
// The environment is the one that is given, without credentials of model
// providers and of this program; see [Options]. A [Shell] belongs to one agent
// and runs one command at a time; [Shell.Dir] may be called at any time.
package shell
