package ui_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hermes-tui/internal/dnstest"
	. "hermes-tui/internal/uitest"
)

// inNetwork says that this process is the one that [ownNetwork] has started.
const inNetwork = "HERMES_TEST_IN_NETWORK"

// ownNetwork runs the rest of a test in a process with a network and mounts of its own, in
// which the given addresses lead to this process and name servers are asked at 127.0.0.1. In
// that process it returns true.
func ownNetwork(t *testing.T, public netip.Prefix) bool {
	t.Helper()
	if os.Getenv(inNetwork) == "" {
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
		cmd.Env = append(os.Environ(), inNetwork+"=1", "HERMES_TUI_BIN="+Build(t))
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
		if uid := os.Getuid(); uid != 0 {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		}
		out, err := cmd.CombinedOutput()
		switch text := string(out); {
		case errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL):
			t.Skipf("SKIPPED: this machine allows no network of one's own: %v", err)
		case err == nil && strings.Contains(text, "SKIPPED:"):
			t.Skip(text[strings.Index(text, "SKIPPED:"):])
		case err != nil || !strings.Contains(text, "--- PASS: "+t.Name()):
			t.Fatalf("in a network of its own: %v\n%s", err, text)
		}
		return false
	}
	if err := errors.Join(loopbackUp(), leadsHere(public)); err != nil {
		t.Skipf("SKIPPED: a network of one's own cannot be set up: %v", err)
	}
	names, err := filepath.EvalSymlinks("/etc/resolv.conf")
	own := filepath.Join(t.TempDir(), "resolv.conf")
	if err == nil {
		err = os.WriteFile(own, []byte("nameserver 127.0.0.1\noptions attempts:1 timeout:2\n"), 0o644)
	}
	if err == nil {
		err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	}
	if err == nil {
		err = unix.Mount(own, names, "", unix.MS_BIND, "")
	}
	if err != nil {
		t.Skipf("SKIPPED: /etc/resolv.conf cannot be another one: %v", err)
	}
	return true
}

// loopbackUp switches the loopback interface on.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) // nothing was written
	r, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
}

// leadsHere has the kernel deliver what is sent to addresses to this machine, without an
// interface having them: they are not this machine's own.
func leadsHere(to netip.Prefix) error {
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	n := binary.NativeEndian
	msg := n.AppendUint32(nil, unix.SizeofNlMsghdr+unix.SizeofRtMsg+8+8)
	msg = n.AppendUint16(msg, unix.RTM_NEWROUTE)
	msg = n.AppendUint16(msg, unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE)
	msg = append(msg, 1, 0, 0, 0, 0, 0, 0, 0) // number, sender
	msg = append(msg, unix.AF_INET, byte(to.Bits()), 0, 0, unix.RT_TABLE_LOCAL, unix.RTPROT_BOOT, unix.RT_SCOPE_HOST, unix.RTN_LOCAL, 0, 0, 0, 0)
	msg = n.AppendUint16(n.AppendUint16(msg, 8), unix.RTA_DST)
	msg = append(msg, to.Addr().AsSlice()...)
	msg = n.AppendUint16(n.AppendUint16(msg, 8), unix.RTA_OIF)
	msg = n.AppendUint32(msg, uint32(lo.Index))
	if err := unix.Sendto(fd, msg, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	got, _, err := unix.Recvfrom(fd, answer, 0)
	if err == nil && got >= unix.SizeofNlMsghdr+4 {
		if code := int32(n.Uint32(answer[unix.SizeofNlMsghdr:])); code != 0 {
			err = syscall.Errno(-code)
		}
	}
	return err
}

// TestNamesThatChangeTheirMind has the agent read pages of names whose addresses lead to the
// public network when they are asked for first, and to this machine afterwards (N2): by the
// name servers of the system, over a true network. What was judged is what is connected to.
func TestNamesThatChangeTheirMind(t *testing.T) {
	public := netip.MustParsePrefix("93.184.216.0/24")
	if !ownNetwork(t, public) {
		return
	}
	site, local, metadata := netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("169.254.169.254")
	names := dnstest.Start(t, "127.0.0.1:53", map[string][][]netip.Addr{
		"turns.test.": {{site}, {local}}, "again.test.": {{site}, {local}}, "both.test.": {{local, site}}, "inside.test.": {{local}}, "meta.test.": {{metadata}},
	})
	trap := newTrapdoor(t)
	_, port, err := net.SplitHostPort(trap.addr)
	if err != nil {
		t.Fatal(err)
	}
	var served atomic.Int32
	l, err := net.Listen("tcp", net.JoinHostPort(site.String(), port))
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		w.Header().Set("Connection", "close")
		if r.URL.Path == "/leads" {
			http.Redirect(w, r, "/secret", http.StatusFound)
			return
		}
		fmt.Fprint(w, "the page of the public site")
	})}}
	server.Start()
	t.Cleanup(server.Close)

	pages := []struct{ at, want string }{
		{"turns.test:" + port + "/first", "the page of the public site"}, {"turns.test:" + port + "/second", "turns.test (127.0.0.1) is on this machine"},
		{"again.test:" + port + "/leads", "again.test (127.0.0.1) is on this machine"}, {"both.test:" + port + "/x", "the page of the public site"},
		{"inside.test:" + port + "/x", "inside.test (127.0.0.1) is on this machine"}, {"meta.test/latest/meta-data/", "meta.test (169.254.169.254) is on this machine"},
	}
	s := answers()
	for i, p := range pages {
		s.Rules = append(s.Rules, after("^go$", i, call("web_extract", map[string]any{"urls": []string{"http://" + p.at}})))
	}
	s.Rules = append(s.Rules, after("^go$", len(pages), say("Finis.")))
	d := Start(t, Options{Cols: 120, Rows: 40, Scenario: s, Config: "approvals:\n  mode: \"off\"\n", Timeout: 30 * time.Second})
	d.Type("go").Press("enter").WaitFor(Contains("Finis."))
	i := 0
	for _, m := range sent(t, d) {
		if m.Role != "tool" {
			continue
		}
		if !strings.Contains(m.Content, pages[i].want) {
			t.Errorf("%s: lacks %q: %s", pages[i].at, pages[i].want, m.Content)
		}
		i++
	}
	d.Quit().Wait()
	trap.untouched(t)
	if n := served.Load(); n != 3 || i != len(pages) {
		t.Errorf("%d requests reached the public site, %d results", n, i)
	}
	if asked := names.Asked(); len(asked) != 7 {
		t.Errorf("asked for %q: once for each connection, not more", asked)
	}
}
