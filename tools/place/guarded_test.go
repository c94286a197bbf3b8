//go:build unix

package place

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// newGuarded makes a guarded place with one root, or skips where nothing can be
// confined.
func newGuarded(t testing.TB, o GuardedOptions) (*Guarded, string) {
	t.Helper()
	work := tempDir(t)
	o.Roots = append(o.Roots, work)
	g, err := NewGuarded(context.Background(), newLocal(t), o)
	if errors.Is(err, ErrNoSandbox) {
		t.Skip("SKIPPED:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g, work
}

// run runs a script, confined or not.
func (g *Guarded) run(t testing.TB, dir, script string, c *Confine) (string, Exit) {
	t.Helper()
	out := newOutput()
	p, err := g.Start(context.Background(), Proc{Argv: []string{g.info.Shell, "-c", script}, Dir: dir, Env: testEnv, Stdout: out, Confine: c})
	if err != nil {
		t.Fatal(err)
	}
	exit := wait(t, p, 30*time.Second)
	return out.String(), exit
}

func TestGuardedConfinesOneByOne(t *testing.T) {
	g, work := newGuarded(t, GuardedOptions{})
	outside := filepath.Join(tempDir(t), "file")
	if info := g.Info(); info.Name != "local" || !info.Confines || info.Confined || !slices.Equal(info.Roots, []string{work}) {
		t.Errorf("info %+v", info)
	}
	write := "echo x > " + outside
	if out, exit := g.run(t, work, write, &Confine{}); exit.Code == 0 {
		t.Errorf("a confined process wrote outside: %s", out)
	}
	if out, exit := g.run(t, work, write, nil); exit.Code != 0 {
		t.Errorf("a plain process did not: %s", out)
	}
	out, exit := g.run(t, work, "echo a > in && echo b > $TMPDIR/shared && cat in $TMPDIR/shared && echo $TMPDIR", &Confine{})
	if exit.Code != 0 || out != "a\nb\n"+g.Shared()+"\n" {
		t.Errorf("inside: %+v, %q", exit, out)
	}
	if st, err := os.Stat(g.Shared()); err != nil || st.Mode().Perm() != 0o700 || read(t, filepath.Join(g.Shared(), "shared")) != "b\n" {
		t.Errorf("shared: %v, %v", st, err)
	}
	scratch, remove, err := g.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := remove(); err != nil {
			t.Error(err)
		}
	}()
	if out, exit := g.run(t, work, "echo x > "+scratch+"/x", &Confine{}); exit.Code == 0 {
		t.Errorf("a confined process wrote in scratch: %s", out)
	}
	if err := g.FS().WriteAtomic(outside, nil, 0o644); err != nil {
		t.Errorf("a tool's own write: %v", err)
	}
}

// The environment of the proxy is given to each confined process, what is refused
// is told at its end, and the proxy learns of that.
func TestGuardedAsksTheProxy(t *testing.T) {
	var asked, ended int
	g, work := newGuarded(t, GuardedOptions{ProxyEnv: func(c *Confine) ([]string, func()) {
		asked++
		_ = c.Reach(context.Background(), "example.com", 443)
		_ = c.Reach(context.Background(), "example.com", 443)
		_ = c.Reach(context.Background(), "::1", 80)
		return []string{"HTTP_PROXY=there"}, func() { ended++ }
	}})
	out, exit := g.run(t, work, "echo $HTTP_PROXY", &Confine{Reach: func(_ context.Context, host string, _ int) error {
		if host == "::1" {
			return nil
		}
		return errors.New("no")
	}})
	if out != "there\n" || !slices.Equal(exit.Refused, []Refusal{{Kind: RefusedNetwork, What: "example.com:443"}}) {
		t.Errorf("%+v, %q", exit, out)
	}
	if _, exit := g.run(t, work, "true", &Confine{}); len(exit.Refused) != 2 {
		t.Errorf("without a Reach: %+v", exit)
	}
	if out, exit := g.run(t, work, "echo $HTTP_PROXY", nil); out != "\n" || exit.Refused != nil {
		t.Errorf("a plain process: %+v, %q", exit, out)
	}
	if _, err := g.Start(context.Background(), Proc{Argv: []string{"/no/such"}, Dir: work, Confine: &Confine{}}); err == nil {
		t.Error("it started")
	}
	if asked != 3 || ended != 3 {
		t.Errorf("asked %d times, ended %d times", asked, ended)
	}
}

func TestLocalConfinesNothing(t *testing.T) {
	_, err := newLocal(t).Start(context.Background(), Proc{Argv: []string{"/bin/sh"}, Dir: "/", Confine: &Confine{}})
	if !errors.Is(err, ErrNotConfining) {
		t.Error(err)
	}
	if _, err := NewGuarded(context.Background(), newLocal(t), GuardedOptions{Roots: []string{"relative"}}); err == nil || !strings.Contains(err.Error(), "absolute") {
		t.Error(err)
	}
}

func TestGuardedHides(t *testing.T) {
	home := tempDir(t)
	keys, link := filepath.Join(home, "keys"), filepath.Join(home, "link")
	work := filepath.Join(keys, "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(keys, link); err != nil {
		t.Fatal(err)
	}
	g, err := NewGuarded(context.Background(), newLocal(t), GuardedOptions{Roots: []string{work}, Hidden: []string{link}})
	if errors.Is(err, ErrNoSandbox) {
		t.Skip("SKIPPED:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for name, want := range map[string]bool{
		filepath.Join(keys, "id"): true, filepath.Join(link, "id"): true, keys: true,
		filepath.Join(work, "f"): false, home: false, keys + "2": false,
	} {
		if got := g.Hides(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What is made at a protected path while a confined process runs is moved aside.
func TestGuardedMovesAside(t *testing.T) {
	work, other := tempDir(t), tempDir(t)
	write(t, filepath.Join(other, "config"), "other")
	at := func(name string) string { return filepath.Join(work, name) }
	state := filepath.Join(tempDir(t), "state")
	o := GuardedOptions{Roots: []string{work}, State: state, Harmless: func(name string) bool { return name == at("quiet") }}
	for _, name := range []string{"AGENTS.md", ".git/config", ".vscode", ".mcp.json", "there", "quiet"} {
		o.ReadOnly = append(o.ReadOnly, at(name))
	}
	write(t, at("there"), "kept")
	g, err := NewGuarded(context.Background(), newLocal(t), o)
	if errors.Is(err, ErrNoSandbox) {
		t.Skip("SKIPPED:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	out, exit := g.run(t, work, "echo x > AGENTS.md; mkdir .vscode && echo x > .vscode/tasks.json; ln -s "+other+" .git; echo x > quiet; echo x > free", &Confine{})
	want := []Refusal{{Kind: RefusedWrite, What: at("AGENTS.md")}, {Kind: RefusedWrite, What: at(".git/config")}, {Kind: RefusedWrite, What: at(".vscode")}}
	if exit.Code != 0 || !slices.Equal(exit.Refused, want) {
		t.Errorf("%+v, %s", exit, out)
	}
	if got := names(t, work); got != "free quiet there" {
		t.Errorf("left: %s", got)
	}
	if got := names(t, filepath.Join(state, "aside")); got != ".git.1 .vscode.1 AGENTS.md.1" || read(t, filepath.Join(other, "config")) != "other" {
		t.Errorf("aside: %s", got)
	}
	scratch, remove, err := g.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = remove() }()
	p, err := g.Start(context.Background(), Proc{
		Argv: []string{g.info.Shell, "-c", "while ! test -e go; do sleep 0.05; done; echo x > .mcp.json"}, Dir: work, Env: testEnv,
		Log: filepath.Join(scratch, "log"), Confine: &Confine{},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"AGENTS.md", "go"} { // by a tool, while it runs
		if err := g.FS().WriteAtomic(at(name), []byte("tool"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if exit := wait(t, p, 10*time.Second); !slices.Equal(exit.Refused, []Refusal{{Kind: RefusedWrite, What: at(".mcp.json")}}) {
		t.Errorf("%+v", exit)
	}
	if got := names(t, work); got != "AGENTS.md free go quiet there" {
		t.Errorf("left: %s", got)
	}
}

func TestCacheEnv(t *testing.T) {
	home := tempDir(t)
	at := func(name string) string { return filepath.Join(home, name) }
	for _, dir := range []string{"layer/npm", "go/pkg/mod", ".cache"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"npm_config_cache=" + at("layer/npm"), "PIP_CACHE_DIR=" + at("pip"), "OTHER=x"}
	got := cacheEnv(env, home, "/private", []string{at("layer"), at(".cache/go-build")})
	want := []string{
		"npm_config_cache=" + at("layer/npm"), "OTHER=x", "XDG_CACHE_HOME=/private/XDG_CACHE_HOME", "GOCACHE=/private/GOCACHE",
		"PIP_CACHE_DIR=/private/PIP_CACHE_DIR", "CARGO_HOME=/private/CARGO_HOME",
	}
	if !slices.Equal(got, want) || env[1] != "PIP_CACHE_DIR="+at("pip") {
		t.Errorf("%q", got)
	}
	if got := cacheEnv([]string{"A=x"}, home, "/private", []string{at(".cache"), at(".npm"), at(".cargo")}); !slices.Equal(got, []string{"A=x"}) {
		t.Errorf("all can be written: %q", got)
	}
}
