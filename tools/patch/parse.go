package patch

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// PartOp is what a part of a patch does to a file.
type PartOp int

// The operations.
const (
	UpdateFile PartOp = iota
	AddFile
	DeleteFile
	MoveFile
)

// Part is what a patch does to one file.
type Part struct {
	Op   PartOp
	Path string
	To   string // where a moved file goes
	// Hunks change the file (UpdateFile, MoveFile).
	Hunks []Hunk
	// Body is the new file (AddFile).
	Body string
	// Fault is what is wrong with the part as it is written.
	Fault *Problem
}

// Hunk changes one place of a file.
type Hunk struct {
	// Hints are the texts behind @@, from the outside in, of which the last one
	// stands nearest to the place.
	Hints []string
	Lines []HunkLine
	// Ranged says that line numbers stood behind @@, which are not used.
	Ranged bool
	// Line is the number of its first line in the patch, from 1.
	Line int
}

// HunkLine is a line of a hunk.
type HunkLine struct {
	// Mark is '+' for a new line, '-' for one that goes, ' ' for one that stays.
	Mark byte
	Text string
	// bare is an empty line without mark: it may be there for looks only.
	bare bool
}

// old are the lines of a hunk that the file has.
func (h *Hunk) old() []string {
	var lines []string
	for _, l := range h.Lines {
		if l.Mark != '+' {
			lines = append(lines, l.Text)
		}
	}
	return lines
}

// Parse reads a patch in the V4A form. What is wrong with one part is kept with
// the part; an error, a [*Problem], says that there is no patch at all.
func Parse(patch string) ([]Part, error) {
	if strings.TrimSpace(patch) == "" {
		return nil, problem(EmptyPatch, "patch is empty. Give the text of a patch, from *** Begin Patch to *** End Patch.")
	}
	p := newParser()
	for i, l := range strings.Split(patch, "\n") {
		p.line(i+1, strings.TrimSuffix(l, "\r"))
	}
	p.finish()
	if p.stray != nil {
		return nil, p.stray
	}
	if len(p.parts) == 0 {
		return nil, problem(Syntax, "The patch names no file. Each file needs a header: *** Update File: PATH, *** Add File: PATH, "+
			"*** Delete File: PATH or *** Move File: PATH -> NEW PATH.")
	}
	return p.parts, nil
}

// parser reads a patch line by line.
type parser struct {
	header, almost, ranges *regexp.Regexp

	parts []Part
	open  bool // inside a part
	hunk  *Hunk
	body  []HunkLine // of a part that adds or deletes
	stray *Problem   // lines of a hunk that belong to no file
}

func newParser() *parser {
	return &parser{
		header: regexp.MustCompile(`(?i)^\*\*\*\s*(update|add|delete|move)\s+file\s*:(.*)$`),
		almost: regexp.MustCompile(`(?i)^\*\*\*\s*([a-z]+\s+file\b|move\s+to\s*:)`),
		ranges: regexp.MustCompile(`^-\d+(,\d+)? \+\d+(,\d+)?(?: @@ *(.*))?$`),
	}
}

// part is the part that is being read.
func (p *parser) part() *Part { return &p.parts[len(p.parts)-1] }

func (p *parser) line(number int, l string) {
	if strings.HasPrefix(l, "***") && p.stars(number, l) {
		return
	}
	if !p.open {
		if p.stray == nil && len(p.parts) == 0 && (strings.HasPrefix(l, "@@") || strings.HasPrefix(l, "+")) {
			p.stray = problem(Syntax, "Line %d of the patch changes something, but no header before it names a file. Begin with *** Update File: PATH.", number)
		}
		return // what stands around a patch is not part of it
	}
	if strings.HasPrefix(l, `\`) {
		return
	}
	if op := p.part().Op; op == AddFile || op == DeleteFile {
		p.body = append(p.body, hunkLine(l))
		p.checkBody(number, l)
		return
	}
	if rest, ok := strings.CutPrefix(l, "@@"); ok {
		p.hint(number, rest)
		return
	}
	if p.hunk == nil {
		p.hunk = &Hunk{Line: number}
	}
	p.hunk.Lines = append(p.hunk.Lines, hunkLine(l))
}

// hint begins a hunk; several hints before its first line narrow the place down.
// Of the line numbers of a unified diff nothing is kept but the text behind them.
func (p *parser) hint(number int, rest string) {
	rest = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "@@"))
	if p.hunk == nil || len(p.hunk.Lines) > 0 {
		p.closeHunk()
		p.hunk = &Hunk{Line: number}
	}
	if m := p.ranges.FindStringSubmatch(rest); m != nil {
		p.hunk.Ranged = true
		rest = m[3]
	}
	if rest != "" {
		p.hunk.Hints = append(p.hunk.Hints, rest)
	}
}

func hunkLine(l string) HunkLine {
	if l == "" {
		return HunkLine{Mark: ' ', bare: true}
	}
	if strings.IndexByte("+- ", l[0]) >= 0 {
		return HunkLine{Mark: l[0], Text: l[1:]}
	}
	return HunkLine{Mark: ' ', Text: l}
}

// stars reads a line that begins with three stars and reports whether it is one of
// the patch rather than of a file.
func (p *parser) stars(number int, l string) bool {
	word := strings.ToLower(strings.Join(strings.Fields(strings.Trim(l, "*")), " "))
	switch {
	case p.header.MatchString(l):
		p.begin(p.header.FindStringSubmatch(l))
	case word == "begin patch", word == "end patch":
		p.finish()
	case word == "end of file":
	case p.almost.MatchString(l):
		fault := problem(Syntax, "Line %d of the patch, %q, is no header that is known. Known are *** Update File: PATH, *** Add File: PATH, "+
			"*** Delete File: PATH and *** Move File: PATH -> NEW PATH.", number, clipLine(l))
		if p.open {
			p.fault(fault)
		} else {
			p.stray = fault
		}
	default:
		return false
	}
	return true
}

// begin opens the part of a header.
func (p *parser) begin(header []string) {
	p.finish()
	part := Part{Path: strings.TrimSpace(header[2])}
	switch strings.ToLower(header[1]) {
	case "add":
		part.Op = AddFile
	case "delete":
		part.Op = DeleteFile
	case "move":
		part.Op = MoveFile
		from, to, ok := strings.Cut(part.Path, "->")
		part.Path, part.To = strings.TrimSpace(from), strings.TrimSpace(to)
		if !ok || part.To == "" || strings.Contains(to, "->") {
			part.Fault = problem(Syntax, "A move needs exactly one arrow between two paths: *** Move File: PATH -> NEW PATH.")
		}
	}
	p.parts, p.open = append(p.parts, part), true
	if part.Path == "" {
		p.fault(problem(Syntax, "A header names no file; its path is missing."))
	}
	if strings.IndexFunc(part.Path+part.To, unicode.IsControl) >= 0 {
		p.fault(problem(Syntax, "A path has a control character."))
	}
}

// fault notes the first thing that is wrong with the part.
func (p *parser) fault(f *Problem) {
	if p.part().Fault == nil {
		f.Path = p.part().Path
		p.part().Fault = f
	}
}

// checkBody looks at a line of a part that adds or deletes.
func (p *parser) checkBody(number int, l string) {
	mark := p.body[len(p.body)-1].Mark
	switch {
	case p.part().Op == AddFile && mark != '+' && !isBlank(l) && !strings.HasPrefix(l, "@@"):
		p.fault(problem(Syntax, "Line %d of the patch belongs to a new file but does not begin with +. Every line of a new file does.", number))
	case p.part().Op == DeleteFile && mark == '+':
		p.fault(problem(Syntax, "Line %d of the patch adds to a file that is to be deleted.", number))
	}
}

// closeHunk ends the hunk that is being read.
func (p *parser) closeHunk() {
	if p.hunk != nil && len(p.hunk.Lines) > 0 {
		p.part().Hunks = append(p.part().Hunks, *p.hunk)
	}
	p.hunk = nil
}

// finish ends the part that is being read.
func (p *parser) finish() {
	if !p.open {
		return
	}
	if p.hunk != nil {
		p.hunk.Lines = withoutTail(p.hunk.Lines)
	}
	p.closeHunk()
	part := p.part()
	if part.Op == UpdateFile && len(part.Hunks) == 0 {
		p.fault(problem(NoHunks, "The update has no lines. Give lines that begin with a blank (stays), - (goes) or + (new)."))
	}
	if part.Op == AddFile {
		part.Body = addedBody(p.body)
	}
	p.body, p.open = nil, false
}

// withoutTail drops the blank lines at the end of a part.
func withoutTail(lines []HunkLine) []HunkLine {
	for len(lines) > 0 && lines[len(lines)-1].bare {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// addedBody is the new file: its plus lines, and blank lines between them that
// lack the plus.
func addedBody(lines []HunkLine) string {
	var b strings.Builder
	blank := 0
	for _, l := range lines {
		switch {
		case l.bare && b.Len() > 0:
			blank++
		case l.Mark == '+':
			b.WriteString(strings.Repeat("\n", blank))
			b.WriteString(l.Text + "\n")
			blank = 0
		}
	}
	return b.String()
}

// climbs reports whether a path leads above the directory it starts from.
func climbs(name string) bool {
	name = path.Clean(filepath.ToSlash(name))
	return name == ".." || strings.HasPrefix(name, "../")
}
