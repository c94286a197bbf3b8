package shellrisk

import (
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	spaces := strings.Repeat(" ", 412)
	cases := []struct{ in, want string }{
		{"go test ./... 2>&1 | head -5", "go test ./... 2>&1 | head -5"},
		{"ls" + spaces + "; rm x", "ls⟨412 spaces⟩; rm x"},
		{"ls" + strings.Repeat("\t", 40) + "x", "ls⟨40 tabs⟩x"},
		{"ls" + strings.Repeat(" \t", 20) + "x", "ls⟨40 spaces and tabs⟩x"},
		{"ls\tx", "ls\tx"},
		{"for x in a; do\n        echo $x\ndone", "for x in a; do\n        echo $x\ndone"},
		{"ls" + strings.Repeat("\n", 51) + "rm x", "ls\n⟨50 empty lines⟩\nrm x"},
		{"ls" + strings.Repeat("   \n", 20) + "  rm x", "ls   \n⟨19 empty lines⟩\n  rm x"},
		{"ls \u202e/ fr- mr", "ls ⟨U+202E⟩/ fr- mr"},
		{"r\u200bm x", "r⟨U+200B⟩m x"},
		{"a\u00a0b\u3000c", "a⟨U+00A0⟩b⟨U+3000⟩c"},
		{"a\x1b[2Jb\rc\x7f", "a⟨U+001B⟩[2Jb⟨U+000D⟩c⟨U+007F⟩"},
		{"a\xffb\xc2", "a⟨0xFF⟩b⟨0xC2⟩"},
		{"\u009b2J \x85", "⟨U+009B⟩2J ⟨0x85⟩"},
		{"echo ⟨3 spaces⟩", "echo ⟨U+27E8⟩3 spaces⟨U+27E9⟩"},
		{"echo “x” ‘y’ ＂z", "echo ⟨U+201C⟩x⟨U+201D⟩ ⟨U+2018⟩y⟨U+2019⟩ ⟨U+FF02⟩z"},
		{"echo a；b ／x", "echo a⟨U+FF1B⟩b ⟨U+FF0F⟩x"},
		{"rg 修复 docs/ é 👨‍👩‍👧 ☕️ 1️⃣", "rg 修复 docs/ é 👨‍👩‍👧 ☕️ 1️⃣"},
		{"ab\u200dc", "ab⟨U+200D⟩c"},
		{"می\u200cخواهم", "می\u200cخواهم"},
		{"e" + strings.Repeat("\u0301", 6), "e" + strings.Repeat("\u0301", 4) + "⟨U+0301⟩⟨U+0301⟩"},
		{"\U000e0041\ufeff\u2066\u3164", "⟨U+E0041⟩⟨U+FEFF⟩⟨U+2066⟩⟨U+3164⟩"},
		{"", ""},
		{"\u2028x\u2029", "⟨U+2028⟩x⟨U+2029⟩"},
	}
	for _, c := range cases {
		if got := Canonical(c.in); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}
