//go:build unix

package place

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools/shorten"
)

// realEngine finds a container engine that can run containers on this machine,
// with an image made of busybox.
func realEngine(t testing.TB) engine {
	t.Helper()
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		t.Skip("SKIPPED: there is no busybox to make an image of")
	}
	dir, err := os.MkdirTemp("/tmp", "hermes-e-") // podman wants short names
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	env := append(clientEnv(t), "XDG_RUNTIME_DIR="+os.Getenv("XDG_RUNTIME_DIR"), "DOCKER_HOST="+os.Getenv("DOCKER_HOST"))
	why := "neither docker nor podman is installed"
	for _, name := range []string{"docker", "podman"} {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		tries := []string{program}
		if name == "podman" {
			// Nothing goes into the user's own storage. And containers need what some
			// virtual machines lack: control groups of one kind, the right to raise
			// limits.
			own := program + " --root " + dir + "/root --runroot " + dir + `/run "$@"`
			write(t, filepath.Join(dir, "containers.conf"), "[containers]\ndefault_ulimits=[\"nofile=1024:1024\",\"nproc=4096:4096\"]\n")
			tries = []string{filepath.Join(dir, "podman"), filepath.Join(dir, "podman-apart")}
			writeProgram(t, tries[0], "#!/bin/sh\nexec "+own+"\n")
			writeProgram(t, tries[1], "#!/bin/sh\nexport CONTAINERS_CONF="+dir+"/containers.conf\n"+
				"exec unshare -m sh -c 'umount /sys/fs/cgroup/unified 2>/dev/null; exec "+own+`' sh "$@"`+"\n")
		}
		for _, try := range tries {
			e := engine{program: try, env: env}
			if why = e.works(t, busybox, dir); why == "" {
				return e
			}
		}
	}
	t.Skip("SKIPPED: no container engine works here: " + why)
	return engine{}
}

const testImage = "hermes-place-test:1"

// works imports the image and runs it; it gives the reason why not.
func (e engine) works(t testing.TB, busybox, dir string) string {
	t.Helper()
	root := filepath.Join(dir, "rootfs")
	for _, d := range []string{"bin", "tmp", "root", "etc", "proc"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(root, "tmp"), 0o1777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n")
	if out, err := exec.Command("cp", busybox, filepath.Join(root, "bin/busybox")).CombinedOutput(); err != nil {
		return string(out)
	}
	if out, err := exec.Command("chroot", root, "/bin/busybox", "--install", "-s", "/bin").CombinedOutput(); err != nil {
		return string(out)
	}
	tar := filepath.Join(dir, "image.tar")
	if out, err := exec.Command("tar", "-C", root, "-cf", tar, ".").CombinedOutput(); err != nil {
		return string(out)
	}
	for _, args := range [][]string{{"import", tar, testImage}, {"run", "--rm", "--network", "none", testImage, "/bin/true"}} {
		cmd := exec.Command(e.program, args...)
		cmd.Env = e.env
		if out, err := cmd.CombinedOutput(); err != nil {
			return shorten.Join(string(out))
		}
	}
	t.Cleanup(func() {
		cmd := exec.Command(e.program, "rmi", "-f", testImage)
		cmd.Env = e.env
		_ = cmd.Run()
		if !strings.HasPrefix(e.program, dir) {
			return
		}
		_ = exec.Command("umount", filepath.Join(dir, "root/overlay")).Run()
	})
	return ""
}

// openEngine opens a container of a real engine.
func openEngine(t testing.TB) *Remote {
	t.Helper()
	e := realEngine(t)
	r, err := OpenDocker(context.Background(), DockerOptions{
		RemoteOptions: RemoteOptions{Env: e.env}, Engine: e.program, Image: testImage, Network: "none", CPUs: 1, MemoryMB: 512, DiskMB: 1024,
	})
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, r)
}
