package place

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// maxPorts bounds the ports of this machine that confined processes find in their network.
const maxPorts = 96

// localPorts are listeners in the network of confined processes, one for each port at
// which a program outside listens for this machine: whatever speaks TCP finds it where it
// would find the program, and who takes the connections decides about them.
type localPorts struct {
	mu   sync.Mutex
	of   *helperConn // whose network they are in
	open map[int]net.Listener
}

// openPorts makes the listeners those of the ports that are listened on now. A port that
// a confined process has taken stays with it.
func (s *Sandbox) openPorts() {
	if s.atPort == nil || !s.system.net {
		return
	}
	s.ports.mu.Lock()
	defer s.ports.mu.Unlock()
	s.system.mu.Lock()
	now := s.system.helper
	s.system.mu.Unlock()
	if now != s.ports.of {
		s.closePorts(nil)
		s.ports.of, s.ports.open = now, map[int]net.Listener{}
	}
	listening := listenPorts("/proc/self/net")
	s.closePorts(listening)
	var missing []int
	for _, port := range listening {
		if s.ports.open[port] == nil && len(s.ports.open)+len(missing) < maxPorts {
			missing = append(missing, port)
		}
	}
	if now == nil || len(missing) == 0 {
		return
	}
	file, err := instructions(missing)
	if err != nil {
		return
	}
	defer file.Close()
	a, files, err := s.ask(orderListen, file)
	if err != nil || len(a.Ports) != len(files) {
		closeFiles(files)
		return
	}
	for i, f := range files {
		l, err := net.FileListener(f)
		_ = f.Close() // the listener has its own
		if err == nil {
			s.ports.open[a.Ports[i]] = l
			s.atPort(l, a.Ports[i])
		}
	}
}

// closePorts closes all but these.
func (s *Sandbox) closePorts(but []int) {
	for port, l := range s.ports.open {
		if !slices.Contains(but, port) {
			_ = l.Close()
			delete(s.ports.open, port)
		}
	}
}

// listenPorts are the ports that are listened on for connections from this machine, by the
// tables in a folder; the smallest first.
func listenPorts(dir string) []int {
	var ports []int
	for _, c := range append(tcpTable(dir+"/tcp"), tcpTable(dir+"/tcp6")...) {
		if ip := c.local.IP; c.listens && c.local.Port != proxyPort && (ip.IsUnspecified() || ip.Equal(net.IPv6loopback) || ip.Equal(net.IPv4(127, 0, 0, 1))) {
			ports = append(ports, c.local.Port)
		}
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// tcpEntry is a line of /proc/net/tcp or tcp6.
type tcpEntry struct {
	local, remote net.TCPAddr
	listens       bool
	inode         string
}

func tcpTable(file string) []tcpEntry {
	data, _ := os.ReadFile(file) // none without IPv6
	var list []tcpEntry
	for line := range bytes.Lines(data) {
		f := strings.Fields(string(line))
		if len(f) < 10 {
			continue
		}
		local, ok := tcpAddress(f[1])
		remote, ok2 := tcpAddress(f[2])
		if ok && ok2 {
			list = append(list, tcpEntry{local, remote, f[3] == "0A", f[9]})
		}
	}
	return list
}

// tcpAddress reads an address as these tables write it: words of four bytes in the order
// of the machine, and a port.
func tcpAddress(text string) (net.TCPAddr, bool) {
	address, port, _ := strings.Cut(text, ":")
	ip, err := hex.DecodeString(address)
	n, err2 := strconv.ParseUint(port, 16, 16)
	if err != nil || err2 != nil || len(ip) != net.IPv4len && len(ip) != net.IPv6len {
		return net.TCPAddr{}, false
	}
	for i := 0; i < len(ip); i += 4 {
		binary.NativeEndian.PutUint32(ip[i:], binary.BigEndian.Uint32(ip[i:]))
	}
	return net.TCPAddr{IP: ip, Port: int(n)}, true
}

// listenAt opens listeners at ports of all addresses of the network, and tells which of
// them it could.
func listenAt(file int) (ports, fds []int, err error) {
	data := []int{}
	if err := told(file, &data); err != nil {
		return nil, nil, err
	}
	for _, port := range data {
		fd, err := listenOn(unix.AF_INET6, &unix.SockaddrInet6{Port: port})
		if errors.Is(err, unix.EAFNOSUPPORT) || errors.Is(err, unix.EADDRNOTAVAIL) {
			fd, err = listenOn(unix.AF_INET, &unix.SockaddrInet4{Port: port})
		}
		if err == nil {
			ports, fds = append(ports, port), append(fds, fd)
		}
	}
	return ports, fds, nil
}

func listenOn(family int, at unix.Sockaddr) (int, error) {
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return 0, fmt.Errorf("listen: %w", err)
	}
	if family == unix.AF_INET6 {
		err = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 0)
	}
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	}
	if err == nil {
		err = unix.Bind(fd, at)
	}
	if err == nil {
		err = unix.Listen(fd, unix.SOMAXCONN)
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("listen: %w", err), unix.Close(fd))
	}
	return fd, nil
}

// holders are the processes that have the other end of a connection to a listener in the
// network of confined ones.
func (s *Sandbox) holders(c net.Conn) []int {
	s.system.mu.Lock()
	helper := s.system.helper
	s.system.mu.Unlock()
	their, ok := c.RemoteAddr().(*net.TCPAddr)
	our, ok2 := c.LocalAddr().(*net.TCPAddr)
	if helper == nil || !ok || !ok2 {
		return nil
	}
	own := "/proc/" + strconv.Itoa(helper.cmd.Process.Pid)
	table := append(tcpTable(own+"/net/tcp"), tcpTable(own+"/net/tcp6")...)
	i := slices.IndexFunc(table, func(e tcpEntry) bool {
		return e.local.Port == their.Port && e.remote.Port == our.Port && e.local.IP.Equal(their.IP) && e.remote.IP.Equal(our.IP)
	})
	space, err := os.Readlink(own + "/ns/net")
	if i < 0 || err != nil {
		return nil
	}
	socket := "socket:[" + table[i].inode + "]"
	var pids []int
	for _, e := range readDir("/proc") {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if in, err := os.Readlink("/proc/" + e.Name() + "/ns/net"); err != nil || in != space {
			continue
		}
		dir := "/proc/" + e.Name() + "/fd/"
		if slices.ContainsFunc(readDir(dir), func(f os.DirEntry) bool {
			to, err := os.Readlink(dir + f.Name())
			return err == nil && to == socket
		}) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// descends reports whether a process is in the session of another, or below it.
func descends(pid int, from *process) bool {
	for at, n := pid, 0; at > 1 && n < 64; n++ {
		e, ok := readStat(at)
		if !ok {
			return false
		}
		if at == from.PID() || e.session == from.PID() {
			return true
		}
		at = e.parent
	}
	return false
}

// marked reports whether a process has the mark of another in its environment.
func marked(pid int, by *process) bool {
	env, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ") // of one that has ended nothing is known
	return slices.Contains(strings.Split(string(env), "\x00"), markName+"="+by.mark)
}
