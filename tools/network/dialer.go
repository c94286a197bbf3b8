package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// DefaultConnectTimeout bounds looking a name up and connecting to its addresses.
const DefaultConnectTimeout = 30 * time.Second

// Dialer connects to hosts of the public network. It looks names up itself and
// connects to the very addresses that it has judged, so that no second answer of a
// name server counts. The zero value works. It is safe for concurrent use.
type Dialer struct {
	// Private reports whether a host, in its one form (see [Name]), may lie on this
	// machine or in a private network. Nil: none may. It must be safe for concurrent
	// use.
	Private func(host string, port int) bool
	// Fake reports whether an address that a name server gives stands for a host that only
	// a VPN knows, which looks the name up itself. Nil: none does. It must be safe for
	// concurrent use.
	Fake func(addr netip.Addr) bool
	// Lookup gives the addresses of a name; nil asks the system.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// Parent names the proxy that a request goes through, as [http.Transport.Proxy] does; the
	// proxy looks the name up, which is judged before without that. Nil: requests go directly.
	// It must be safe for concurrent use.
	Parent func(*http.Request) (*url.URL, error)
	// Timeout is [DefaultConnectTimeout] if 0.
	Timeout time.Duration
}

// ForbiddenError says that a host lies where nothing may connect to.
type ForbiddenError struct {
	Host string
	Addr netip.Addr // the first of its addresses; invalid where only the name was judged
	Port int
}

func (e *ForbiddenError) Error() string {
	where := e.Host
	if text := e.Addr.String(); e.Addr.IsValid() && text != e.Host {
		where += " (" + text + ")"
	}
	text := fmt.Sprintf("%s is on this machine or in a private network; only approvals.hosts in the settings can allow %s",
		where, net.JoinHostPort(e.Host, strconv.Itoa(e.Port)))
	if _, named := netip.ParseAddr(e.Host); named != nil && fakes.Contains(e.Addr) {
		text += fmt.Sprintf(". Some VPNs give such addresses to all names: if yours does, put %s into security.fake_ip_ranges", fakes)
	}
	return text
}

// fakes are the addresses that VPNs usually make up.
var fakes = netip.MustParsePrefix("198.18.0.0/15")

// DialContext connects to host:port; network is "tcp". Addresses are tried one after
// the other, in the order of the system. A host without an address that may be
// connected to gives a [*ForbiddenError]; one that is no host gives an error before
// anything is looked up. Parent is not asked.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if network != "tcp" {
		return nil, net.UnknownNetworkError(network)
	}
	if parentOf(ctx) != nil {
		return dialParent(ctx, address)
	}
	name, port, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	return d.dial(ctx, name, port)
}

// splitAddress takes HOST:PORT apart.
func splitAddress(address string) (Name, int, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return Name{}, 0, fmt.Errorf("%q is not HOST:PORT", address)
	}
	name, err := ParseName(host)
	if err != nil {
		return Name{}, 0, err
	}
	n, err := parsePort(port)
	return name, n, err
}

func (d *Dialer) dial(ctx context.Context, name Name, port int) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout())
	defer cancel()
	addrs, err := d.addresses(ctx, name, port)
	if err != nil {
		return nil, err
	}
	var failed []error
	for i, addr := range addrs {
		conn, err := dialOne(ctx, netip.AddrPortFrom(addr, uint16(port)), len(addrs)-i)
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
	}
	return nil, fmt.Errorf("connect to %s: %w", name, errors.Join(failed...))
}

func (d *Dialer) timeout() time.Duration { return cmp.Or(d.Timeout, DefaultConnectTimeout) }

// dialOne connects to an address within its share of the time, which it has to
// leave some of for the others.
func dialOne(ctx context.Context, to netip.AddrPort, left int) (net.Conn, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, time.Now().Add(time.Until(end)/time.Duration(left)))
		defer cancel()
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, "tcp", to.String())
}

// addresses are where the host may be connected to; there is at least one.
func (d *Dialer) addresses(ctx context.Context, name Name, port int) ([]netip.Addr, error) {
	addrs := []netip.Addr{name.addr}
	_, literal := name.Addr()
	if !literal {
		var err error
		if addrs, err = d.lookup(ctx, name.text); err != nil {
			return nil, fmt.Errorf("look up %s: %w", name, err)
		}
	}
	if d.Private != nil && d.Private(name.text, port) {
		return addrs, nil
	}
	own := ownAddresses()
	may := public(addrs, own)
	if d.Fake != nil && !literal {
		for _, a := range addrs {
			if a = a.Unmap(); d.Fake(a) && !slices.Contains(own, a) && !slices.Contains(may, a) {
				may = append(may, a)
			}
		}
	}
	if len(may) == 0 {
		return nil, &ForbiddenError{Host: name.text, Addr: addrs[0].Unmap(), Port: port}
	}
	return may, nil
}

func (d *Dialer) lookup(ctx context.Context, name string) ([]netip.Addr, error) {
	lookup := d.Lookup
	if lookup == nil {
		lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		}
	}
	addrs, err := lookup(ctx, name)
	if err == nil && len(addrs) == 0 {
		err = errors.New("it has no address")
	}
	return addrs, err
}

// precheck refuses a host that is forbidden whatever its name leads to, without
// looking anything up.
func (d *Dialer) precheck(name Name, port int) error {
	addr, is := name.Addr()
	if name.text == localhost {
		addr, is = netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	if !is || d.Private != nil && d.Private(name.text, port) || isPublic(addr) {
		return nil
	}
	return &ForbiddenError{Host: name.text, Addr: addr, Port: port}
}
