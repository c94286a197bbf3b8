// Package bind connects the ports of the packages below with each other: one
// file per port, no decisions of its own.
package bind
