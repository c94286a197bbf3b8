package themes

import (
	"encoding/json"
	"fmt"

	"charm.land/lipgloss/v2"
)

// ink is the colour of an element in a style file: "#rrggbb" or the number of one of
// 256 colours. It is empty where the file gives none.
type ink Color

// UnmarshalJSON implements [json.Unmarshaler].
func (c *ink) UnmarshalJSON(element []byte) error {
	var e struct {
		Color string `json:"color"`
	}
	if err := json.Unmarshal(element, &e); err != nil || e.Color == "" {
		return err
	}
	found := lipgloss.Color(e.Color)
	if _, none := found.(lipgloss.NoColor); none {
		return fmt.Errorf("%q is no colour", e.Color)
	}
	r, g, b, _ := found.RGBA()
	*c = ink(fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8))
	return nil
}

// StyleFile is what of a style file of glamour is colours of Markdown here. The zero
// value changes none.
type StyleFile struct {
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

// ParseStyle reads a style file of glamour (JSON). What it says besides colours, such
// as margins and prefixes, is passed over.
func ParseStyle(file []byte) (StyleFile, error) {
	var f StyleFile
	err := json.Unmarshal(file, &f)
	return f, err
}

// Styled is the theme with the colours that a style file gives to Markdown.
func (t Theme) Styled(f StyleFile) Theme {
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
		if c.from != "" {
			*c.to = Color(c.from)
		}
	}
	return t
}
