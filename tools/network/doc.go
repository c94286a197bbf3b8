// Package network is the way out for programs that are not trusted with a network
// of their own, and for tools that fetch what a model asks for.
//
//   - [Hosts] are the patterns by which settings allow hosts.
package network
