// Package store says where everything on disk is: the directory of a user's
// settings, sessions and memories, called HERMES_HOME, and the paths in it. The
// packages below read and write what is there.
//
// Guarantees: a [Home] is an absolute path that does not change, whatever the
// process does; nothing is created before [Home.Ensure] or a writer of a file
// asks for it; names that come from outside never lead out of the home.
//
// The directory may be shared with other instances of this program and with
// another program that uses the same layout, so files and directories that are
// not known are left alone.
package store
