package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"hermes-tui/agent/api"
	"slices"
	"sync"
)

// Holding are the files that were left out and that the user may take, each with the
// content that was read last. The zero value is ready and safe for concurrent use.
type Holding struct {
	mu   sync.Mutex
	list []api.HeldInstructions
}

// List gives them, in the order in which they were read.
func (h *Holding) List() []api.HeldInstructions {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.list)
}

// put notes what was found in a file, or that nothing was.
func (h *Holding) put(f api.HeldInstructions, found bool) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = slices.DeleteFunc(h.list, func(o api.HeldInstructions) bool { return o.File == f.File })
	if found {
		h.list = append(h.list, f)
	}
}

// changedSince is why a file of a project is left out that the user has not seen.
const changedSince = "it is new or has changed since you trusted the folder"

// findings scans a text that is to instruct, and gives why it does not, empty if it does.
// project says that it is a file of one, which must not be new. What the user has taken with
// just this content instructs.
func (b *Builder) findings(file, name, text string, project bool) (why string) {
	found := ScanInstructions(text, ScopeContext)
	sum := sha256.Sum256([]byte(text))
	h := api.HeldInstructions{File: file, Name: name, Hash: hex.EncodeToString(sum[:]), Text: text}
	switch {
	case b.Taken != nil && b.Taken(file, h.Hash):
	case len(found) > 0:
		h.Why = attack(found)
	case project && b.Fresh != nil && b.Fresh(file, h.Hash):
		h.Why = changedSince
	}
	b.Holding.put(h, h.Why != "")
	return h.Why
}
