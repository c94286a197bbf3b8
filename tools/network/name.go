package network

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// toASCII is what programs do with a name before they look it up: other scripts
// become punycode, capitals small letters, and all kinds of digits and full stops
// those of ASCII.
var toASCII = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.CheckHyphens(false), idna.StrictDomainName(false))

// Name is a host in its one form: a domain name in small ASCII letters without a
// dot at its end, or an address. It is what is judged, shown and connected to, so
// that no other spelling of it means another host.
type Name struct {
	text string
	addr netip.Addr // valid where the host is an address
}

// String is the host: an IPv6 address stands without brackets.
func (n Name) String() string { return n.text }

// Addr is the address that the host is, if it is one.
func (n Name) Addr() (netip.Addr, bool) { return n.addr, n.addr.IsValid() }

// ParseName reads a host as resolvers do. Addresses may have any form that
// inet_aton(3) takes, such as 0x7f.1 and 017700000001; an IPv6 address may stand in
// brackets, and one that maps an IPv4 address is that. An address with a zone, a
// name with anything but letters, digits, "-" and "_", and one whose last part is a
// number without being an address are errors.
func ParseName(host string) (Name, error) {
	bare := host
	if inner, ok := strings.CutPrefix(host, "["); ok {
		if bare, ok = strings.CutSuffix(inner, "]"); !ok || !strings.Contains(bare, ":") {
			return Name{}, badName(host)
		}
	}
	if strings.Contains(bare, ":") {
		addr, err := netip.ParseAddr(bare)
		if err != nil || addr.Zone() != "" {
			return Name{}, badName(host)
		}
		return addrName(addr.Unmap()), nil
	}
	if len(bare) > 4*maxName {
		return Name{}, badName(host[:maxName])
	}
	ascii, err := toASCII.ToASCII(bare)
	if err != nil {
		return Name{}, badName(host)
	}
	if again, err := toASCII.ToASCII(ascii); err != nil || again != ascii { // what is not UTF-8, say
		return Name{}, badName(host)
	}
	ascii = strings.TrimSuffix(ascii, ".")
	if !validName(ascii) {
		return Name{}, badName(host)
	}
	if last := ascii[strings.LastIndexByte(ascii, '.')+1:]; isNumber(last) {
		addr, ok := parseIPv4(ascii)
		if !ok {
			return Name{}, badName(host)
		}
		return addrName(addr), nil
	}
	return Name{text: ascii}, nil
}

func addrName(addr netip.Addr) Name { return Name{text: addr.String(), addr: addr} }

func badName(host string) error { return fmt.Errorf("%q is no host name", host) }

const (
	maxName   = 253 // bytes of a domain name
	nameBytes = "abcdefghijklmnopqrstuvwxyz0123456789-_"
)

func validName(name string) bool {
	if len(name) > maxName {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
	}
	return strings.IndexFunc(name, func(r rune) bool { return r != '.' && !strings.ContainsRune(nameBytes, r) }) < 0
}

// isNumber reports whether a resolver would take a part of a name for a number.
func isNumber(part string) bool {
	if hex, ok := strings.CutPrefix(part, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(part, "0123456789") == ""
}

// parseIPv4 reads an address of one to four numbers, the last of which fills the
// bytes that are left. Numbers are decimal, octal after "0", hexadecimal after "0x".
func parseIPv4(s string) (netip.Addr, bool) {
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		n, err := parseNumber(part)
		last := i == len(parts)-1
		switch {
		case err != nil, !last && n > 255, last && n >= 1<<(8*(5-len(parts))):
			return netip.Addr{}, false
		case last:
			sum |= n
		default:
			sum |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

func parseNumber(s string) (uint64, error) {
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		if hex == "" { // as inet_aton reads it
			return 0, nil
		}
		return strconv.ParseUint(hex, 16, 33)
	}
	if len(s) > 1 && s[0] == '0' {
		return strconv.ParseUint(s, 8, 33)
	}
	return strconv.ParseUint(s, 10, 33)
}
