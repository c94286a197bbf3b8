package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// Config is a server as the settings or a file of a project name it.
type Config struct {
	Name string
	// Origin is the file that names it.
	Origin string
	// Command and Args start it, with Env besides the variables that programs of the user
	// get, in Dir.
	Command string
	Args    []string
	Env     map[string]string
	Dir     string
	// URL is where it is, with Headers in each request; SSE says that it speaks the
	// transport of 2024.
	URL     string
	Headers map[string]string
	SSE     bool
	// Verify, Cert and Key are the settings about its certificates.
	Verify, Cert, Key string
	// Keepalive is how often it is asked whether it is there, 0 for never.
	Keepalive time.Duration
	// ConnectTimeout bounds a try to connect, Timeout a call.
	ConnectTimeout, Timeout time.Duration
	// Include and Exclude choose tools by the names that the server gives them, as
	// patterns of a shell; without Include all count.
	Include, Exclude []string
	// Trusted says that its tools are called without a question, and that what it says
	// about them is believed.
	Trusted bool
	// Parallel says that its tools may run side by side.
	Parallel bool
	// NoResources and NoPrompts leave out the tools that read its resources and prompts.
	NoResources, NoPrompts bool
	// NoLogin has the user not asked to log in at its address.
	NoLogin bool
	// NoElicitation has it ask the user nothing.
	NoElicitation bool
	// ElicitTimeout is how long a question of it waits for an answer, 0 for ever.
	ElicitTimeout time.Duration
	// SamplesPerMinute is how often a model may answer it, 0 for never.
	SamplesPerMinute int
	// SampleModel is the model that answers it, empty for the usual one; none but SampleModels
	// do, if those are not empty. SampleTokens bounds the answer and SampleTime how long it
	// takes; 0 does not.
	SampleModel  string
	SampleModels []string
	SampleTokens int
	SampleTime   time.Duration
	// Era is the only one of the protocol that it is spoken to in; empty finds out.
	Era Era
	// IdleTimeout ends a program that no one has called for so long, MaxLifetime one that
	// has run for so long, once no call runs; 0 is never. A call starts it again.
	IdleTimeout, MaxLifetime time.Duration
	// Written is the entry as its file has it, without what stands for the references in
	// it: that is what is shown of it. Nil is the entry itself.
	Written *Config
}

// Era is a form of the protocol.
type Era string

// The eras.
const (
	AnyEra    Era = ""
	Legacy    Era = "legacy"    // sessions that begin with "initialize"
	Stateless Era = "stateless" // requests that stand for themselves
)

// The usual times.
const (
	DefaultConnectTimeout = 30 * time.Second
	DefaultTimeout        = 5 * time.Minute
	DefaultKeepalive      = 3 * time.Minute
)

// Check says in words why an entry cannot be used, empty if it can.
func (c Config) Check() string {
	switch u, err := url.Parse(c.URL); {
	case c.Command == "" && c.URL == "":
		return "it has neither a command nor a url"
	case c.Command != "" && c.URL != "":
		return "it has a command and a url: one of them counts, so say which"
	case c.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		return "its url is none of http or https"
	case c.URL != "" && u.User != nil:
		return "its url holds a password: use headers"
	case !clean(c.Name):
		return "its name holds characters that cannot be shown"
	}
	for _, p := range slices.Concat(c.Include, c.Exclude) {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Sprintf("the pattern %q of its tools cannot be read", p)
		}
	}
	return ""
}

func clean(s string) bool { return s != "" && label(s, maxName) == s }

// wants reports whether a tool counts.
func (c Config) wants(tool string) bool {
	meant := func(p string) bool { ok, _ := path.Match(p, tool); return ok }
	return (len(c.Include) == 0 || slices.ContainsFunc(c.Include, meant)) && !slices.ContainsFunc(c.Exclude, meant)
}

// LogsIn reports whether the user can log in at the server: at an address that gets no key
// of the entry.
func (c Config) LogsIn() bool {
	for name := range c.Headers {
		if strings.EqualFold(name, "Authorization") {
			return false
		}
	}
	return c.URL != "" && !c.NoLogin
}

// Sum is the hash of what is started or connected to: of the values of variables and
// headers as well.
func (c Config) Sum() string {
	data, err := json.Marshal([]any{c.Command, c.Args, c.Env, c.Dir, c.URL, c.Headers, c.SSE, c.Verify, c.Cert, c.Key})
	if err != nil {
		panic(err) // texts can be written
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// AsWritten is the entry as its file has it.
func (c Config) AsWritten() Config {
	if c.Written != nil {
		return *c.Written
	}
	return c
}

// Shown says in a line what is started or connected to, as its file has it.
func (c Config) Shown() string {
	c = c.AsWritten()
	if c.URL != "" {
		if u, err := url.Parse(c.URL); err == nil {
			return u.Scheme + "://" + u.Host + u.Path
		}
		return "an address with a mistake in it"
	}
	return label(strings.Join(append([]string{c.Command}, c.Args...), " "), 1000)
}

// Line is a text of an entry in one line, without what hides or moves the cursor.
func Line(text string) string { return label(text, 500) }
