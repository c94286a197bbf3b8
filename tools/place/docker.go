package place

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// DockerOptions configure [OpenDocker].
type DockerOptions struct {
	RemoteOptions
	// Engine is the program: docker (also for an empty string), podman, nerdctl, or
	// an absolute path.
	Engine string
	// Image is what a container of our own is made from. It is never pulled.
	Image string
	// Workspace is a directory of this machine that is mounted under the same
	// path and is where work begins; empty mounts nothing.
	Workspace string
	// Volumes are further mounts, as the engine's --volume takes them.
	Volumes []string
	// Network is the engine's --network; "none" cuts the container off, empty
	// leaves it to the engine.
	Network string
	// CPUs, MemoryMB and DiskMB bound the container; 0 is no bound. Engines bound
	// the disk with few storage drivers only: where they refuse, a note says so.
	CPUs     float64
	MemoryMB int
	DiskMB   int
	// Persistent keeps the container when the place is closed, and takes the one
	// of an earlier run with the same options again, with what is in it.
	Persistent bool
}

// defaultWorkspace is where work begins in a container without a mount.
const defaultWorkspace = "/workspace"

// maxProcesses bounds a container of ours, and the confined processes of a place; enough for any build, too few for a
// fork bomb.
const maxProcesses = 4096

// docker is the transport to a container.
type docker struct {
	o      DockerOptions
	engine string // absolute path
	id     string // of the container, once it is there
	info   Info
	said   []string // notes
}

// OpenDocker opens a container, which is removed by Close unless it is persistent.
// Nothing is pulled or installed. The container has few capabilities, cannot gain
// any, and has bounds.
func OpenDocker(ctx context.Context, o DockerOptions) (*Remote, error) {
	o.RemoteOptions = o.filled()
	if o.Engine == "" {
		o.Engine = "docker"
	}
	d := &docker{o: o}
	var ok bool
	if d.engine, ok = findClient(environ(o.Env), o.Engine); !ok {
		return nil, &UnavailableError{
			Place: d.name(), What: o.Engine + " is not installed or not in PATH",
			Next: "install it, set terminal.docker_engine to the one that is, or choose another terminal.backend",
		}
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, o.Connect)
	defer cancel()
	if err := d.prepare(within); err != nil {
		return nil, err
	}
	return openRemote(ctx, d, o.RemoteOptions)
}

// check refuses options that would be read as something else.
func (d *docker) check() error {
	o := d.o
	bad := func(what, next string) error {
		return &UnavailableError{Place: d.name(), What: what, Next: next}
	}
	switch {
	case o.Image == "":
		return bad("no image is set", "set terminal.docker_image")
	case strings.HasPrefix(o.Image, "-") || strings.HasPrefix(o.Network, "-"):
		return bad("an image or network cannot begin with a dash", "correct the terminal settings")
	case o.Workspace != "" && (!path.IsAbs(o.Workspace) || path.Clean(o.Workspace) == "/"):
		return bad("the working directory "+o.Workspace+" cannot be mounted under the same path", "set terminal.docker_mount_cwd_to_workspace to false")
	case strings.ContainsAny(o.Workspace, ":,"):
		return bad("a directory with a colon or comma in its name cannot be mounted", "rename it, or set terminal.docker_mount_cwd_to_workspace to false")
	}
	for _, v := range o.Volumes {
		if strings.HasPrefix(v, "-") || !strings.Contains(v, ":") {
			return bad("the volume "+v+" is not of the form SOURCE:TARGET", "correct terminal.docker_volumes")
		}
	}
	return nil
}

func (d *docker) name() string    { return "docker" }
func (d *docker) notes() []string { return slices.Clone(d.said) }

func (d *docker) dir() string {
	if d.o.Workspace != "" {
		return d.o.Workspace
	}
	return defaultWorkspace
}

func (d *docker) describe(info *Info) {
	info.Name, info.Target = d.name(), d.info.Target
	info.Isolated, info.Network = d.info.Isolated, d.info.Network
}

// argv runs a program in the container.
func (d *docker) argv(spec clientSpec) []string {
	argv := []string{d.engine, "exec"}
	if spec.input || spec.terminal {
		argv = append(argv, "-i")
	}
	if spec.terminal {
		argv = append(argv, "-t")
		if d.kind() != "nerdctl" {
			// Else two keys that a user may type would detach the client.
			argv = append(argv, "--detach-keys", "ctrl-^,ctrl-@,ctrl-^,ctrl-@,ctrl-^")
		}
	}
	return append(append(argv, d.id), spec.words...)
}

// kind is which engine it is.
func (d *docker) kind() string {
	base := path.Base(strings.ReplaceAll(d.engine, `\`, "/"))
	for _, known := range []string{"podman", "nerdctl"} {
		if strings.HasPrefix(base, known) {
			return known
		}
	}
	return "docker"
}

// ready starts the container again if it was stopped.
func (d *docker) ready(ctx context.Context) error {
	state, err := d.run(ctx, "inspect", "--type", "container", "--format", "{{.State.Running}}", d.id)
	if err != nil {
		return err
	}
	if strings.TrimSpace(state) == "true" {
		return nil
	}
	_, err = d.run(ctx, "start", d.id)
	return err
}

// run runs the engine to its end and gives its output.
func (d *docker) run(ctx context.Context, args ...string) (string, error) {
	out, said, code, err := runClient(append([]string{d.engine}, args...), d.o.Env, ctx.Done())
	if err == nil && code == 0 {
		return out, nil
	}
	if known := d.explain(said); known != nil {
		known.Place, known.Said, known.Err = d.name(), said, err
		return out, known
	}
	if err == nil {
		err = fmt.Errorf("exit %d", code)
	}
	return out, &UnavailableError{
		Place: d.name(), What: d.kind() + " " + args[0] + " failed: " + err.Error(), Said: said,
		Next: "see what the engine says and try again", Err: err,
	}
}

// explain knows what the engines say, in lower case.
func (d *docker) explain(said string) *UnavailableError {
	engine := d.kind()
	return explain(said, []knownFailure{
		{"cannot connect to the docker daemon", "the daemon is not running", "start it (systemctl start docker, or Docker Desktop)"},
		{"is the docker daemon running", "the daemon is not running", "start it (systemctl start docker, or Docker Desktop)"},
		{"permission denied while trying to connect", "this user may not talk to the daemon", "add the user to the group docker and log in again, or use podman"},
		{"cannot access containerd socket", "containerd is not running or not for this user", "start it, or use rootless mode"},
		{"cannot connect to podman", "podman's machine is not running", "start it (podman machine start)"},
		{"no such image", "there is no image " + d.o.Image + " on this machine", engine + " pull " + d.o.Image},
		{"image not known", "there is no image " + d.o.Image + " on this machine", engine + " pull " + d.o.Image},
		{"no such container", "the container " + d.info.Target + " is gone", "start a new session"},
		{"no container with name or id", "the container " + d.info.Target + " is gone", "start a new session"},
		{"is not running", "the container " + d.info.Target + " does not run", "try again, which starts it"},
		{"can only create exec sessions on running", "the container does not run", "try again, which starts it"},
		{`"/bin/sh": stat /bin/sh: no such file`, "there is no /bin/sh in it", "choose an image with a POSIX shell"},
		{"executable file `/bin/sh` not found", "there is no /bin/sh in it", "choose an image with a POSIX shell"},
		{`exec: "/bin/sh"`, "/bin/sh cannot be run in it", "choose an image with a POSIX shell"},
		{"storage-opt", "the engine cannot bound the disk", "set terminal.container_disk to 0"},
		{"nanocpus can not be set", "the system cannot bound the processor", "set terminal.container_cpu to 0"},
		{"cgroup", "the system does not let the engine bound the container", "set terminal.container_cpu and container_memory to 0, or let the engine manage cgroups"},
		{"range of cpus", "this machine has fewer processors", "lower terminal.container_cpu"},
		{"network " + strings.ToLower(d.o.Network) + " not found", "there is no network " + d.o.Network, "correct terminal.docker_network"},
		{"unable to find network", "there is no network " + d.o.Network, "correct terminal.docker_network"},
	})
}

// explain finds the first known failure in what a client said.
func explain(said string, known []knownFailure) *UnavailableError {
	low := strings.ToLower(said)
	for _, s := range known {
		if strings.Contains(low, s.text) {
			return &UnavailableError{What: s.what, Next: s.next}
		}
	}
	return nil
}

// close removes the container unless it is to be kept.
func (d *docker) close() error {
	if d.o.Persistent || d.id == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), d.o.Connect)
	defer cancel()
	_, err := d.run(ctx, "rm", "-f", d.id)
	return err
}

// limits are the bounds of the container, without that of the disk.
func (d *docker) limits() []string {
	var args []string
	if d.o.CPUs > 0 {
		args = append(args, "--cpus", strconv.FormatFloat(d.o.CPUs, 'f', -1, 64))
	}
	if d.o.MemoryMB > 0 {
		args = append(args, "--memory", strconv.Itoa(d.o.MemoryMB)+"m")
	}
	return append(args, "--pids-limit", strconv.Itoa(maxProcesses))
}
