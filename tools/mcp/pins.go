package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/aymanbagabas/go-udiff"

	"hermes-tui/store/atomicfile"
	"hermes-tui/tools/shorten"
)

// Pins remember what the user has agreed to of each server.
type Pins struct {
	// Newest gives the hash that was agreed to last about a key, empty for none; Allow
	// agrees to another.
	Newest func(key string) string
	Allow  func(key, hash string) error
	// Dir is where the definitions behind the hashes are kept, to show what has changed.
	Dir string

	mu sync.Mutex
}

// Change is a tool that is held back until the user has looked at it.
type Change struct {
	Tool Tool
	// Diff is what has changed, as a unified diff; of a tool that is new, all of it is
	// added.
	Diff string
	// Findings name what in it reads like an attempt to take over the agent.
	Findings []string
}

// key is that of a server: its name, and what it is. Where it runs, which keys it gets and
// with which arguments are not part of that, so that they reset nothing.
func key(c Config) string { return "tools of " + c.Name + " at " + c.where() }

// where is the program or the address of a server, as its file has it.
func (c Config) where() string {
	if c = c.AsWritten(); c.URL == "" {
		return c.Command
	}
	at, _, _ := strings.Cut(c.URL, "?")
	return at
}

// sift divides the tools of a server into those that the user has agreed to and the
// others. What a server offers when it is first seen counts as agreed to, but for what
// reads like an attack.
func (p *Pins) sift(c Config, list []Tool, scan func(string) []string) (offered []Tool, held []Change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	agreed, known := p.agreed(c)
	var now []definition
	for _, t := range list {
		d := t.definition()
		i := slices.IndexFunc(agreed, func(o definition) bool { return o.Name == d.Name })
		var found []string
		if i < 0 || agreed[i].sum() != d.sum() {
			found = scan(string(d.Schema) + "\n" + d.Description)
		}
		switch {
		case i >= 0 && agreed[i].sum() == d.sum(), !known && len(found) == 0:
			offered, now = append(offered, t), append(now, d)
			continue
		case i >= 0:
			held = append(held, Change{t, diff(agreed[i], d), found})
		default:
			held = append(held, Change{t, diff(definition{}, d), found})
		}
	}
	if !known {
		_ = p.keep(c, now) // then they count as new the next time
	}
	return offered, held
}

// allow agrees to tools of a server as they are now.
func (p *Pins) allow(c Config, list []Tool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	agreed, _ := p.agreed(c)
	for _, t := range list {
		agreed = slices.DeleteFunc(agreed, func(d definition) bool { return d.Name == t.Given })
		agreed = append(agreed, t.definition())
	}
	return p.keep(c, agreed)
}

// agreed are the definitions that were agreed to. known says that there was an agreement:
// when its definitions are lost, there is none of any tool.
func (p *Pins) agreed(c Config) (list []definition, known bool) {
	hash := p.Newest(key(c))
	if hash == "" {
		return nil, false
	}
	data, err := os.ReadFile(p.file(c))
	if err != nil || hashOf(data) != hash || json.Unmarshal(data, &list) != nil {
		return nil, true
	}
	return list, true
}

// keep agrees to definitions.
func (p *Pins) keep(c Config, list []definition) error {
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := atomicfile.MkdirPrivate(p.Dir); err != nil {
		return err
	}
	if err := atomicfile.Write(p.file(c), data, 0o600); err != nil {
		return fmt.Errorf("keep what the server %s offers: %w", c.Name, err)
	}
	return p.Allow(key(c), hashOf(data))
}

func (p *Pins) file(c Config) string {
	return filepath.Join(p.Dir, plainName(shorten.To(c.Name, 40))+"-"+hashOf([]byte(key(c)))[:12]+".json")
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// diff shows what has changed of a tool.
func diff(old, now definition) string {
	return udiff.Unified("agreed to", "now", old.shown(), now.shown())
}

// shown is a definition for people.
func (d definition) shown() string {
	if d.Name == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString(label(d.Name, maxName) + "\n\n" + strings.TrimSpace(d.Description) + "\n\n")
	var schema any
	if json.Unmarshal(d.Schema, &schema) == nil {
		if text, err := json.MarshalIndent(schema, "", "  "); err == nil {
			b.Write(text)
			b.WriteString("\n")
		}
	}
	if d.Reads {
		b.WriteString("\nThe server says that it only reads.\n")
	}
	return b.String()
}
