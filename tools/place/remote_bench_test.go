//go:build unix

package place

import (
	"context"
	"testing"
)

func BenchmarkSSHStat(b *testing.B) {
	r := openSSH(b, startSSHD(b), nil)
	b.ResetTimer()
	for b.Loop() {
		if _, err := r.FS().Stat(r.Info().Home); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSSHRead1K(b *testing.B) {
	r := openSSH(b, startSSHD(b), nil)
	name := scratch(b, r) + "/f"
	put(b, r, name, string(make([]byte, 1024)))
	b.ResetTimer()
	for b.Loop() {
		if len(get(b, r, name)) != 1024 {
			b.Fatal("short")
		}
	}
}

func BenchmarkSSHStart(b *testing.B) {
	r := openSSH(b, startSSHD(b), nil)
	b.ResetTimer()
	for b.Loop() {
		p, err := r.Start(context.Background(), Proc{Argv: []string{"/bin/sh", "-c", "exit 0"}, Dir: "/", Env: testEnv})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}
