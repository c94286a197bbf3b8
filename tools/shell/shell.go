package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// Defaults of [Options].
const (
	DefaultTimeout     = 180 * time.Second
	DefaultMaxTimeout  = 600 * time.Second
	DefaultMaxOutput   = 50_000
	DefaultInitTimeout = 4 * time.Second
)

// Options configure a [Shell].
type Options struct {
	Place place.Place
	// Dir is the first working directory, an absolute path.
	Dir string
	// Env is the environment ("NAME=value") to start from. Credentials are left
	// out: the names in DenyEnv, and everything that is named like a credential
	// of a model provider or of this program. PassEnv lets names of the second
	// kind through, never those in DenyEnv.
	Env     []string
	PassEnv []string
	DenyEnv []string
	// Timeout ends a command that names none.
	Timeout time.Duration
	// MaxTimeout is the most it may name.
	MaxTimeout time.Duration
	// InitFiles are read instead of the user's own start-up files for functions,
	// aliases and variables.
	InitFiles []string
	// NoInit reads none at all.
	NoInit bool
	// InitTimeout is how long reading them may hold up the first command.
	InitTimeout time.Duration
	// MaxOutput is how many characters of output the model gets.
	MaxOutput int
	// Jobs starts commands in the background; nil: that is not offered, and no
	// terminal either.
	Jobs Jobs
	// Trusted reports whether the user trusts the folder; nil: they do. Where they do
	// not, git runs nothing that the settings of a repository name.
	Trusted func() bool
	// GitSettings are the user's own settings of git, which hold there as well; nil: none.
	GitSettings func() [][2]string
	// Typed says that the user types the commands: no one advises against them.
	Typed bool
}

func (o *Options) defaults() {
	if o.GitSettings == nil {
		o.GitSettings = func() [][2]string { return nil }
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxTimeout <= 0 {
		o.MaxTimeout = DefaultMaxTimeout
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = DefaultMaxOutput
	}
	if o.InitTimeout <= 0 {
		o.InitTimeout = DefaultInitTimeout
	}
}

// Shell runs the commands of one agent.
type Shell struct {
	o      Options
	filter filter

	boot sync.Once // makes the private folder, reads the start-up files

	mu      sync.Mutex
	dir     string
	env     []string     // as commands have left it
	plain   []string     // what of it commands with all rights get, where commands can be confined
	own     []string     // as the user has it
	library string       // functions and aliases of the user
	scratch string       // private folder
	remove  func() error // deletes it
	failed  error        // why there is no private folder
	closed  bool
	serial  int
	issued  map[string]issued // commands that wait for their permit, by number
	order   []string          // their numbers, the oldest first

	sudo     password
	sudoUser string // number of the user that sudo runs as
}

// order is a command to make ready.
type order struct {
	command string
	dir     string // empty for the present one
	mode    mode
}

// mode is how a command runs.
type mode int

const (
	foreground         mode = iota // this tool waits for it
	terminal                       // so it does, and the command has a terminal
	background                     // it is a job
	backgroundTerminal             // with a terminal
)

func (m mode) job() bool { return m == background || m == backgroundTerminal }

func (m mode) tty() bool { return m == terminal || m == backgroundTerminal }

// issued is a command that was made ready.
type issued struct {
	order order
	argv  []string
	note  string // something the model should know
	sudo  bool   // it may ask for a password
	// plain is its environment when it runs with all rights, where commands can be
	// confined.
	plain []string
	// withheld are the variables that it would have to do without then.
	withheld []string
}

// New makes a shell. It starts nothing.
func New(o Options) *Shell {
	o.defaults()
	s := &Shell{o: o, filter: newFilter(o.PassEnv, o.DenyEnv), dir: o.Dir, issued: map[string]issued{}, sudoUser: "0"}
	s.filter.typed = o.Typed
	s.begin(s.filter.base(o.Env))
	return s
}

// begin makes an environment the one of the first command.
func (s *Shell) begin(env []string) { s.env, s.plain, s.own = env, env, env }

// Dir is the directory in which the next command starts, unless it was deleted
// meanwhile.
func (s *Shell) Dir() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dir
}

// Close deletes what the shell has put aside and forgets the password. No command
// may be running; jobs go on.
func (s *Shell) Close() error {
	s.sudo.forget()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.remove == nil {
		return nil
	}
	return s.remove()
}

// prepare makes a command ready and gives what will run, and the environment of a run
// with all rights where processes can be confined.
func (s *Shell) prepare(o order) (run approval.Run, plain []string, err error) {
	s.boot.Do(s.start)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return approval.Run{}, nil, err
	}
	ready := issued{order: o, sudo: !o.mode.job() && usesSudo(o.command)}
	dir := o.dir
	if dir == "" {
		dir = s.dir
		if there := s.nearest(dir); there != dir {
			ready.note = fmt.Sprintf("[%s is gone; this ran in %s]", dir, there)
			dir = there
		}
	}
	shell := s.o.Place.Info().Shell
	w := wrapping{shell: shell, sudo: ready.sudo, file: s.functionsFile()}
	switch {
	case s.library == "":
	case o.mode == foreground:
		w.functions = fromInput
	default:
		w.functions = fromFile
	}
	if !o.mode.job() {
		w.state, w.shared = s.stateFile(), s.sharedState()
	}
	if s.confines() {
		plain, withheld := s.plainEnv(o.command)
		ready.plain, ready.withheld = s.commandEnv(plain, dir, ready), withheld
	}
	s.serial++
	ready.argv = append(shellArgv(shell), w.script(o.command), filepath.Base(shell), filepath.Base(s.scratch)+"-"+strconv.Itoa(s.serial))
	s.issue(ready)
	return approval.Run{Command: o.command, Dir: dir, Argv: ready.argv, Env: s.commandEnv(s.env, dir, ready)}, ready.plain, nil
}

// commandEnv makes an environment that of one command.
func (s *Shell) commandEnv(env []string, dir string, ready issued) []string {
	env = withVariable(env, "PWD", dir)
	if ready.order.mode.tty() { // else programs would not use it
		env = withVariable(env, "TERM", "xterm-256color")
	}
	if ready.order.mode == backgroundTerminal { // an editor can be typed into
		for _, kv := range append([]string{noEditor}, noTerminal...) {
			name, _, _ := strings.Cut(kv, "=")
			if !slices.Contains(env, kv) {
				continue
			}
			env = withoutVariable(env, name)
			if own, ok := lookup(s.o.Env, name); ok {
				env = withVariable(env, name, own)
			}
		}
	}
	if ready.sudo {
		env = withVariable(env, "SUDO_ASKPASS", s.askpassFile())
	}
	return env
}

func (s *Shell) usable() error {
	if s.closed {
		return errors.New("the shell was closed; start a new session")
	}
	return s.failed
}

func (s *Shell) stateFile() string { return filepath.Join(s.scratch, "state") }

func (s *Shell) functionsFile() string { return filepath.Join(s.scratch, "functions") }

// maxIssued bounds the commands that wait for a permit which never comes.
const maxIssued = 64

// issue remembers a command by its number, which no one can guess.
func (s *Shell) issue(ready issued) {
	number := ready.argv[len(ready.argv)-1]
	s.issued[number] = ready
	if s.order = append(s.order, number); len(s.order) > maxIssued {
		delete(s.issued, s.order[0])
		s.order = s.order[1:]
	}
}

// start makes the private folder and reads the start-up files. When reading
// fails or takes too long, commands run without them.
func (s *Shell) start() {
	scratch, remove, err := s.o.Place.Scratch()
	s.mu.Lock()
	if s.closed && err == nil {
		err = errors.Join(errors.New("the shell was closed"), remove())
	}
	s.scratch, s.remove = scratch, remove
	if err != nil {
		s.failed = fmt.Errorf("prepare the shell: %w", err)
	}
	env := s.env
	s.mu.Unlock()
	if err != nil || s.o.NoInit {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.o.InitTimeout)
	defer cancel()
	found, ok := s.captureStartup(ctx, env)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(s.filter.startup(found.env, s.env, s.o.Env))
	s.library = found.library
}

// nearest is dir, or the closest folder above it that still exists.
func (s *Shell) nearest(dir string) string {
	for {
		if st, err := s.o.Place.FS().Stat(dir); err == nil && st.IsDir() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return s.o.Place.Info().Home
		}
		dir = up
	}
}

// workdir makes the folder that a command asks for absolute, and wants it to
// exist.
func (s *Shell) workdir(name string) (string, error) {
	dir := name
	if dir == "~" || len(dir) > 1 && dir[:2] == "~/" {
		dir = filepath.Join(s.o.Place.Info().Home, dir[1:])
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.Dir(), dir)
	}
	dir = filepath.Clean(dir)
	st, err := s.o.Place.FS().Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("workdir %q does not exist; create it first or leave workdir out", name)
	case err != nil:
		return "", fmt.Errorf("workdir %q cannot be used: %w", name, err)
	case !st.IsDir():
		return "", fmt.Errorf("workdir %q is not a folder; name the folder that holds it", name)
	}
	return dir, nil
}

// after takes over what a command has left: its directory and variables. env is what
// it was given, confined how it ran. It gives the directory in which it ended.
func (s *Shell) after(ready issued, env []string, confined bool) string {
	left, ok := s.takeState(confined)
	if !ok {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(env, s.filter.next(left.env, env), confined)
	if !filepath.IsAbs(left.dir) {
		return ""
	}
	if ready.order.dir == "" {
		s.dir = filepath.Clean(left.dir)
	}
	return left.dir
}
