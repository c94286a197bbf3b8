//go:build linux

package effects_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/network"
	"hermes-tui/tools/place"
)

// pace is a project whose commands are run plain and confined in turn.
type pace struct {
	home, work string
	at         *place.Guarded
	env        []string
}

// newPace makes a place like that of a conversation, with a proxy that lets the
// commands reach one name, which is this machine.
func newPace(b *testing.B) *pace {
	p := &pace{home: b.TempDir(), work: b.TempDir()}
	for _, cache := range []string{"go-build", "npm"} {
		if err := os.MkdirAll(filepath.Join(p.home, ".cache", cache), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	p.env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "GOPROXY=off", "GOFLAGS=-count=1", "CGO_ENABLED=0"}
	local, err := place.NewLocal(place.Options{Env: p.env})
	if err != nil {
		b.Fatal(err)
	}
	proxy := network.NewProxy(network.Options{Dialer: &network.Dialer{
		Private: func(string, int) bool { return true },
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	}})
	b.Cleanup(proxy.Close)
	p.at, err = place.NewGuarded(b.Context(), local, place.GuardedOptions{
		Roots: []string{p.work}, ReadOnly: tools.ProtectedPaths(p.work), Hidden: tools.HiddenPaths(p.home, filepath.Join(p.home, ".hermes"), p.env),
		Caches: tools.CachePaths(p.home, p.env), State: b.TempDir(), Serve: proxy.Serve,
		ProxyEnv: func(c *place.Confine) ([]string, func()) { return proxy.Env(c, c.Reach, func(string) {}) },
	})
	if errors.Is(err, place.ErrNoSandbox) {
		b.Skip("SKIPPED:", err)
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := p.at.Close(); err != nil {
			b.Error(err)
		}
	})
	return p
}

func (p *pace) put(b *testing.B, name, text string) {
	if err := put(filepath.Join(p.work, name), text); err != nil {
		b.Fatal(err)
	}
}

// run runs a command and tells how long it took.
func (p *pace) run(b *testing.B, confine *place.Confine, argv ...string) time.Duration {
	var out bytes.Buffer
	start := time.Now()
	pr, err := p.at.Start(b.Context(), place.Proc{Argv: argv, Dir: p.work, Env: p.env, Stdout: &out, Confine: confine})
	if err != nil {
		b.Fatal(err)
	}
	if exit, err := pr.Wait(); err != nil || exit.Code != 0 {
		b.Fatalf("%q: %+v, %v\n%s", argv, exit, err, out.String())
	}
	return time.Since(start)
}

// compare runs a command plain and confined, once of each before it counts and then in
// pairs whose order alternates: what one leaves to be written to disk slows down the
// next. It reports the medians of both and how much they differ.
func (p *pace) compare(b *testing.B, plain, confined []string) {
	free := &place.Confine{Reach: func(context.Context, string, int) error { return nil }}
	p.run(b, nil, plain...)
	p.run(b, free, confined...)
	var took [2][]time.Duration
	for first := 0; b.Loop(); first = 1 - first {
		for _, which := range []int{first, 1 - first} {
			if which == 0 {
				took[0] = append(took[0], p.run(b, nil, plain...))
			} else {
				took[1] = append(took[1], p.run(b, free, confined...))
			}
		}
	}
	median := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)/2].Microseconds()) / 1000
	}
	b.ReportMetric(median(took[0]), "plain-ms")
	b.ReportMetric(median(took[1]), "confined-ms")
	b.ReportMetric((median(took[1])/median(took[0])-1)*100, "%-slower")
}

// BenchmarkConfinedGoTest runs the tests of 30 packages with a warm cache.
func BenchmarkConfinedGoTest(b *testing.B) {
	program, err := exec.LookPath("go")
	if err != nil {
		b.Skip("SKIPPED: go is not installed")
	}
	p := newPace(b)
	p.put(b, "go.mod", "module pace\n\ngo 1.24\n")
	for i := range 30 {
		name := fmt.Sprintf("p%02d", i)
		if i > 0 {
			p.put(b, name+"/use.go", fmt.Sprintf("package %s\n\nimport \"pace/p%02d\"\n\nvar _ = p%02d.Sum\n", name, i-1, i-1))
		}
		p.put(b, name+"/sum.go", "package "+name+"\n\n// Sum adds.\nfunc Sum(list []int) (n int) {\n\tfor _, x := range list {\n\t\tn += x\n\t}\n\treturn n\n}\n")
		p.put(b, name+"/sum_test.go", "package "+name+`

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func TestSum(t *testing.T) {
	dir := t.TempDir()
	for i := range 50 {
		name := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(name); err != nil || string(data) != name {
			t.Fatal(err)
		}
	}
	list := make([]int, 1<<20)
	for i := range 20 {
		if list[i] = i; Sum(list) != i*(i+1)/2 {
			t.Fatal(i)
		}
	}
}
`)
	}
	run := []string{program, "test", "./..."}
	p.compare(b, run, run)
}

// BenchmarkConfinedNpm installs 40 packages from a registry, without a cache.
func BenchmarkConfinedNpm(b *testing.B) {
	program, err := exec.LookPath("npm")
	if err != nil {
		b.Skip("SKIPPED: npm is not installed")
	}
	packed := map[string][]byte{}
	lock := map[string]any{"": map[string]any{"name": "pace", "version": "1.0.0", "dependencies": map[string]string{}}}
	needs := map[string]string{}
	for i := range 40 {
		name := fmt.Sprintf("part%02d", i)
		data := pack(b, name)
		file := "/" + name + "/-/" + name + "-1.0.0.tgz"
		packed[file], needs[name] = data, "1.0.0"
		sum := sha512.Sum512(data)
		lock["node_modules/"+name] = map[string]any{
			"version": "1.0.0", "resolved": "https://registry.npmjs.org" + file, // npm puts the registry of its settings for it
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
		}
	}
	lock[""] = map[string]any{"name": "pace", "version": "1.0.0", "dependencies": needs}
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := packed[path.Clean(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	b.Cleanup(registry.Close)
	p := newPace(b)
	for name, content := range map[string]any{
		"package.json":      lock[""],
		"package-lock.json": map[string]any{"name": "pace", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": lock},
	} {
		text, err := json.Marshal(content)
		if err != nil {
			b.Fatal(err)
		}
		p.put(b, name, string(text))
	}
	u, err := url.Parse(registry.URL)
	if err != nil {
		b.Fatal(err)
	}
	install := func(host string) []string {
		return []string{"/bin/sh", "-c", "rm -rf .npm && exec " + program + " ci --no-audit --no-fund --loglevel=error --cache .npm --registry=http://" + host + ":" + u.Port()}
	}
	p.compare(b, install("127.0.0.1"), install("registry.test"))
}

// pack makes a package of 40 files of 4 KB.
func pack(b *testing.B, name string) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	files := map[string]string{"package/package.json": fmt.Sprintf(`{"name":%q,"version":"1.0.0"}`, name)}
	for i := range 40 {
		files[fmt.Sprintf("package/lib/f%02d.js", i)] = strings.Repeat(fmt.Sprintf("module.exports.x%d = %q\n", i, name), 128)
	}
	for file, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: file, Mode: 0o644, Size: int64(len(text))}); err != nil {
			b.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}
