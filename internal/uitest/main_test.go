package uitest

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"hermes-tui/internal/uitest/internal/probe"
)

func TestMain(m *testing.M) {
	probe.Main()
	code := Main(m)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// probed are the options that start a small program of package probe instead of
// the real one.
func probed(t testing.TB, name string, o Options) Options {
	t.Helper()
	bin, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Bin = bin
	o.Env = append(o.Env, probe.Env(name))
	return o
}

// recorder is a test that is expected to fail.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Helper()           {}
func (r *recorder) Failed() bool      { return r.failure != "" }
func (r *recorder) Log(...any)        {}
func (r *recorder) Fatal(args ...any) { r.end(fmt.Sprint(args...)) }
func (r *recorder) Error(args ...any) { r.failure += fmt.Sprint(args...) }
func (r *recorder) Errorf(format string, args ...any) {
	r.failure += fmt.Sprintf(format, args...)
}
func (r *recorder) Fatalf(format string, args ...any) { r.end(fmt.Sprintf(format, args...)) }
func (r *recorder) end(failure string) {
	r.failure += failure
	runtime.Goexit()
}

// failure runs steps that are expected to fail and returns what the failure
// says.
func failure(t *testing.T, steps func(t testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		steps(r)
	}()
	<-done
	if r.failure == "" {
		t.Fatal("it did not fail")
	}
	return r.failure
}
