package code

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// maker makes an agent in a place of some kind.
type maker func(t testing.TB, change ...func(*Options)) *bench

// everyWay runs a test with each way on which scripts reach the agent: the socket of
// this machine, the same from inside a confinement, the pipes of a relay, and the same
// over a real ssh connection. They run side by side, and may go on when it returns.
func everyWay(t *testing.T, test func(*testing.T, maker)) {
	t.Run("socket", func(t *testing.T) { t.Parallel(); test(t, newBench) })
	t.Run("confined", func(t *testing.T) { t.Parallel(); test(t, heldBench) })
	everyRelay(t, test)
}

// everyRelay leaves out the socket of this machine.
func everyRelay(t *testing.T, test func(*testing.T, maker)) {
	t.Run("relay", func(t *testing.T) { t.Parallel(); test(t, pipeBench) })
	t.Run("ssh", func(t *testing.T) {
		t.Parallel()
		host := startSSHD(t)
		test(t, host.bench)
	})
}

// heldBench makes an agent in a place that confines scripts. Where nothing can be
// confined the test is skipped.
func heldBench(t testing.TB, change ...func(*Options)) *bench {
	t.Helper()
	near := newBench(t)
	local, ok := near.at.(*place.Local)
	if !ok {
		t.Fatal("no local place")
	}
	at, err := place.NewGuarded(t.Context(), local, place.GuardedOptions{Roots: []string{near.root}})
	if errors.Is(err, place.ErrNoSandbox) {
		t.Skip("SKIPPED: scripts are not tested confined: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := at.Close(); err != nil {
			t.Error(err)
		}
	})
	b := benchAt(t, at, os.Environ(), near.root, change)
	b.mode = approval.ModeGuarded
	return b
}

// elsewhere is this machine under the name of another place.
type elsewhere struct{ place.Place }

func (e elsewhere) Info() place.Info {
	info := e.Place.Info()
	info.Name, info.Target = "docker", "box"
	return info
}

// pipeBench makes an agent that takes this machine for another place.
func pipeBench(t testing.TB, change ...func(*Options)) *bench {
	t.Helper()
	near := newBench(t)
	return benchAt(t, elsewhere{near.at}, os.Environ(), near.root, change)
}

// sshd is a server of the test's own on a loopback port.
type sshd struct {
	dir  string
	port int
}

func (s sshd) bench(t testing.TB, change ...func(*Options)) *bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	at, err := place.OpenSSH(t.Context(), place.SSHOptions{
		RemoteOptions: place.RemoteOptions{Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root}},
		Host:          "127.0.0.1", Port: s.port, User: u.Username,
		Key: filepath.Join(s.dir, "user"), Config: filepath.Join(s.dir, "ssh_config"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := at.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	b := benchAt(t, at, at.Env(), root, change)
	if err := b.Tool().Available(t.Context()); err != nil {
		t.Skip("SKIPPED: not tested over ssh: ", err)
	}
	return b
}

// startSSHD starts a real sshd. Without one the test is skipped.
func startSSHD(t testing.TB) sshd {
	t.Helper()
	program, err := exec.LookPath("sshd")
	if err != nil {
		program = "/usr/sbin/sshd"
	}
	for _, name := range []string{program, "ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("SKIPPED: not tested over ssh: ", err)
		}
	}
	if os.Getuid() == 0 {
		_ = os.MkdirAll("/run/sshd", 0o755) // sshd wants it; it is made at boot where sshd is in use
	}
	dir, err := os.MkdirTemp("/tmp", "sshd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, key := range []string{"host", "user"} {
		if out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file(key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %s", out)
		}
	}
	public, err := os.ReadFile(file("host.pub"))
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	for name, text := range map[string]string{
		"known": fmt.Sprintf("[127.0.0.1]:%d %s", port, public),
		"sshd_config": fmt.Sprintf("ListenAddress 127.0.0.1\nPort %d\nHostKey %s\nAuthorizedKeysFile %s\nPidFile none\nStrictModes no\n"+
			"UsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\nMaxStartups 100\nMaxSessions 10\nSetEnv SHLVL=5\n",
			port, file("host"), file("user.pub")),
		"ssh_config": fmt.Sprintf("UserKnownHostsFile %s\nGlobalKnownHostsFile none\nStrictHostKeyChecking yes\nIdentitiesOnly yes\n", file("known")),
	} {
		if err := os.WriteFile(file(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said strings.Builder
	cmd := exec.Command(program, "-D", "-e", "-f", file("sshd_config"))
	cmd.Stderr, cmd.WaitDelay = &said, time.Second
	if err := cmd.Start(); err != nil {
		t.Skip("SKIPPED: not tested over ssh: ", err)
	}
	stop := func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}
	if !greets(port) {
		stop()
		t.Skip("SKIPPED: not tested over ssh: sshd does not run here: ", said.String())
	}
	t.Cleanup(stop)
	return sshd{dir, port}
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// greets waits until a server of ssh answers at a port.
func greets(port int) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 250 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			line, _ := bufio.NewReader(c).ReadString('\n')
			_ = c.Close()
			if strings.HasPrefix(line, "SSH-") {
				return true
			}
		}
		<-tick.C
	}
	return false
}
