package markdown

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"hermes-tui/ui/term"
)

// Kinds of nodes that extensions define.
var (
	extTable  = extast.KindTable
	extStrike = extast.KindStrikethrough
	extTask   = extast.KindTaskCheckBox
)

// inline appends what stands inside a block to t.
func (r *renderer) inline(t *Text, parent ast.Node, l look) {
	r.inlines(t, parent.FirstChild(), nil, l)
}

// inlines appends what stands from first up to and without stop.
func (r *renderer) inlines(t *Text, first, stop ast.Node, l look) {
	for n := first; n != stop && n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			r.text(t, n, l)
		case *ast.String:
			t.Add(term.Plain(string(n.Value)), r.begin(l))
		case *ast.CodeSpan:
			r.codeSpan(t, n, l)
		case *ast.Emphasis:
			flag, marks := italic, italicMarks
			if n.Level == 2 {
				flag, marks = bold, boldMarks
			}
			outer := r.enter()
			r.inline(t, n, l|flag)
			r.leave(outer, marks)
		case *ast.Link:
			r.link(t, n, n.Destination, l)
		case *ast.Image:
			t.Add("▣ ", r.begin(l|aside))
			r.link(t, n, n.Destination, l)
		case *ast.AutoLink:
			outer, label := r.target, n.Label(r.src)
			r.target = target(address(n, r.src))
			r.put(t, unescape(label), l|link, offset(r.src, label), len(label))
			r.target = outer
		case *ast.RawHTML:
			r.rawHTML(t, n, l)
		case *note:
			r.whole(t, n.sign(), l|aside, n.Pos(), len(n.name)+len("[^]"))
		case *formula:
			r.formula(t, n, l)
		case *extast.TaskCheckBox: // drawn as the item's marker
		default:
			inner := l
			if n.Kind() == extStrike {
				inner |= strike
			}
			outer := r.enter()
			r.inline(t, n, inner)
			r.leave(outer, strikeMarks)
		}
	}
}

// address is what a bare link leads to.
func address(n *ast.AutoLink, src []byte) string {
	to := unescape(n.URL(src))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(to, "mailto:") {
		return "mailto:" + to
	}
	return to
}

// text appends a segment and the line break behind it. Lines of a paragraph
// flow together, except where one has to stay on a row of its own.
func (r *renderer) text(t *Text, n *ast.Text, l look) {
	seg := n.Segment
	open := r.begin(l)
	if n.IsRaw() {
		r.put(t, string(seg.Value(r.src)), l, seg.Start, seg.Stop-seg.Start)
	} else {
		r.put(t, unescape(seg.Value(r.src)), l, seg.Start, seg.Stop-seg.Start)
	}
	switch {
	case defines(n.NextSibling()): // which begins a row by itself
	case n.HardLineBreak():
		t.Add("\n", open)
	case n.SoftLineBreak():
		if r.standsAlone(n.Segment.Start) || r.standsAlone(n.Segment.Stop+1) {
			t.Add("\n", open)
		} else {
			t.Add(" ", open)
		}
	}
}

// standsAlone reports whether the line around an offset has the form of a link
// definition, "[label]: target", or of a line of a table that is none.
func (r *renderer) standsAlone(at int) bool {
	if at >= len(r.src) {
		return false
	}
	line := r.src[bytes.LastIndexByte(r.src[:at], '\n')+1:]
	line = bytes.TrimLeft(line, " >")
	if len(line) == 0 || line[0] != '[' && line[0] != '|' || bytes.HasPrefix(line, []byte("[^")) {
		return false
	}
	if line[0] == '|' {
		return true
	}
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	i := bytes.IndexByte(line, ']')
	return i > 1 && i+2 < len(line) && line[i+1] == ':' && len(bytes.TrimSpace(line[i+2:])) > 0
}

func (r *renderer) codeSpan(t *Text, n *ast.CodeSpan, l look) {
	l = l&^(bold|italic) | code
	inCell := within(n, extast.KindTableCell)
	outer := r.enter()
	if r.pal.st.Theme.Mono { // nothing else tells it from the text around it
		t.Add("`", r.begin(l))
		defer t.Add("`", r.begin(l))
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		text, ok := c.(*ast.Text)
		if !ok {
			continue
		}
		seg := text.Segment
		s := strings.ReplaceAll(string(seg.Value(r.src)), "\n", " ")
		if inCell {
			s = strings.ReplaceAll(s, `\|`, "|")
		}
		r.put(t, s, l, seg.Start, seg.Stop-seg.Start)
	}
	r.leave(outer, codeMarks)
}

// within reports whether a node stands inside one of a kind.
func within(n ast.Node, kind ast.NodeKind) bool {
	for n = n.Parent(); n != nil; n = n.Parent() {
		if n.Kind() == kind {
			return true
		}
		if n.Type() == ast.TypeBlock {
			return false
		}
	}
	return false
}

// link appends the text of a link and, in parentheses, its target where that
// differs: a text can't pretend to lead elsewhere. All of it leads there on a
// terminal that knows links.
func (r *renderer) link(t *Text, n ast.Node, dest []byte, l look) {
	to := strings.ReplaceAll(unescape(dest), "\n", " ")
	outer := r.target
	r.target = target(to)
	defer func() { r.target = outer }()
	from := len(t.buf)
	around := r.enter()
	r.inline(t, n, l|link)
	at := r.targetAt(r.leave(around, linkMarks), dest)
	label := string(t.buf[from:])
	open := "("
	switch {
	case to == "" || to == label || to == "mailto:"+label:
		return
	case label != "":
		open = " ("
	}
	t.Add(open, r.begin(l|aside))
	r.put(t, to, l|aside, at, len(dest))
	t.Add(")", r.begin(l|aside))
}

func (r *renderer) rawHTML(t *Text, n *ast.RawHTML, l look) {
	s := string(n.Segments.Value(r.src))
	tag := strings.ToLower(strings.Trim(s, "</ >"))
	if tag == "br" {
		t.Add("\n", r.begin(l))
		return
	}
	r.put(t, strings.ReplaceAll(s, "\n", " "), l|aside, n.Segments.At(0).Start, len(s))
}

// unescape resolves backslash escapes and entities. What an entity stands for
// is sanitised: it must not bring in what the source was cleaned of.
func unescape(s []byte) string {
	if bytes.IndexByte(s, '\\') < 0 && bytes.IndexByte(s, '&') < 0 {
		return string(s)
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			out = append(out, s[i+1])
			i += 2
		case s[i] == '&':
			text, n := entity(s[i:])
			out = append(out, text...)
			i += n
		default:
			out = append(out, s[i])
			i++
		}
	}
	return string(out)
}

// maxEntity bounds the length of an entity's name.
const maxEntity = 32

// entity reads the entity at the start of s and returns what it stands for and
// how many bytes it takes. Without an entity it returns the ampersand.
func entity(s []byte) (string, int) {
	end := bytes.IndexByte(s[:min(len(s), maxEntity)], ';')
	if end < 2 {
		return "&", 1
	}
	name := string(s[1:end])
	if name[0] != '#' {
		if e, ok := util.LookUpHTML5EntityByName(name); ok {
			return oneLine(string(e.Characters)), end + 1
		}
		return "&", 1
	}
	digits, base := name[1:], 10
	if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || len(digits) > 7 {
		return "&", 1
	}
	r := rune(n)
	if n == 0 || n > utf8.MaxRune || !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	return oneLine(string(r)), end + 1
}

func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, term.Plain(s))
}
