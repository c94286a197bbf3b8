package place

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuardedRemembers holds that a place whose like was tried before starts its helper
// for the first confined process only, and that one which then cannot be started is no
// longer taken for granted.
func TestGuardedRemembers(t *testing.T) {
	state := tempDir(t)
	o := GuardedOptions{State: state}
	g, work := newGuarded(t, o)
	if g.box.system.helper == nil {
		t.Fatal("the first one was not tried")
	}
	o.Roots = []string{work}
	again, err := NewGuarded(context.Background(), newLocal(t), o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.box.system.helper != nil || !again.Info().Confines || strings.Join(again.Uncovered(), "") != strings.Join(g.Uncovered(), "") {
		t.Errorf("%+v, %+v", again.Info(), again.Uncovered())
	}
	outside := filepath.Join(tempDir(t), "file")
	if out, exit := again.run(t, work, "echo x > "+outside, &Confine{}); exit.Code == 0 {
		t.Errorf("a confined process wrote outside: %s", out)
	}
	if out, exit := again.run(t, work, "echo x > inside", &Confine{}); exit.Code != 0 {
		t.Errorf("%+v, %s", exit, out)
	}

	third, err := NewGuarded(context.Background(), newLocal(t), o)
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	third.box.o.Helper = []string{"/bin/false"} // what the system refuses now
	if _, err := third.Start(context.Background(), Proc{Argv: []string{"/bin/true"}, Dir: work, Env: testEnv, Confine: &Confine{}}); err == nil {
		t.Error("it ran without a helper")
	}
	o.Helper = []string{"/bin/false"}
	if _, err := NewGuarded(context.Background(), newLocal(t), o); !errors.Is(err, ErrNoSandbox) {
		t.Errorf("after that: %v", err)
	}
	if _, err := os.Stat(filepath.Join(state, able)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still remembered: %v", err)
	}
}

// TestGuardedTriesAgain holds that nothing is taken for granted with other options.
func TestGuardedTriesAgain(t *testing.T) {
	state := tempDir(t)
	_, work := newGuarded(t, GuardedOptions{State: state})
	for name, o := range map[string]GuardedOptions{
		"hidden": {Hidden: []string{"/etc/shadow"}}, "read-only": {ReadOnly: []string{filepath.Join(work, ".git")}}, "sockets": {Sockets: []string{"/run/x"}},
		"roots": {Roots: []string{tempDir(t)}},
	} {
		o.State, o.Roots = state, append(o.Roots, work)
		g, err := NewGuarded(context.Background(), newLocal(t), o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if g.box.system.helper == nil {
			t.Errorf("%s: it was not tried", name)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestGuardedServesBeforeItTells holds that a confined process is told of the proxy only
// once its listener is there, in a place that starts its helper with that process too.
func TestGuardedServesBeforeItTells(t *testing.T) {
	state, work := tempDir(t), tempDir(t)
	for _, start := range []string{"first", "second", "third"} {
		address := ""
		g, err := NewGuarded(context.Background(), newLocal(t), GuardedOptions{
			State: state, Roots: []string{work},
			Serve: func(l net.Listener) {
				address = l.Addr().String()
				l.Close()
			},
			ProxyEnv: func(*Confine) ([]string, func()) { return []string{"HTTP_PROXY=" + address}, func() {} },
		})
		if errors.Is(err, ErrNoSandbox) {
			t.Skip("SKIPPED:", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if g.box.system.net {
			if out, exit := g.run(t, work, "echo $HTTP_PROXY", &Confine{}); exit.Code != 0 || strings.TrimSpace(out) == "" {
				t.Errorf("%s start: %+v, %q", start, exit, out)
			}
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}
