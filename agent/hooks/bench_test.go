//go:build unix

package hooks_test

import (
	"testing"

	"hermes-tui/agent/hooks"
	"hermes-tui/tools/place"
)

// BenchmarkRun is a call of a hook; its overhead is what it takes longer than
// BenchmarkProcess.
func BenchmarkRun(b *testing.B) {
	k := newKit(b, hooks.Hook{Event: hooks.PreToolCall, Command: "true"})
	in := call(hooks.PreToolCall)
	for b.Loop() {
		if _, err := k.runner.Run(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(5, "target-ms-beyond-process")
}

// BenchmarkProcess starts the same program, alone and tied to the life of this one, as hooks
// are.
func BenchmarkProcess(b *testing.B) {
	here, err := place.NewLocal(place.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for name, leashed := range map[string]bool{"plain": false, "leashed": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p, err := here.Start(b.Context(), place.Proc{Argv: []string{"/bin/true"}, Dir: "/", Leashed: leashed})
				if err == nil {
					_, err = p.Wait()
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzParse reads any command, answer and file.
func FuzzParse(f *testing.F) {
	f.Add("sh ./a.sh", `{"decision":"block"}`)
	f.Add(`"$X"/a <(b) && {`, `{"hookSpecificOutput":{"updatedInput":[1]}}`)
	f.Fuzz(func(t *testing.T, command, settings string) {
		hooks.Read(command, settings)
	})
}
