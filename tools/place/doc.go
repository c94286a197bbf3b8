// Package place is where an agent works: the file system it sees and the
// processes it starts. Every tool of a conversation acts through one [Place].
//
// There are four kinds. [Local] is this machine with the user's rights. [Guarded] is
// the same, where the system confines single processes, see [Proc.Confine].
// [Sandbox] is the same with processes that the system confines to some folders
// and, unless allowed, keeps off the network. [Remote] is a container or another
// host, reached by the programs of docker, ssh or Apptainer: one shell there serves
// the files, and each process is started, watched and ended there.
//
// A Place is safe for concurrent use. Paths are absolute paths of the place.
//
// # Confinement on Linux
//
// One mechanism serves [Sandbox] and the confined processes of [Guarded]. A helper,
// this program started once per place, lives in namespaces of its own (mounts, IPC,
// network; for ordinary users also one for users), arranges the mounts, and makes each
// process by a fork that restricts itself with Landlock and seccomp before exec, by
// raw calls of the kernel only. The fork is made with CLONE_PARENT, so it is a child of
// the main program, which waits for it, kills it and finds it again as any other. A
// helper that is killed is started again; it ends with its program.
//
//   - The whole tree is read-only in mounts, since Landlock does not know modes, owners,
//     times and attributes. The roots, the folder for temporary files and layers over
//     caches are writable.
//   - Over the folder for temporary files there is one of the place's own. What others have
//     put into the real one is shown in it, read-only, each entry by a mount; sockets,
//     pipes and directories with sockets are not. [Guarded.FS] names files in the same way.
//   - Caches have an overlay whose upper folder belongs to the workspace and whose lower
//     one is never changed.
//   - Mounts are brought up to date before each start, for running processes as well,
//     where a directory with a protected or hidden path has changed (its status-change
//     time, which programs cannot set) or inotify tells of new temporary files: a start
//     takes as long however many of these there are. The helper answers once all that a
//     system may refuse has worked, and does the rest before the first process.
//   - Mounts that others make later are not seen inside, and those that they take away
//     stay in use until the place is closed.
//   - A protected path that does not exist cannot be protected beforehand: what a process
//     made there is moved aside when it ends.
//   - Without mount namespaces Landlock and seccomp remain for [Sandbox], without
//     network; single commands are not confined then, since modes, times and sockets of
//     others would not be held.
//   - An ordinary user may not read the audit records of Landlock: what was refused is
//     told by the proxy, by what was moved aside, and else by what programs print.
package place
