package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestIsPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"1.1.1.1": true, "8.8.8.8": true, "100.63.255.255": true, "100.128.0.0": true, "172.15.0.1": true, "172.32.0.1": true,
		"192.0.1.1": true, "223.255.255.255": true, "126.255.255.255": true, "128.0.0.1": true, "169.253.0.1": true,
		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "100.64.0.1": false, "100.127.255.255": false, "127.0.0.1": false, "127.255.255.255": false,
		"169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false, "192.0.0.1": false, "192.0.2.1": false, "192.168.1.1": false,
		"198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false, "239.1.1.1": false, "240.0.0.1": false, "255.255.255.255": false,
		"2606:4700::1": true, "2a00::1": true, "2001:4860:4860::8888": true, "2001:200::1": true,
		"::": false, "::1": false, "::2": false, "::ffff:127.0.0.1": false, "::ffff:8.8.8.8": true, "::127.0.0.1": false, "::8.8.8.8": false,
		"fe80::1": false, "fe80::1%lo": false, "2606:4700::1%lo": false, "fec0::1": false, "fc00::1": false, "fd00:ec2::254": false, "ff02::1": false,
		"64:ff9b::127.0.0.1": false, "64:ff9b::10.0.0.1": false, "64:ff9b::8.8.8.8": true, "64:ff9b:1::808:808": false,
		"2002:7f00:1::": false, "2001::1": false, "2001:db8::1": false, "100::1": false, "3fff::1": false, "4000::1": false,
	} {
		if isPublic(netip.MustParseAddr(text)) != want {
			t.Errorf("%s: public is %v", text, !want)
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
	for _, own := range ownAddresses() {
		if !slices.Contains(public([]netip.Addr{own}, nil), own) != !isPublic(own) || len(public([]netip.Addr{own}, ownAddresses())) != 0 {
			t.Errorf("%s, an address of this machine", own)
		}
	}
	if len(ownAddresses()) == 0 {
		t.Error("this machine has no address")
	}
	one := netip.MustParseAddr("8.8.8.8")
	if got := public([]netip.Addr{netip.MustParseAddr("::ffff:8.8.8.8")}, []netip.Addr{one}); len(got) != 0 {
		t.Error(got)
	}
}

// dial tries a dialer and closes what it opens.
func dial(t *testing.T, d *Dialer, address string) error {
	t.Helper()
	c, err := d.DialContext(t.Context(), "tcp", address)
	if err == nil {
		c.Close()
	}
	return err
}

// No spelling of a local address is connected to, and none is looked up.
func TestDialerForbids(t *testing.T) {
	local := listen(t)
	port := portOf(local)
	d := &Dialer{Lookup: func(_ context.Context, name string) ([]netip.Addr, error) {
		if name != "localhost" {
			t.Errorf("looked up %s", name)
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}}
	for _, host := range []string{
		"127.0.0.1", "127.0.0.1.", "127.1", "0x7f.1", "0x7f000001", "017700000001", "2130706433", "0", "0.0.0.0", "１２７.0.0.1", "127。0。0。1",
		"[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]", "169.254.169.254", "localhost", "LOCALHOST.", "ｌｏｃａｌｈｏｓｔ",
	} {
		err := dial(t, d, fmt.Sprintf("%s:%d", host, port))
		if forbidden, ok := errors.AsType[*ForbiddenError](err); !ok || forbidden.Port != port {
			t.Errorf("%s: %v", host, err)
		}
	}
	for _, address := range []string{"127.0.0.1", "[fe80::1%lo]:1", "127.0.0.1.0.1:1", "a b:1", ":1", "x:http", "0x7f.0.0.1.x y:1", "127.0.0.08:1", "[127.0.0.1]:1"} {
		if err := dial(t, d, address); err == nil {
			t.Errorf("%s is connected to", address)
		}
	}
	if err := dial(t, &Dialer{}, fmt.Sprintf("localhost:%d", port)); err == nil || !strings.Contains(err.Error(), "approvals.hosts") {
		t.Errorf("by the resolver of the system: %v", err)
	}
	if _, err := d.DialContext(t.Context(), "udp", "1.1.1.1:53"); err == nil {
		t.Error("udp is connected to")
	}
	if err := local.(*net.TCPListener).SetDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := local.Accept(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("something has connected: %v", err)
	}
}

// A name is looked up once for each connection, and what was judged is connected to:
// a second answer, which leads elsewhere, does not count.
func TestRebinding(t *testing.T) {
	local := listen(t)
	answers := [][]string{{"127.0.0.1"}, {"10.1.2.3", "127.0.0.1", "::1"}, {"fe80::1%lo"}, {}}
	lookups := 0
	d := &Dialer{Lookup: func(context.Context, string) (list []netip.Addr, err error) {
		for _, text := range answers[lookups] {
			list = append(list, netip.MustParseAddr(text))
		}
		lookups++
		return list, nil
	}}
	for i := range answers {
		err := dial(t, d, fmt.Sprintf("rebinds.example:%d", portOf(local)))
		_, forbidden := errors.AsType[*ForbiddenError](err)
		if forbidden != (len(answers[i]) > 0) || err == nil || lookups != i+1 {
			t.Errorf("%v: %v after %d lookups", answers[i], err, lookups)
		}
	}
}

// Of several addresses only those that may be are tried; all of them are.
func TestDialerTriesAll(t *testing.T) {
	own := listen(t)
	d := &Dialer{
		Private: func(host string, port int) bool { return host == "db.example" && port == portOf(own) },
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.1")}, nil // nothing listens on the first
		},
		Timeout: patience,
	}
	if err := dial(t, d, fmt.Sprintf("DB.example.:%d", portOf(own))); err != nil {
		t.Error(err)
	}
	if err := dial(t, d, "db.example:1"); err == nil || !strings.Contains(err.Error(), "private network") {
		t.Errorf("another port: %v", err)
	}
	if err := dial(t, d, fmt.Sprintf("other.example:%d", portOf(own))); err == nil || !strings.Contains(err.Error(), "private network") {
		t.Errorf("another host: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := d.DialContext(ctx, "tcp", fmt.Sprintf("db.example:%d", portOf(own))); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestFakeAddresses connects to an address that a VPN makes up for a name, and to none that
// is written as one or is of this machine.
func TestFakeAddresses(t *testing.T) {
	far, err := net.Listen("tcp", "127.0.0.2:0") // stands for what the VPN takes
	if err != nil {
		t.Skipf("SKIPPED: this system has no second address of its own to listen on: %v", err)
	}
	defer far.Close()
	at := "127.0.0.2"
	d := &Dialer{
		Fake: func(a netip.Addr) bool { return a.String() == "127.0.0.2" || a.String() == "127.0.0.1" },
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr(at)}, nil
		},
		Timeout: patience,
	}
	if err := dial(t, d, fmt.Sprintf("a.example:%d", portOf(far))); err != nil {
		t.Error(err)
	}
	if _, forbidden := errors.AsType[*ForbiddenError](dial(t, d, fmt.Sprintf("127.0.0.2:%d", portOf(far)))); !forbidden {
		t.Error("written as an address, it is connected to")
	}
	at = "198.18.3.4"
	d.Lookup = func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr(at)}, nil }
	if err := dial(t, d, "a.example:443"); err == nil || !strings.Contains(err.Error(), "put 198.18.0.0/15 into security.fake_ip_ranges") {
		t.Errorf("the setting is not named: %v", err)
	}
	if err := dial(t, d, "198.18.3.4:443"); err == nil || strings.Contains(err.Error(), "fake_ip_ranges") {
		t.Errorf("an address that is written: %v", err)
	}
	for texts, want := range map[string]string{
		"198.18.0.0/15": "", "fc00::/18 28.0.0.0/8": "", "198.18.0.1": "is no range", "x": "is no range", "10.1.0.0/16": "private networks", "0.0.0.0/0": "private networks", "::/0": "private networks", "fd00::/7": "private networks", "169.254.169.254/32": "metadata",
	} {
		in, err := ParseRanges(strings.Fields(texts))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", texts, err)
		}
		if texts == "198.18.0.0/15" && (!in(netip.MustParseAddr("::ffff:198.19.255.255")) || in(netip.MustParseAddr("198.20.0.0"))) {
			t.Error("the range is another one")
		}
	}
}

// A lookup that takes too long ends with the time for connecting.
func TestDialerTimeout(t *testing.T) {
	d := &Dialer{Timeout: 10 * time.Millisecond, Lookup: func(ctx context.Context, _ string) ([]netip.Addr, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	if err := dial(t, d, "slow.example:443"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
