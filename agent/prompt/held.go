package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
)

// Held is a file that was left out of the instructions because it reads like an attack.
type Held struct {
	// File is its real path, Name how it is shown.
	File, Name string
	// Why says what was found, to follow "it".
	Why string
	// Hash names the content, Text is it.
	Hash, Text string
}

// Holding are the files that were left out and that the user may take, each with the
// content that was read last. The zero value is ready and safe for concurrent use.
type Holding struct {
	mu   sync.Mutex
	list []Held
}

// List gives them, in the order in which they were read.
func (h *Holding) List() []Held {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.list)
}

// put notes what was found in a file, or that nothing was.
func (h *Holding) put(f Held, found bool) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = slices.DeleteFunc(h.list, func(o Held) bool { return o.File == f.File })
	if found {
		h.list = append(h.list, f)
	}
}

// findings scans a text that is to instruct. What the user has taken with just this
// content has none.
func (b *Builder) findings(file, name, text string) []string {
	found := Scan(text, ScopeContext)
	sum := sha256.Sum256([]byte(text))
	h := Held{File: file, Name: name, Hash: hex.EncodeToString(sum[:]), Text: text}
	if len(found) == 0 || b.Taken != nil && b.Taken(file, h.Hash) {
		b.Holding.put(h, false)
		return nil
	}
	h.Why = attack(found)
	b.Holding.put(h, true)
	return found
}
