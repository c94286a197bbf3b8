package web

import (
	"maps"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// look is what an element hands down to what is in it.
type look struct {
	ink, paper colour
	tiny       bool
}

// unhide removes what a reader of the page does not see. Which colours a stylesheet elsewhere
// gives is not known: what is not said is black on white.
func unhide(doc *html.Node) {
	sheetOf(doc).sift(doc, look{ink: colour{known: true}, paper: colour{255, 255, 255, true, false}})
}

// sift removes what is hidden below an element.
func (s *sheet) sift(n *html.Node, in look) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch c.Type {
		case html.CommentNode:
			n.RemoveChild(c)
		case html.TextNode:
			if in.tiny || in.ink.like(in.paper) {
				if strings.TrimSpace(c.Data) != "" {
					n.RemoveChild(c)
				}
			}
		case html.ElementNode:
			style := s.style(c)
			if hidden(c) || takesAway(style) {
				n.RemoveChild(c)
				break
			}
			s.sift(c, in.within(c, style))
		}
		c = next
	}
}

// hidden reports whether an element shows nothing by what it is.
func hidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Svg:
		return true
	case atom.Input:
		return attribute(n, "type") == "hidden"
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "aria-hidden" && a.Val == "true" {
			return true
		}
	}
	return false
}

// within is the look of what is in an element.
func (l look) within(n *html.Node, style map[string]string) look {
	for _, a := range n.Attr { // of old pages
		switch a.Key {
		case "bgcolor":
			l.paper = readColour(a.Val)
		case "color":
			if n.DataAtom == atom.Font {
				l.ink = readColour(a.Val)
			}
		case "background":
			l.paper = colour{}
		}
	}
	if v, ok := style["color"]; ok {
		l.ink = readColour(v)
	}
	for _, name := range []string{"background", "background-color", "background-image"} {
		v, ok := style[name]
		switch {
		case !ok || v == "none" || v == "transparent":
		case name == "background-color":
			l.paper = readColour(v)
		case strings.Contains(v, "("): // a picture, a gradient, or a colour by numbers
			l.paper = readColour(v)
		case name == "background":
			for word := range strings.FieldsSeq(v) {
				if c := readColour(word); c.known {
					l.paper = c
				}
			}
		}
	}
	if v, ok := style["font-size"]; ok {
		l.tiny = isTiny(v)
	}
	return l
}

// isTiny reports whether no one can read letters of a size.
func isTiny(size string) bool {
	n, ok := number(size)
	if !ok {
		return false
	}
	most := map[string]float64{"px": 2, "pt": 1.5, "em": 0.15, "rem": 0.15, "%": 15, "vw": 0.1, "vh": 0.1, "mm": 0.5, "cm": 0.05, "in": 0.02}
	unit := strings.TrimLeft(size, "0123456789.-+")
	return n == 0 || unit != "" && n <= most[unit]
}

// takesAway reports whether a style takes an element out of sight.
func takesAway(style map[string]string) bool {
	if len(style) == 0 {
		return false
	}
	small := func(name string) bool {
		n, ok := number(style[name])
		return ok && n <= 1 && !strings.HasSuffix(style[name], "%") && !strings.HasSuffix(style[name], "em")
	}
	is := func(name string, values ...string) bool {
		for _, v := range values {
			if style[name] == v {
				return true
			}
		}
		return false
	}
	zero := func(name string) bool { n, ok := number(style[name]); return ok && n <= 0.02 }
	switch {
	case is("display", "none"), is("visibility", "hidden", "collapse"), is("content-visibility", "hidden"), zero("opacity"), zero("zoom"),
		strings.HasPrefix(strings.ReplaceAll(style["transform"], " ", ""), "scale(0"), strings.ReplaceAll(style["filter"], " ", "") == "opacity(0)":
		return true
	case is("overflow", "hidden", "clip") && (small("width") || small("height") || small("max-height") || small("max-width")):
		return true
	}
	for _, name := range []string{"left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top"} {
		if n, ok := number(style[name]); ok && n <= -500 {
			return true
		}
	}
	if !is("position", "absolute", "fixed") {
		return false
	}
	for _, name := range []string{"clip", "clip-path"} {
		for _, begin := range []string{"rect(0", "rect(1px", "inset(50%", "inset(100%", "circle(0", "polygon(0 0 0"} {
			if strings.HasPrefix(style[name], begin) {
				return true
			}
		}
	}
	return false
}

// number reads the number that a value begins with.
func number(value string) (float64, bool) {
	end := strings.IndexFunc(value, func(r rune) bool { return !strings.ContainsRune("0123456789.-+", r) })
	if end < 0 {
		end = len(value)
	}
	n, err := strconv.ParseFloat(value[:end], 64)
	return n, err == nil
}

// declarations reads "name: value; …". urgent are those marked as important.
func declarations(text string) (plain, urgent map[string]string) {
	for one := range strings.SplitSeq(strings.ToLower(text), ";") {
		name, value, ok := strings.Cut(one, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" {
			continue
		}
		into := &plain
		if v, important := strings.CutSuffix(value, "!important"); important {
			into, value = &urgent, strings.TrimSpace(v)
		}
		if *into == nil {
			*into = map[string]string{}
		}
		(*into)[name] = value
	}
	return plain, urgent
}

// style is what holds for an element: its rules in their order, then what it says itself.
func (s *sheet) style(n *html.Node) map[string]string {
	own := attribute(n, "style")
	rules := s.matching(n)
	if own == "" && len(rules) == 0 {
		return nil
	}
	style := map[string]string{}
	for _, r := range rules {
		maps.Copy(style, r.plain)
	}
	plain, urgent := declarations(own)
	maps.Copy(style, plain)
	for _, r := range rules {
		maps.Copy(style, r.urgent)
	}
	maps.Copy(style, urgent)
	return style
}

// colour is one that is known or not.
type colour struct {
	r, g, b int
	known   bool
	clear   bool // it is see-through
}

// like reports whether one can hardly be told from another.
func (c colour) like(o colour) bool {
	near := func(a, b int) bool { return a-b <= 24 && b-a <= 24 }
	return c.clear || c.known && o.known && near(c.r, o.r) && near(c.g, o.g) && near(c.b, o.b)
}

// colourNames are the names that are used to hide something.
var colourNames = map[string]colour{
	"white": {255, 255, 255, true, false}, "black": {0, 0, 0, true, false}, "snow": {255, 250, 250, true, false}, "ivory": {255, 255, 240, true, false}, "ghostwhite": {248, 248, 255, true, false},
	"whitesmoke": {245, 245, 245, true, false}, "floralwhite": {255, 250, 240, true, false}, "mintcream": {245, 255, 250, true, false}, "azure": {240, 255, 255, true, false}, "gray": {128, 128, 128, true, false},
	"grey": {128, 128, 128, true, false}, "silver": {192, 192, 192, true, false}, "red": {255, 0, 0, true, false}, "green": {0, 128, 0, true, false}, "blue": {0, 0, 255, true, false}, "yellow": {255, 255, 0, true, false}, "navy": {0, 0, 128, true, false},
}

// readColour reads a colour of CSS. One that is see-through is that of what it stands on, so
// that it is like every other.
func readColour(v string) colour {
	v = strings.TrimSpace(strings.ToLower(v))
	if v == "transparent" {
		return colour{clear: true}
	}
	if c, ok := colourNames[v]; ok {
		return c
	}
	if hex, ok := strings.CutPrefix(v, "#"); ok {
		if len(hex) == 3 || len(hex) == 4 {
			long := ""
			for _, c := range hex {
				long += string(c) + string(c)
			}
			hex = long
		}
		n, err := strconv.ParseUint(hex[:min(len(hex), 6)], 16, 32)
		return colour{int(n >> 16), int(n >> 8 & 255), int(n & 255), err == nil && len(hex) >= 6, len(hex) == 8 && hex[6] == '0'}
	}
	name, rest, _ := strings.Cut(v, "(")
	if name != "rgb" && name != "rgba" {
		return colour{}
	}
	var parts []float64
	for word := range strings.FieldsFuncSeq(strings.TrimSuffix(rest, ")"), func(r rune) bool { return r == ',' || r == ' ' || r == '/' }) {
		n, ok := number(word)
		if !ok {
			return colour{}
		}
		if strings.HasSuffix(word, "%") {
			n *= 2.55
		}
		parts = append(parts, n)
	}
	if len(parts) < 3 {
		return colour{}
	}
	return colour{int(parts[0]), int(parts[1]), int(parts[2]), true, len(parts) > 3 && parts[3] < 0.05}
}
