package patch

import (
	"fmt"
	"strings"
	"testing"

	"hermes-tui/tools"
)

// program is a text of n lines that reads like code: many lines resemble each
// other, few are the same.
func program(n int) string {
	var b strings.Builder
	for i := 0; i < n; i += 10 {
		fmt.Fprintf(&b, "// step%d does part %d of the work.\nfunc step%d(ctx context.Context, in []byte) (int, error) {\n", i, i/10, i)
		fmt.Fprintf(&b, "\tif len(in) < %d {\n\t\treturn 0, fmt.Errorf(\"step %d: input is short\")\n\t}\n", i%97, i)
		fmt.Fprintf(&b, "\ttotal := compute(ctx, in[%d:], %d)\n\tlog.Printf(\"step %d: %%d\", total)\n\treturn total, nil\n}\n\n", i%89, i*7, i)
	}
	return b.String()
}

// stepCode is the code of a step as it stands in program.
func stepCode(i int) string {
	lines := strings.SplitAfter(program(i+10), "\n")
	return strings.Join(lines[i+1:i+9], "")
}

// searches are ways in which something is looked for in 10,000 lines.
func searches() []struct{ name, old, strategy string } {
	exact := strings.TrimSuffix(stepCode(9000), "\n")
	lines := strings.Split(exact, "\n")
	with := func(i int, l string) string {
		changed := append([]string{}, lines...)
		changed[i] = l
		return strings.Join(changed, "\n")
	}
	return []struct{ name, old, strategy string }{
		{"exact", exact, Exact},
		{"trimmed", strings.ReplaceAll(exact, "\t", "    "), LineTrimmed},
		{"collapsed", with(5, "\tlog.Printf(\"step 9000:  %d\", total)"), WhitespaceNormalized},
		{"escaped", strings.ReplaceAll(exact, "\t", `\t`), EscapeNormalized},
		{"typographic", with(5, "\tlog.Printf(\u201Cstep 9000: %d\u201D, total)"), UnicodeNormalized},
		{"longer", with(0, lines[0]+"\n\tvar err error"), ""},
		{"alike", "// The end of this list, which has no stepp after it.", ContextAware},
		{"block", with(3, "\t};"), BlockAnchor},
		{"missing", "for _, row := range table.Rows() {\n\tprint(row.Name, row.Value)\n}", ""},
		{"missing line", "import \"github.com/example/completely/different\"", ""},
		{"missing long", strings.Join(strings.Fields(program(300)), "\n"), ""},
	}
}

func BenchmarkReplace(b *testing.B) {
	body := program(10_000) + "// The end of this list, which has no step after it.\n"
	for _, s := range searches() {
		b.Run(strings.ReplaceAll(s.name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := Replace(body, s.old, "replaced", false)
				if s.strategy != r.Strategy || (err == nil) != (s.strategy != "") {
					b.Fatalf("found by %q: %v", r.Strategy, err)
				}
			}
		})
	}
}

// twentyHunks is a patch of 20 hunks for program(10_000).
func twentyHunks() string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n*** Update File: a.go\n")
	for i := 0; i < 10_000; i += 500 {
		fmt.Fprintf(&b, "@@ func step%d(\n \tif len(in) < %d {\n-\t\treturn 0, fmt.Errorf(\"step %d: input is short\")\n+\t\treturn 0, errShort\n \t}\n", i, i%97, i)
	}
	b.WriteString("*** End Patch\n")
	return b.String()
}

func BenchmarkPatch(b *testing.B) {
	body, patch := program(10_000), twentyHunks()
	find := func(name string) (tools.Text, error) {
		return tools.Text{Name: name, Real: name, Exists: true, Body: body}, nil
	}
	b.ReportAllocs()
	for b.Loop() {
		parts, err := Parse(patch)
		if err != nil {
			b.Fatal(err)
		}
		if plan := MakePlan(parts, find); len(plan.Problems) > 0 || len(plan.Changes) != 1 {
			b.Fatal(plan.Problems)
		}
	}
}
