package patch

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"
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
	judged *bounded[[sha256.Size]byte, []string]
	// failed counts the failures in a row on a file, by real path.
	failed *bounded[string, int]
}

func newMemory() memory {
	return memory{
		judged: newBounded[[sha256.Size]byte, []string](maxJudged),
		failed: newBounded[string, int](maxFailed),
	}
}

// judge notes which paths a call was judged for.
func (m *memory) judge(args json.RawMessage, paths []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.judged.put(sha256.Sum256(args), paths)
}

// judgedFor reports whether a call was last judged for exactly these paths.
func (m *memory) judgedFor(args json.RawMessage, paths []string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	was, ok := m.judged.get(sha256.Sum256(args))
	return ok && slices.Equal(was, paths)
}

// fail counts a failure on a file and gives how many there were in a row.
func (m *memory) fail(path string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, _ := m.failed.get(path)
	m.failed.put(path, n+1)
	return n + 1
}

// succeed forgets the failures on files.
func (m *memory) succeed(paths []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range paths {
		m.failed.remove(p)
	}
}

// bounded is a map that forgets the entry put in longest ago.
type bounded[K comparable, V any] struct {
	max    int
	values map[K]V
	order  []K
}

func newBounded[K comparable, V any](limit int) *bounded[K, V] {
	return &bounded[K, V]{max: limit, values: map[K]V{}}
}

func (b *bounded[K, V]) get(key K) (V, bool) {
	v, ok := b.values[key]
	return v, ok
}

func (b *bounded[K, V]) put(key K, value V) {
	b.remove(key)
	if len(b.order) == b.max {
		b.remove(b.order[0])
	}
	b.values[key] = value
	b.order = append(b.order, key)
}

func (b *bounded[K, V]) remove(key K) {
	if _, ok := b.values[key]; !ok {
		return
	}
	delete(b.values, key)
	i := slices.Index(b.order, key)
	b.order = slices.Delete(b.order, i, i+1)
}
