//go:build linux || darwin

package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hermes-tui/internal/docstest"
)

// TestInstall runs install.sh against a server with the files of a release: it installs
// what has its checksum, and nothing else.
func TestInstall(t *testing.T) {
	for _, need := range []string{"tar", "gzip", "uname", "mktemp"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skipf("SKIPPED: %s is not here, which install.sh needs", need)
		}
	}
	if _, err := exec.LookPath("curl"); err != nil {
		if _, err := exec.LookPath("wget"); err != nil {
			t.Skip("SKIPPED: neither curl nor wget is here, one of which install.sh needs")
		}
	}
	name := fmt.Sprintf("hermes-tui_1.2.3_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	good := archive(t, "hermes-tui", "#!/bin/sh\necho v1.2.3\n", tar.TypeReg)
	sum := func(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
	for what, c := range map[string]struct {
		checksums string
		served    []byte
		says      string // empty: it is installed
	}{
		"right":                 {sum(good) + "  " + name + "\n", good, ""},
		"behind others":         {sum(nil) + "  hermes-tui_1.2.3_plan9_mips.tar.gz\n" + sum(good) + "  " + name + "\n", good, ""},
		"another checksum":      {sum([]byte("x")) + "  " + name + "\n", good, "nothing was installed"},
		"another archive":       {sum(good) + "  " + name + "\n", archive(t, "hermes-tui", "#!/bin/sh\necho evil\n", tar.TypeReg), "nothing was installed"},
		"no checksum":           {name + "\n", good, "names no archive"},
		"no line":               {sum(good) + "  hermes-tui_1.2.3_plan9_mips.tar.gz\n", good, "names no archive"},
		"a name that leads out": {sum(good) + "  ../" + name + "\n", good, "names no archive"},
		"cut off":               {sum(good) + "  " + name + "\n", good[:len(good)/2], "nothing was installed"},
		"no archive":            {sum(nil) + "  " + name + "\n", nil, "could not be fetched"},
		"no program in it":      {sum(archive(t, "other", "x", tar.TypeReg)) + "  " + name + "\n", archive(t, "other", "x", tar.TypeReg), "there is no hermes-tui"},
		"a link":                {sum(archive(t, "hermes-tui", "/bin/sh", tar.TypeSymlink)) + "  " + name + "\n", archive(t, "hermes-tui", "/bin/sh", tar.TypeSymlink), "is no file"},
		"one that does not run": {sum(archive(t, "hermes-tui", "#!/bin/sh\nexit 1\n", tar.TypeReg)) + "  " + name + "\n", archive(t, "hermes-tui", "#!/bin/sh\nexit 1\n", tar.TypeReg), "does not run here"},
	} {
		t.Run(what, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/v1.2.3/checksums.txt":
					fmt.Fprint(w, c.checksums)
				case r.URL.Path == "/v1.2.3/"+name && c.served != nil:
					_, _ = w.Write(c.served) // the client may leave
				default:
					http.NotFound(w, r)
				}
			}))
			defer server.Close()
			folder := filepath.Join(t.TempDir(), "a folder", "bin")
			said, err := install(t, server.URL+"/v1.2.3/", folder)
			program, ran := exec.CommandContext(t.Context(), filepath.Join(folder, "hermes-tui"), "--version").Output()
			if c.says == "" {
				if err != nil || ran != nil || string(program) != "v1.2.3\n" || !strings.Contains(said, "hermes-tui: v1.2.3") {
					t.Errorf("%v, %v, %q\n%s", err, ran, program, said)
				}
				return
			}
			if err == nil || !strings.Contains(said, c.says) {
				t.Errorf("%v, without %q:\n%s", err, c.says, said)
			}
			if left, _ := os.ReadDir(folder); len(left) > 0 {
				t.Errorf("%v was left", left)
			}
		})
	}
	for _, address := range []string{"http://releases.example/v1", "file:///tmp", ""} {
		if said, err := install(t, address, t.TempDir()); err == nil || !strings.Contains(said, "https://") {
			t.Errorf("%q: %v\n%s", address, err, said)
		}
	}
}

// install runs the script, and gives what it says.
func install(t *testing.T, address, folder string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(docstest.Root(t), "install.sh"), address, folder)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// archive has one entry: a file, or a link to text.
func archive(t *testing.T, name, text string, kind byte) []byte {
	t.Helper()
	h := &tar.Header{Name: name, Mode: 0o755, Typeflag: kind}
	if kind == tar.TypeSymlink {
		h.Linkname = text
	} else {
		h.Size = int64(len(text))
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(h); err != nil {
		t.Fatal(err)
	}
	if kind == tar.TypeReg {
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
