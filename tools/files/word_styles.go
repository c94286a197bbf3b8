package files

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"
)

// wordStyles finds the styles that are headings or lists. Their ids are in the
// language of whoever wrote the document; their names are not.
func (a *archive) wordStyles(ctx context.Context) (map[string]wordStyle, error) {
	styles := map[string]wordStyle{}
	var id string
	err := a.each(ctx, "word/styles.xml", func(_ *markup, e xml.StartElement) error {
		s, val := styles[id], attr(e, "val")
		switch e.Name.Local {
		case "style":
			id = attr(e, "styleId")
			return nil
		case "name":
			name := strings.ToLower(val)
			if level, ok := strings.CutPrefix(name, "heading "); ok {
				if n, err := strconv.Atoi(level); err == nil && n >= 1 && n <= 9 {
					s.heading = n
				}
			}
			if name == "title" {
				s.heading = 1
			}
		case "basedOn":
			if base, ok := styles[val]; ok && s == (wordStyle{}) {
				s = base
			}
		case "outlineLvl":
			if n, err := strconv.Atoi(val); err == nil && n >= 0 && n < 9 {
				s.heading = n + 1
			}
		case "numId":
			s.list = val
		case "ilvl":
			s.level, _ = strconv.Atoi(val)
		default:
			return nil
		}
		if id != "" && (s != wordStyle{}) {
			styles[id] = s
		}
		return nil
	})
	return styles, err
}

// wordLists finds the levels of lists that are counted, by "numId/level".
func (a *archive) wordLists(ctx context.Context) (map[string]bool, error) {
	counted := map[string][]string{} // levels by abstract list
	lists := map[string]bool{}
	var abstract, level, num string
	err := a.each(ctx, "word/numbering.xml", func(_ *markup, e xml.StartElement) error {
		val := attr(e, "val")
		switch e.Name.Local {
		case "abstractNum":
			abstract, num = attr(e, "abstractNumId"), ""
		case "lvl":
			level = attr(e, "ilvl")
		case "numFmt":
			if num == "" && val != "bullet" && val != "none" {
				counted[abstract] = append(counted[abstract], level)
			}
		case "num":
			num = attr(e, "numId")
		case "abstractNumId":
			for _, l := range counted[val] {
				lists[num+"/"+l] = true
			}
		}
		return nil
	})
	return lists, err
}
