package web

import (
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The bounds of the styles that a page brings with it: bytes of text, rules that matter, and
// of these such as may be about any element.
const (
	maxStyles  = 1 << 20
	maxRules   = 4000
	maxAnyRule = 50
)

// rule is a selector with what it says.
type rule struct {
	cascadia.Sel
	order         int
	plain, urgent map[string]string
}

// sheet are the styles of a page, by the class, identifier or name of the elements that they
// can be about.
type sheet struct {
	by  map[string][]*rule // ".class", "#id", "name"
	any []*rule
	n   int
}

// matters are the properties that can hide something.
var matters = strings.Fields("display visibility content-visibility opacity zoom transform filter overflow width height max-width max-height left right top bottom text-indent margin-left margin-top position clip clip-path color background background-color background-image font-size")

// sheetOf reads the styles of a page.
func sheetOf(doc *html.Node) *sheet {
	s := &sheet{by: map[string][]*rule{}}
	read := 0
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.DataAtom != atom.Style || strings.HasPrefix(attribute(n, "media"), "print") {
			continue
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if read += len(c.Data); c.Type == html.TextNode && read <= maxStyles {
				s.read(c.Data)
			}
		}
	}
	return s
}

// read reads rules. What stands under a condition that holds on a screen counts, what does
// not is left out.
func (s *sheet) read(text string) {
	text = withoutComments(text)
	for {
		head, rest, ok := strings.Cut(text, "{")
		if !ok {
			return
		}
		head = strings.TrimSpace(head)
		if at := strings.LastIndexAny(head, ";}"); at >= 0 {
			head = strings.TrimSpace(head[at+1:])
		}
		body, after := block(rest)
		switch {
		case strings.HasPrefix(head, "@media"):
			if wide(head) {
				s.read(body)
			}
		case strings.HasPrefix(head, "@layer"), strings.HasPrefix(head, "@supports"):
			s.read(body)
		case strings.HasPrefix(head, "@"):
		default:
			s.add(head, body)
		}
		text = after
	}
}

// wide reports whether a condition holds on a screen with room.
func wide(condition string) bool {
	c := strings.ToLower(strings.TrimPrefix(condition, "@media"))
	return !strings.Contains(c, "print") && !strings.Contains(c, "max-width") && !strings.Contains(c, "prefers-") && !strings.Contains(c, "speech") && !strings.Contains(c, "not ")
}

// block is what stands before the } that ends it, and what comes after that.
func block(text string) (body, after string) {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[:i], text[i+1:]
			}
		}
	}
	return text, ""
}

func withoutComments(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "/*")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		_, text, _ = strings.Cut(rest, "*/")
	}
}

// add notes a rule, if it can hide something.
func (s *sheet) add(selectors, body string) {
	plain, urgent := declarations(body)
	for _, m := range []map[string]string{plain, urgent} {
		for name := range m {
			if !slices.Contains(matters, name) {
				delete(m, name)
			}
		}
	}
	if len(plain)+len(urgent) == 0 || s.n >= maxRules {
		return
	}
	for one := range strings.SplitSeq(selectors, ",") {
		sel, err := cascadia.Parse(strings.TrimSpace(one))
		if err != nil || sel.PseudoElement() != "" {
			continue // what is not known hides nothing
		}
		s.n++
		r := &rule{sel, s.n, plain, urgent}
		key := keyOf(one)
		switch {
		case key != "":
			s.by[key] = append(s.by[key], r)
		case len(s.any) < maxAnyRule:
			s.any = append(s.any, r)
		}
	}
}

// keyOf is a class, an identifier or a name that an element has to have for a selector to be
// about it; empty if that is not seen.
func keyOf(selector string) string {
	words := strings.FieldsFunc(selector, func(r rune) bool { return strings.ContainsRune(" \t\n>+~", r) })
	if len(words) == 0 || strings.ContainsAny(selector, `[("'\`) {
		return ""
	}
	last := words[len(words)-1]
	if strings.Contains(last, ":") {
		return ""
	}
	if at := strings.LastIndexAny(last, ".#"); at >= 0 {
		return last[at:]
	}
	if last == "*" {
		return ""
	}
	return strings.ToLower(last)
}

// matching are the rules about an element, the weaker ones first.
func (s *sheet) matching(n *html.Node) (list []*rule) {
	if s.n == 0 {
		return nil
	}
	note := func(rules []*rule) {
		for _, r := range rules {
			if r.Match(n) {
				list = append(list, r)
			}
		}
	}
	note(s.by[n.Data])
	for _, a := range n.Attr {
		switch a.Key {
		case "class":
			for class := range strings.FieldsSeq(a.Val) {
				note(s.by["."+class])
			}
		case "id":
			note(s.by["#"+a.Val])
		}
	}
	note(s.any)
	slices.SortStableFunc(list, func(a, b *rule) int {
		x, y := a.Specificity(), b.Specificity()
		if x.Less(y) {
			return -1
		}
		if y.Less(x) {
			return 1
		}
		return a.order - b.order
	})
	return list
}
