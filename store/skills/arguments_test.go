package skills_test

import (
	"testing"

	"hermes-tui/store/skills"
)

// TestFill holds how a text refers to what the user has added to the name of a skill.
func TestFill(t *testing.T) {
	const hint, names = "argument-hint: '[from] [to]'\n", "arguments: [issue, to-branch]\n"
	for _, c := range []struct {
		head, text, args, want string
		refers                 bool
	}{
		{"", "Do it.", "x", "Do it.", false},
		{"", "See $ARGUMENTS.", "one 'two three'", "See one 'two three'.", true},
		{"", "See $ARGUMENTS.", "", "See .", true},
		{"", "$ARGUMENTSX ${ARGUMENTS} $arguments", "x", "$ARGUMENTSX ${ARGUMENTS} $arguments", false},
		{"", "$ARGUMENTS[1], $ARGUMENTS[0], $ARGUMENTS[7]", `one "two three"`, "two three, one, $ARGUMENTS[7]", true},
		{"", "awk '{print $1}'; $5 a month", "x y", "awk '{print $1}'; $5 a month", false},
		{hint, "Rename $1 to $2; not $3, $12, $1.50 or \\$1, but $1.", "a 'b c'", "Rename a to b c; not $3, $12, $1.50 or \\$1, but a.", true},
		{hint, "Rename $0 to $1.", "a b", "Rename a to b.", true},
		{hint, "Rename $ARGUMENTS[0] to $1.", "a b", "Rename a to b.", true},
		{hint, "From $1", "it's", "From it's", true},
		{names, "Fix $issue on $to-branch, as $issue-notes say; $HOME, $issues.", "7 main x", "Fix 7 on main, as 7-notes say; $HOME, $issues.", true},
		{names, "Fix $issue on $to-branch.", "7", "Fix 7 on $to-branch.", true},
		{names, "$issue", "$ARGUMENTS[0]", "$ARGUMENTS[0]", true},
	} {
		got, refers := skills.Parse([]byte("---\nname: x\ndescription: One.\n"+c.head+"---\n"+c.text)).Fill(c.text, c.args)
		if got != c.want || refers != c.refers {
			t.Errorf("%q with %q: %q, %v, want %q", c.text, c.args, got, refers, c.want)
		}
	}
}
