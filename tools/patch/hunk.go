package patch

import (
	"slices"
	"strconv"
	"strings"
)

// applied is what came of hunks.
type applied struct {
	body string
	// loose counts the hunks whose place was not found exactly.
	loose int
	// guessed counts those that were found by likeness alone.
	guessed int
}

// applyHunks changes a file, one hunk after the other, each on what the one before
// has left.
func applyHunks(body string, hunks []Hunk) (applied, *Problem) {
	if len(hunks) == 0 {
		return applied{body: body}, nil
	}
	lines := fileLines(body)
	out, spend := applied{}, &work{maxWork} // for all hunks together
	for i := range hunks {
		var found string
		var p *Problem
		if lines, found, p = applyHunk(lines, &hunks[i], spend); p != nil {
			return applied{}, p
		}
		if found != Exact {
			out.loose++
		}
		if guessed(found) {
			out.guessed++
		}
	}
	out.body = joinLines(lines)
	return out, nil
}

// applyHunk changes one place, and returns the strategy that found it. It works in the
// lines it is given.
func applyHunk(lines []line, h *Hunk, spend *work) ([]line, string, *Problem) {
	if len(h.old()) == 0 {
		lines, p := insert(lines, h)
		return lines, Exact, p
	}
	hay := &haystack{split: lines, work: spend}
	body, name, at, p := locate(hay, h)
	if p != nil {
		return nil, "", p
	}
	made, p := rewrite(lines, body, at, name)
	if p != nil {
		p.Message = "Hunk at line " + strconv.Itoa(h.Line) + " of the patch: " + p.Message
		return nil, "", p
	}
	finished := ended(lines)
	lines = slices.Replace(lines, at, at+len(oldOf(body)), made...)
	if !finished {
		leaveOpen(lines)
	}
	return lines, name, nil
}

// ended reports whether the last line has a line break.
func ended(lines []line) bool { return len(lines) == 0 || lines[len(lines)-1].ending != "" }

// leaveOpen takes the line break from the last line, and only from it.
func leaveOpen(lines []line) {
	for i := range lines {
		if i == len(lines)-1 {
			lines[i].ending = ""
		} else if lines[i].ending == "" {
			lines[i].ending = endNear(lines, i)
		}
	}
}

func oldOf(lines []HunkLine) []string { return (&Hunk{Lines: lines}).old() }

// locate finds the place of a hunk: the lines that count (blank lines without mark
// at the edges may be there for looks only), the strategy, and the first line.
func locate(hay *haystack, h *Hunk) (body []HunkLine, strategy string, at int, p *Problem) {
	body = h.Lines
	name, found := searchLines(hay, needleOf(body))
	if len(found) == 0 {
		if bare := withoutBareEdges(body); len(bare) < len(body) && len(oldOf(bare)) > 0 {
			body = bare
			name, found = searchLines(hay, needleOf(body))
		}
	}
	switch len(found) {
	case 0:
		message := "Hunk at line " + strconv.Itoa(h.Line) + " of the patch: the lines that stay and go were not found in the file, one after the other."
		return nil, "", 0, notFound(HunkNotFound, message, hay, needleOf(body))
	case 1:
		return body, name, found[0], nil
	}
	if hinted := hintedLines(hay.lines(), h.Hints); len(hinted) > 0 {
		if i := slices.IndexFunc(found, func(f int) bool { return f >= hinted[0] }); i >= 0 {
			return body, name, found[i], nil
		}
	}
	lines := make([]int, len(found))
	for i, f := range found {
		lines[i] = f + 1
	}
	p = problem(AmbiguousHunk, "Hunk at line %d of the patch: its lines stand in %d places, beginning in %s. Add lines around the change, "+
		"or put a line that stands above the right place behind @@.", h.Line, len(found), listLines(lines))
	p.Matches = len(found)
	return nil, "", 0, p
}

func needleOf(lines []HunkLine) *needle {
	old := oldOf(lines)
	return &needle{text: strings.Join(old, "\n"), lines: old}
}

func withoutBareEdges(lines []HunkLine) []HunkLine {
	for len(lines) > 0 && lines[0].bare {
		lines = lines[1:]
	}
	return withoutTail(lines)
}

// hintedLines gives the numbers of the lines that contain the last hint, from the
// first line on that contains those before it.
func hintedLines(lines []line, hints []string) []int {
	if len(hints) == 0 {
		return nil
	}
	from := 0
	for _, hint := range hints[:len(hints)-1] {
		i := slices.IndexFunc(lines[from:], func(l line) bool { return strings.Contains(l.text, hint) })
		if i < 0 {
			return nil
		}
		from += i
	}
	var found []int
	for i, l := range lines[from:] {
		if strings.Contains(l.text, hints[len(hints)-1]) {
			found = append(found, from+i)
		}
	}
	return found
}

// rewrite gives what stands in a place after a hunk. Lines that stay are the
// file's own.
func rewrite(lines []line, body []HunkLine, at int, strategy string) ([]line, *Problem) {
	old := oldOf(body)
	place := lines[at : at+len(old)]
	texts := make([]string, len(place))
	for i, l := range place {
		texts[i] = l.text
	}
	stretch, before := strings.Join(texts, "\n"), strings.Join(old, "\n")
	var added []string
	for _, l := range body {
		if l.Mark == '+' {
			added = append(added, l.Text)
		}
	}
	if strategy != Exact && len(added) > 0 {
		after := strings.Join(added, "\n")
		if p := drift(stretch, []span{{0, len(stretch)}}, before, after); p != nil {
			return nil, p
		}
		after, _ = decodeLike(after, stretch)
		added = strings.Split(reindent(after, quoted(before, strategy), stretch), "\n")
	}
	made := make([]line, 0, len(body))
	next, gone := 0, -1 // in place: the next line, the one that was taken out last
	for i, l := range body {
		switch l.Mark {
		case '+':
			text := added[0]
			if last := i+1 == len(body) || body[i+1].Mark != '+'; last && gone >= 0 && guessed(strategy) {
				text += tail(texts[gone], old[gone], text)
			}
			made = append(made, line{text: text, ending: endNear(lines, at+max(next-1, 0))})
			added = added[1:]
		case ' ':
			made = append(made, place[next])
			next, gone = next+1, -1
		default:
			next, gone = next+1, next
		}
	}
	return made, nil
}

// endNear is the line break of a line, or where it has none of the one before.
func endNear(lines []line, at int) string {
	for i := min(at, len(lines)-1); i >= 0; i-- {
		if lines[i].ending != "" {
			return lines[i].ending
		}
	}
	return "\n"
}

// insert carries out a hunk of new lines only: below the hinted line, or at the
// end of the file.
func insert(lines []line, h *Hunk) ([]line, *Problem) {
	at := len(lines)
	switch {
	case len(h.Hints) > 0:
		var p *Problem
		if at, p = below(lines, h); p != nil {
			return nil, p
		}
	case h.Ranged:
		return nil, problem(HintNotFound, "Hunk at line %d of the patch: line numbers behind @@ are not used. Give the lines around the new ones, "+
			"or behind @@ the text of the line above them.", h.Line)
	}
	made := make([]line, len(h.Lines))
	for i, l := range h.Lines {
		made[i] = line{text: l.Text, ending: endNear(lines, at-1)}
	}
	finished := ended(lines)
	lines = slices.Insert(lines, at, made...)
	switch {
	case finished:
	case len(h.Hints) > 0:
		leaveOpen(lines)
	default:
		lines[at-1].ending = made[0].ending
	}
	return lines, nil
}

// below finds the line below the hinted one.
func below(lines []line, h *Hunk) (int, *Problem) {
	hint := h.Hints[len(h.Hints)-1]
	found := hintedLines(lines, h.Hints)
	switch {
	case len(found) == 1:
		return found[0] + 1, nil
	case len(found) == 0:
		return 0, problem(HintNotFound, "Hunk at line %d of the patch: no line of the file contains %q, below which the new lines should go. "+
			"Read the file again and copy the hint from it.", h.Line, clipLine(hint))
	}
	numbers := make([]int, len(found))
	for i, f := range found {
		numbers[i] = f + 1
	}
	return 0, problem(HintAmbiguous, "Hunk at line %d of the patch: %q, below which the new lines should go, stands in %s. "+
		"Give a longer hint, or the lines around the new ones.", h.Line, clipLine(hint), listLines(numbers))
}
