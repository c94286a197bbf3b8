package place

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// box is a sandbox with a workspace, and a canary beside it.
type box struct {
	*Sandbox
	t                  testing.TB
	top, work, canary  string
	hidden, hiddenFile string
}

// newBox makes a sandbox; change may alter its options. Tests are skipped only
// where the kernel has no Landlock at all.
func newBox(t testing.TB, change func(b *box, o *SandboxOptions)) *box {
	t.Helper()
	if abi, err := landlockABI(); err != nil || abi < leastABI {
		t.Skip("SKIPPED: this kernel has no Landlock, or too old a one:", abi, err)
	}
	top := tempDir(t)
	b := &box{
		t: t, top: top, work: filepath.Join(top, "work"), canary: filepath.Join(top, "canary"),
		hidden: filepath.Join(top, "private"),
	}
	b.hiddenFile = filepath.Join(b.hidden, "key")
	for _, dir := range []string{b.work, b.hidden} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, b.canary, "alive")
	write(t, b.hiddenFile, "secret")
	o := SandboxOptions{Roots: []string{b.work}, Hidden: []string{b.hidden}}
	if change != nil {
		change(b, &o)
	}
	s, err := NewSandbox(context.Background(), newLocal(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	b.Sandbox = s
	return b
}

// withoutMounts has a new helper do without them.
func (b *box) withoutMounts() {
	b.t.Helper()
	b.release()
	b.system.mounts, b.system.net, b.temp = false, false, ""
}

// refusal is what programs say of a write that fails.
func (b *box) refusal() string {
	if b.system.mounts {
		return "ead-only file system"
	}
	return "ermission denied"
}

// sh runs a script in the workspace and gives its output and code.
func (b *box) sh(script string) (string, int) {
	b.t.Helper()
	out := newOutput()
	p, err := b.Start(context.Background(), Proc{
		Argv: []string{b.info.Shell, "-c", script}, Dir: b.work, Stdout: out,
		Env: append(testEnv, "TOP="+b.top, "WORK="+b.work, "CANARY="+b.canary, "TMPDIR=/elsewhere"),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	exit := wait(b.t, p, 30*time.Second)
	return out.String(), exit.Code
}

// unharmed checks the canary and that nothing appeared beside it.
func (b *box) unharmed(what string) {
	b.t.Helper()
	data, err := os.ReadFile(b.canary)
	if err != nil || string(data) != "alive" {
		b.t.Errorf("%s: the canary reads %q, %v", what, data, err)
	}
	if got := names(b.t, b.top); got != "canary private work" {
		b.t.Errorf("%s: outside there is %s", what, got)
	}
	if st, err := os.Lstat(b.canary); err != nil || st.Mode() != 0o644 {
		b.t.Errorf("%s: the canary is not as it was: %v", what, err)
	}
	if b.t.Failed() {
		write(b.t, b.canary, "alive") // for those that follow
		_ = os.Remove(filepath.Join(b.top, "new"))
	}
}

func TestSandboxKeepsWritesInside(t *testing.T) {
	b := newBox(t, nil)
	scripts := map[string]string{
		"absolute path":          "echo x > $CANARY",
		"append":                 "echo x >> $CANARY",
		"truncate":               ": > $CANARY",
		"truncate by name":       "truncate -s 0 $CANARY",
		"new file":               "echo x > $TOP/new",
		"new directory":          "mkdir $TOP/new",
		"dots":                   "echo x > ../canary",
		"sibling by prefix":      "mkdir ${WORK}-secrets",
		"link to a file":         "ln -s $CANARY l && echo x > l",
		"link to a directory":    "ln -s $TOP d && echo x > d/canary",
		"link to what is not":    "ln -s $TOP/new n && echo x > n",
		"hard link":              "ln $CANARY h && echo x > h",
		"own directory":          "echo x > /proc/self/cwd/../canary",
		"own root":               "echo x > /proc/self/root$CANARY",
		"descriptor":             "exec 3< $CANARY && echo x > /proc/self/fd/3",
		"descriptor of a folder": "exec 3< $TOP && echo x > /dev/fd/3/canary",
		"move in":                "mv $CANARY moved",
		"move out":               "echo x > f && mv f $TOP/new",
		"exchange":               "echo x > f && mv -T f $CANARY",
		"remove":                 "rm -f $CANARY",
		"remove a folder":        "rm -rf $TOP/private",
		"move own root":          "mv $WORK $TOP/other",
		"remove own root":        "cd / && rmdir $WORK",
		"device":                 "mknod dev b 1 0 && test -b dev",
		"mount":                  "mkdir m && mount --bind $TOP m && echo x > m/canary",
		"new namespace":          "unshare -Urm true",
		"namespace, then write":  "unshare -Urm sh -c 'mount --bind " + b.top + " . && echo x > canary; echo x > " + b.canary + "'",
		"setuid":                 "for s in su sudo pkexec mount; do p=$(command -v $s) && $p -c \"echo x > $CANARY\" </dev/null; done; false",
		"child of a child":       "sh -c 'sh -c \"echo x > $CANARY\"'",
		"daemon":                 "setsid -w sh -c 'echo x > $CANARY'",
		"environment of others":  "cat /proc/" + strconv.Itoa(os.Getpid()) + "/environ >/dev/null",
		"root of others":         "echo x > /proc/" + strconv.Itoa(os.Getpid()) + "/root" + b.canary,
		"directory of others":    "echo x > /proc/" + strconv.Itoa(os.Getpid()) + "/cwd/new",
		"kernel settings":        "exec 3>> /proc/sys/kernel/domainname",
		"a device":               "exec 3>> /dev/kmsg",
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			out, code := b.sh(script)
			if code == 0 {
				t.Errorf("it worked: %s", out)
			}
			b.unharmed(name)
		})
	}
}

func TestSandboxAllows(t *testing.T) {
	b := newBox(t, nil)
	cases := map[string]struct{ script, want string }{
		"new file":           {"echo x > f && cat f", "x\n"},
		"folders":            {"mkdir -p a/b && echo y > a/b/f && mv a/b/f c && rmdir a/b a && cat c", "y\n"},
		"truncate":           {"echo long > t && truncate -s 1 t && cat t", "l"},
		"links":              {"echo x > l1 && ln -s l1 l2 && ln l1 l3 && echo y > l2 && cat l3", "y\n"},
		"scratch":            {"f=$(mktemp) && echo x > $f && cat $f && case $f in $TMPDIR/*) ;; *) exit 1;; esac", "x\n"},
		"from scratch":       {"f=$(mktemp) && echo x > $f && mv $f m && cat m", "x\n"},
		"devices":            {"echo x > /dev/null && head -c 2 /dev/zero | wc -c && head -c 1 /dev/urandom >/dev/null", "2\n"},
		"errors to a device": {"echo x > /dev/stdout", "x\n"},
		"reading outside":    {"cat $CANARY", "alive"},
		"listing outside":    {"ls /etc >/dev/null && ls / | grep -x etc", "etc\n"},
		"running programs":   {"env true && bash -c 'echo $BASH_VERSION' >/dev/null && echo ok", "ok\n"},
		"signals inside":     {"sleep 600 & kill $! && wait $!; echo $?", "143\n"},
		"shared memory":      {"f=$(mktemp /dev/shm/place-test-XXXXXX) && echo x > $f && cat $f; test -e $SHARED || rm $f", "x\n"},
		"modes":              {"echo x > e && chmod 700 e && stat -c %a e", "700\n"},
		"working directory":  {"pwd", b.work + "\n"},
		"pipes and sockets":  {"mkfifo p && (echo x > p &) && cat p", "x\n"},
		"large":              {"head -c 3000000 /dev/zero > big && wc -c < big", "3000000\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if out, code := b.sh(c.script); code != 0 || out != c.want {
				t.Errorf("%d, %q, want %q", code, out, c.want)
			}
		})
	}
	b.unharmed("all")
	if _, err := os.Stat("/dev/shm/f"); err == nil && b.system.mounts {
		t.Error("shared memory is shared with everyone")
	}
}

func TestSandboxHides(t *testing.T) {
	b := newBox(t, func(b *box, o *SandboxOptions) {
		o.Hidden = append(o.Hidden, b.canary, filepath.Join(b.top, "not there"))
	})
	b.hides(t)
	if b.system.mounts {
		b.withoutMounts()
		b.hides(t)
	}
}

func (b *box) hides(t *testing.T) {
	_ = os.Symlink(b.hidden, filepath.Join(b.work, "way"))
	write(t, filepath.Join(b.top, "beside"), "open")
	for _, script := range []string{
		"cat $TOP/private/key", "cat way/key", "test -s $CANARY && cat $CANARY", "cp -r $TOP/private . && test -s private/key", "cat /proc/self/root$TOP/private/key",
		"ln $TOP/private/key k && cat k", "exec 3<way/key",
	} {
		if out, code := b.sh(script); code == 0 || strings.Contains(out, "secret") || strings.Contains(out, "alive") {
			t.Errorf("%s: %d, %q", script, code, out)
		}
	}
	if out, code := b.sh("cat $TOP/beside"); code != 0 || out != "open" {
		t.Errorf("beside: %d, %q", code, out)
	}
}

// This program starts itself confined where its file is hidden, by mounts or without them.
func TestSandboxRunsThisProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := newBox(t, func(_ *box, o *SandboxOptions) { o.Hidden = append(o.Hidden, filepath.Dir(self)) })
	for range 2 {
		if out, code := b.sh(self + " -test.run=^$"); code == 0 && b.system.mounts { // Landlock tells no path from another
			t.Errorf("it is not hidden: %q", out)
		}
		p, err := b.Start(context.Background(), Proc{Argv: []string{"/proc/self/exe", "-test.run=^$"}, Dir: b.work, Env: testEnv})
		if err != nil {
			t.Fatal(err)
		}
		if exit := wait(t, p, 30*time.Second); exit.Code != 0 {
			t.Errorf("it ends with %+v", exit)
		}
		b.withoutMounts()
	}
}

// A root inside what is hidden can be used all the same.
func TestSandboxRootInsideHidden(t *testing.T) {
	b := newBox(t, func(b *box, o *SandboxOptions) { o.Hidden = []string{b.top} })
	if out, code := b.sh("echo x > f && cat f"); code != 0 || out != "x\n" {
		t.Errorf("%d, %q", code, out)
	}
	if out, code := b.sh("cat $CANARY"); code == 0 {
		t.Errorf("read %q", out)
	}
}

func TestSandboxHidesInsideARoot(t *testing.T) {
	var dir, file string
	b := newBox(t, func(b *box, o *SandboxOptions) {
		dir, file = filepath.Join(b.work, "a", "dir"), filepath.Join(b.work, "a", "file")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "key"), "secret")
		write(t, file, "secret")
		o.Hidden = append(o.Hidden, dir, file)
	})
	for _, script := range []string{
		"cat a/dir/key", "test -s a/file", "mv a b", "rm -rf a/dir", "rm -f a/file", "mv a/dir a/x", "echo x > a/dir/key",
	} {
		if out, code := b.sh(script); code == 0 || strings.Contains(out, "secret") {
			t.Errorf("%s: %d, %q", script, code, out)
		}
	}
	if out, code := b.sh("echo x > a/other && cat a/other"); code != 0 || out != "x\n" {
		t.Errorf("beside: %d, %q", code, out)
	}
	if read(t, filepath.Join(dir, "key")) != "secret" || read(t, file) != "secret" {
		t.Error("changed")
	}
}

func TestSandboxProtects(t *testing.T) {
	b := newBox(t, func(b *box, o *SandboxOptions) {
		if err := os.MkdirAll(filepath.Join(b.work, ".git", "hooks"), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(b.work, ".git", "config"), "kept")
		write(t, filepath.Join(b.work, ".mcp.json"), "kept")
		for _, name := range []string{".git/hooks", ".git/config", ".mcp.json", ".hermes"} {
			o.ReadOnly = append(o.ReadOnly, filepath.Join(b.work, name))
		}
	})
	if !b.system.mounts {
		t.Skip("SKIPPED: no mount namespaces here")
	}
	for _, script := range []string{
		"echo x > .git/hooks/post-commit", "echo x > .git/config", "echo x >> .mcp.json", "rm -f .mcp.json", "rm -rf .git/hooks",
		"mv .git/hooks .git/h", "mv .git g", "echo x > n && mv n .git/config", "ln -sf /etc/passwd .git/config",
		"cd .git && echo x > hooks/a", "cd .git/hooks && echo x > a", "chmod 777 .git/config", "umount .git/hooks", "mount -o remount,rw .git/hooks",
		"echo x > /proc/self/cwd/.git/config",
	} {
		if out, code := b.sh(script); code == 0 {
			t.Errorf("%s worked: %q", script, out)
		}
	}
	// Not even from a folder that was entered before anything was mounted.
	p, err := b.Start(context.Background(), Proc{
		Argv: []string{b.info.Shell, "-c", "echo x > hooks/a; echo x > config"}, Dir: filepath.Join(b.work, ".git"), Env: testEnv,
	})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, p, 10*time.Second)
	if got := names(t, filepath.Join(b.work, ".git", "hooks")); got != "" {
		t.Errorf("hooks: %s", got)
	}
	for _, name := range []string{".git/config", ".mcp.json"} {
		if got := read(t, filepath.Join(b.work, name)); got != "kept" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if out, code := b.sh("echo x > .git/index.lock && mv .git/index.lock .git/index && cat .git/index"); code != 0 || out != "x\n" {
		t.Errorf("beside: %d, %q", code, out)
	}
	if err := b.FS().WriteAtomic(filepath.Join(b.work, ".mcp.json"), []byte("x"), 0o644); err != nil {
		t.Errorf("a tool's own write: %v", err)
	}
}

// The mounts of a process are its own.
func TestSandboxMountsStayInside(t *testing.T) {
	before := read(t, "/proc/self/mountinfo")
	b := newBox(t, func(b *box, o *SandboxOptions) { o.ReadOnly = []string{b.work + "/.git"} })
	if err := os.Mkdir(filepath.Join(b.work, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.sh("true")
	if after := read(t, "/proc/self/mountinfo"); after != before {
		t.Errorf("mounts before:\n%s\nafter:\n%s", before, after)
	}
}
