// Package repair mends what models write carelessly: the arguments of a tool
// call, the name of a tool, the order of messages.
//
// It mends form and never content. No string is invented, shortened or altered,
// and text that was cut off is reported as such, so that a tool that changes
// anything never runs on a guess. All functions are pure, run in linear time
// (names: in the size of the list) and are safe for concurrent use.
package repair
