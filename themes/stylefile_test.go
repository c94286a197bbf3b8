package themes

import "testing"

// TestStyled takes the colours of Markdown from a style file and leaves the others.
func TestStyled(t *testing.T) {
	file, err := ParseStyle([]byte(`{"document":{"margin":2,"color":"#010203"},"heading":{"color":"39","bold":true},"h1":{"prefix":"# ","color":"#fff"},
		"code_block":{"theme":"x","chroma":{"keyword":{"color":"#0A0B0C"}}}}`))
	want := Dark()
	want.Text, want.Strong, want.Accent, want.Syntax.Keyword = "#010203", "#00afff", "#ffffff", "#0a0b0c"
	if got := Dark().Styled(file); err != nil || got != want {
		t.Errorf("%+v %v", got, err)
	}
	if got := Dark().Styled(StyleFile{}); got != Dark() {
		t.Errorf("nothing gives %+v", got)
	}
	for _, bad := range []string{`{`, `{"document":{"color":1}}`, `{"link":{"color":"#xyz"}}`, `{"link":{"color":"red\u001b"}}`} {
		if got, err := ParseStyle([]byte(bad)); err == nil {
			t.Errorf("%s gives %+v", bad, got)
		}
	}
}
