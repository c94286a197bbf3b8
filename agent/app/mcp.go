package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/providers/redact"
	"hermes-tui/store/atomicfile"
	"hermes-tui/tools"
	"hermes-tui/tools/mcp"
)

// serverShelf are the servers of the Model Context Protocol that the program keeps.
type serverShelf struct {
	servers  *mcp.Servers
	consents *bind.Consents
	logins   *bind.MCPLogins

	news news

	syncing sync.Mutex

	mu   sync.Mutex
	held []mcp.Config    // entries of projects and plugins that the user has not agreed to
	bad  []string        // what of such files cannot be read
	off  map[string]bool // by name: not wanted in this run
	idle []mcp.Config    // entries of those
	told map[string]string
}

// MCPNews implements [api.Servers].
func (a *App) MCPNews() <-chan struct{} { return a.mcp.news.next() }

// openMCP gets ready to keep servers. None is started before a conversation begins.
func (a *App) openMCP() {
	s := &serverShelf{off: map[string]bool{}, told: map[string]string{}}
	s.consents = bind.NewConsents(bind.MCPKind, a.db, a.o.IDs, a.seal, func(err error) { a.log.Warn("mcp", "err", err) })
	s.logins = &bind.MCPLogins{Store: a.models.Credentials(), Learn: a.learn, Now: a.o.IDs.Now, Report: func(err error) { a.log.Warn("mcp", "err", err) }}
	s.servers = mcp.New(mcp.Options{
		Start: a.startMCP, HTTP: a.mcpClient, Scan: a.scanSkill, Log: a.mcpLog, Version: a.o.Version, Now: a.o.IDs.Now,
		Changed: func() {
			s.news.stir()
			a.background.run(func(context.Context) { a.tellMCP() })
		},
		Reach: &mcp.Reach{File: filepath.Join(a.o.Home.MCP(), "reached.json"), Now: a.o.IDs.Now},
		Pins: &mcp.Pins{
			Newest: s.consents.Newest, Dir: a.o.Home.MCP(),
			Allow: func(key, hash string) error { return s.consents.Allow(context.Background(), key, hash) },
		},
	})
	a.mcp = s
}

// startMCP starts a server, unless its files have changed since they were agreed to.
func (a *App) startMCP(ctx context.Context, s mcp.Spawn) (func() (int, error), error) {
	if names, ok := a.asAgreed(s.Config); !ok {
		a.background.run(func(context.Context) { a.syncMCP() }) // which holds it back
		return nil, errors.New(changedFiles(names))
	}
	return bind.MCPCommand(a.place, a.ownEnviron)(ctx, s)
}

// mcpLogFile is where a server's standard error goes.
func (a *App) mcpLogFile(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	return filepath.Join(a.o.Home.Logs(), "mcp-"+plain[:min(len(plain), 60)]+".log")
}

// mcpLog opens the log of a server. One that cannot be written drops everything.
func (a *App) mcpLog(name string) io.WriteCloser {
	f, err := openLogFile(a.mcpLogFile(name), a.o.Config.Logging)
	if err != nil {
		a.log.Warn("mcp", "log", name, "err", err)
		return nowhere{io.Discard}
	}
	return masked{redact.NewWriter(f, redact.Masker{Secrets: a.secrets}), f}
}

type nowhere struct{ io.Writer }

// Close implements io.Closer.
func (nowhere) Close() error { return nil }

// masked is a log in which secrets are masked.
type masked struct {
	io.Writer
	io.Closer
}

// syncMCP has the servers run that are wanted now.
func (a *App) syncMCP() {
	a.mcp.syncing.Lock()
	defer a.mcp.syncing.Unlock()
	entries, held, bad := a.mcpEntries()
	a.mcp.mu.Lock()
	a.mcp.held, a.mcp.bad = held, bad
	a.mcp.mu.Unlock()
	a.mcp.servers.Set(entries)
	a.mcp.news.stir()
	a.tellMCP()
}

// How long the first turn of a conversation waits for servers on their way.
var (
	attended   = mcp.Patience{New: 2 * time.Second, Known: 3 * time.Second}
	unattended = mcp.Patience{New: 5 * time.Second, Known: 10 * time.Second}
)

// mcpTools are the tools of servers for an agent of the conversation, as they are now. A turn
// that begins has the servers run that are wanted, and the first one waits for them a moment.
func (c *conversation) mcpTools(begin bool) []tools.Tool {
	a := c.app
	if begin && c.Conversation != nil {
		a.syncMCP() // the file of the project may have changed
		if c.mcpReady.CompareAndSwap(false, true) {
			patience := attended
			if a.o.Unattended {
				patience = unattended
			}
			a.mcp.servers.WaitABit(context.Background(), patience)
		}
	}
	return a.mcp.servers.Tools(c.mcpWanted(), mcp.Session{Save: c.keepMCP, Sample: c.sampleMCP, Name: c.calledMCP})
}

// mcpComing names the servers that count and have not brought their tools yet.
func (c *conversation) mcpComing() (names []string) {
	wanted := c.mcpWanted()
	for _, s := range c.app.mcp.servers.List() {
		if wanted(s.Config) && s.State != mcp.Ready && s.State != mcp.Failed && len(s.Tools) == 0 {
			names = append(names, s.Name)
		}
	}
	return names
}

// mcpWanted says which servers count in the conversation.
func (c *conversation) mcpWanted() func(mcp.Config) bool {
	project, own := c.mcpFile(), c.app.o.Home.Config()
	return func(s mcp.Config) bool {
		return (s.Origin == own || s.Origin == project || strings.HasPrefix(s.Origin, pluginOrigin)) && !c.mcpOff(s.Name)
	}
}

// window is the context window of the model that answers, 0 where it is not known and less
// before there is a conversation.
func (c *conversation) window() int {
	if c.Conversation == nil {
		return -1
	}
	return c.Runtime().Model.ContextMax
}

// calledMCP names the session, where there are several.
func (c *conversation) calledMCP() string {
	if c.Conversation == nil || len(c.app.conversations()) < 2 {
		return ""
	}
	if title := c.Fold().Title; title != "" {
		return "the session " + title
	}
	return "the session " + string(c.ID())
}

// sampleMCP has a model answer a prompt of a server.
func (c *conversation) sampleMCP(ctx context.Context, s mcp.Sampling) (text, by string, err error) {
	return c.side.Sample(ctx, auxiliary.Sampling(s))
}

// keepMCP keeps what a server gave that is no text.
func (c *conversation) keepMCP(ctx context.Context, kind string, data []byte) (string, error) {
	ending := ".bin"
	if list, err := mime.ExtensionsByType(kind); err == nil && len(list) > 0 {
		ending = list[0]
	}
	return c.keep(ctx, "mcp", ending, data)
}

// keep keeps what is too much, or no text, for a result, and says where.
func (c *conversation) keep(_ context.Context, what, ending string, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	dir := c.app.o.Home.Results(string(c.ID()))
	if err := atomicfile.MkdirPrivate(dir); err != nil {
		return "", err
	}
	name := filepath.Join(dir, fmt.Sprintf("%s-%x%s", what, sum[:8], ending))
	return name, atomicfile.Write(name, data, 0o600)
}

// tellMCP says once of each server that it is not there, or that something waits for the
// user.
func (a *App) tellMCP() {
	a.mcp.mu.Lock()
	held, told := a.mcp.held, a.mcp.told
	var lines []string
	tell := func(name, what, text string) {
		if told[name] != what {
			told[name] = what
			lines = append(lines, text)
		}
	}
	for _, c := range held {
		tell(c.Name, "held "+c.Sum(), fmt.Sprintf("The MCP server %s of %s is not started before you have looked at it: see /mcp.", c.Name, c.Origin))
	}
	for _, s := range a.mcp.servers.List() {
		switch {
		case s.State == mcp.Ready && len(s.Held) > 0:
			tell(s.Name, fmt.Sprint("tools ", len(s.Held), s.Held[0].Diff), fmt.Sprintf("%s of the MCP server %s changed or %s new: held back until you have looked. See /mcp.", tools.Plural(len(s.Held), "tool", "tools"), s.Name, map[bool]string{true: "is", false: "are"}[len(s.Held) == 1]))
		case s.Clash != "":
			tell(s.Name, "clash "+s.Clash, fmt.Sprintf("The MCP servers %s and %s have tools of the same names, and those of %s are left out: give one of them another name. See /mcp.", s.Clash, s.Name, s.Name))
		case s.State == mcp.Ready, s.Rests:
			told[s.Name] = ""
		case s.State == mcp.Parked, s.State == mcp.Failed, s.State == mcp.NeedsLogin:
			tell(s.Name, string(s.State), fmt.Sprintf("The MCP server %s is not there. %s See /mcp.", s.Name, s.Why))
		}
	}
	a.mcp.mu.Unlock()
	if len(a.conversations()) == 0 {
		a.mcp.mu.Lock()
		clear(a.mcp.told) // no one has read it
		a.mcp.mu.Unlock()
		return
	}
	for _, line := range lines {
		a.tell(event.LevelWarn, line)
	}
}
