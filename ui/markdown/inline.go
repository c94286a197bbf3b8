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
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			r.text(t, n, l)
		case *ast.String:
			t.Add(term.Plain(string(n.Value)), r.pal.open(l))
		case *ast.CodeSpan:
			r.codeSpan(t, n, l)
		case *ast.Emphasis:
			flag := italic
			if n.Level == 2 {
				flag = bold
			}
			r.inline(t, n, l|flag)
		case *ast.Link:
			r.link(t, n, n.Destination, l)
		case *ast.Image:
			t.Add("▣ ", r.pal.open(l|aside))
			r.link(t, n, n.Destination, l)
		case *ast.AutoLink:
			t.Add(unescape(n.Label(r.src)), r.pal.open(l|link))
		case *ast.RawHTML:
			r.rawHTML(t, n, l)
		case *extast.TaskCheckBox: // drawn as the item's marker
		default:
			inner := l
			if n.Kind() == extStrike {
				inner |= strike
			}
			r.inline(t, n, inner)
		}
	}
}

// text appends a segment and the line break behind it. Lines of a paragraph
// flow together, except where one has to stay on a row of its own.
func (r *renderer) text(t *Text, n *ast.Text, l look) {
	s := n.Segment.Value(r.src)
	open := r.pal.open(l)
	if n.IsRaw() {
		t.Add(string(s), open)
	} else {
		t.Add(unescape(s), open)
	}
	switch {
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
	if len(line) == 0 || line[0] != '[' && line[0] != '|' {
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
	open := r.pal.open(l&^(bold|italic) | code)
	inCell := within(n, extast.KindTableCell)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		seg, ok := c.(*ast.Text)
		if !ok {
			continue
		}
		s := strings.ReplaceAll(string(seg.Segment.Value(r.src)), "\n", " ")
		if inCell {
			s = strings.ReplaceAll(s, `\|`, "|")
		}
		t.Add(s, open)
	}
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
// differs: a text can't pretend to lead elsewhere.
func (r *renderer) link(t *Text, n ast.Node, dest []byte, l look) {
	from := len(t.buf)
	r.inline(t, n, l|link)
	label := string(t.buf[from:])
	target := strings.ReplaceAll(unescape(dest), "\n", " ")
	switch {
	case target == "" || target == label || target == "mailto:"+label:
	case label == "":
		t.Add("("+target+")", r.pal.open(l|aside))
	default:
		t.Add(" ("+target+")", r.pal.open(l|aside))
	}
}

func (r *renderer) rawHTML(t *Text, n *ast.RawHTML, l look) {
	s := string(n.Segments.Value(r.src))
	tag := strings.ToLower(strings.Trim(s, "</ >"))
	if tag == "br" {
		t.Add("\n", r.pal.open(l))
		return
	}
	t.Add(strings.ReplaceAll(s, "\n", " "), r.pal.open(l|aside))
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
