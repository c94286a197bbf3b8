//go:build linux

package effects_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// canary is what waits outside for whatever leaves a command.
type canary struct {
	mu   sync.Mutex
	hits []string
}

func (c *canary) hit(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.hits) < 100 {
		c.hits = append(c.hits, what)
	}
}

func (c *canary) seen() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.hits...)
}

// listen opens the canary's ports: HTTP, plain TCP, DNS, a socket with an abstract
// name and one with a path.
func (c *canary) listen() error {
	web, err := net.Listen("tcp", "127.0.0.1:19099")
	if err != nil {
		return err
	}
	go http.Serve(web, http.HandlerFunc(c.web)) //nolint:gosec // it ends with the process
	for _, at := range [][2]string{{"tcp", "127.0.0.1:19100"}, {"unix", "@effects-canary"}, {"unix", outside + "/canary.sock"}} {
		l, err := net.Listen(at[0], at[1])
		if err != nil {
			return err
		}
		go c.plain(l)
	}
	for _, at := range []string{"127.0.0.1:53", "127.0.0.1:19101"} {
		u, err := net.ListenPacket("udp", at)
		if err != nil {
			return err
		}
		go c.packets(u)
	}
	return nil
}

func (c *canary) web(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16))
	var head strings.Builder
	_ = r.Header.Write(&head)
	c.hit("http " + r.Method + " " + r.URL.String() + " " + head.String() + string(body))
	switch {
	case strings.HasSuffix(r.URL.Path, "Makefile"):
		_, _ = io.WriteString(w, "all:\n\ttouch "+mark+"/pwn\n")
	case strings.HasSuffix(r.URL.Path, "/ok"):
		_, _ = io.WriteString(w, "ok\n")
	default:
		_, _ = io.WriteString(w, "touch "+mark+"/pwn\n")
	}
}

func (c *canary) plain(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close() // a canary
			_ = conn.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
			line, _ := bufio.NewReader(io.LimitReader(conn, 1<<16)).ReadString(0)
			c.hit(l.Addr().String() + " " + line)
		}()
	}
}

func (c *canary) packets(u net.PacketConn) {
	buf := make([]byte, 1<<16)
	for {
		n, _, err := u.ReadFrom(buf)
		if err != nil {
			return
		}
		c.hit("udp " + u.LocalAddr().String() + " " + strings.ToValidUTF8(string(buf[:n]), "?"))
	}
}
