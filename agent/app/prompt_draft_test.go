package app

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// A draft goes to an editor as UTF-8 and comes back as UTF-8 or UTF-16: other bytes are
// damage, and no sign of an encoding.
func TestEditedIsUTF8(t *testing.T) {
	a := newBox(t).open()
	for raw, want := range map[string]string{
		"plain\n":                            "plain",
		"grün\r\n":                           "grün",
		"ab\xffc":                            "ab\uFFFDc",
		"caf\xe9\n":                          "caf\uFFFD",
		"\xb2\xe2\xca\xd4\n":                 "\uFFFD",
		"\xEF\xBB\xBFwith a mark\n":          "with a mark",
		"\xEF\xBB\xBFab\xffc":                "ab\uFFFDc",
		"\xFF\xFEg\x00r\x00\xfc\x00n\x00":    "grün",
		"h\x00\xe9\x00l\x00l\x00o\x00\n\x00": "héllo",
	} {
		edit := func(file string, err error) string {
			t.Helper()
			if err == nil {
				err = os.WriteFile(file, []byte(raw), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			return file
		}
		file := edit(a.DraftPrompt("before"))
		if got, err := a.EditedPrompt(file, "before", nil); got != want || err != nil {
			t.Errorf("a draft of %q is %q, %v", raw, got, err)
		}
		if got, err := a.EditedPrompt(edit(a.DraftPrompt("before")), want, errors.New("failed")); got != want || err == nil || strings.Contains(err.Error(), "what it wrote") {
			t.Errorf("a draft that a failed editor left as %q: %q, %v", raw, got, err)
		}
		if got, err := a.EditedHunk(edit(a.DraftHunk(".go", "before")), nil); got != want || err != nil {
			t.Errorf("a hunk of %q is %q, %v", raw, got, err)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s is still there", file)
		}
	}
}
