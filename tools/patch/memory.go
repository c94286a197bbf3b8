package patch

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"

	"hermes-tui/tools"
)

// What is remembered at most; the oldest is forgotten.
const (
	maxJudged = 256
	maxFailed = 1024
)

// stubborn is how many failures in a row on one file call for another way.
const stubborn = 3

// memory is what the tool of one agent remembers. It is safe for concurrent use.
type memory struct {
	mu sync.Mutex
	// judged holds, by the arguments of a call, the paths it was judged for.
	judged *tools.Bounded[[sha256.Size]byte, []string]
	// failed counts the failures in a row on a file, by real path.
	failed *tools.Bounded[string, int]
}

func newMemory() memory {
	return memory{
		judged: tools.NewBounded[[sha256.Size]byte, []string](maxJudged),
		failed: tools.NewBounded[string, int](maxFailed),
	}
}

// judge notes which paths a call was judged for.
func (m *memory) judge(args json.RawMessage, paths []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.judged.Put(sha256.Sum256(args), paths)
}

// judgedFor reports whether a call was last judged for exactly these paths.
func (m *memory) judgedFor(args json.RawMessage, paths []string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	was, ok := m.judged.Get(sha256.Sum256(args))
	return ok && slices.Equal(was, paths)
}

// fail counts a failure on a file and gives how many there were in a row.
func (m *memory) fail(path string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, _ := m.failed.Get(path)
	m.failed.Put(path, n+1)
	return n + 1
}

// succeed forgets the failures on files.
func (m *memory) succeed(paths []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed.Remove(func(p string) bool { return slices.Contains(paths, p) })
}
