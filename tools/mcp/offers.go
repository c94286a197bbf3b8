package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Prompt is a text of a server that the user can ask for.
type Prompt struct {
	// Name is what the user calls it by, Given the name that the server gives it.
	Name, Given string
	Description string
	Arguments   []Argument
	server      string
}

// Argument is one of those of a prompt.
type Argument struct {
	Name        string
	Description string
	Required    bool
}

// Resource is data of a server.
type Resource struct {
	Server, URI, Description string
}

// maxOffers bounds the prompts of a server, and its resources.
const maxOffers = 1000

// readOffers lists the prompts and resources of a server. What cannot be listed is left
// out: the log says why.
func (s *server) readOffers(ctx context.Context, session *sdk.ClientSession) {
	caps := session.InitializeResult().Capabilities
	if caps == nil {
		caps = &sdk.ServerCapabilities{}
	}
	ctx, cancel := context.WithTimeout(ctx, s.within())
	defer cancel()
	var prompts []Prompt
	var resources []Resource
	if caps.Prompts != nil && !s.c.NoPrompts {
		taken := map[string]bool{}
		s.note("prompts", pages(func(cursor string) (string, error) {
			r, err := session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
			if err != nil {
				return "", err
			}
			for _, p := range r.Prompts {
				if p == nil || len(prompts) >= maxOffers || label(p.Name, maxName) == "" {
					continue
				}
				one := Prompt{Given: p.Name, Description: label(p.Description, 300), server: s.c.Name}
				if one.Name = strings.ToLower(toolName(s.c.Name, p.Name, func(n string) bool { return taken[n] })); taken[one.Name] {
					continue
				}
				taken[one.Name] = true
				for _, a := range p.Arguments {
					if a != nil {
						one.Arguments = append(one.Arguments, Argument{a.Name, label(a.Description, 200), a.Required})
					}
				}
				prompts = append(prompts, one)
			}
			return r.NextCursor, nil
		}))
	}
	if caps.Resources != nil && !s.c.NoResources {
		s.note("resources", pages(func(cursor string) (string, error) {
			r, err := session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
			if err != nil {
				return "", err
			}
			for _, one := range r.Resources {
				if one != nil && len(resources) < maxOffers && clean(one.URI) {
					resources = append(resources, Resource{s.c.Name, one.URI, label(one.Name+" "+one.Description, 300)})
				}
			}
			return r.NextCursor, nil
		}))
	}
	s.mu.Lock()
	s.prompts, s.resources, s.offering = prompts, resources, false
	s.stir()
	s.mu.Unlock()
}

// note writes into the log why something could not be listed.
func (s *server) note(what string, err error) {
	if err != nil {
		_, _ = fmt.Fprintf(s.log, "hermes-tui: list its %s: %v\n", what, err)
	}
}

// WaitOffers waits until servers that are ready have listed their prompts and resources, or
// ctx ends.
func (s *Servers) WaitOffers(ctx context.Context) {
	for _, one := range s.all() {
		for {
			one.mu.Lock()
			busy, changed := one.state == Ready && one.offering, one.changed
			one.mu.Unlock()
			if !busy {
				break
			}
			select {
			case <-ctx.Done():
				return
			case <-one.ended:
				return
			case <-changed:
			}
		}
	}
}

// Prompts are those of some servers.
func (s *Servers) Prompts(wanted func(Config) bool) (list []Prompt) {
	taken := map[string]bool{}
	for _, one := range s.all() {
		one.mu.Lock()
		c, prompts := one.c, one.prompts
		one.mu.Unlock()
		for _, p := range prompts {
			if wanted(c) && !taken[p.Name] {
				taken[p.Name] = true
				list = append(list, p)
			}
		}
	}
	return list
}

// Resources are those of some servers.
func (s *Servers) Resources(wanted func(Config) bool) (list []Resource) {
	for _, one := range s.all() {
		one.mu.Lock()
		c, resources := one.c, one.resources
		one.mu.Unlock()
		if wanted(c) {
			list = append(list, resources...)
		}
	}
	return list
}

// ReadPrompt asks a server for a prompt with arguments. What is in it that is no text is
// kept with save.
func (s *Servers) ReadPrompt(ctx context.Context, p Prompt, args map[string]string, save Save) (string, error) {
	one, err := s.named(p.server)
	if err != nil {
		return "", err
	}
	return one.offer(ctx, func(ctx context.Context, session *sdk.ClientSession, b *strings.Builder) error {
		r, err := session.GetPrompt(ctx, &sdk.GetPromptParams{Name: p.Given, Arguments: args})
		if err != nil {
			return err
		}
		same := !slices.ContainsFunc(r.Messages, func(m *sdk.PromptMessage) bool { return m == nil || m.Role != "user" })
		for _, m := range r.Messages {
			switch {
			case m == nil:
				continue
			case b.Len() > 0:
				b.WriteString("\n\n")
			}
			if !same {
				fmt.Fprintf(b, "%s: ", m.Role)
			}
			content(ctx, b, m.Content, save)
		}
		return nil
	})
}

// ReadResource reads data of a server by its address. What is no text is kept with save.
func (s *Servers) ReadResource(ctx context.Context, name, uri string, save Save) (string, error) {
	one, err := s.named(name)
	if err != nil {
		return "", err
	}
	return one.offer(ctx, func(ctx context.Context, session *sdk.ClientSession, b *strings.Builder) error {
		r, err := session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			return err
		}
		for _, c := range r.Contents {
			if b.Len() > 0 {
				b.WriteString("\n")
			}
			if c != nil && len(c.Blob) == 0 && len(r.Contents) == 1 {
				b.WriteString(c.Text)
				continue
			}
			resource(ctx, b, c, save)
		}
		return nil
	})
}

// offer asks for something that is no tool.
func (s *server) offer(ctx context.Context, do func(context.Context, *sdk.ClientSession, *strings.Builder) error) (string, error) {
	defer s.begin()()
	r := s.calls.begin(&running{ctx: ctx}) // what it asks meanwhile is declined
	defer s.calls.end(r)
	session, _, err := s.use(ctx)
	if err != nil {
		return "", err
	}
	within := s.c.Timeout
	if within <= 0 {
		within = DefaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("it did not answer within %v", within))
	defer cancel()
	var b strings.Builder
	if err := do(ctx, session, &b); err != nil {
		if wantsLogin(err) != "" {
			s.refuse(err)
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return "", fmt.Errorf("the MCP server %s: %s", label(s.c.Name, maxName), sentence(err))
	}
	return visible(cutBytes(b.String(), maxText)), nil
}

// Fill gives the arguments of a prompt the words of a text: the last one gets all that is
// left, and quotes hold words together.
func (p Prompt) Fill(text string) (map[string]string, error) {
	args := map[string]string{}
	for i, a := range p.Arguments {
		text = strings.TrimSpace(text)
		word := text
		if q, rest, ok := strings.Cut(strings.TrimPrefix(text, `"`), `"`); strings.HasPrefix(text, `"`) && ok {
			word, text = q, rest
		} else if at := strings.IndexAny(text, " \t\n"); at >= 0 && i < len(p.Arguments)-1 {
			word, text = text[:at], text[at:]
		} else {
			text = ""
		}
		switch {
		case word != "":
			args[a.Name] = word
		case a.Required:
			return nil, fmt.Errorf("/%s needs %s", p.Name, p.usage())
		}
	}
	if strings.TrimSpace(text) != "" {
		return nil, fmt.Errorf("/%s takes %s", p.Name, p.usage())
	}
	return args, nil
}

// Usage names the arguments, those in brackets that may be left out.
func (p Prompt) Usage() string {
	var words []string
	for _, a := range p.Arguments {
		word := label(a.Name, maxName)
		if !a.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func (p Prompt) usage() string {
	if len(p.Arguments) == 0 {
		return "no arguments"
	}
	text := "these arguments: " + p.Usage()
	for _, a := range p.Arguments {
		if a.Description != "" {
			text += fmt.Sprintf("; %s is %s", label(a.Name, maxName), a.Description)
		}
	}
	return text
}
