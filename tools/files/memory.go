package files

import (
	"crypto/sha256"
	"slices"
	"sync"

	"hermes-tui/tools"
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
	stamps *tools.Bounded[string, stamp]
	// pages hold what the model was shown.
	pages *tools.Bounded[pageKey, *shown]
	// last is the page that was read last.
	last pageKey
	// repeats is how often it was read in a row.
	repeats int
	// judged holds, by the arguments of a write, the path it was judged for.
	judged *tools.Bounded[sum, string]
	// swept are the directories that were looked through for what a killed
	// program has left there.
	swept *tools.Bounded[string, bool]
	// glances are what the files of stamps are on disk.
	glances *tools.Bounded[string, *glance]
	// begun says that a turn has begun since.
	begun bool
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
		stamps: tools.NewBounded[string, stamp](remembered),
		pages:  tools.NewBounded[pageKey, *shown](remembered),
		judged: tools.NewBounded[sum, string](64),
		swept:  tools.NewBounded[string, bool](remembered),

		glances: tools.NewBounded[string, *glance](remembered),
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
	if s, ok := m.pages.Get(key); ok && s.sum == p.sum {
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
		m.pages.Put(key, &shown{sum: p.sum})
	}
	return verdict{times: m.repeats}
}

// stamp notes that the model has seen a page.
func (m *memory) stamp(key pageKey, p *page, cut bool) {
	s := stamp{sum: p.sum, cut: cut}
	if old, ok := m.stamps.Get(key.path); ok && old.sum == p.sum {
		s.cut, s.spans = cut || old.cut, old.spans
	}
	s.cover(key.offset, len(p.lines), p.total)
	m.stamps.Put(key.path, s)
	m.glance(key.path, p.sum)
}

// seen gives what a file was when the agent last saw it.
func (m *memory) seen(path string) (stamp, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stamps.Get(path)
}

// wrote notes the content that the agent gave a file.
func (m *memory) wrote(path string, s sum) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stamps.Put(path, stamp{sum: s})
	m.glance(path, s)
	m.dropPages(path)
}

// edited notes the content that the agent gave a file by changing parts of it:
// what it had not seen before it has not seen now.
func (m *memory) edited(path string, s sum) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, _ := m.stamps.Get(path)
	m.stamps.Put(path, stamp{sum: s, cut: old.cut, part: old.part})
	m.glance(path, s)
	m.dropPages(path)
}

// gone notes that the agent has deleted a file.
func (m *memory) gone(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stamps.Remove(func(k string) bool { return k == path })
	m.glances.Remove(func(k string) bool { return k == path })
	m.dropPages(path)
}

// moved notes that the agent has moved a file.
func (m *memory) moved(from, to string, s sum) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, _ := m.stamps.Get(from)
	m.stamps.Put(to, stamp{sum: s, cut: old.cut, part: old.part})
	m.stamps.Remove(func(k string) bool { return k == from })
	m.glances.Remove(func(k string) bool { return k == from })
	m.glance(to, s)
	m.dropPages(from)
	m.dropPages(to)
}

// dropPages forgets the pages of a file that was changed.
func (m *memory) dropPages(path string) {
	m.pages.Remove(func(k pageKey) bool { return k.path == path })
	m.last, m.repeats = pageKey{}, 0
}

// first reports whether a directory is named for the first time.
func (m *memory) first(dir string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, there := m.swept.Get(dir)
	m.swept.Put(dir, true)
	return !there
}

// judge notes which path a write with these arguments was judged for.
func (m *memory) judge(args sum, path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.judged.Put(args, path)
}

// judgedPath gives the path that a write was last judged for.
func (m *memory) judgedPath(args sum) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.judged.Get(args)
}

func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pages.Remove(func(pageKey) bool { return true })
	m.last, m.repeats = pageKey{}, 0
}

func (m *memory) resetRepeats() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for s := range m.pages.Values() {
		s.asks = 0
	}
	m.last, m.repeats = pageKey{}, 0
}
