package approval

import (
	"strings"
	"testing"
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
