package approval

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkDecide is what a command costs at the gate that no one is asked about: judged
// and bound by Decide, and bound content looked at again by Take.
func BenchmarkDecide(b *testing.B) {
	for _, c := range []struct{ name, command string }{
		{"ls", "ls -la"},
		{"git", "git status --short && git diff --stat"},
		{"go", "go test ./... 2>&1 | tail -20"},
		{"pipeline", "grep -rn 'func ' src | awk -F: '{print $1}' | sort | uniq -c | sort -rn | head"},
		{"script", "bash build.sh --release"},
		{"large", "./tool --version"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := confining(b)
			for name, size := range map[string]int{"build.sh": 2 << 10, "tool": 8 << 20} {
				if err := os.WriteFile(filepath.Join(s.dir, name), make([]byte, size), 0o755); err != nil {
					b.Fatal(err)
				}
			}
			r := s.request(c.command)
			r.Mode = ModeGuarded
			b.ReportAllocs()
			for b.Loop() {
				p, err := s.gate.Decide(b.Context(), r)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.Take(s.gate.o.Place); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
