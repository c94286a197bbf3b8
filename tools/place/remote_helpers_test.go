//go:build unix

package place

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// host is a place under test.
type host struct {
	name string
	// open opens the place; the test closes it.
	open func(t testing.TB) *Remote
	// shared says that it sees the files of this machine.
	shared bool
}

// remoteHosts are the places that are not this machine and can be had here.
func remoteHosts() []host {
	return []host{
		{"ssh", func(t testing.TB) *Remote { return openSSH(t, startSSHD(t), nil) }, true},
		{"docker", func(t testing.TB) *Remote { return openDocker(t, standIn(t), nil) }, true},
		{"singularity", func(t testing.TB) *Remote { return openSingularity(t, standIn(t)) }, true},
		{"engine", openEngine, false},
	}
}

// TestPlace holds every place to the same behaviour; this machine comes first,
// as the oracle.
func TestPlace(t *testing.T) {
	t.Run("local", func(t *testing.T) { t.Parallel(); behave(t, newLocal(t)) })
	for _, h := range remoteHosts() {
		t.Run(h.name, func(t *testing.T) { t.Parallel(); behave(t, h.open(t)) })
	}
}

func behave(t *testing.T, p Place) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Place)
	}{
		{"HostileNames", placeHostileNames},
		{"HostileDirectories", placeHostileDirectories},
		{"LargeFile", placeLargeFile},
		{"FileThatGrows", placeFileThatGrows},
		{"Refuses", placeRefuses},
		{"Resolve", placeResolve},
		{"Modes", placeModes},
		{"WritesAtomically", placeWritesAtomically},
		{"ConcurrentUse", placeConcurrentUse},
		{"ExitCodes", placeExitCodes},
		{"HandsOverExactly", placeHandsOverExactly},
		{"Streams", placeStreams},
		{"LargeOutput", placeLargeOutput},
		{"StartErrors", placeStartErrors},
		{"Kill", placeKill},
		{"LeavesBackground", placeLeavesBackground},
		{"Terminal", placeTerminal},
		{"TerminalInterrupt", placeTerminalInterrupt},
		{"TerminalKill", placeTerminalKill},
		{"Log", placeLog},
		{"LogKill", placeLogKill},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, p) })
	}
}

// clientEnv is the environment of client programs in tests.
func clientEnv(t testing.TB) []string {
	t.Helper()
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
}

func closing(t testing.TB, r *Remote) *Remote {
	t.Helper()
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return r
}

// sshd is a server of the test's own.
type sshd struct {
	dir  string
	port int
}

// startSSHD starts a real sshd on a loopback port.
func startSSHD(t testing.TB) sshd {
	t.Helper()
	program, err := exec.LookPath("sshd")
	if err != nil {
		if program = "/usr/sbin/sshd"; !isProgram(program) {
			t.Skip("SKIPPED: there is no sshd on this machine")
		}
	}
	for _, name := range []string{"ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIPPED: there is no %s on this machine", name)
		}
	}
	if os.Getuid() == 0 {
		_ = os.MkdirAll("/run/sshd", 0o755) // sshd wants it; it is made at boot where sshd is in use
	}
	dir := tempDir(t)
	for _, key := range []string{"host", "user"} {
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput()
		if err != nil {
			t.Skipf("SKIPPED: ssh-keygen: %s", out)
		}
	}
	port := freePort(t)
	write(t, filepath.Join(dir, "authorized"), read(t, filepath.Join(dir, "user.pub")))
	write(t, filepath.Join(dir, "known"), fmt.Sprintf("[127.0.0.1]:%d %s", port, read(t, filepath.Join(dir, "host.pub"))))
	write(t, filepath.Join(dir, "sshd_config"), strings.Join([]string{
		"ListenAddress 127.0.0.1", "Port " + strconv.Itoa(port), "HostKey " + filepath.Join(dir, "host"),
		"AuthorizedKeysFile " + filepath.Join(dir, "authorized"), "PidFile none", "StrictModes no", "UsePAM no",
		"PasswordAuthentication no", "PermitRootLogin prohibit-password", "MaxStartups 100", "MaxSessions 10",
		"SetEnv SHLVL=5", // keeps bash from reading the user's start-up files, which would be measured as well
		"",
	}, "\n"))
	write(t, filepath.Join(dir, "ssh_config"), strings.Join([]string{
		"UserKnownHostsFile " + filepath.Join(dir, "known"), "GlobalKnownHostsFile none",
		"StrictHostKeyChecking yes", "IdentitiesOnly yes", "",
	}, "\n"))
	cmd := exec.Command(program, "-D", "-e", "-f", filepath.Join(dir, "sshd_config"))
	said := &tail{}
	cmd.Stderr = said
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Skip("SKIPPED: sshd: ", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if !answers(port) {
		t.Skipf("SKIPPED: sshd does not run here: %s", said.words())
	}
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

// answers waits until a port greets.
func answers(port int) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 250 {
		c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err == nil {
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

func (s sshd) options(t testing.TB) SSHOptions {
	t.Helper()
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return SSHOptions{
		RemoteOptions: RemoteOptions{Env: clientEnv(t)},
		Host:          "127.0.0.1", Port: s.port, User: u.Username, Key: filepath.Join(s.dir, "user"), Config: filepath.Join(s.dir, "ssh_config"),
	}
}

func openSSH(t testing.TB, s sshd, change func(*SSHOptions)) *Remote {
	t.Helper()
	o := s.options(t)
	if change != nil {
		change(&o)
	}
	r, err := OpenSSH(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, r)
}

// standIn is an engine of the test's own: real processes in namespaces of their
// own, over the files of this machine.
type engine struct {
	program string
	env     []string
}

func standIn(t testing.TB) engine {
	t.Helper()
	if runtime.GOOS != "linux" || exec.Command("unshare", "--pid", "--fork", "--mount", "--mount-proc", "--kill-child", "true").Run() != nil {
		t.Skip("SKIPPED: namespaces cannot be made here (needs Linux and root)")
	}
	if _, err := exec.LookPath("nsenter"); err != nil {
		t.Skip("SKIPPED: there is no nsenter on this machine")
	}
	script, err := filepath.Abs("testdata/engine.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := tempDir(t)
	e := engine{program: filepath.Join(dir, "docker"), env: append(clientEnv(t), "ENGINE_STATE="+tempDir(t))}
	// By name, so that a copy of the tree without modes works as well.
	writeProgram(t, e.program, "#!/bin/sh\nexec /bin/sh "+shellWord(script)+` "$@"`+"\n")
	return e
}

func writeProgram(t testing.TB, name, text string) {
	t.Helper()
	// A process that another test starts meanwhile would have the file open for writing
	// until it is another program, and what is open for writing cannot be started.
	syscall.ForkLock.RLock()
	err := os.WriteFile(name, []byte(text), 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
}

func (e engine) options(t testing.TB) DockerOptions {
	t.Helper()
	return DockerOptions{
		RemoteOptions: RemoteOptions{Env: e.env}, Engine: e.program, Image: "image:1", Workspace: tempDir(t),
		CPUs: 1, MemoryMB: 512, DiskMB: 1024,
	}
}

func openDocker(t testing.TB, e engine, change func(*DockerOptions)) *Remote {
	t.Helper()
	o := e.options(t)
	if change != nil {
		change(&o)
	}
	r, err := OpenDocker(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, r)
}

func openSingularity(t testing.TB, e engine) *Remote {
	t.Helper()
	r, err := OpenSingularity(context.Background(), SingularityOptions{
		RemoteOptions: RemoteOptions{Env: e.env}, Program: e.program, Image: "image:1", Workspace: tempDir(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, r)
}

// in runs a script in a place and gives its output and exit code.
func in(t testing.TB, p Place, script string, input io.Reader) (string, int) {
	t.Helper()
	var out bytes.Buffer
	proc, err := p.Start(context.Background(), Proc{
		Argv: []string{"/bin/sh", "-c", script}, Dir: "/", Env: testEnv, Stdin: input, Stdout: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	exit := wait(t, proc, 60*time.Second)
	return out.String(), exit.Code
}

// scratch is a private directory in a place.
func scratch(t testing.TB, p Place) string {
	t.Helper()
	dir, remove, err := p.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(); err != nil {
			t.Errorf("remove scratch: %v", err)
		}
	})
	return dir
}

// lives reports whether a process of a place runs.
func lives(t testing.TB, p Place, pid int) bool {
	t.Helper()
	out, _ := in(t, p, "exec 2>/dev/null; cat /proc/"+strconv.Itoa(pid)+"/stat", nil)
	return out != "" && !strings.Contains(out, ") Z ")
}

func put(t testing.TB, p Place, name, data string) {
	t.Helper()
	if err := p.FS().WriteAtomic(name, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, p Place, name string) string {
	t.Helper()
	f, err := p.FS().Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// eachRemote runs a test in every place that is not this machine, side by side.
func eachRemote(t *testing.T, test func(t *testing.T, r *Remote)) {
	for _, h := range remoteHosts() {
		t.Run(h.name, func(t *testing.T) { t.Parallel(); test(t, h.open(t)) })
	}
}
