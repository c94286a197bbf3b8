package modelcache

import (
	"testing"
	"time"

	"hermes-tui/internal/disktest"
)

func TestFullDisk(t *testing.T) {
	disktest.Run(t, "256k", func(t *testing.T, dir string) {
		c, k := in(dir, time.Now), NewKey("https://a/v1", "")
		mustPut(t, c, k, some(10))
		mustLearn(t, c, "m", base, 8_192)
		free := disktest.Fill(t, dir)
		wantProblem(t, c.Put(t.Context(), k, some(2_000)), ProblemFull)
		wantProblem(t, c.Learn(t.Context(), "m", base, 4_096, true), ProblemFull)
		if got, _, ok := c.Get(k); !ok || len(got) != 10 {
			t.Errorf("the old list has %d models, %v", len(got), ok)
		}
		if got, _ := c.Limit("m", base); got != 8_192 {
			t.Errorf("the old window is %d", got)
		}
		free()
		mustPut(t, c, k, some(20))
		if err := c.Succeeded(t.Context(), "m", base, 4_000); err != nil {
			t.Error(err)
		}
		if got, _ := c.Limit("m", base); got != 4_096 {
			t.Errorf("the window is %d", got)
		}
		wantFiles(t, dir)
	})
}

func TestReadOnlyDisk(t *testing.T) {
	disktest.Run(t, "256k", func(t *testing.T, dir string) {
		c, k := in(dir, time.Now), NewKey("https://a/v1", "")
		mustPut(t, c, k, some(10))
		disktest.ReadOnly(t, dir)
		wantProblem(t, c.Put(t.Context(), k, some(2)), ProblemWrite)
		wantProblem(t, c.Learn(t.Context(), "m", base, 4_096, true), ProblemWrite)
		if got, _, ok := c.Get(k); !ok || len(got) != 10 {
			t.Errorf("the list has %d models, %v", len(got), ok)
		}
	})
}
