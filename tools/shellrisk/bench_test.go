package shellrisk

import (
	"fmt"
	"strings"
	"testing"

	"hermes-tui/tools"
)

func BenchmarkJudge(b *testing.B) {
	long := strings.Repeat("git log --oneline -5 | head; ", 345)
	cases := map[string]string{
		"status":  "git status --short",
		"typical": `cd sub && go test ./... -run 'TestX' 2>&1 | tee out.txt | grep -v "^ok" | head -20`,
		"loop":    `for f in *.go; do gofmt -l "$f" && sed -n '1,20p' "$f"; done`,
		"10k":     long[:10_000],
	}
	for name, command := range cases {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Judge(command, testSetting())
			}
		})
	}
}

// manyRules are 200 rules of the kinds that people write.
func manyRules(b *testing.B) *Rules {
	var specs []RuleSpec
	for i := range 50 {
		specs = append(specs,
			RuleSpec{Deny: fmt.Sprintf("terminal(tool%d push *)", i)}, RuleSpec{Ask: fmt.Sprintf("terminal(tool%d deploy --to=*)", i)},
			RuleSpec{Allow: fmt.Sprintf("terminal(tool%d build *)", i)}, RuleSpec{Deny: fmt.Sprintf("write_file(locked%d/**)", i)})
	}
	rules, err := NewRules(specs, testPlace())
	if err != nil {
		b.Fatal(err)
	}
	return rules
}

// BenchmarkRules judges commands and matches 200 rules.
func BenchmarkRules(b *testing.B) {
	rules := manyRules(b)
	deny, ask := rules.of(effectDeny, "terminal", subjectCommand), rules.of(effectAsk, "terminal", subjectCommand)
	allow := rules.of(effectAllow, "terminal", subjectCommand)
	for name, command := range map[string]string{
		"typical": `cd sub && go test ./... -run 'TestX' 2>&1 | tee out.txt | grep -v "^ok" | head -20`,
		"10k":     strings.Repeat("git log --oneline -5 | head; ", 345)[:10_000],
		"12k":     strings.Repeat("git log --oneline -5 | head; ", 414)[:12_000],
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, s := Inspect(command, testSetting())
				firstMatch(deny, s, false)
				firstMatch(ask, s, false)
				coveredBy(allow, s, func(string) bool { return true })
			}
		})
	}
	b.Run("path", func(b *testing.B) {
		b.ReportAllocs()
		paths := []string{"/srv/app/src/deep/file.go"}
		list := rules.Denying("write_file", tools.ActWrite)
		for b.Loop() {
			list.Meeting(paths, paths)
		}
	})
}

func BenchmarkCanonical(b *testing.B) {
	for name, command := range map[string]string{
		"plain":  strings.Repeat("go test ./... && ", 60),
		"hiding": strings.Repeat("echo \u202e 'x'     ", 60),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(command)))
			for b.Loop() {
				Canonical(command)
			}
		})
	}
}
