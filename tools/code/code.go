package code

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// Toolset is the toolset of the tool of this package.
const Toolset = "code_execution"

// MaxScript is the longest script in bytes.
const MaxScript = 100_000

// Defaults of [Options].
const (
	DefaultTimeout  = 300 * time.Second
	DefaultMaxCalls = 50
)

// Limits of what is kept of a script's output, in bytes.
const (
	maxOutput = 50_000
	maxErrors = 10_000
)

// Mode says where scripts run and with which Python.
type Mode string

// The modes.
const (
	// ModeProject runs scripts in the agent's folder, with the Python of the
	// active or the project's virtual environment.
	ModeProject Mode = "project"
	// ModeStrict runs scripts in a private folder, with a Python from PATH that
	// is no part of the workspace, without the user's own modules.
	ModeStrict Mode = "strict"
)

// Options configure [New].
type Options struct {
	Place place.Place
	// Mode is ModeProject if it is empty.
	Mode Mode
	// Timeout is how long a script may work; 0 stands for the default.
	Timeout time.Duration
	// MaxCalls is how many tools it may call; 0 stands for the default, less for none.
	MaxCalls int
	// Env is the environment of which scripts get a part.
	Env []string
	// Tools gives the tools that the agent has; those that scripts must not call
	// are left out by this package.
	Tools func() []tools.Tool
	// Dir is the agent's folder; it may change between calls.
	Dir func() string
	// Root is the workspace.
	Root string
	// Trusted reports whether the user trusts the folder; nil: they do. Where they do
	// not, git runs nothing that the settings of a repository name.
	Trusted func() bool
	// GitSettings are the user's own settings of git, which hold there as well; nil: none.
	GitSettings func() [][2]string
	// Now is the clock of durations; nil stands for the usual one. (Time limits are
	// kept by the runtime's timers.)
	Now func() time.Time
	// Rand is the source of tokens; nil stands for the usual one.
	Rand io.Reader
}

// Code runs the scripts of one agent.
type Code struct {
	o Options

	mu      sync.Mutex
	closed  bool
	scratch string       // private folder, made when first needed
	sockets string       // the same by a path that is short enough for sockets, if there is one
	remove  func() error // deletes it
}

// New makes the tool of one agent. It starts nothing.
func New(o Options) *Code {
	if o.Mode == "" {
		o.Mode = ModeProject
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxCalls == 0 {
		o.MaxCalls = DefaultMaxCalls
	}
	o.MaxCalls = max(o.MaxCalls, 0)
	if o.Tools == nil {
		o.Tools = func() []tools.Tool { return nil }
	}
	if o.Dir == nil {
		o.Dir = func() string { return o.Root }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	return &Code{o: o}
}

// Close deletes the private folder. No script may be running.
func (c *Code) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.remove == nil {
		return nil
	}
	return c.remove()
}

// shared is the folder of the place that confined scripts may write as well, empty
// for none.
func (c *Code) shared() string {
	if at, ok := c.o.Place.(interface{ Shared() string }); ok {
		return at.Shared()
	}
	return ""
}

// private gives the private folder. In strict mode scripts run in it: what they
// leave there is kept until Close.
func (c *Code) private() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return "", errors.New("scripts can no longer run here; start a new session")
	}
	if c.scratch != "" {
		return c.scratch, nil
	}
	dir, remove, err := c.o.Place.Scratch()
	if err != nil {
		return "", fmt.Errorf("prepare to run scripts: %w", err)
	}
	c.scratch, c.sockets, c.remove = dir, dir, remove
	if at, ok := c.o.Place.(shortener); ok && len(dir)+1+socketName > maxSocketPath {
		short, drop, err := at.Shorten(dir)
		if err != nil {
			return dir, nil // scripts that need it are refused
		}
		c.sockets, c.remove = short, func() error { return errors.Join(drop(), remove()) }
	}
	return dir, nil
}

// shortener is a place that has shorter paths for its private folders.
type shortener interface {
	Shorten(dir string) (short string, remove func() error, err error)
}
