//go:build unix

package place

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeClient is a program in the place of ssh or docker.
func fakeClient(t testing.TB, script string) string {
	t.Helper()
	name := filepath.Join(tempDir(t), "client")
	writeProgram(t, name, "#!/bin/sh\n"+script+"\n")
	return name
}

// unavailable checks that an error says what is the matter and what to do.
func unavailable(t testing.TB, err error, what, next string) {
	t.Helper()
	var u *UnavailableError
	if !errors.As(err, &u) {
		t.Errorf("%v (%T)", err, err)
		return
	}
	if !strings.Contains(u.What, what) || !strings.Contains(u.Next, next) || u.Next == "" {
		t.Errorf("says %q, next %q; want %q and %q", u.What, u.Next, what, next)
	}
}

// What programs print when they cannot do what they are asked, word for word.
func TestWhatClientsSay(t *testing.T) {
	cases := []struct{ kind, said, what, next string }{
		{"docker", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?", "not running", "start"},
		{"docker", "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock", "may not", "group"},
		{"docker", "Error response from daemon: No such image: thing:1", "no image", "pull"},
		{"podman", "Error: thing:1: image not known", "no image", "pull"},
		{"podman", "Cannot connect to Podman. Please verify your connection to the Linux system", "not running", "machine start"},
		{"ssh", "Host key verification failed.", "not known", "by hand"},
		{"ssh", "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @ ... Host key verification failed.", "not the one", "find out why"},
		{"ssh", "me@h: Permission denied (publickey,password).", "refused", "ssh_key"},
		{"ssh", "ssh: Could not resolve hostname h: Name or service not known", "not known", "ssh_host"},
		{"ssh", "ssh: connect to host h port 22: Connection refused", "no ssh", "sshd"},
		{"ssh", "ssh: connect to host h port 22: Connection timed out", "not answer", "up"},
		{"ssh", "something no one has seen", "no connection", "by hand"},
		{"singularity", "FATAL:   could not open image /x.sif: failed to retrieve path", "cannot be opened", "singularity_image"},
	}
	for _, c := range cases {
		program := fakeClient(t, "echo "+shellWord(c.said)+" >&2; exit 255")
		o := RemoteOptions{Env: clientEnv(t), Connect: 20 * time.Second}
		var err error
		switch c.kind {
		case "ssh":
			_, err = OpenSSH(context.Background(), SSHOptions{RemoteOptions: o, Program: program, Host: "h", User: "me"})
		case "singularity":
			_, err = OpenSingularity(context.Background(), SingularityOptions{RemoteOptions: o, Program: program, Image: "/x.sif"})
		default:
			_, err = OpenDocker(context.Background(), DockerOptions{RemoteOptions: o, Engine: program, Image: "thing:1"})
		}
		unavailable(t, err, c.what, c.next)
		if err != nil && !strings.Contains(err.Error(), strings.Fields(c.said)[0]) {
			t.Errorf("%v does not repeat what was said", err)
		}
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	o := RemoteOptions{Env: clientEnv(t), Connect: 20 * time.Second}
	none := o
	none.Env = []string{"PATH=/no/such"}
	cases := map[string]struct {
		open       func() (*Remote, error)
		what, next string
	}{
		"no docker": {func() (*Remote, error) {
			return OpenDocker(t.Context(), DockerOptions{RemoteOptions: none, Image: "x"})
		}, "not installed", "docker_engine"},
		"no image": {func() (*Remote, error) {
			return OpenDocker(t.Context(), DockerOptions{RemoteOptions: o, Engine: "/bin/true"})
		}, "no image", "docker_image"},
		"option": {func() (*Remote, error) {
			return OpenDocker(t.Context(), DockerOptions{RemoteOptions: o, Engine: "/bin/true", Image: "--privileged"})
		}, "dash", "correct"},
		"bad volume": {func() (*Remote, error) {
			return OpenDocker(t.Context(), DockerOptions{RemoteOptions: o, Engine: "/bin/true", Image: "x", Volumes: []string{"--privileged"}})
		}, "volume", "docker_volumes"},
		"root mounted": {func() (*Remote, error) {
			return OpenDocker(t.Context(), DockerOptions{RemoteOptions: o, Engine: "/bin/true", Image: "x", Workspace: "/"})
		}, "mounted", "false"},
		"no ssh": {func() (*Remote, error) { return OpenSSH(t.Context(), SSHOptions{RemoteOptions: none, Host: "h"}) }, "not installed", "OpenSSH"},
		"no host": {func() (*Remote, error) {
			return OpenSSH(t.Context(), SSHOptions{RemoteOptions: o, Program: "/bin/true"})
		}, "no host", "ssh_host"},
		"host an option": {func() (*Remote, error) {
			return OpenSSH(t.Context(), SSHOptions{RemoteOptions: o, Program: "/bin/true", Host: "-oProxyCommand=x"})
		}, "not a name", "ssh_host"},
		"no apptainer": {func() (*Remote, error) {
			return OpenSingularity(t.Context(), SingularityOptions{RemoteOptions: none, Image: "x"})
		}, "neither", "install"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r, err := c.open()
			if err == nil {
				r.Close()
			}
			unavailable(t, err, c.what, c.next)
		})
	}
}

// Peers that are silent, talk without end or answer nonsense.
func TestPeersThatLie(t *testing.T) {
	for name, script := range map[string]string{
		"silent":       "exec sleep 600",
		"endless":      "exec yes",
		"ends":         "exit 0",
		"echo":         "exec cat",
		"anchor, then": `case "$*" in *"exec cat"*) exec cat ;; *) exec yes ;; esac`,
		"not a shell":  `case "$*" in *"exec cat"*) exec cat ;; *) while read -r l; do case $l in printf*) set -- $l; printf "\036$3 0;" ;; esac; done ;; esac`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			r, err := OpenSSH(context.Background(), SSHOptions{
				RemoteOptions: RemoteOptions{Env: clientEnv(t), Connect: time.Second, Silence: time.Second},
				Program:       fakeClient(t, script), Host: "h",
			})
			if err == nil {
				r.Close()
			}
			unavailable(t, err, "", "")
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestOpeningIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	late := time.AfterFunc(100*time.Millisecond, cancel)
	defer late.Stop()
	_, err := OpenSSH(ctx, SSHOptions{RemoteOptions: RemoteOptions{Env: clientEnv(t)}, Program: fakeClient(t, "exec sleep 600"), Host: "h"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A real server that does not let us in.
func TestSSHRefuses(t *testing.T) {
	server := startSSHD(t)
	try := func(change func(*SSHOptions)) error {
		o := server.options(t)
		change(&o)
		r, err := OpenSSH(context.Background(), o)
		if err == nil {
			r.Close()
		}
		return err
	}
	write(t, filepath.Join(server.dir, "strange"), "UserKnownHostsFile "+filepath.Join(server.dir, "none")+"\nGlobalKnownHostsFile none\n")
	unavailable(t, try(func(o *SSHOptions) { o.Config = filepath.Join(server.dir, "strange") }), "not known", "by hand")
	other := filepath.Join(server.dir, "host") // a key, but not one that may log in
	unavailable(t, try(func(o *SSHOptions) { o.Key = other }), "refused", "ssh_key")
	unavailable(t, try(func(o *SSHOptions) { o.Port = freePort(t) }), "no ssh", "ssh_port")
	unavailable(t, try(func(o *SSHOptions) { o.Dir = "/no/such" }), "no directory", "terminal.cwd")
}

func TestInfoOfRemotes(t *testing.T) {
	eachRemote(t, func(t *testing.T, r *Remote) {
		i := r.Info()
		for _, p := range []string{i.Home, i.Temp, i.Shell, r.Dir()} {
			if !filepath.IsAbs(p) {
				t.Errorf("%q is not absolute", p)
			}
		}
		if i.OS != "linux" || i.Arch == "" || i.Arch == "x86_64" || i.Host == "" || i.User == "" || i.Target == "" || i.FoldsCase || i.Confined {
			t.Errorf("%+v", i)
		}
		if !slices.ContainsFunc(r.Env(), func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }) {
			t.Errorf("environment %q", r.Env())
		}
		t.Logf("%+v, begins in %s, notes %q", i, r.Dir(), r.Notes())
	})
}

func TestDirectoryWhereWorkBegins(t *testing.T) {
	server := startSSHD(t)
	home := openSSH(t, server, nil).Info().Home
	dir := tempDir(t)
	link(t, dir, filepath.Join(server.dir, "link"))
	for want, real := range map[string]string{"": home, ".": home, "~": home, dir: dir, filepath.Join(server.dir, "link"): dir} {
		if got := openSSH(t, server, func(o *SSHOptions) { o.Dir = want }).Dir(); got != real {
			t.Errorf("%q is %q, want %q", want, got, real)
		}
	}
}

func TestContainersOfKilledRunsAreSwept(t *testing.T) {
	e := standIn(t)
	state := strings.TrimPrefix(e.env[len(e.env)-1], "ENGINE_STATE=")
	first := openDocker(t, e, nil)
	id := first.via.(*docker).id
	label := filepath.Join(state, id, "labels")
	mine := read(t, label)
	openDocker(t, e, nil)
	if _, err := os.Stat(label); err != nil {
		t.Fatalf("a container in use was removed: %v", err)
	}
	// The same moment of another process: the one that had this id is gone.
	for _, gone := range []string{strings.Replace(mine, "/"+beganAt(os.Getpid()), "/1", 1), strings.Replace(mine, strings.Split(mine, "/")[1], "999999999", 1)} {
		copied := filepath.Join(state, "left")
		if err := os.Mkdir(copied, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(copied, "labels"), gone)
		write(t, filepath.Join(copied, "pid"), "999999999")
		openDocker(t, e, nil)
		if _, err := os.Stat(copied); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q was left", gone)
		}
	}
	foreign := filepath.Join(state, "foreign")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(foreign, "labels"), "hermes.place=passing\nhermes.owner=elsewhere/1/1\n")
	openDocker(t, e, nil)
	if _, err := os.Stat(foreign); err != nil {
		t.Error("a container of another machine's run was removed")
	}
}

func TestPersistentContainerIsUsedAgain(t *testing.T) {
	e := standIn(t)
	o := e.options(t)
	o.Persistent = true
	open := func(o DockerOptions) *Remote {
		r, err := OpenDocker(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, r)
	}
	one := open(o)
	d := one.via.(*docker)
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	two := open(o)
	if got := two.via.(*docker).id; got != d.id {
		t.Errorf("another container: %s, %s", got, d.id)
	}
	other := o
	other.MemoryMB++
	three := open(other)
	if got := three.via.(*docker).id; got == d.id {
		t.Error("the same container for other options")
	}
	// Stopped behind our back: it starts again.
	if out, err := os.ReadFile(filepath.Join(strings.TrimPrefix(e.env[len(e.env)-1], "ENGINE_STATE="), d.id, "pid")); err != nil {
		t.Fatal(err)
	} else if _, code := in(t, newLocal(t), "kill -KILL "+string(out), nil); code != 0 {
		t.Fatal("not killed")
	}
	waitFor(t, func() bool {
		s, _ := d.run(t.Context(), "inspect", "--type", "container", "--format", "{{.State.Running}}", d.id)
		return strings.TrimSpace(s) == "false"
	})
	if _, err := two.FS().Stat("/"); err != nil {
		t.Error(err)
	}
	for _, r := range []*Remote{two, three} {
		v := r.via.(*docker)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := v.run(context.Background(), "rm", "-f", v.id); err != nil {
			t.Error(err)
		}
	}
}

// A container is made without a bound of its disk where the storage has none, and a
// note says so.
func TestDiskThatCannotBeBounded(t *testing.T) {
	for _, said := range []string{
		"", // of docker
		"Error: creating container storage: vfs driver does not support size options",
		"Error: --storage-opt is supported only for overlay over xfs with 'pquota' mount option",
	} {
		e := standIn(t)
		e.env = append(e.env, "ENGINE_REFUSAL="+said)
		if notes := openDocker(t, e, nil).Notes(); len(notes) != 1 || !strings.Contains(notes[0], "terminal.container_disk") {
			t.Errorf("%q: notes %q", said, notes)
		}
	}
}

func TestIsolation(t *testing.T) {
	e := standIn(t)
	for name, c := range map[string]struct {
		change            func(*DockerOptions)
		isolated, network bool
	}{
		"apart":   {func(o *DockerOptions) { o.Workspace = "" }, true, true},
		"mounted": {func(*DockerOptions) {}, false, true},
		"volume":  {func(o *DockerOptions) { o.Volumes = []string{"/tmp:/x"} }, false, true},
		"cut off": {func(o *DockerOptions) { o.Network = "none" }, false, false},
	} {
		i := openDocker(t, e, c.change).Info()
		if i.Isolated != c.isolated || i.Network != c.network || i.Name != "docker" {
			t.Errorf("%s: %+v", name, i)
		}
	}
}
