// Package diff draws unified differences: line numbers, the colours of the
// language, and what has changed within a line. On a wide screen old and new
// stand side by side.
//
// Guarantees:
//
//   - Rows have exactly the width they are asked for, whatever the text holds;
//     control characters of it are made visible or dropped.
//   - Text that is no unified difference is drawn as it is; nothing is lost.
//   - The work is linear in the text but for changed lines, which are compared in
//     pairs with a bounded effort.
//
// A [Diff] is immutable and may be drawn by several goroutines at once.
package diff

import (
	"strconv"
	"strings"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// kind is what a line of a difference is.
type kind uint8

const (
	context kind = iota
	removed
	added
	hunk // a header of a piece
	note // anything else: what belongs to no piece
)

// line is a line of a difference.
type line struct {
	kind     kind
	text     string // safe to show, without the sign
	source   string // the same with its tabs
	old, new int    // line numbers, 0 for none
}

// file is what has changed in one file.
type file struct {
	name          string // new name, or the old one of a deleted file
	from          string // the name before, when it is another
	added, gone   int    // lines
	created, lost bool
	lines         []line
}

// Diff is a parsed difference.
type Diff struct{ files []file }

// New parses a unified difference of any number of files.
func New(text string) *Diff {
	p := parser{}
	for raw := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		p.line(raw)
	}
	p.announced()
	return &Diff{files: p.files}
}

// parser reads a difference line by line.
type parser struct {
	files []file
	// oldLeft and newLeft are how many lines of the piece are still to come, old and
	// new their numbers.
	oldLeft, newLeft int
	old, new         int
	before           string // the name of a "---" line, until "+++" comes
	pending          bool
	head             *file // of a line of git's that announces a file, until it begins
}

func (p *parser) line(raw string) {
	switch {
	case p.oldLeft > 0 || p.newLeft > 0:
		p.inside(raw)
	case strings.HasPrefix(raw, "--- ") && !p.pending:
		p.before, p.pending = name(raw[4:]), true
	case strings.HasPrefix(raw, "+++ ") && p.pending:
		p.begin(p.before, name(raw[4:]))
	case strings.HasPrefix(raw, "@@ ") && p.piece(raw):
	case p.announces(raw):
	default:
		p.flush()
		p.announced()
		p.add(line{kind: note, source: safe(raw)})
	}
}

// announces reports whether a line of git's form says what the header of the file
// says as well. A file without lines, such as an empty one, has nothing else.
func (p *parser) announces(raw string) bool {
	switch {
	case strings.HasPrefix(raw, "diff --git "):
		p.flush()
		p.announced()
		both := raw[len("diff --git "):] // "a/NAME b/NAME", which may hold blanks
		if half := len(both) / 2; len(both)%2 == 1 && name(both[:half]) == name(both[half+1:]) {
			p.head = &file{name: name(both[:half])}
		}
	case strings.HasPrefix(raw, "new file mode "), strings.HasPrefix(raw, "new directory mode "):
		if p.head != nil {
			p.head.created = true
		}
	case strings.HasPrefix(raw, "deleted file mode "), strings.HasPrefix(raw, "deleted directory mode "):
		if p.head != nil {
			p.head.lost = true
		}
	default:
		return strings.HasPrefix(raw, "index ")
	}
	return true
}

// announced begins a file that was announced and has no header.
func (p *parser) announced() {
	if p.head != nil {
		p.files = append(p.files, *p.head)
		p.head = nil
	}
}

// flush makes a note of a "---" line that begins no file.
func (p *parser) flush() {
	if p.pending {
		p.pending = false
		p.add(line{kind: note, source: safe("--- " + p.before)})
	}
}

// begin starts a file.
func (p *parser) begin(before, after string) {
	p.pending, p.head = false, nil
	f := file{name: after, created: before == none, lost: after == none}
	switch {
	case f.lost:
		f.name = before
	case !f.created && before != after:
		f.from = before
	}
	p.files = append(p.files, f)
}

func (p *parser) add(l line) {
	l.text = rows.ExpandTabs(l.source)
	if len(p.files) == 0 {
		p.files = append(p.files, file{})
	}
	f := &p.files[len(p.files)-1]
	switch l.kind {
	case added:
		f.added++
	case removed:
		f.gone++
	}
	f.lines = append(f.lines, l)
}

// none is the name of a file that is not there.
const none = "/dev/null"

// name cleans the name of a file: the prefix and what stands behind a tab go.
func name(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	if s == none {
		return s
	}
	for _, prefix := range []string{"a/", "b/"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			s = rest
			break
		}
	}
	return term.Line(s)
}

// piece reads a header "@@ -a,b +c,d @@ …".
func (p *parser) piece(raw string) bool {
	body, rest, ok := strings.Cut(raw[3:], " @@")
	if !ok {
		return false
	}
	minus, plus, ok := strings.Cut(body, " ")
	if !ok || !strings.HasPrefix(minus, "-") || !strings.HasPrefix(plus, "+") {
		return false
	}
	old, oldLen, ok1 := span(minus[1:])
	new, newLen, ok2 := span(plus[1:])
	if !ok1 || !ok2 {
		return false
	}
	p.flush()
	p.old, p.oldLeft, p.new, p.newLeft = old, oldLen, new, newLen
	p.add(line{kind: hunk, source: safe(strings.TrimSpace(rest)), old: old, new: new})
	return true
}

// span reads "12,3" or "12".
func span(s string) (from, n int, ok bool) {
	first, count, counted := strings.Cut(s, ",")
	from, err := strconv.Atoi(first)
	if err != nil || from < 0 {
		return 0, 0, false
	}
	if !counted {
		return from, 1, true
	}
	n, err = strconv.Atoi(count)
	return from, n, err == nil && n >= 0
}

// inside reads a line of a piece.
func (p *parser) inside(raw string) {
	sign, text := byte(' '), ""
	if raw != "" {
		sign, text = raw[0], raw[1:]
	}
	switch {
	case sign == '+' && p.newLeft > 0:
		p.add(line{kind: added, source: safe(text), new: p.new})
		p.new, p.newLeft = p.new+1, p.newLeft-1
	case sign == '-' && p.oldLeft > 0:
		p.add(line{kind: removed, source: safe(text), old: p.old})
		p.old, p.oldLeft = p.old+1, p.oldLeft-1
	case sign == ' ' && p.oldLeft > 0 && p.newLeft > 0:
		p.add(line{kind: context, source: safe(text), old: p.old, new: p.new})
		p.old, p.oldLeft, p.new, p.newLeft = p.old+1, p.oldLeft-1, p.new+1, p.newLeft-1
	case sign == '\\':
		p.add(line{kind: note, source: safe(raw)})
	default: // the piece is shorter than it says
		p.oldLeft, p.newLeft = 0, 0
		p.line(raw)
	}
}

// safe makes a line fit to be shown but for its tabs.
func safe(s string) string {
	return strings.TrimSuffix(strings.TrimSuffix(term.Plain(strings.TrimSuffix(s, "\r")), "\n"), "\r")
}
