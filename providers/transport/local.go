package transport

import (
	"net"
	"net/netip"
	"strings"
)

// IsLocal reports whether a host is this machine or one nearby, where a model may
// take minutes to load before the first byte: loopback, unspecified, private,
// link-local and carrier-grade NAT (100.64.0.0/10, as overlay networks use it)
// addresses, localhost, the names that container tools give to the machine they
// run on, and names without a dot. The host may carry a port, brackets or a
// zone.
func IsLocal(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if addr, err := netip.ParseAddr(host); err == nil {
		return isLocalAddr(addr.Unmap())
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" {
		return false
	}
	if !strings.Contains(host, ".") {
		return true
	}
	for _, suffix := range []string{".localhost", ".docker.internal", ".containers.internal", ".lima.internal"} {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}

func isLocalAddr(a netip.Addr) bool {
	return a.IsLoopback() || a.IsUnspecified() || a.IsPrivate() || a.IsLinkLocalUnicast() ||
		netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64, 0, 0}), 10).Contains(a)
}
