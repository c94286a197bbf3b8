package network

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Hosts is a list of patterns for hosts. A pattern is the name of a host or an
// address, or "*." and a name for all that is below it, with ":PORT" at its end
// for one port only. 127.0.0.1, ::1 and localhost are the same host. An IPv6 address with a port stands in brackets. The zero value
// matches nothing. It is safe for concurrent use.
type Hosts struct{ patterns []pattern }

type pattern struct {
	name  string // canonical
	below bool   // what is below the name, not the name itself
	port  int    // 0 is any
}

// ParseHosts reads patterns. The error names the one that is wrong.
func ParseHosts(texts []string) (Hosts, error) {
	var h Hosts
	for _, text := range texts {
		p, err := parsePattern(text)
		if err != nil {
			return Hosts{}, fmt.Errorf("%q is no host: write a name (registry.npmjs.org), all below one (*.golang.org) or an address, with :PORT for one port only", text)
		}
		h.patterns = append(h.patterns, p)
	}
	return h, nil
}

func parsePattern(text string) (pattern, error) {
	var p pattern
	host := text
	if i := strings.LastIndexByte(text, ':'); i >= 0 && (strings.Count(text, ":") == 1 || text[i-1] == ']') {
		host = text[:i]
		n, err := parsePort(text[i+1:])
		if err != nil {
			return p, err
		}
		p.port = n
	}
	host, p.below = strings.CutPrefix(host, "*.")
	name, err := ParseName(host)
	if _, is := name.Addr(); err == nil && is && p.below {
		err = badName(text)
	}
	p.name = oneName(name).String()
	return p, err
}

// parsePort reads the number of a port.
func parsePort(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 || s[0] == '+' {
		return 0, fmt.Errorf("%q is no port", s)
	}
	return int(n), nil
}

// Match reports whether a pattern matches a host, in whatever way that is written.
func (h Hosts) Match(host string, port int) bool { return h.match(host, port, true) }

// Names reports whether the list has the host itself, not only what it is below.
// Only such a host may lie in a private network, see [Dialer].
func (h Hosts) Names(host string, port int) bool { return h.match(host, port, false) }

func (h Hosts) match(host string, port int, below bool) bool {
	name, err := ParseName(host)
	if err != nil {
		return false
	}
	name = oneName(name)
	for _, p := range h.patterns {
		if p.port != 0 && p.port != port {
			continue
		}
		if p.below && below && strings.HasSuffix(name.String(), "."+p.name) || !p.below && name.String() == p.name {
			return true
		}
	}
	return false
}

// ParseRanges reads ranges of addresses, like 198.18.0.0/15, for [Dialer.Fake]. An error
// names the range.
func ParseRanges(texts []string) (func(netip.Addr) bool, error) {
	var list []netip.Prefix
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%q is no range of addresses like %s", text, fakes)
		}
		if p = p.Masked(); isLocal(p) {
			return nil, fmt.Errorf("%q holds addresses of this machine, of metadata services or of private networks", text)
		}
		list = append(list, p)
	}
	return func(a netip.Addr) bool {
		return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a.Unmap()) })
	}, nil
}

// local are networks that no VPN takes addresses for names from.
var local = prefixes("0.0.0.0/8", "10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "224.0.0.0/3", "::/8", "fd00::/8", "fe80::/10", "ff00::/8")

// isLocal reports whether a range has an address in common with one of those.
func isLocal(p netip.Prefix) bool { return slices.ContainsFunc(local, p.Overlaps) }
