package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes-tui/providers/schemas"
	"hermes-tui/tools/shorten"
)

// The bounds of lists.
const (
	maxPages  = 200
	maxTools  = 10_000
	maxSchema = 64 << 10 // bytes of a schema
	maxDepth  = 24       // levels of a schema
)

// Tool is a tool that a server offers.
type Tool struct {
	// Name is what models call it by, Given the name that the server gives it.
	Name, Given string
	Description string
	Schema      json.RawMessage
	// Plain is the schema as models get it.
	Plain json.RawMessage
	// Reads says that the server calls it one that only reads.
	Reads bool
}

// definition is what of a tool is pinned.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"`
	Reads       bool            `json:"reads,omitempty"`
}

// parameters is the schema as models get it.
func (t Tool) parameters() json.RawMessage {
	if t.Plain != nil {
		return t.Plain
	}
	return t.Schema
}

func (t Tool) definition() definition { return definition{t.Given, t.Description, t.Schema, t.Reads} }

// sum is the hash of all that a server says of a tool.
func (d definition) sum() string {
	data, err := json.Marshal(d)
	if err != nil {
		panic(err) // it was read as JSON
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// read reads the tools of a server and compares them with what the user has agreed to.
func (s *server) read(ctx context.Context, session *sdk.ClientSession) error {
	within := s.within()
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("its tools were not listed within %v", within))
	defer cancel()
	var found []*sdk.Tool
	caps := session.InitializeResult().Capabilities
	if caps != nil && caps.Tools != nil {
		seen := map[string]bool{}
		err := pages(func(cursor string) (string, error) {
			r, err := session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
			if err != nil {
				return "", err
			}
			for _, t := range r.Tools {
				if t != nil && !seen[t.Name] && len(found) < maxTools {
					seen[t.Name] = true
					found = append(found, t)
				}
			}
			if len(found) >= maxTools {
				return "", nil
			}
			return r.NextCursor, nil
		})
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return fmt.Errorf("list its tools: %w", err)
		}
	}
	list, left := s.usable(found)
	if caps != nil {
		list = append(list, s.beside(caps, list)...)
	}
	offered, held := s.o.Pins.sift(s.c, list, s.o.Scan)
	s.mu.Lock()
	s.listed, s.offered, s.heldNow, s.left = list, offered, held, left
	s.mu.Unlock()
	return nil
}

// pages reads a list to its end: until there is no further page, or it repeats itself.
func pages(page func(cursor string) (next string, err error)) error {
	seen, cursor := map[string]bool{}, ""
	for range maxPages {
		next, err := page(cursor)
		if err != nil || next == "" || seen[next] {
			return err
		}
		seen[next], cursor = true, next
	}
	return nil
}

// usable are the tools that models can be given; left says why others cannot.
func (s *server) usable(found []*sdk.Tool) (list []Tool, left []string) {
	taken := map[string]bool{}
	for _, t := range found {
		if !s.c.wants(t.Name) {
			continue
		}
		schema, err := schemaOf(t.InputSchema)
		if err == nil && label(t.Name, maxName) == "" {
			err = errors.New("it has no name that can be shown")
		}
		if err != nil {
			left = append(left, label(t.Name, maxName)+": "+err.Error())
			continue
		}
		one := Tool{Given: t.Name, Description: shorten.To(visible(t.Description), maxDescription), Schema: schema, Plain: schemas.Plain(schema)}
		if one.Description == "" {
			one.Description = "A tool of the MCP server " + label(s.c.Name, maxName) + "."
		}
		one.Reads = t.Annotations != nil && t.Annotations.ReadOnlyHint
		one.Name = toolName(s.c.Name, t.Name, func(n string) bool { return taken[n] })
		if taken[one.Name] {
			left = append(left, label(t.Name, maxName)+": another one has its name")
			continue
		}
		taken[one.Name] = true
		list = append(list, one)
	}
	return list, left
}

// schemaOf is the schema of what a tool is called with, as models take it.
func schemaOf(in any) (json.RawMessage, error) {
	if depth(in, 0) > maxDepth {
		return nil, fmt.Errorf("its schema has more than %d levels", maxDepth)
	}
	m, ok := in.(map[string]any)
	if !ok {
		return json.RawMessage(`{"type":"object","properties":{}}`), nil
	}
	if m["type"] != "object" {
		m["type"] = "object"
	}
	if _, ok := m["properties"].(map[string]any); !ok {
		m["properties"] = map[string]any{}
	}
	delete(m, "$schema")
	data, err := json.Marshal(shownAll(m))
	switch {
	case err != nil:
		return nil, errors.New("its schema cannot be written")
	case len(data) > maxSchema:
		return nil, fmt.Errorf("its schema has more than %d KB", maxSchema>>10)
	}
	return data, nil
}

// shownAll is a schema whose texts hide nothing.
func shownAll(v any) any {
	switch v := v.(type) {
	case string:
		return shorten.To(visible(v), maxDescription)
	case []any:
		for i := range v {
			v[i] = shownAll(v[i])
		}
	case map[string]any:
		for key, one := range v {
			v[key] = shownAll(one)
		}
	}
	return v
}

func depth(v any, at int) int {
	most := at
	if at > maxDepth {
		return at
	}
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			most = max(most, depth(one, at+1))
		}
	case map[string]any:
		for _, one := range v {
			most = max(most, depth(one, at+1))
		}
	}
	return most
}
