package place

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"hermes-tui/store/atomicfile"
)

// able is a file that remembers what was tried, so that a place which runs nothing need
// not start a helper to know that it could: a line for each set of options, the newest
// first, of a key and the words net and bare. Whoever changes it gets processes that are
// not started, or a place that says it cannot confine any.
const able = "able"

// maxAble is how many are remembered.
const maxAble = 64

// ableKey names everything on which it depends what the system can do.
func (s *Sandbox) ableKey() string {
	sum := sha256.New()
	for _, name := range []string{"random/boot_id", "apparmor_restrict_unprivileged_userns", "unprivileged_userns_clone"} {
		text, _ := os.ReadFile("/proc/sys/kernel/" + name) // not every system has all
		fmt.Fprintf(sum, "%q", text)
	}
	spaces, _ := os.ReadFile("/proc/sys/user/max_user_namespaces")
	var st unix.Stat_t
	_ = unix.Stat("/proc/self/exe", &st) // without it another program may be taken for this one, which fails later instead
	sp := s.spec()
	sp.Writable, sp.Hidden, sp.Base = raw(s.o.Roots), raw(s.o.Hidden), nil // the others are new each time
	for i := range sp.Caches {
		sp.Caches = slices.Clone(sp.Caches)
		sp.Caches[i] = layer{Dir: sp.Caches[i].Dir}
	}
	what, _ := json.Marshal(sp) // texts and numbers
	fmt.Fprintf(sum, "%q %d %d %d %d %d %q %s", spaces, os.Geteuid(), st.Dev, st.Ino, st.Size, st.Mtim.Nano(), s.o.Helper, what)
	return hex.EncodeToString(sum.Sum(nil))
}

// recall takes what was found out before for what it is, and reports whether there was.
func (s *Sandbox) recall(key string) bool {
	for _, line := range s.abilities() {
		if words := strings.Fields(line); words[0] == key {
			s.system.mounts, s.system.net, s.bare = true, slices.Contains(words, "net"), slices.Contains(words, "bare")
			return true
		}
	}
	return false
}

// abilities are the lines of the file.
func (s *Sandbox) abilities() []string {
	if s.state == "" {
		return nil
	}
	text, _ := os.ReadFile(filepath.Join(s.state, able)) // without it everything is tried
	return slices.DeleteFunc(strings.Split(string(text), "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
}

// remember notes what was found out; it costs only time when it cannot.
func (s *Sandbox) remember(key string) {
	if s.state == "" || !s.system.mounts {
		return
	}
	line := key
	if s.system.net {
		line += " net"
	}
	if s.bare {
		line += " bare"
	}
	lines := append([]string{line}, s.abilities()...)
	_ = atomicfile.MkdirPrivate(s.state)
	_ = atomicfile.Write(filepath.Join(s.state, able), []byte(strings.Join(lines[:min(len(lines), maxAble)], "\n")+"\n"), 0o600)
}

// forget makes the next place try again.
func (s *Sandbox) forget() {
	if s.state != "" {
		_ = os.Remove(filepath.Join(s.state, able)) // it is tried again in any case after the next start of the machine
	}
}
