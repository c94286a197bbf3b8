package files

import (
	"crypto/sha256"
	"slices"
	"sync"
)

// remembered is how many files and pages are kept in mind; the oldest are
// forgotten.
const remembered = 4096

// sum identifies the content of a file.
type sum = [sha256.Size]byte

// memory is what an agent has read and written. It is safe for concurrent use.
type memory struct {
	mu sync.Mutex
	// stamps hold what a file was when the agent last saw it, by real path.
	stamps *bounded[string, stamp]
	// pages hold what the model was shown.
	pages *bounded[pageKey, *shown]
	// last is the page that was read last.
	last pageKey
	// repeats is how often it was read in a row.
	repeats int
	// judged holds, by the arguments of a write, the path it was judged for.
	judged *bounded[sum, string]
	// swept are the directories that were looked through for what a killed
	// program has left there.
	swept *bounded[string, bool]
}

// stamp is a file as it was last seen.
type stamp struct {
	sum sum
	cut bool // lines were shown cut
	// part says that not all lines were shown.
	part bool
	// spans says which ones were.
	spans []span
}

// span is a run of lines, both ends included.
type span struct{ first, last int }

// maxSpans is how many separate runs of lines of a file are told apart.
const maxSpans = 64

// cover adds a page to what was shown of a file and reports whether that is all of
// it now.
func (s *stamp) cover(first, count, total int) {
	if count > 0 {
		s.spans = append(s.spans, span{first, first + count - 1})
		slices.SortFunc(s.spans, func(a, b span) int { return a.first - b.first })
		merged := s.spans[:1]
		for _, next := range s.spans[1:] {
			if end := &merged[len(merged)-1]; next.first <= end.last+1 {
				end.last = max(end.last, next.last)
				continue
			}
			merged = append(merged, next)
		}
		s.spans = merged[:min(len(merged), maxSpans)]
	}
	s.part = total > 0 && (len(s.spans) != 1 || s.spans[0].first > 1 || s.spans[0].last < total)
}

// pageKey names a page of a file.
type pageKey struct {
	path          string
	offset, limit int
}

// shown is a page before the model.
type shown struct {
	sum  sum
	asks int // how often it was asked for again
}

func newMemory() memory {
	return memory{
		stamps: newBounded[string, stamp](remembered),
		pages:  newBounded[pageKey, *shown](remembered),
		judged: newBounded[sum, string](64),
		swept:  newBounded[string, bool](remembered),
	}
}

// verdict says what to do about a read.
type verdict struct {
	// times is how often in a row the page was asked for, this time included.
	times int
	// same says that the model has the content already.
	same bool
}

// read notes that a page is about to be shown and reports whether that is a
// repetition. A page that will be refused is not noted.
func (m *memory) read(key pageKey, p *page, cut bool) verdict {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.pages.get(key); ok && s.sum == p.sum {
		s.asks++
		m.stamp(key, p, cut)
		return verdict{times: s.asks + 1, same: true}
	}
	if m.last != key {
		m.last, m.repeats = key, 0
	}
	m.repeats++
	if m.repeats <= maxRepeats {
		m.stamp(key, p, cut)
		m.pages.put(key, &shown{sum: p.sum})
	}
	return verdict{times: m.repeats}
}

// stamp notes that the model has seen a page.
func (m *memory) stamp(key pageKey, p *page, cut bool) {
	s := stamp{sum: p.sum, cut: cut}
	if old, ok := m.stamps.get(key.path); ok && old.sum == p.sum {
		s.cut, s.spans = cut || old.cut, old.spans
	}
	s.cover(key.offset, len(p.lines), p.total)
	m.stamps.put(key.path, s)
}

// seen gives what a file was when the agent last saw it.
func (m *memory) seen(path string) (stamp, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stamps.get(path)
}

// wrote notes the content that the agent gave a file.
func (m *memory) wrote(path string, s sum) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stamps.put(path, stamp{sum: s})
	m.dropPages(path)
}

// edited notes the content that the agent gave a file by changing parts of it:
// what it had not seen before it has not seen now.
func (m *memory) edited(path string, s sum) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, _ := m.stamps.get(path)
	m.stamps.put(path, stamp{sum: s, cut: old.cut, part: old.part})
	m.dropPages(path)
}

// gone notes that the agent has deleted a file.
func (m *memory) gone(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stamps.remove(func(k string) bool { return k == path })
	m.dropPages(path)
}

// moved notes that the agent has moved a file.
func (m *memory) moved(from, to string, s sum) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, _ := m.stamps.get(from)
	m.stamps.put(to, stamp{sum: s, cut: old.cut, part: old.part})
	m.stamps.remove(func(k string) bool { return k == from })
	m.dropPages(from)
	m.dropPages(to)
}

// dropPages forgets the pages of a file that was changed.
func (m *memory) dropPages(path string) {
	m.pages.remove(func(k pageKey) bool { return k.path == path })
	m.last, m.repeats = pageKey{}, 0
}

// first reports whether a directory is named for the first time.
func (m *memory) first(dir string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, there := m.swept.get(dir)
	m.swept.put(dir, true)
	return !there
}

// judge notes which path a write with these arguments was judged for.
func (m *memory) judge(args sum, path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.judged.put(args, path)
}

// judgedPath gives the path that a write was last judged for.
func (m *memory) judgedPath(args sum) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.judged.get(args)
}

func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pages.remove(func(pageKey) bool { return true })
	m.last, m.repeats = pageKey{}, 0
}

func (m *memory) resetRepeats() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.pages.values {
		s.asks = 0
	}
	m.last, m.repeats = pageKey{}, 0
}

// bounded is a map of limited size that forgets its oldest keys.
type bounded[K comparable, V any] struct {
	limit  int
	values map[K]V
	order  []K
}

func newBounded[K comparable, V any](limit int) *bounded[K, V] {
	return &bounded[K, V]{limit: limit, values: map[K]V{}}
}

func (b *bounded[K, V]) get(k K) (V, bool) {
	v, ok := b.values[k]
	return v, ok
}

func (b *bounded[K, V]) put(k K, v V) {
	if _, ok := b.values[k]; !ok {
		if len(b.order) >= b.limit {
			delete(b.values, b.order[0])
			b.order = b.order[1:]
		}
		b.order = append(b.order, k)
	}
	b.values[k] = v
}

func (b *bounded[K, V]) remove(which func(K) bool) {
	b.order = slices.DeleteFunc(b.order, func(k K) bool {
		if which(k) {
			delete(b.values, k)
			return true
		}
		return false
	})
}
