package search

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

const (
	// narrowFiles and narrowBytes bound the files, and the bytes of their names,
	// that one program gets. (A remote place may hand the names over as one
	// argument, which has 128 KB at most.)
	narrowFiles = 1000
	narrowBytes = 60 << 10
	// fewFiles is how many files are not worth a program.
	fewFiles = 64
	// needle is the length in bytes from which on a required text is found so fast
	// here that a program is no gain, measured with warm files.
	needle = 3
	// maxTroubles is after how many failures a program is no longer tried.
	maxTroubles = 3
)

// narrower leaves those of many files out in which a pattern cannot match, with
// the help of a program. What is left is searched as if there were none, so the
// program decides about time and never about results: whatever it leaves in does no
// harm, and when it fails everything stays in. It is safe for concurrent use.
type narrower struct {
	place    place.Place
	argv     []string // the files follow
	few      int      // so many files are searched without it
	failed   *atomic.Int32
	troubles atomic.Int32
}

// narrower gives the program that helps with a pattern, nil if there is none or
// none is needed.
func (s *Search) narrower(p *pattern) *narrower {
	if !s.remote && len(p.literal) >= needle {
		return nil
	}
	s.lookup.Do(s.lookUp)
	n := &narrower{place: s.place, few: s.few, failed: &s.failed}
	expression, ok := superset(p.tree)
	switch {
	case s.ripgrep != "" && ok && len(expression) < narrowBytes:
		// Ignored, hidden and binary files were sorted out by the walk or are by the
		// search; the program is to look at the bytes of all it is given.
		n.argv = []string{
			s.ripgrep, "--no-config", "--files-with-matches", "--null", "--text", "--encoding=none", "--no-ignore", "--hidden",
			"--color=never", "--threads=1", "--no-mmap", "--case-sensitive", "--regexp", expression, "--",
		}
	case s.remote && s.grep != "" && len(p.literal) > 0 && !bytes.ContainsFunc(p.literal, func(r rune) bool { return r >= utf8.RuneSelf }):
		n.argv = []string{
			s.grep, "--null", "-l", "-a", "-F", "-e", string(p.literal), "-e", "\xFF\xFE", "-e", "\xFE\xFF", "--",
		}
	default:
		return nil
	}
	return n
}

// lookUp finds the programs in the place.
func (s *Search) lookUp() {
	s.ripgrep, s.grep = s.program("rg"), s.program("grep")
	if s.remote {
		s.find = s.program("find")
	}
}

// program looks for a program in the absolute folders of the path. What lies in the
// workspace is left alone: a search must not run what a repository brings along.
func (s *Search) program(name string) string {
	root, err := s.fs.Resolve(s.root)
	if err != nil {
		root = filepath.Clean(s.root)
	}
	inside := func(file string) bool {
		return s.root != "" && (tools.Within(file, root) || tools.Within(file, filepath.Clean(s.root)))
	}
	for dir := range strings.SplitSeq(s.path, ":") {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		st, err := s.fs.Stat(file)
		if err != nil || !st.Mode().IsRegular() || st.Mode()&0o111 == 0 {
			continue
		}
		if real, err := s.fs.Resolve(file); err == nil && !inside(file) && !inside(real) {
			return file
		}
	}
	return ""
}

// narrow gives those files that may match, in their order. Files that cannot be
// read, or are larger than the window, stay in.
func (n *narrower) narrow(ctx context.Context, files []file) []file {
	if n == nil || len(files) < n.few || n.troubles.Load() >= maxTroubles {
		return files
	}
	argv := slices.Clone(n.argv)
	small := make([]bool, len(files))
	for i, f := range files {
		if info, err := f.entry.Info(); err == nil && info.Mode().IsRegular() && info.Size() <= window {
			small[i] = true
			argv = append(argv, f.path)
		}
	}
	if len(argv) == len(n.argv) {
		return files
	}
	names, ok := n.ask(ctx, argv)
	if !ok {
		if ctx.Err() == nil {
			n.troubles.Add(1)
			n.failed.Add(1)
		}
		return files
	}
	var left []file
	for i, f := range files {
		if !small[i] || names[f.path] {
			left = append(left, f)
		}
	}
	return left
}

// ask runs the program. It is not ok when it failed, also for one file only.
func (n *narrower) ask(ctx context.Context, argv []string) (map[string]bool, bool) {
	// Each file is named once at most, so this grows with what was asked about.
	var out bytes.Buffer
	p, err := n.place.Start(ctx, place.Proc{
		Argv: argv, Dir: "/", Env: []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}, Stdout: &out, Stderr: discard{},
	})
	if err != nil {
		return nil, false
	}
	exit, err := p.Wait()
	if err != nil || exit.Killed || exit.Code > 1 { // 1 is: nothing found
		return nil, false
	}
	names := map[string]bool{}
	for name := range strings.SplitSeq(out.String(), "\x00") {
		names[name] = true
	}
	return names, true
}

// discard drops what a program complains about.
type discard struct{}

// Write implements [io.Writer].
func (discard) Write(b []byte) (int, error) { return len(b), nil }
