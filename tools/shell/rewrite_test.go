package shell

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

func TestRegroup(t *testing.T) {
	for in, want := range map[string]string{
		"A && B &":                            "A && { B & }",
		"a || b &> log &":                     "a || { b &> log & }",
		"a && b && c &":                       "a && b && { c & }",
		"a && b | c &":                        "a && { b | c & }",
		"a && ! b &":                          "a && { ! b & }",
		"a && X=1 b >f 2>&1 &":                "a && { X=1 b >f 2>&1 & }",
		"cd x && ./s & sleep 1; kill $!":      "cd x && { ./s & }; sleep 1; kill $!",
		"a && b &\nc":                         "a && { b & }\nc",
		"a && b & # note\nc":                  "a && { b & } # note\nc",
		"a && b & \\\nc":                      "a && { b & }; \\\nc",
		"a && b & c && d &":                   "a && { b & }; c && { d & }",
		"a && cat <<E &\n&& b &\nE\nc":        "a && { cat <<E & }\n&& b &\nE\nc",
		"a  &&\tb   &  ":                      "a  &&\t{ b   & }  ",
		"a && { b & }":                        "a && { b & }",
		"(a && b &)":                          "(a && b &)",
		"{ a && b & }":                        "{ a && b & }",
		"if x; then a && b & fi":              "if x; then a && b & fi",
		"f() { a && b & }":                    "f() { a && b & }",
		"echo 'a && b &'":                     "echo 'a && b &'",
		`echo "a && b &"`:                     `echo "a && b &"`,
		"a & b":                               "a & b",
		"a && b":                              "a && b",
		"a | b &":                             "a | b &",
		"a && b && ":                          "a && b && ",
		"echo é && sleep 1 &":                 "echo é && { sleep 1 & }",
		"echo $(a && b &)":                    "echo $(a && b &)",
		"a && b &" + strings.Repeat("x", 2e4): "a && b &" + strings.Repeat("x", 2e4),
	} {
		if got := regroup(in); got != want {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
}

func FuzzRegroup(f *testing.F) {
	for _, s := range []string{"a && b &", "a || b & c", "a && cat <<E &\nx\nE\n", "a && b & \\\n c # d", "x=$(a && b &) && y &", "a && b &#c\nd", "a && b&\\\n#c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, command string) {
		out := regroup(command)
		if out == command {
			return
		}
		before, err := parse(command)
		if err != nil {
			t.Fatalf("%q does not parse and became %q", command, out)
		}
		after, err := parse(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", command, out, err)
		}
		if again := regroup(out); again != out {
			t.Errorf("%q became %q and then %q", command, out, again)
		}
		if a, b := flat(before), flat(after); a != b {
			t.Errorf("%q became %q\n%s\n%s", command, out, a, b)
		}
	})
}

// flat prints a command with every group undone that the rewrite could have made.
func flat(file *syntax.File) string {
	var b strings.Builder
	for _, s := range file.Stmts {
		if list, ok := s.Cmd.(*syntax.BinaryCmd); ok && !s.Background {
			if group, ok := list.Y.Cmd.(*syntax.Block); ok && len(group.Stmts) == 1 && group.Stmts[0].Background && len(list.Y.Redirs) == 0 {
				list.Y = group.Stmts[0]
				list.Y.Background, s.Background = false, true
			}
		}
		s.Comments = nil
		printed := &strings.Builder{}
		if err := syntax.NewPrinter(syntax.Minify(true)).Print(printed, s); err != nil {
			return err.Error()
		}
		b.WriteString(printed.String() + "\n")
	}
	return b.String()
}
