package place

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"hermes-tui/store/atomicfile"
	"hermes-tui/tools"
)

// Options configure [NewLocal].
type Options struct {
	// Env is the environment ("NAME=value") in which home, temporary directory,
	// user and shell are looked up. It is not passed to processes.
	Env []string
	// Home overrides the home directory; an absolute path.
	Home string
	// Temp overrides the directory for temporary files; an absolute path.
	Temp string
	// Scratch is a folder of this program, which is made when missing, that no confined
	// process can reach: Scratch makes its directories there, and Tidy looks at nothing
	// else. Empty: they lie among the temporary files, and Tidy does nothing.
	Scratch string
	// Rand is the source of names no one can guess; nil is crypto/rand.
	Rand io.Reader
}

// Local is this machine. It is safe for concurrent use.
type Local struct {
	info  Info
	rand  io.Reader
	own   string // Options.Scratch
	inner bool   // of a [Sandbox], whose processes can write in all of info.Temp
}

// NewLocal describes this machine. It fails when there is no home directory or
// no shell.
func NewLocal(o Options) (*Local, error) {
	env := environ(o.Env)
	l := &Local{rand: o.Rand, own: o.Scratch}
	if l.rand == nil {
		l.rand = rand.Reader
	}
	home, err := localHome(o, env)
	if err != nil {
		return nil, err
	}
	temp, err := localTemp(o, env)
	if err != nil {
		return nil, err
	}
	shell, err := findShell(env)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	l.info = Info{
		Name: "local", OS: runtime.GOOS, Arch: runtime.GOARCH,
		Host: host, User: localUser(env),
		Home: home, Temp: temp, Shell: shell,
		Network:   true,
		FoldsCase: runtime.GOOS == "darwin" || runtime.GOOS == "windows",
	}
	return l, nil
}

// Info describes the machine. Home and Temp are real paths, without links.
func (l *Local) Info() Info { return l.info }

// FS is the whole file system of the machine, with the rights of the user.
func (l *Local) FS() FS { return localFS{rand: l.rand} }

// Scratch makes a private directory. Its name is short, since a socket in it may have only
// so long a path, and says whose it is.
func (l *Local) Scratch() (string, func() error, error) {
	name, err := randomName(l.rand)
	if err != nil {
		return "", nil, fmt.Errorf("make scratch directory: %w", err)
	}
	in := l.own
	switch {
	case in != "":
		name, err = scratchName(name[:8]), atomicfile.MkdirPrivate(in)
	case l.inner:
		in, name = l.info.Temp, name[:16]
	default:
		in, name = l.info.Temp, tempPrefix+name
	}
	dir := filepath.Join(in, name)
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		return "", nil, fmt.Errorf("make scratch directory: %w", err)
	}
	return dir, func() error { return os.RemoveAll(dir) }, nil
}

// tempPrefix begins the names of this program's folders among the temporary files.
const tempPrefix = "hermes-"

// ownTempName reports whether a name may be that of one of them.
func ownTempName(name string) bool {
	random, ok := strings.CutPrefix(name, tempPrefix)
	_, err := hex.DecodeString(random)
	return ok && err == nil && (len(random) == 12 || len(random) == 24)
}

// temporary makes a folder for the temporary files of confined processes, which is taken
// away with the scratch directory of, by a later program if need be. Nothing in it is
// trusted.
func (l *Local) temporary(of string) (dir string, remove func() error, err error) {
	return l.amongTemp(of, func(dir string) error { return os.Mkdir(dir, 0o700) })
}

// Shorten makes a link with a short path to a scratch directory: that of a socket may have
// only so many bytes.
func (l *Local) Shorten(scratch string) (short string, remove func() error, err error) {
	return l.amongTemp(scratch, func(short string) error { return os.Symlink(scratch, short) })
}

// amongTemp has something made among the temporary files that goes with a scratch directory.
func (l *Local) amongTemp(of string, make func(name string) error) (name string, remove func() error, err error) {
	random, err := randomName(l.rand)
	name = filepath.Join(l.info.Temp, tempPrefix+random[:12])
	if err == nil {
		err = os.Symlink(name, filepath.Join(of, tempLink))
	}
	if err == nil {
		err = make(name)
	}
	if err != nil {
		return "", nil, fmt.Errorf("make a temporary file: %w", err)
	}
	return name, func() error { return os.RemoveAll(name) }, nil
}

// Close has nothing to end.
func (l *Local) Close() error { return nil }

// randomName gives 24 hexadecimal digits.
func randomName(r io.Reader) (string, error) {
	var b [12]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]), nil
}

// environ looks a variable up in a list of assignments, the last one winning.
type environ []string

func (e environ) get(name string) string {
	for i := len(e) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(e[i], "="); ok && k == name {
			return v
		}
	}
	return ""
}

func localHome(o Options, env environ) (string, error) {
	home := o.Home
	if home == "" {
		home = env.get(homeVariable())
	}
	if home == "" {
		if u, err := user.Current(); err == nil {
			home = u.HomeDir
		}
	}
	if !filepath.IsAbs(home) {
		return "", errors.New("no home directory: set HOME to an absolute path")
	}
	return realPath(home), nil
}

func localTemp(o Options, env environ) (string, error) {
	for _, dir := range []string{o.Temp, env.get("TMPDIR"), defaultTemp(env)} {
		if !filepath.IsAbs(dir) {
			continue
		}
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return realPath(dir), nil
		}
	}
	return "", errors.New("no temporary directory: set TMPDIR to an existing directory")
}

// realPath follows links where it can, and keeps the cleaned name otherwise.
func realPath(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return filepath.Clean(name)
}

func localUser(env environ) string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if v := env.get(name); v != "" {
			return v
		}
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// findShell prefers bash, wherever PATH has it, to a plain sh. Relative
// elements of PATH are skipped.
func findShell(env environ) (string, error) {
	dirs := append(filepath.SplitList(env.get("PATH")), "/bin", "/usr/bin", "/usr/local/bin")
	for _, name := range shellNames() {
		for _, dir := range dirs {
			if !filepath.IsAbs(dir) {
				continue
			}
			file := filepath.Join(dir, name)
			if st, err := os.Stat(file); err == nil && executable(st) {
				return file, nil
			}
		}
	}
	return "", errors.New("no shell found: install bash, or put it in PATH")
}

// Settled is an environment in which PATH does not depend on the folder, and has none that
// lies in but, a real path, unless that is empty: for programs of the user. What they start
// in turn is not of a folder that no one has vouched for.
func Settled(env []string, but string) []string {
	list := slices.Clone(env)
	for i, e := range list {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) || but != "" && inside(dir, but) })
			list[i] = "PATH=" + strings.Join(dirs, string(filepath.ListSeparator))
		}
	}
	return list
}

// inside reports whether a folder lies in another one, by its name or behind links.
func inside(dir, root string) bool {
	if tools.Within(filepath.Clean(dir), root) {
		return true
	}
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && tools.Within(real, root)
}
