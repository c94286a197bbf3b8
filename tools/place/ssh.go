package place

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// SSHOptions configure [OpenSSH].
type SSHOptions struct {
	RemoteOptions
	// Program is the ssh program; empty is ssh in PATH, else an absolute path.
	Program string
	// Host is a name, an address, or an alias of the user's ssh_config.
	Host string
	// User and Port are left to ssh_config when empty and 0.
	User string
	Port int
	// Key is the file of a private key; empty leaves it to ssh_config and the
	// agent.
	Key string
	// Config is a configuration file to use instead of the user's own.
	Config string
}

// socketRoom is what ssh adds to the path of a control socket while it makes
// one; socketMost is how long such a path may be on any system.
const (
	socketRoom = 18
	socketMost = 103
)

// ssh is the transport to a host. One connection, the anchor, is shared by all
// clients where the system can do that.
type ssh struct {
	o       SSHOptions
	program string
	socket  string // empty when connections cannot be shared
	folder  string // private, of the socket

	mu     sync.Mutex // guards anchor
	anchor *anchor
}

// anchor is the client that holds the connection. It runs a program that ends
// with its input, so nothing is left when this program is killed.
type anchor struct {
	client *client
	in     *os.File
	out    *os.File
}

// OpenSSH opens another host. ssh never asks: a password or an unknown host key
// is an error that says so. The user's ssh_config holds, and with it how host
// keys are checked.
func OpenSSH(ctx context.Context, o SSHOptions) (*Remote, error) {
	o.RemoteOptions = o.filled()
	s := &ssh{o: o}
	if o.Program == "" {
		o.Program = "ssh"
	}
	var ok bool
	if s.program, ok = findClient(environ(o.Env), o.Program); !ok {
		return nil, &UnavailableError{
			Place: s.name(), What: o.Program + " is not installed or not in PATH",
			Next: "install OpenSSH's client, or choose another terminal.backend",
		}
	}
	switch {
	case o.Host == "":
		return nil, &UnavailableError{Place: s.name(), What: "no host is set", Next: "set terminal.ssh_host"}
	case strings.HasPrefix(o.Host, "-") || strings.HasPrefix(o.User, "-") || strings.ContainsAny(o.Host+o.User, " \t\r\n'\""):
		return nil, &UnavailableError{Place: s.name(), What: "the host or user is not a name", Next: "correct terminal.ssh_host and ssh_user"}
	}
	if err := s.makeFolder(); err != nil {
		return nil, err
	}
	return openRemote(ctx, s, o.RemoteOptions)
}

// makeFolder makes a private directory for the control socket. Every place has
// its own, so two of them never share a connection.
func (s *ssh) makeFolder() error {
	if !multiplexes() {
		return nil
	}
	for _, temp := range []string{s.o.Temp, "/tmp"} {
		name, err := randomName(s.o.Rand)
		if err != nil {
			return fmt.Errorf("open ssh: %w", err)
		}
		folder := filepath.Join(temp, "hermes-"+name[:12])
		if len(folder)+len("/s")+socketRoom > socketMost {
			continue
		}
		if err := os.Mkdir(folder, 0o700); err == nil {
			s.folder, s.socket = folder, filepath.Join(folder, "s")
			return nil
		}
	}
	return nil // each client connects for itself
}

func (s *ssh) name() string { return "ssh" }
func (s *ssh) dir() string  { return "" }

func (s *ssh) notes() []string {
	if s.socket == "" {
		return []string{"connections cannot be shared here: each command connects again"}
	}
	return nil
}

func (s *ssh) target() string {
	if s.o.User == "" {
		return s.o.Host
	}
	return s.o.User + "@" + s.o.Host
}

func (s *ssh) describe(info *Info) {
	info.Name, info.Target, info.Network = s.name(), s.target(), true
	info.Isolated = false // it may be this machine, or mount its files
}

// base is the command line up to the host.
func (s *ssh) base(master string) []string {
	argv := []string{s.program}
	if s.o.Config != "" {
		argv = append(argv, "-F", s.o.Config)
	}
	seconds := max(1, int(s.o.Connect.Seconds()))
	options := []string{
		"BatchMode=yes", "ConnectTimeout=" + strconv.Itoa(seconds), "ConnectionAttempts=1",
		"ServerAliveInterval=15", "ServerAliveCountMax=3", "EscapeChar=none", "LogLevel=ERROR",
		"ClearAllForwardings=yes", "PermitLocalCommand=no", "RemoteCommand=none", "ForkAfterAuthentication=no",
	}
	if s.socket == "" {
		options = append(options, "ControlMaster=no", "ControlPath=none")
	} else {
		options = append(options, "ControlMaster="+master, "ControlPath="+percent(s.socket), "ControlPersist=no")
	}
	for _, option := range options {
		argv = append(argv, "-o", option)
	}
	if s.o.Port != 0 {
		argv = append(argv, "-p", strconv.Itoa(s.o.Port))
	}
	if s.o.Key != "" {
		argv = append(argv, "-i", s.o.Key)
	}
	if s.o.User != "" {
		argv = append(argv, "-l", s.o.User)
	}
	return argv
}

// percent protects a path from ssh's own replacements.
func percent(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// argv runs a program on the host. The user's login shell there reads the
// command; the words hold nothing that any of them would take apart.
func (s *ssh) argv(spec clientSpec) []string {
	argv := s.base("no")
	if spec.terminal {
		argv = append(argv, "-tt")
	} else {
		argv = append(argv, "-T")
	}
	quoted := make([]string, len(spec.words))
	for i, w := range spec.words {
		quoted[i] = "'" + w + "'"
	}
	return append(argv, "--", s.o.Host, "exec "+strings.Join(quoted, " "))
}

// ready makes the shared connection.
func (s *ssh) ready(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.socket == "" || s.anchor != nil && !closed(s.anchor.client.done) {
		return nil
	}
	if s.anchor != nil {
		s.anchor.close()
		s.anchor = nil
	}
	_ = os.Remove(s.socket) // of a connection that broke
	a, err := s.drop(ctx)
	if err != nil {
		return err
	}
	s.anchor = a
	return nil
}

// drop starts an anchor and waits until it holds: what it is sent comes back.
func (s *ssh) drop(ctx context.Context) (*anchor, error) {
	word, err := randomName(s.o.Rand)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect: %w", err), inR.Close(), inW.Close())
	}
	argv := append(s.base("yes"), "-T", "--", s.o.Host, "exec cat")
	c, err := startClient(argv, s.o.Env, clientFiles{in: inR, out: outW})
	_ = inR.Close()
	_ = outW.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect: %w", err), inW.Close(), outR.Close())
	}
	a := &anchor{client: c, in: inW, out: outR}
	stop := context.AfterFunc(ctx, func() { killClient(c.cmd.Process) })
	err = a.echo(word)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, s.failed(ctx, a, err)
	}
	return a, nil
}

// echoLimit bounds what start-up files of a login shell may print.
const echoLimit = 256 << 10

// echo sends a word and waits for it.
func (a *anchor) echo(word string) error {
	if _, err := io.WriteString(a.in, word+"\n"); err != nil {
		return err
	}
	lines := bufio.NewReader(io.LimitReader(a.out, echoLimit))
	for {
		line, err := lines.ReadString('\n')
		if strings.HasSuffix(line, word+"\n") {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (a *anchor) close() {
	_ = a.in.Close()
	a.client.end()
	_ = a.out.Close()
}

// failed says why the host cannot be reached.
func (s *ssh) failed(ctx context.Context, a *anchor, err error) error {
	a.close()
	said := a.client.said.words()
	if known := s.explain(said); known != nil {
		known.Place, known.Said, known.Err = s.name(), said, err
		return known
	}
	u := &UnavailableError{
		Place: s.name(), What: "no connection to " + s.target(), Said: said,
		Next: "try it by hand: ssh " + s.target(), Err: err,
	}
	if ctx.Err() != nil {
		u.What, u.Err = "no connection to "+s.target()+" in time", context.Cause(ctx)
	}
	return u
}

// explain knows what ssh says, in lower case.
func (s *ssh) explain(said string) *UnavailableError {
	who := s.target()
	return explain(said, []knownFailure{
		{"remote host identification has changed", "the key of " + who + " is not the one that is known", "find out why before you go on; if it is right, ssh-keygen -R " + s.o.Host},
		{"host key verification failed", "the key of " + who + " is not known yet", "connect once by hand (ssh " + who + ") and check its fingerprint"},
		{"no matching host key", "no kind of host key is shared with " + who, "see the HostKeyAlgorithms of both sides"},
		{"too many authentication failures", who + " refused the keys", "set terminal.ssh_key to the right one"},
		{"unprotected private key file", "others can read the private key", "chmod 600 it"},
		{"permission denied", who + " refused the login", "set terminal.ssh_key or load the key into the agent (ssh-add); a password cannot be asked for here"},
		{"could not resolve hostname", "the host " + s.o.Host + " is not known", "correct terminal.ssh_host"},
		{"connection refused", who + " takes no ssh connections", "see that sshd runs there and terminal.ssh_port is right"},
		{"connection timed out", who + " does not answer", "see that the host is up and the network reaches it"},
		{"operation timed out", who + " does not answer", "see that the host is up and the network reaches it"},
		{"no route to host", who + " cannot be reached", "see that the host is up and the network reaches it"},
		{"network is unreachable", who + " cannot be reached", "see that this machine is online"},
		{"bad configuration option", "ssh_config has an option that ssh does not know", "correct it"},
		{"bad owner or permissions", "ssh does not trust its own configuration file", "chmod 600 it"},
		{"this account is", who + " does not let this account in", "choose another terminal.ssh_user"},
		{"broken pipe", "the connection to " + who + " broke", "try again"},
		{"closed by remote host", who + " closed the connection", "try again"},
		{"connection reset", who + " closed the connection", "try again"},
		{"not responding", who + " does not answer any more", "try again when the network is back"},
	})
}

// close ends the shared connection and with it whatever still uses it.
func (s *ssh) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.anchor != nil {
		s.anchor.close()
		s.anchor = nil
	}
	if s.folder == "" {
		return nil
	}
	return os.RemoveAll(s.folder)
}
