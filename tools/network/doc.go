// Package network is the way out for programs that are not trusted with a network
// of their own, and for tools that fetch what a model asks for.
//
//   - [Hosts] are the patterns by which settings allow hosts. A host has one form
//     ([Name]), in which it is compared, asked about, looked up and connected to.
//   - [Dialer] connects to public hosts. What leads to this machine or into a private
//     network is refused after the lookup, and the address that was judged is the one
//     connected to. Nothing is looked up before it may be: a name can carry data.
//   - [Proxy] speaks HTTP, with tunnels, and SOCKS 5 on one port to processes that
//     have credentials of their own each, and asks about each host that a process
//     wants, while the connection waits.
//
// What a process can hold is bounded: connections, hosts, questions at a time, bytes
// of a header, time until a request is complete, and silence in a tunnel. The end of
// a process closes its connections; after Close no goroutine of a proxy is left.
package network
