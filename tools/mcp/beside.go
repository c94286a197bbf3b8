package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The tools that read resources and prompts of a server, by the names that stand for its
// own: a server cannot name one of its tools so.
const (
	listResources = "list_resources"
	readResource  = "read_resource"
	listPrompts   = "list_prompts"
	getPrompt     = "get_prompt"
)

// beside are tools for the resources and prompts of a server. A tool of its own goes before
// one of these.
func (s *server) beside(caps *sdk.ServerCapabilities, own []Tool) (list []Tool) {
	add := func(name, description, schema string) {
		n := toolName(s.c.Name, name, func(n string) bool { return false })
		for _, t := range own {
			if t.Name == n {
				return
			}
		}
		if s.c.wants(name) {
			list = append(list, Tool{Name: n, Given: "\x00" + name, Description: fmt.Sprintf(description, label(s.c.Name, maxName)), Schema: json.RawMessage(schema), Reads: true})
		}
	}
	const cursor = `{"type":"object","properties":{"cursor":{"type":"string","description":"where the last list ended"}}}`
	if caps.Resources != nil && !s.c.NoResources {
		add(listResources, "List the resources of the MCP server %s: data by address.", cursor)
		add(readResource, "Read a resource of the MCP server %s.", `{"type":"object","properties":{"uri":{"type":"string"}},"required":["uri"]}`)
	}
	if caps.Prompts != nil && !s.c.NoPrompts {
		add(listPrompts, "List the prompts of the MCP server %s: texts to work by, with arguments.", cursor)
		add(getPrompt, "Get a prompt of the MCP server %s.", `{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object","additionalProperties":{"type":"string"}}},"required":["name"]}`)
	}
	return list
}

// besideCall answers a call of one of these tools; false for any other.
func (s *server) besideCall(ctx context.Context, t Tool, raw json.RawMessage, save Save) (answer string, mine bool, err error) {
	name, mine := strings.CutPrefix(t.Given, "\x00")
	if !mine {
		return "", false, nil
	}
	var args struct {
		Cursor, URI, Name string
		Arguments         map[string]string
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return "", true, err
	}
	within := s.c.Timeout
	if within <= 0 {
		within = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	defer s.begin()()
	session, _, err := s.use(ctx)
	if err != nil {
		return "", true, err
	}
	var b strings.Builder
	switch name {
	case listResources:
		var r *sdk.ListResourcesResult
		if r, err = session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: args.Cursor}); err == nil {
			for _, one := range r.Resources {
				if one != nil {
					fmt.Fprintf(&b, "%s  %s\n", one.URI, label(one.Name+" "+one.Description, 300))
				}
			}
			more(&b, r.NextCursor)
		}
		if err == nil && args.Cursor == "" {
			if t, e := session.ListResourceTemplates(ctx, nil); e == nil {
				for _, one := range t.ResourceTemplates {
					if one != nil {
						fmt.Fprintf(&b, "%s  %s\n", one.URITemplate, label(one.Name+" "+one.Description, 300))
					}
				}
			}
		}
	case readResource:
		var r *sdk.ReadResourceResult
		if r, err = session.ReadResource(ctx, &sdk.ReadResourceParams{URI: args.URI}); err == nil {
			for _, one := range r.Contents {
				resource(ctx, &b, one, save)
				b.WriteString("\n")
			}
		}
	case listPrompts:
		var r *sdk.ListPromptsResult
		if r, err = session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: args.Cursor}); err == nil {
			for _, one := range r.Prompts {
				if one == nil {
					continue
				}
				fmt.Fprintf(&b, "%s  %s\n", label(one.Name, maxName), label(one.Description, 300))
				for _, a := range one.Arguments {
					fmt.Fprintf(&b, "  %s  %s\n", label(a.Name, maxName), label(a.Description, 300))
				}
			}
			more(&b, r.NextCursor)
		}
	case getPrompt:
		var r *sdk.GetPromptResult
		if r, err = session.GetPrompt(ctx, &sdk.GetPromptParams{Name: args.Name, Arguments: args.Arguments}); err == nil {
			for _, m := range r.Messages {
				fmt.Fprintf(&b, "%s: ", m.Role)
				content(ctx, &b, m.Content, save)
				b.WriteString("\n")
			}
		}
	}
	if err != nil {
		if wantsLogin(err) != "" {
			s.refuse(err)
		}
		return "", true, said("the MCP server %s: %s", s.c.Name, sentence(err))
	}
	if b.Len() == 0 {
		return "(nothing)", true, nil
	}
	return visible(cutBytes(b.String(), maxText)), true, nil
}

func more(b *strings.Builder, cursor string) {
	if cursor != "" {
		fmt.Fprintf(b, "There are more: cursor %q.\n", cursor)
	}
}
