package network

import (
	"net"
	"net/netip"
	"slices"
)

// special are the networks that are not, or not only, the public one, by the
// registries of special-purpose addresses (RFC 6890).
var special = prefixes(
	"0.0.0.0/8",       // this machine
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // shared by customers of a provider, and by overlay networks
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local, metadata of clouds
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocols
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // relays of 6to4
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/3",     // multicast, reserved, broadcast

	"2001::/23",     // protocols, Teredo among them
	"2001:db8::/32", // documentation
	"2002::/16",     // 6to4
	"3fff::/20",     // documentation
)

// global is what addresses of the public network are taken from, in IPv6: all
// others are local, multicast or reserved.
var global = netip.MustParsePrefix("2000::/3")

// nat64 is where a network without IPv4 puts its addresses: in the last four bytes.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// isPublic reports whether an address belongs to the public network, by its number
// alone. One that holds another address is what that is.
func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap()
	if addr.Zone() != "" {
		return false
	}
	if nat64.Contains(addr) {
		b := addr.As16()
		addr = netip.AddrFrom4([4]byte(b[12:]))
	}
	if addr.Is6() && !global.Contains(addr) {
		return false
	}
	return addr.IsValid() && !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// public picks the addresses of the public network that are none of own.
func public(addrs, own []netip.Addr) []netip.Addr {
	return slices.DeleteFunc(slices.Clone(addrs), func(a netip.Addr) bool { return !isPublic(a) || slices.Contains(own, a.Unmap()) })
}

// ownAddresses are those of this machine. What listens on all of them need not be
// meant for the network: packet filters let a machine talk to itself.
func ownAddresses() []netip.Addr {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return nil // the ranges above remain
	}
	var own []netip.Addr
	for _, a := range list {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			own = append(own, p.Addr().Unmap())
		}
	}
	return own
}
