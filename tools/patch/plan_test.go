package patch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hermes-tui/tools"
)

// outline writes what a patch was understood to be, for comparing.
func outline(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "%s %s", []string{"update", "add", "delete", "move"}[p.Op], p.Path)
		if p.To != "" {
			fmt.Fprintf(&b, " to %s", p.To)
		}
		if p.Fault != nil {
			fmt.Fprintf(&b, " (%s)", p.Fault.Kind)
		}
		if p.Op == AddFile {
			fmt.Fprintf(&b, " %q", p.Body)
		}
		for _, h := range p.Hunks {
			fmt.Fprintf(&b, " [%s", strings.Join(h.Hints, "/"))
			for _, l := range h.Lines {
				fmt.Fprintf(&b, "|%c%s", l.Mark, l.Text)
			}
			b.WriteString("]")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, patch, want string }{
		{"spacing and case of headers", "***Update File: a\n-x\n***  add file :b\n+y\n***\tDELETE FILE:  c  \n*** Move File:d->e\n",
			"update a [|-x]\nadd b \"y\\n\"\ndelete c\nmove d to e\n"},
		{"prose and fences around", "Here it is:\n```\n*** Begin Patch\n*** Delete File: a\n*** End Patch\n```\nDone!\n", "delete a\n"},
		{"two patches", "*** Begin Patch\n*** Delete File: a\n*** End Patch\n\n*** Begin Patch\n*** Delete File: b\n*** End Patch", "delete a\ndelete b\n"},
		{"CRLF", "*** Begin Patch\r\n*** Update File: a\r\n@@ h @@\r\n x\r\n-y\r\n+z\r\n*** End Patch\r\n", "update a [h| x|-y|+z]\n"},
		{"hints", "*** Update File: a\n@@ class A\n@@  def f():\n-x\n@@\n-y\n@@ -1,2 +3,4 @@ func g() {\n-z\n", "update a [class A/def f():|-x] [|-y] [func g() {|-z]\n"},
		{"marks", "*** Update File: a\n x\n\ttab\nword\n\n-\n+\n\\ No newline\n", "update a [| x| \ttab| word| |-|+]\n"},
		{"end of file", "*** Update File: a\n-x\n+y\n*** End of File\n*** End Patch\n", "update a [|-x|+y]\n"},
		{"stars in a text", "*** Update File: a\n ***\n-*** old ***\n+*** Update File: b\n*** note\n", "update a [| ***|-*** old ***|+*** Update File: b| *** note]\n"},
		{"new file", "*** Add File: a\n+one\n\n+two\n\n\n*** End Patch", "add a \"one\\n\\ntwo\\n\"\n"},
		{"new file, empty", "*** Add File: a\n*** End Patch", "add a \"\"\n"},
		{"new file, line without plus", "*** Add File: a\n+one\ntwo\n", "add a (syntax) \"one\\n\"\n"},
		{"delete with lines", "*** Delete File: a\n-x\n-y\n", "delete a\n"},
		{"delete that adds", "*** Delete File: a\n+x\n", "delete a (syntax)\n"},
		{"no path", "*** Update File:\n-x\n", "update  (syntax) [|-x]\n"},
		{"two arrows", "*** Move File: a -> b -> c\n", "move a to b -> c (syntax)\n"},
		{"unknown header", "*** Update File: a\n-x\n*** Rename File: b\n", "update a (syntax) [|-x]\n"},
		{"header without colon", "*** Update File: a\n-x\n*** Delete File b\n", "update a (syntax) [|-x]\n"},
		{"other dialect's move", "*** Update File: a\n*** Move to: b\n-x\n", "update a (syntax) [|-x]\n"},
		{"update without lines", "*** Update File: a\n@@ hint\n\n*** Delete File: b\n", "update a (no_hunks)\ndelete b\n"},
		{"control character", "*** Delete File: a\x1bb\n", "delete a\x1bb (syntax)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts, err := Parse(c.patch)
			if err != nil {
				t.Fatal(err)
			}
			if got := outline(parts); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestParseNothing(t *testing.T) {
	for patch, want := range map[string]Kind{
		" \n\t": EmptyPatch, "*** Begin Patch\n*** End Patch": Syntax, "change x to y": Syntax,
		"+x\n*** Update File: a\n-y": Syntax, "@@\n-y": Syntax, "*** Change File: a\n-x\n*** Update File: b\n-x": Syntax,
	} {
		_, err := Parse(patch)
		if p, ok := err.(*Problem); !ok || p.Kind != want { //nolint:errorlint // Parse returns it bare
			t.Errorf("%q: got %v, want %s", patch, err, want)
		}
	}
}

// describe writes what a plan does.
func describe(p *Plan) string {
	var list []string
	for _, f := range p.Problems {
		list = append(list, fmt.Sprintf("%s %s", f.Kind, f.Path))
	}
	for _, c := range p.Changes {
		switch c.Op {
		case tools.OpWrite:
			list = append(list, fmt.Sprintf("write %s %q", c.File.Real, c.Body))
		case tools.OpDelete:
			list = append(list, "delete "+c.File.Real)
		case tools.OpMove:
			list = append(list, fmt.Sprintf("move %s %s %q", c.File.Real, c.To.Real, c.Body))
		}
	}
	return strings.Join(list, "; ")
}

// TestPlan holds what follows when parts of a patch name the same files.
func TestPlan(t *testing.T) {
	files := map[string]string{"a": "1\n2\n", "b": "b\n", "dir/c": "c\n", "open": "x\ny", "crlf": "x\r\ny\r\nz\n", "tabs": "f:\n\tx\n\t\ty\n"}
	for _, c := range []struct{ name, patch, want string }{
		{"twice", "U a\n-1\n+one\nU ./a\n-2\n+two\n one\n", "hunk_not_found ./a"},
		{"twice, on the result", "U a\n-1\n+one\nU dir/../a\n one\n-2\n+two\n", `write a "one\ntwo\n"`},
		{"update and delete", "U a\n-1\nD a\n", "delete a"},
		{"delete and update", "D a\nU a\n-1\n", "not_found_file a"},
		{"delete and add", "D a\nA a\n+new\n", `write a "new\n"`},
		{"add and delete", "A n\n+x\nD n\n", "no_change "},
		{"add and update", "A n\n+x\nU n\n-x\n+y\n", `write n "y\n"`},
		{"add and move", "A n\n+x\nM n -> m\n", `write m "x\n"`},
		{"move and update", "M a -> n\nU n\n-1\n", `move a n "2\n"`},
		{"update and move", "U a\n-1\nM a -> n\n", `move a n "2\n"`},
		{"move with a hunk", "M a -> n\n-1\n+one\n", `move a n "one\n2\n"`},
		{"move twice", "M a -> n\nM n -> m\n", `move a m "1\n2\n"`},
		{"move and delete", "M a -> n\nD n\n", "delete a"},
		{"move there and back", "M a -> n\nM n -> a\n", "no_change "},
		{"move away and add", "M a -> n\nA a\n+x\n", "tangled n"},
		{"swap", "M a -> n\nM b -> a\nM n -> b\n", "tangled a"},
		{"move onto itself", "M a -> ./a\n", "exists a"},
		{"move onto a file", "M a -> b\n", "exists a"},
		{"move onto a deleted file", "D b\nM a -> b\n", "tangled b"},
		{"add over a file", "A dir/c\n+x\n", "exists dir/c"},
		{"above the root", "U dir/../../a\n-1\n", "path_outside dir/../../a"},
		{"move above the root", "M a -> ../a\n", "path_outside a"},
		{"protected", "U a\n-1\nD secret\n", "protected_path secret"},
		{"every problem, each file once", "U a\n-9\n+8\nU a\n-7\n+6\nU b\n-x\nU dir/c\n-c\n+d\nD gone\n", "hunk_not_found a; hunk_not_found b; not_found_file gone"},
		{"what a failure touches is not judged", "M a -> b\nU b\n-zzz\n", "exists a"},
		{"no change", "U a\n 1\n", "no_change a"},
		{"changed and changed back", "U a\n-1\n+one\nU a\n-one\n+1\nU b\n-b\n", `write b ""`},
		{"file without last line break", "U open\n x\n-y\n+Y\n", `write open "x\nY"`},
		{"its last line goes", "U open\n-y\n", `write open "x"`},
		{"below its last line", "U open\n@@ y\n+z\n", `write open "x\ny\nz"`},
		{"appended to it", "U open\n@@\n+z\n", `write open "x\ny\nz\n"`},
		{"mixed line breaks", "U crlf\n x\n+x2\n-y\n+Y\n z\n", `write crlf "x\r\nx2\r\nY\r\nz\n"`},
		{"mixed line breaks, end", "U crlf\n z\n+end\n", `write crlf "x\r\ny\r\nz\nend\n"`},
		{"indentation of the file", "U tabs\n x\n-  y\n+  z\n", `write tabs "f:\n\tx\n\t  z\n"`},
		{"kept lines are the file's", "U crlf\n  x  \n-y\n+Y\n", `write crlf "x\r\nY\r\nz\n"`},
		{"hint below which nothing fits", "A n\n+p\n+q\n+p\n+q\n+end\nU n\n@@ end\n p\n-q\n", "ambiguous_hunk n"},
		{"hint from outside in", "A n\n+A:\n+ f:\n+  x\n+B:\n+ f:\n+  x\nU n\n@@ B\n@@ f\n-  x\n+  y\n", `write n "A:\n f:\n  x\nB:\n f:\n  y\n"`},
		{"hint from outside in, new line", "A n\n+A:\n+ f\n+B:\n+ f\nU n\n@@ B\n@@ f\n+  y\n", `write n "A:\n f\nB:\n f\n  y\n"`},
		{"blank lines between hunks", "U a\n\n-1\n+one\n\n@@\n-2\n+two\n", `write a "one\ntwo\n"`},
		{"line numbers instead of a hint", "U a\n@@ -1,1 +2,1 @@\n+x\n", "hint_not_found a"},
		{"hunk in an empty file", "A n\nU n\n-x\n", "hunk_not_found n"},
		{"new lines in an empty file", "A n\nU n\n@@\n+x\n", `write n "x\n"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			patch := strings.NewReplacer("U ", "*** Update File: ", "A ", "*** Add File: ", "D ", "*** Delete File: ", "M ", "*** Move File: ")
			lines := strings.SplitAfter(c.patch, "\n")
			for i, l := range lines {
				if len(l) > 1 && l[1] == ' ' && strings.ContainsRune("UADM", rune(l[0])) {
					lines[i] = patch.Replace(l)
				}
			}
			parts, err := Parse(strings.Join(lines, ""))
			if err != nil {
				t.Fatal(err)
			}
			plan := MakePlan(parts, finder(files, []string{"secret"}))
			if got := describe(plan); got != c.want {
				t.Errorf("got  %s\nwant %s\n%v", got, c.want, plan.Problems)
			}
		})
	}
}

// TestPlanNamesAllPaths holds that whatever a patch touches is in its paths.
func TestPlanNamesAllPaths(t *testing.T) {
	parts, err := Parse("***Add File: n\n+x\n*** Move File: a -> sub/m\n***Delete File:b\n*** Update File: c\n-c\n+d\n")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"a": "", "b": "", "c": "c\n"}
	plan := MakePlan(parts, finder(files, nil))
	if want := []string{"a", "b", "c", "n", "sub/m"}; !slices.Equal(plan.Paths, want) || len(plan.Problems) > 0 {
		t.Errorf("paths %v, want %v; %v", plan.Paths, want, plan.Problems)
	}
	if got := final(plan); !maps.Equal(got, map[string]string{"n": "x\n", "sub/m": "", "c": "d\n"}) {
		t.Errorf("files are %q", got)
	}
}

// final gives the files that a patch names as it leaves them, by real path; a file
// that is gone is missing.
func final(p *Plan) map[string]string {
	files := map[string]string{}
	for _, s := range p.states {
		if s.exists {
			files[s.disk.Real] = s.body
		}
	}
	return files
}
