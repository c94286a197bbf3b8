package place

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// network are programs that try to reach an address of this machine.
var network = map[string]string{
	"tcp":       `import socket,sys; socket.create_connection(("127.0.0.1",int(sys.argv[1])),2).send(b"x")`,
	"tcp6":      `import socket,sys; socket.create_connection(("::1",int(sys.argv[1])),2).send(b"x")`,
	"udp":       `import socket,sys; socket.socket(socket.AF_INET,socket.SOCK_DGRAM).sendto(b"x",("127.0.0.1",int(sys.argv[1])))`,
	"icmp":      `import socket; socket.socket(socket.AF_INET,socket.SOCK_DGRAM,1).sendto(b"\x08\0\xf7\xff\0\0\0\0",("127.0.0.1",0))`,
	"raw":       `import socket; socket.socket(socket.AF_INET,socket.SOCK_RAW,1)`,
	"packet":    `import socket; socket.socket(17,socket.SOCK_RAW)`,
	"netlink":   `import socket; socket.socket(16,socket.SOCK_RAW)`,
	"vsock":     `import socket; socket.socket(40,socket.SOCK_STREAM)`,
	"algorithm": `import socket; socket.socket(38,socket.SOCK_SEQPACKET)`,
	"names":     `import socket; socket.getaddrinfo("example.invalid",80) if 0 else socket.gethostbyname("example.com")`,
	"listen":    `import socket; socket.socket().bind(("127.0.0.1",0))`,
	"32 bit": `import ctypes,mmap,sys
m=mmap.mmap(-1,4096,prot=7); m.write(bytes.fromhex("53b867010000bb02000000b90100000031d2cd805bc3"))
r=ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()
sys.exit(1 if r<0 else 0)`,
	"x32":      `import ctypes,sys; sys.exit(1 if ctypes.CDLL(None).syscall(0x40000029,2,1,0)<0 else 0)`,
	"io_uring": `import ctypes,sys; b=ctypes.create_string_buffer(256); sys.exit(1 if ctypes.CDLL(None).syscall(425,4,b)<0 else 0)`,
	"clone3":   `import ctypes,sys; b=ctypes.create_string_buffer(88); b[3]=0x10; r=ctypes.CDLL(None).syscall(435,b,88); sys.exit(1 if r<0 else 0)`,
}

// canaries listen on a port for anything at all.
func canaries(t *testing.T) (port string, heard func() bool) {
	t.Helper()
	var mu sync.Mutex
	called := false
	note := func() { mu.Lock(); called = true; mu.Unlock() }
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(tcp.Addr().String())
	tcp6, err6 := net.Listen("tcp6", "[::1]:"+port)
	udp, err := net.ListenPacket("udp4", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	listen := func(l net.Listener) {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			note()
			c.Close()
		}
	}
	all.Go(func() { listen(tcp) })
	if err6 == nil {
		all.Go(func() { listen(tcp6) })
	}
	all.Go(func() {
		if _, _, err := udp.ReadFrom(make([]byte, 10)); err == nil {
			note()
		}
	})
	t.Cleanup(func() {
		tcp.Close()
		udp.Close()
		if err6 == nil {
			tcp6.Close()
		}
		all.Wait()
	})
	return port, func() bool { mu.Lock(); defer mu.Unlock(); return called }
}

func (b *box) python(code string, args ...string) (string, int) {
	b.t.Helper()
	python := "/usr/bin/python3" // others in PATH may be scripts that look for it first
	if _, err := os.Stat(python); err != nil {
		b.t.Skip("SKIPPED: no python3")
	}
	out := newOutput()
	p, err := b.Start(context.Background(), Proc{
		Argv: append([]string{python, "-c", code}, args...), Dir: b.work, Env: append(os.Environ(), "LC_ALL=C"), Stdout: out,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	exit := wait(b.t, p, 30*time.Second)
	return out.String(), exit.Code
}

func TestSandboxHasNoNetwork(t *testing.T) {
	b := newBox(t, nil)
	port, heard := canaries(t)
	for name, code := range network {
		if out, exit := b.python(code, port); exit == 0 {
			t.Errorf("%s worked: %s", name, out)
		} else if name == "tcp" && !strings.Contains(out, "Operation not permitted") {
			t.Errorf("%s: %s", name, out)
		}
	}
	if heard() {
		t.Error("somebody called")
	}
}

func TestSandboxWithNetwork(t *testing.T) {
	b := newBox(t, func(_ *box, o *SandboxOptions) { o.Network = true })
	port, heard := canaries(t)
	if out, exit := b.python(network["tcp"], port); exit != 0 {
		t.Errorf("%d, %s", exit, out)
	}
	if !b.Info().Network {
		t.Error("Network is not set")
	}
	for _, name := range []string{"packet", "vsock", "algorithm", "32 bit", "x32", "io_uring", "clone3"} {
		if out, exit := b.python(network[name], port); exit == 0 {
			t.Errorf("%s worked: %s", name, out)
		}
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 2000 {
		if heard() {
			return
		}
		<-tick.C
	}
	t.Error("nobody called")
}

// connect is a program that connects to the socket it is told.
const connect = `import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1] if sys.argv[1][0]!="@" else "\0"+sys.argv[1][1:]); print("connected")`

func TestSandboxSockets(t *testing.T) {
	dir := tempDir(t)
	outside, allowed := filepath.Join(dir, "a space"), filepath.Join(dir, "allowed")
	b := newBox(t, func(_ *box, o *SandboxOptions) { o.Sockets = []string{allowed} })
	abstract := "@place-test-" + strconv.Itoa(os.Getpid())
	cases := map[string]bool{outside: false, abstract: false, allowed: true, filepath.Join(b.work, "s"): true, filepath.Join(b.base, "s"): true}
	for name := range cases {
		l, err := net.Listen("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	for name, want := range cases {
		if name == outside && !b.system.mounts && b.system.abi < 9 || name == abstract && b.system.abi < 6 {
			continue
		}
		out, code := b.python(connect, name)
		if got := code == 0 && strings.Contains(out, "connected"); got != want {
			t.Errorf("%s: %d, %s", name, code, out)
		}
	}
}
