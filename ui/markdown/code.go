package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"hermes-tui/ui/rows"
)

// The gutters of code: of a line, and of the rest of a line that did not fit
// on one row.
const (
	codeBar  = "│ "
	codeMore = "↳ "
)

func (r *renderer) fence(dst []string, n *ast.FencedCodeBlock, w int) []string {
	lang := ""
	if n.Info != nil {
		info := string(n.Info.Segment.Value(r.src))
		dst = r.label(dst, info, w)
		if n != r.open {
			lang = language(info)
		}
	}
	return r.code(dst, n, lang, w)
}

// codeTop begins the row that names the language of code.
const codeTop = "╭╴"

// label appends the row that says what code is: the first word behind the fence.
func (r *renderer) label(dst []string, info string, w int) []string {
	words := strings.Fields(strings.Trim(info, "{. }"))
	if len(words) == 0 || w < minInner+rows.Width(codeTop) {
		return dst
	}
	return append(dst, strings.TrimRight(rows.Fit(r.pal.st.Border.Render(codeTop)+r.pal.st.Muted.Render(words[0]), w), " "))
}

// code appends the lines of a block of code.
func (r *renderer) code(dst []string, n ast.Node, lang string, w int) []string {
	if r.tracer != nil {
		var t Text
		r.tracer.lines(&t, r.src, n)
		return r.codeRows(dst, &t, w)
	}
	var b strings.Builder
	lines := n.Lines()
	for i := range lines.Len() {
		seg := lines.At(i)
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(rows.ExpandTabs(strings.TrimSuffix(string(seg.Value(r.src)), "\n")))
	}
	text := b.String()
	return r.codeRows(dst, &Text{buf: []byte(text), runs: r.codeRuns(text, lang)}, w)
}

// codeRuns colours code. Code that is not coloured has one look all over.
func (r *renderer) codeRuns(code, lang string) []run {
	if (lang == "diff" || lang == "patch") && !tooLarge(code) {
		return r.differenceRuns(code)
	}
	spans := r.lexer.spans(lang, code)
	if spans == nil {
		return []run{{end: len(code), open: r.pal.st.Code.Open()}}
	}
	opens := r.pal.syntax()
	runs := make([]run, len(spans))
	for i, s := range spans {
		runs[i] = run{end: s.end, open: opens[s.kind]}
	}
	return runs
}

// codeRows appends lines of code behind their gutter.
func (r *renderer) codeRows(dst []string, t *Text, w int) []string {
	bar, more := r.pal.st.Border.Render(codeBar), r.pal.st.Border.Render(codeMore)
	if w-rows.Width(codeBar) < minInner {
		bar, more = "", ""
	} else {
		w -= rows.Width(codeBar)
	}
	t.each(w, breakCells, func(row string, _ int, first bool) {
		if first {
			dst = append(dst, bar+row)
		} else {
			dst = append(dst, more+row)
		}
	})
	return dst
}

// plainCode appends one line of code that is not coloured.
func (r *renderer) plainCode(dst []string, line []byte, w int) []string {
	var t Text
	t.Add(rows.ExpandTabs(string(line)), r.pal.st.Code.Open())
	return r.codeRows(dst, &t, w)
}
