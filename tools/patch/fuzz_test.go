package patch

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"hermes-tui/tools"
)

// FuzzReplace holds that a search ends, that what lies outside the places found
// stays, and that an exact replacement is what strings.Replace makes of it.
func FuzzReplace(f *testing.F) {
	f.Add("a\r\nb\nc\n", "b", "x\ny", false)
	f.Add("  if x:\n    go()\n", "if x:\n  go()", "if x:\n  stop()", false)
	f.Add("wait\u2026 \u2014 ok", "wait... --", "x\\t", true)
	f.Add("a\tb  c\n\n\n", "a b c\n", "\\r\\t\n", true)
	f.Add("begin\nalpha beta\nend\r\n", "begin\nalpha bet\nend", "\n", false)
	f.Add("x\r\n\r\nx\r\n", "\n", "\r\n\n", true)
	f.Add("\n", " ", "0", true)
	f.Fuzz(func(t *testing.T, body, before, after string, all bool) {
		if len(body)+len(before)+len(after) > 4000 {
			return
		}
		r, err := Replace(body, before, after, all)
		if err != nil {
			if p, ok := errors.AsType[*Problem](err); !ok || p.Message == "" || len(p.Message) > 20_000 {
				t.Fatalf("%v is no problem", err)
			}
			return
		}
		name, places := search(newHaystack(body), newNeedle(before))
		places = apart(places)
		if name != r.Strategy || len(places) != r.Count || !all && r.Count != 1 || len(r.Lines) != r.Count {
			t.Fatalf("found %d by %s, replaced %d by %s", len(places), name, r.Count, r.Strategy)
		}
		rest, at := r.Body, 0
		for i, p := range places {
			kept := strings.TrimSuffix(body[at:p.start], "\r") // may be half of a line break that is replaced
			cut, ok := strings.CutPrefix(rest, kept)
			if i > 0 {
				_, cut, ok = strings.Cut(rest, kept)
			}
			if !ok {
				t.Fatalf("%q lost %q before place %d: %q", body, kept, i, r.Body)
			}
			rest, at = cut, p.end
		}
		if !strings.HasSuffix(rest, body[at:]) {
			t.Fatalf("%q lost its end %q: %q", body, body[at:], r.Body)
		}
		plain := !strings.Contains(body+after, "\r") && !strings.Contains(after, `\`)
		if plain && name == Exact && r.Body != strings.Replace(body, before, after, r.Count) {
			t.Fatalf("%q, %q to %q: %q", body, before, after, r.Body)
		}
		if utf8.ValidString(body) && utf8.ValidString(before) && utf8.ValidString(after) && !utf8.ValidString(r.Body) {
			t.Fatalf("%q is not valid UTF-8", r.Body)
		}
	})
}

// diffPatch writes a patch that turns one text into another.
func diffPatch(from, to string) string {
	old, is := fileLines(from), fileLines(to)
	front := 0
	for front < min(len(old), len(is)) && old[front].text == is[front].text {
		front++
	}
	back := 0
	for back < min(len(old), len(is))-front && old[len(old)-1-back].text == is[len(is)-1-back].text {
		back++
	}
	var b strings.Builder
	b.WriteString("*** Begin Patch\n*** Update File: f\n@@\n")
	write := func(mark string, lines []line) {
		for _, l := range lines {
			b.WriteString(mark + l.text + "\n")
		}
	}
	write(" ", old[:front])
	write("-", old[front:len(old)-back])
	write("+", is[front:len(is)-back])
	write(" ", old[len(old)-back:])
	b.WriteString("*** End Patch\n")
	return b.String()
}

// FuzzPatch holds that any text is read, that problems are said and never half a
// patch is planned; and that the patch of two texts turns the one into the other.
func FuzzPatch(f *testing.F) {
	f.Add("*** Update File: f\n@@ a\n-b\n+c\n", "a\nb\n", "a\nc\nd\n")
	f.Add("***Add File: n\n+x\n\n*** Move File: f -> g\n b\n***Delete File:g", "b\r\na\r\n", "\n\nb\n")
	f.Add("*** Move File: f -> n\n*** Add File: f\n*** Update File: n\n\n\\\n@@ -1 +1 @@\n+", "", "x")
	f.Add("@@\n*** Update File\n*** End of File\n+++", "*** End Patch\n@@\n", "+\n-\n \n")
	f.Fuzz(func(t *testing.T, patch, from, to string) {
		if len(patch)+len(from)+len(to) > 4000 {
			return
		}
		files := map[string]string{"f": from, "other": to}
		if parts, err := Parse(patch); err == nil {
			plan := MakePlan(parts, finder(files, nil))
			if (len(plan.Problems) > 0) == (len(plan.Changes) > 0) {
				t.Fatalf("%d problems, %d changes", len(plan.Problems), len(plan.Changes))
			}
			for _, p := range plan.Problems {
				if p.Message == "" || p.Kind == "" {
					t.Fatalf("empty problem of %q", patch)
				}
			}
		}
		// Lines end with LF, and both texts alike.
		from, to = strings.ReplaceAll(from, "\r", ""), strings.ReplaceAll(to, "\r", "")
		if from = strings.TrimRight(from, "\n"); from == "" {
			return
		}
		if to = strings.TrimRight(to, "\n"); to == "" || to == from {
			return
		}
		for _, end := range []string{"", "\n"} {
			reproduces(t, from+end, to+end)
		}
	})
}

func reproduces(t *testing.T, from, to string) {
	t.Helper()
	parts, err := Parse(diffPatch(from, to))
	if err != nil {
		t.Fatal(err)
	}
	plan := MakePlan(parts, func(name string) (tools.Text, error) {
		return tools.Text{Name: name, Real: name, Exists: true, Body: from}, nil
	})
	if len(plan.Problems) > 0 || describe(plan) != fmt.Sprintf("write f %q", to) {
		t.Fatalf("%q to %q: %s %v", from, to, describe(plan), plan.Problems)
	}
}

// FuzzReindent holds that only what stands before the first character of a line
// changes.
func FuzzReindent(f *testing.F) {
	f.Add("        a\n    b\nc", "        x", "\t\tx")
	f.Add("\u3000a\n\n \t", "\n x", "\r\n\u3000\u3000x")
	f.Fuzz(func(t *testing.T, text, before, stretch string) {
		got := reindent(text, before, stretch)
		was, is := strings.Split(text, "\n"), strings.Split(got, "\n")
		if len(was) != len(is) {
			t.Fatalf("%q has other lines than %q", got, text)
		}
		for i := range was {
			if trimLeft(was[i]) != trimLeft(is[i]) || isBlank(was[i]) && was[i] != is[i] {
				t.Fatalf("line %q became %q", was[i], is[i])
			}
		}
		if indentOf(firstFull(strings.Split(before, "\n"))) == indentOf(firstFull(strings.Split(stretch, "\n"))) && got != text {
			t.Fatalf("%q became %q without a reason", text, got)
		}
	})
}
