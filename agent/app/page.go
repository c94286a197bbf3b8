package app

import (
	"context"
	"net/http"
	"strings"
	"time"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/providers/redact"
	"hermes-tui/tools/web"
)

// pageTime is how long a page that a message names may take.
const pageTime = 30 * time.Second

// reader makes text of pages with processes that are confined where the place of the
// conversation can do that.
func (c *conversation) reader() web.Reader {
	if c.remote != nil || c.place == nil {
		return c.app.reader
	}
	return bind.TextReader(c.place, c.app.o.Environ)
}

// pdf makes text of a PDF on the disk.
func (c *conversation) pdf(ctx context.Context, body []byte) (string, error) {
	return web.PDFText(ctx, c.reader(), body)
}

// page reads a page of the web that a message of the user names.
func (c *conversation) page(ctx context.Context, address string) (string, error) {
	a := c.app
	ctx, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	p, err := web.Read(ctx, a.outside(), "hermes-tui/"+a.o.Version, address, c.reader())
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if p.Title != "" {
		b.WriteString("Title: " + p.Title + "\n")
	}
	if p.URL != address {
		b.WriteString("Found at: " + p.URL + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	b.WriteString(p.Text)
	if p.Cut {
		b.WriteString("\n[the rest of the page is left out]")
	}
	return b.String() + "\n", nil
}

// webFor says how agents of a conversation read pages, nil where they read none.
func (a *App) webFor(c *conversation) *web.ExtractOptions {
	o := c.cfg.Web
	if !o.Enabled {
		return nil
	}
	return &web.ExtractOptions{
		Client: a.outside(), Agent: "hermes-tui/" + a.o.Version, Known: c.hasNamed, Secret: a.isSecret, Reader: c.reader(), Cache: a.pages, Now: a.o.IDs.Now,
		Chars: o.ExtractChars, Timeout: o.ExtractTimeout.Duration(),
		Save: func(ctx context.Context, _ string, data []byte) (string, error) {
			return c.keep(ctx, "page", ".md", data)
		},
	}
}

// searchFor says how agents of a conversation search the web, nil where they do not.
func (a *App) searchFor(c *conversation) *web.SearchOptions {
	o := c.cfg.Web
	env := func(name string) string {
		if name == "" {
			return ""
		}
		v, _ := a.o.Env(name)
		return v
	}
	if o.SearchBackend == "" && o.SearchURL != "" {
		o.SearchBackend = "searxng"
	}
	var backends []web.Backend
	for _, e := range web.Engines() {
		key := env(e.KeyEnv)
		switch {
		case o.SearchBackend != "" && o.SearchBackend != e.Name,
			o.SearchBackend == "" && e.KeyEnv != "" && key == "",                          // another one may be set up
			o.SearchBackend == "" && e.Free() && len(backends) > 0 && !backends[0].Free(): // one of the user's own is
			continue
		}
		if e.URL = first(o.SearchURL, env(e.URLEnv), e.URL); e.URL == "" {
			continue
		}
		backends = append(backends, web.Backend{Engine: e, Key: key})
	}
	if len(backends) == 0 {
		return nil
	}
	return &web.SearchOptions{
		Client: a.outside(), Agent: "hermes-tui/" + a.o.Version, Backends: backends, Secret: a.isSecret, Timeout: o.ExtractTimeout.Duration(), Cache: a.pages, Now: a.o.IDs.Now,
	}
}

// hasNamed reports whether an address stands in what the user wrote, or in what the web gave:
// what an agent has put there itself, in a command, a file or a task, names nothing.
func (c *conversation) hasNamed(address string) bool {
	if c.Conversation == nil {
		return false
	}
	for _, agent := range c.Fold().Agents {
		for _, b := range agent.Blocks {
			switch {
			case b.Kind == event.BlockUser && b.Origin == "" && strings.Contains(b.Text.String(), address),
				b.Call != nil && b.Call.Stage == event.CallEnded && web.Names(b.Call.View.Name) && strings.Contains(b.Call.View.Body, address):
				return true
			}
		}
	}
	return false
}

// isSecret reports whether a text holds what is masked elsewhere.
func (a *App) isSecret(text string) bool {
	return redact.Masker{Secrets: a.secrets}.Text(text) != text
}

// outside is the client for what is fetched on behalf of the user: from public addresses,
// and from those of a private network that the settings list.
func (a *App) outside() *http.Client {
	return a.dialer(func(host string, port int) bool { return a.hosts().Names(host, port) }).Client()
}
