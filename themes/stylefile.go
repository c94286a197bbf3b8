package themes

import (
	"encoding/json"
	"fmt"

	"charm.land/lipgloss/v2"
)

// ink is the colour of an element in a style file: "#rrggbb" or the number of one of
// 256 colours.
type ink struct {
	Color string `json:"color"`
}

// styleFile is what of a style file of glamour is colours of Markdown here.
type styleFile struct {
	Document   ink `json:"document"`
	BlockQuote ink `json:"block_quote"`
	Heading    ink `json:"heading"`
	H1         ink `json:"h1"`
	H2         ink `json:"h2"`
	Rule       ink `json:"hr"`
	Link       ink `json:"link"`
	LinkText   ink `json:"link_text"`
	Code       ink `json:"code"`
	CodeBlock  struct {
		Chroma struct {
			Comment  ink `json:"comment"`
			Keyword  ink `json:"keyword"`
			Type     ink `json:"keyword_type"`
			Operator ink `json:"operator"`
			Name     ink `json:"name_function"`
			Number   ink `json:"literal_number"`
			String   ink `json:"literal_string"`
			Deleted  ink `json:"generic_deleted"`
			Inserted ink `json:"generic_inserted"`
		} `json:"chroma"`
	} `json:"code_block"`
}

// Styled is the theme with the colours that a style file of glamour (JSON) gives to
// Markdown. What else such a file says, such as margins and prefixes, is passed over.
func (t Theme) Styled(file []byte) (Theme, error) {
	var f styleFile
	if err := json.Unmarshal(file, &f); err != nil {
		return t, err
	}
	code, syntax := f.CodeBlock.Chroma, &t.Syntax
	for _, c := range []struct {
		to   *Color
		from ink
	}{
		{&t.Text, f.Document}, {&t.Muted, f.BlockQuote}, {&t.Accent, f.Heading}, {&t.Strong, f.Heading}, {&t.Accent, f.H1}, {&t.Strong, f.H2},
		{&t.Border, f.Rule}, {&t.Faint, f.Link}, {&t.Link, f.LinkText}, {&t.Code, f.Code},
		{&syntax.Comment, code.Comment}, {&syntax.Keyword, code.Keyword}, {&syntax.Type, code.Type}, {&syntax.Operator, code.Operator},
		{&syntax.Name, code.Name}, {&syntax.Number, code.Number}, {&syntax.String, code.String}, {&syntax.Deleted, code.Deleted}, {&syntax.Inserted, code.Inserted},
	} {
		if c.from.Color == "" {
			continue
		}
		found := lipgloss.Color(c.from.Color)
		if _, none := found.(lipgloss.NoColor); none {
			return t, fmt.Errorf("%q is no colour", c.from.Color)
		}
		r, g, b, _ := found.RGBA()
		*c.to = Color(fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8))
	}
	return t, nil
}
