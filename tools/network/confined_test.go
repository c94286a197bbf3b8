//go:build linux

package network

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hermes-tui/tools/place"
)

// yard is a place whose confined processes have this package's proxy. What lies below
// example.com is a server of the test.
type yard struct {
	t    *testing.T
	g    *place.Guarded
	work string
	srv  *httptest.Server
	host func(name string) string // https://NAME.example.com:PORT

	mu    sync.Mutex
	files map[string][]byte // by NAME/PATH
	asked []string
	local bool // this machine is allowed, too
}

func newYard(t *testing.T) *yard {
	y := &yard{t: t, work: t.TempDir(), files: map[string][]byte{}}
	y.srv = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(r.Host, ".")
		y.mu.Lock()
		data, ok := y.files[name+r.URL.Path]
		y.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/") {
			w.Header().Set("Content-Type", "text/html")
		}
		_, _ = w.Write(data) // the program shows it
	}))
	y.srv.Config.ErrorLog = log.New(io.Discard, "", 0) // of programs that hang up
	y.srv.StartTLS()
	t.Cleanup(y.srv.Close)
	_, port, _ := net.SplitHostPort(y.srv.Listener.Addr().String())
	y.host = func(name string) string { return "https://" + name + ".example.com:" + port }
	p := NewProxy(Options{Dialer: &Dialer{
		Private: func(host string, _ int) bool { return strings.HasSuffix(host, ".example.com") },
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	}, Owner: func(c net.Conn) any {
		if owner := y.g.Owner(c); owner != nil {
			return owner
		}
		return nil
	}})
	t.Cleanup(p.Close)
	local, err := place.NewLocal(place.Options{Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	y.g, err = place.NewGuarded(t.Context(), local, place.GuardedOptions{
		Roots: []string{y.work}, Serve: p.Serve, AtPort: p.AtPort,
		ProxyEnv: func(c *place.Confine) ([]string, func()) {
			return p.Env(c, c.Reach, func(address string) { c.Refused(place.Refusal{Kind: place.RefusedNetwork, What: address}) })
		},
	})
	if errors.Is(err, place.ErrNoSandbox) {
		t.Skip("SKIPPED:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := y.g.Close(); err != nil {
			t.Error(err)
		}
	})
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: y.srv.Certificate().Raw})
	if err := os.WriteFile(filepath.Join(y.work, "ca.pem"), ca, 0o600); err != nil {
		t.Fatal(err)
	}
	return y
}

// run runs a script confined; it may reach what lies below example.com.
func (y *yard) run(script string) (string, place.Exit) {
	y.t.Helper()
	var mu sync.Mutex
	var out bytes.Buffer
	ca := filepath.Join(y.work, "ca.pem")
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + y.work, "LANG=C", "GOTOOLCHAIN=local", "GOFLAGS=-modcacherw", "GIT_CONFIG_NOSYSTEM=1",
		"CARGO_HOME=" + y.work + "/.cargo", "PIP_DISABLE_PIP_VERSION_CHECK=1"}
	for _, name := range []string{"SSL_CERT_FILE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "CARGO_HTTP_CAINFO"} {
		env = append(env, name+"="+ca)
	}
	for _, name := range []string{"RUSTUP_HOME", "PYENV_ROOT"} {
		value := os.Getenv(name)
		if home, err := os.UserHomeDir(); value == "" && err == nil {
			value = filepath.Join(home, map[string]string{"RUSTUP_HOME": ".rustup", "PYENV_ROOT": ".pyenv"}[name])
		}
		env = append(env, name+"="+value)
	}
	p := y.begin(y.t.Context(), script, env, writer(func(b []byte) (int, error) { mu.Lock(); defer mu.Unlock(); return out.Write(b) }))
	exit, err := p.Wait()
	if err != nil {
		y.t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	return out.String(), exit
}

// start runs a script until stop is called.
func (y *yard) start(script string) (stop func()) {
	y.t.Helper()
	ctx, cancel := context.WithCancel(y.t.Context())
	p := y.begin(ctx, script, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + y.work, "PYENV_ROOT=" + os.Getenv("PYENV_ROOT")}, io.Discard)
	return func() {
		cancel()
		_, _ = p.Wait() // it was stopped
	}
}

// begin starts a script confined.
func (y *yard) begin(ctx context.Context, script string, env []string, out io.Writer) place.Process {
	y.t.Helper()
	p, err := y.g.Start(ctx, place.Proc{
		Argv: []string{"/bin/sh", "-c", script}, Dir: y.work, Env: env, Stdout: out,
		Confine: &place.Confine{Reach: func(_ context.Context, host string, _ int) error {
			y.mu.Lock()
			defer y.mu.Unlock()
			y.asked = append(y.asked, host)
			if !strings.HasSuffix(host, ".example.com") && !(y.local && host == localhost) {
				return errors.New("only example.com is allowed here")
			}
			return nil
		}},
	})
	if err != nil {
		y.t.Fatal(err)
	}
	return p
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// TestRealPrograms runs what fetches packages, confined, against a host that is
// allowed.
func TestRealPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it starts many programs")
	}
	y := newYard(t)
	for _, c := range []struct {
		name, needs, script, want string
		prepare                   func(*yard)
	}{
		{"curl", "curl", "curl -sS URL/file && curl -sS --proxy \"socks5h://${HTTP_PROXY#http://}\" URL/file", "some textsome text", nil},
		{"wget", "wget", "wget -nv -O - --no-check-certificate URL/file 2>&1", "some text", nil},
		{"git", "git", "git clone -q URL/repo.git clone && cat clone/file", "of the repository", repository},
		{"pip", "pip", "pip install -q --no-input --target lib -i URL/simple/ somelib 2>&1; cat lib/somelib.py", "x = 1", wheel},
		{"npm", "npm", "npm install --strict-ssl=false --no-audit --no-fund --loglevel=error --registry URL/ somelib 2>&1; cat node_modules/somelib/index.js", "module.exports = 1", nodePackage},
		{"go", "go", "mkdir gomod && cd gomod && go mod init x 2>/dev/null; GOFLAGS='-modcacherw -mod=mod' GOPROXY=URL GONOSUMDB=* GOSUMDB=off go get some.example/lib@v1.0.0 2>&1; cat go.mod", "some.example/lib v1.0.0", goModule},
		{"cargo", "cargo", "cargo new -q --vcs none uses 2>&1; cd uses && printf 'somelib = { version = \"1\", registry = \"r\" }\\n' >> Cargo.toml && CARGO_REGISTRIES_R_INDEX=sparse+URL/ cargo fetch 2>&1; cat Cargo.lock", "name = \"somelib\"", crate},
		{"python", "python3", "python3 -c 'import urllib.request as u; print(u.urlopen(\"URL/file\").read())' 2>&1", "some text", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.needs); err != nil {
				t.Skip("SKIPPED: there is no " + c.needs)
			}
			y.t = t
			name := strings.ReplaceAll(c.name, " ", "-")
			y.files[name+"/file"] = []byte("some text")
			if c.prepare != nil {
				c.prepare(y)
			}
			y.asked = nil
			out, exit := y.run(strings.ReplaceAll(c.script, "URL", y.host(name)))
			if !strings.Contains(out, c.want) {
				if _, err := exec.Command(c.needs, "--version").CombinedOutput(); err != nil && c.needs != "go" {
					t.Skipf("SKIPPED: %s does not run here: %v", c.needs, err)
				}
				t.Errorf("exit %+v\n%s", exit, out)
			}
			if len(y.asked) == 0 || slices.ContainsFunc(y.asked, func(h string) bool { return h != name+".example.com" && !strings.HasSuffix(h, ".example") }) {
				t.Errorf("asked about %q", y.asked)
			}
		})
	}
}

// A program that is there is run without a question, though npm would look for a newer
// npm by itself.
func TestInstalledProgramsAskForNoHost(t *testing.T) {
	if _, err := exec.LookPath("npx"); err != nil {
		t.Skip("SKIPPED: there is no npx")
	}
	y := newYard(t)
	out, exit := y.run("mkdir -p node_modules/.bin && echo {} > package.json && printf '#!/bin/sh\\necho here\\n' > node_modules/.bin/prettier &&" +
		" chmod +x node_modules/.bin/prettier && npx prettier --check . 2>&1 && npm ls 2>&1")
	if exit.Code != 0 || !strings.HasPrefix(out, "here\n") || len(y.asked) != 0 {
		t.Errorf("asked about %q: exit %+v\n%s", y.asked, exit, out)
	}
}

// TestOnlyWhatIsAllowed has a confined program try for other hosts, and for this
// machine, past the proxy and through it.
func TestOnlyWhatIsAllowed(t *testing.T) {
	y := newYard(t)
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("SKIPPED: there is no curl")
	}
	plain := server(t, func(http.ResponseWriter, *http.Request) { t.Error("reached") })
	where := plain.Listener.Addr().String()
	_, port, _ := net.SplitHostPort(where)
	for _, c := range []struct{ name, script, want, refused string }{
		{"another host", "curl -sS https://evil.example.org/ 2>&1", "403", "evil.example.org:443"},
		{"another host, in the clear", "curl -sS http://evil.example.org/ 2>&1", "only example.com is allowed here", "evil.example.org:80"},
		{"this machine, past the proxy", "curl -sS --max-time 5 http://" + where + "/ 2>&1", "curl: (", "localhost:" + port},
		{"an address outside, past the proxy", "curl -sS --noproxy '*' --max-time 5 http://192.0.2.1/ 2>&1", "curl: (7)", ""},
		{"this machine, by the proxy", "NO_PROXY= no_proxy= curl -sS http://" + where + "/ 2>&1", "only approvals.hosts", "127.0.0.1:" + port},
		{"this machine, by the proxy, spelt otherwise", "NO_PROXY= no_proxy= curl -sS --socks5-hostname \"${HTTP_PROXY#http://}\" http://0x7f.1:" + port + "/ 2>&1", "curl: (", "127.0.0.1:" + port},
		{"without credentials", "curl -sS -x \"http://${HTTP_PROXY#*@}\" http://a.example.com/ 2>&1", "takes only the credentials", ""},
		{"with another host in the header", "curl -sS -H 'Host: a.example.com' http://evil.example.org/ 2>&1", "only example.com", "evil.example.org:80"},
		{"names", "getent hosts a.example.com; echo $?", "2", ""},
	} {
		out, exit := y.run(c.script)
		if !strings.Contains(out, c.want) {
			t.Errorf("%s: %s", c.name, out)
		}
		want := []place.Refusal{{Kind: place.RefusedNetwork, What: c.refused}}
		if c.refused == "" {
			want = nil
		}
		if !slices.Equal(exit.Refused, want) {
			t.Errorf("%s: refused %v, want %v", c.name, exit.Refused, want)
		}
	}
}

// repository serves a repository as files.
func repository(y *yard) {
	dir := y.t.TempDir()
	for _, args := range [][]string{
		{"init", "-q", "-b", "main", "."}, {"add", "file"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x"}, {"update-server-info"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte("of the repository"), 0o600); err != nil {
			y.t.Fatal(err)
		}
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			y.t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	git := os.DirFS(filepath.Join(dir, ".git"))
	err := filepath.WalkDir(filepath.Join(dir, ".git"), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(filepath.Join(dir, ".git"), name)
		if err != nil {
			return err
		}
		f, err := git.Open(rel)
		if err != nil {
			return err
		}
		defer f.Close()
		y.files["git/repo.git/"+rel], err = io.ReadAll(f)
		return err
	})
	if err != nil {
		y.t.Fatal(err)
	}
}

func wheel(y *yard) {
	data := zipped(y.t, map[string]string{
		"somelib.py":                          "x = 1\n",
		"somelib-1.0.dist-info/METADATA":      "Metadata-Version: 2.1\nName: somelib\nVersion: 1.0\n",
		"somelib-1.0.dist-info/WHEEL":         "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		"somelib-1.0.dist-info/RECORD":        "",
		"somelib-1.0.dist-info/top_level.txt": "somelib\n",
	})
	y.files["pip/simple/somelib/"] = []byte("<!DOCTYPE html><html><body><a href='/somelib-1.0-py3-none-any.whl'>somelib-1.0-py3-none-any.whl</a></body></html>")
	y.files["pip/somelib-1.0-py3-none-any.whl"] = data
}

func nodePackage(y *yard) {
	data := tarred(y.t, map[string]string{"package/package.json": `{"name":"somelib","version":"1.0.0"}`, "package/index.js": "module.exports = 1\n"})
	short, long := sha1.Sum(data), sha512.Sum512(data)
	y.files["npm/somelib-1.0.0.tgz"] = data
	y.files["npm/somelib"] = fmt.Appendf(nil, `{"name":"somelib","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"somelib","version":"1.0.0","dist":{"tarball":"%s/somelib-1.0.0.tgz","shasum":"%s","integrity":"sha512-%s"}}}}`,
		y.host("npm"), hex.EncodeToString(short[:]), base64.StdEncoding.EncodeToString(long[:]))
}

func goModule(y *yard) {
	const mod = "module some.example/lib\n\ngo 1.20\n"
	base := "go/some.example/lib/@v/v1.0.0."
	y.files[base+"info"] = []byte(`{"Version":"v1.0.0","Time":"2020-01-01T00:00:00Z"}`)
	y.files[base+"mod"] = []byte(mod)
	y.files[base+"zip"] = zipped(y.t, map[string]string{"some.example/lib@v1.0.0/go.mod": mod, "some.example/lib@v1.0.0/lib.go": "package lib\n"})
	y.files["go/some.example/lib/@v/list"] = []byte("v1.0.0\n")
}

func crate(y *yard) {
	data := tarred(y.t, map[string]string{"somelib-1.0.0/Cargo.toml": "[package]\nname = \"somelib\"\nversion = \"1.0.0\"\n", "somelib-1.0.0/src/lib.rs": ""})
	sum := sha256.Sum256(data)
	y.files["cargo/config.json"] = fmt.Appendf(nil, `{"dl":"%s/dl"}`, y.host("cargo"))
	y.files["cargo/so/me/somelib"] = fmt.Appendf(nil, `{"name":"somelib","vers":"1.0.0","deps":[],"cksum":"%s","features":{},"yanked":false}`+"\n", hex.EncodeToString(sum[:]))
	y.files["cargo/dl/somelib/1.0.0/download"] = data
}

func zipped(t *testing.T, files map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t *testing.T, files map[string]string) []byte {
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))})
		if err == nil {
			_, err = io.WriteString(w, files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
