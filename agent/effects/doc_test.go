// Package effects_test holds the built program to its effects. It runs the program
// without a screen against a scripted model, each time in a machine of its own (a
// copy-on-write view of this one in private namespaces), and looks from outside at
// what changed: files outside the workspace, what reached the network, which keys
// the model got, which processes are left. What the program says it did counts for
// nothing here.
//
// The environment decides how much runs: HERMES_TUI_BIN names a program to test
// instead of building one. HERMES_EFFECTS=sample runs a part of each corpus, =all every
// case; without it nothing runs. HERMES_EFFECTS_CASE runs few of them, with all they
// did: red cases by their ids with commas between, others by a part of the name. Where this machine
// allows no namespaces, the tests are skipped and say so. An ordinary user tests the
// program as root of a user namespace only.
package effects_test
