package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hermes-tui/store/atomicfile"
	"hermes-tui/tools"
)

// maxBatch is how many bytes the results of the calls of one message may have
// together.
const maxBatch = 200_000

// boundBatch cuts the largest results of a message until all together are
// within what the model may get at once; the whole of each is kept in a file.
func (t *turn) boundBatch(calls []*callRun) {
	total := 0
	for _, c := range calls {
		total += len(c.result.Content)
	}
	bySize := slices.Clone(calls)
	slices.SortStableFunc(bySize, func(a, b *callRun) int { return len(b.result.Content) - len(a.result.Content) })
	for _, c := range bySize {
		if total <= maxBatch {
			return
		}
		was := len(c.result.Content)
		content, put := tools.Unfence(c.result.Content)
		content, _ = tools.Bound(content, tools.PreviewChars, func(whole string) (string, error) {
			return t.conv.spill(string(c.id)+".txt", whole)
		})
		c.result.Content = put(content)
		total -= was - len(c.result.Content)
	}
}

// spill keeps a whole result and returns the path where the model can read it.
func (c *Conversation) spill(name, content string) (string, error) {
	path, err := c.results.Save(name, content)
	if c.spillTo == nil {
		return path, err
	}
	return c.spillTo(name, content)
}

// Keep keeps a text under a name, with secrets masked, and returns the path where
// the model can read it.
func (c *Conversation) Keep(name, content string) (string, error) {
	return c.spill(name, c.root.mask.Text(content))
}

// results keeps whole results and outputs in files, for the pager and for a
// model that wants to read on. They are a convenience: a file that cannot be
// written is missing and nothing else.
type results struct {
	dir  string
	once sync.Once
	err  error
}

// maxResultFile bounds one file, in bytes.
const maxResultFile = 16 << 20

// ensure makes the directory, which is private.
func (r *results) ensure() error {
	r.once.Do(func() { r.err = atomicfile.MkdirPrivate(r.dir) })
	return r.err
}

// Save writes a whole result and returns its path.
func (r *results) Save(name, content string) (string, error) {
	if err := r.ensure(); err != nil {
		return "", fmt.Errorf("keep result: %w", err)
	}
	path := filepath.Join(r.dir, name)
	if len(content) > maxResultFile {
		content = content[:maxResultFile]
	}
	if err := atomicfile.Write(path, []byte(content), 0o600); err != nil {
		return "", fmt.Errorf("keep result: %w", err)
	}
	return path, nil
}

// keep writes a result unless its file is there already.
func (r *results) keep(name, content string) {
	if _, err := os.Lstat(filepath.Join(r.dir, name)); err != nil {
		_, _ = r.Save(name, content)
	}
}

// read returns what was kept under a name.
func (r *results) read(name string) (string, bool) {
	if strings.ContainsAny(name, "/\\") {
		return "", false
	}
	b, err := os.ReadFile(filepath.Join(r.dir, name))
	return string(b), err == nil
}

// lazy is a file that is made when more is written to it than a transcript
// holds anyway.
func (r *results) lazy(name string) *resultFile { return &resultFile{in: r, name: name} }

// resultFile takes live output.
type resultFile struct {
	in      *results
	name    string
	head    []byte
	file    *os.File
	written int
	failed  bool
}

// lazyLimit is how much output is held before a file is made for it.
const lazyLimit = 8 << 10

func (f *resultFile) write(p []byte) {
	if f.failed || f.written >= maxResultFile {
		return
	}
	if f.file == nil {
		f.head = append(f.head, p...)
		if len(f.head) <= lazyLimit {
			return
		}
		p, f.head = f.head, nil
		if f.failed = f.open() != nil; f.failed {
			return
		}
	}
	p = p[:min(len(p), maxResultFile-f.written)]
	n, err := f.file.Write(p)
	f.written += n
	f.failed = err != nil
}

func (f *resultFile) open() error {
	if err := f.in.ensure(); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(f.in.dir, f.name), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	f.file = file
	return err
}

func (f *resultFile) close() {
	if f.file != nil {
		_ = f.file.Close()
	}
}
