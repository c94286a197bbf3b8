// Package modelcache remembers what endpoints said about their models: the lists of
// models in one file, so that choosing a model does not wait for the network, and in
// another the context windows that were learnt from errors.
//
// Guarantees:
//
//   - Files are replaced in one step, with mode 0600, under a lock between processes:
//     what another instance has written in the meantime is kept, and a crash leaves the
//     old contents or the new ones.
//   - No file holds a credential. Addresses are kept without user names and queries, and
//     accounts only as a short hash together with their address.
//   - A file that is damaged is copied to NAME.corrupt and rebuilt. A file of a later
//     version is left as it is, and nothing is remembered in it.
//   - Lists are at most 64, each of at most 10,000 models, in a file of at most 8 MB; the
//     oldest give way. Windows are in a file of at most 1 MB, which belongs to another
//     program as well: nothing of it is ever dropped.
//   - A window is written down only when it proved to be right.
//
// Reading needs no lock and looks at a file only when it has changed. Losing what is
// remembered costs time and nothing else, so callers may go on after every [*Error]. All
// methods are safe for concurrent use. Other programs that write the file of windows do
// not lock it: what they write at the same moment may be lost, as between themselves.
package modelcache
