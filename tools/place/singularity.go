package place

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// SingularityOptions configure [OpenSingularity].
type SingularityOptions struct {
	RemoteOptions
	// Program is apptainer, singularity or an absolute path; empty takes the first
	// of these that is in PATH.
	Program string
	// Image is a file, a directory, or an address such as docker://debian.
	Image string
	// Workspace is a directory of this machine that is mounted under the same
	// path and is where work begins; empty mounts nothing.
	Workspace string
}

// singularity is the transport to an instance of Apptainer or Singularity.
type singularity struct {
	o        SingularityOptions
	program  string
	instance string
	work     string // directory of this machine for its /tmp and home
}

// OpenSingularity starts an instance of our own, which Close stops. It shares
// this machine's network, and is otherwise contained: of its files it sees the
// image, the workspace, and a private directory below Temp that is removed with
// it.
func OpenSingularity(ctx context.Context, o SingularityOptions) (*Remote, error) {
	o.RemoteOptions = o.filled()
	s := &singularity{o: o}
	for _, program := range []string{o.Program, "apptainer", "singularity"} {
		if program == "" || s.program != "" || o.Program != "" && program != o.Program {
			continue
		}
		s.program, _ = findClient(environ(o.Env), program)
	}
	if s.program == "" {
		return nil, &UnavailableError{
			Place: s.name(), What: "neither apptainer nor singularity is installed or in PATH",
			Next: "install one, or choose another terminal.backend",
		}
	}
	switch {
	case o.Image == "" || strings.HasPrefix(o.Image, "-"):
		return nil, &UnavailableError{Place: s.name(), What: "no image is set", Next: "set terminal.singularity_image"}
	case o.Workspace != "" && (!path.IsAbs(o.Workspace) || strings.ContainsAny(o.Workspace, ":,")):
		return nil, &UnavailableError{Place: s.name(), What: "the directory " + o.Workspace + " cannot be mounted", Next: "work in one without colons and commas in its name"}
	}
	within, cancel := context.WithTimeout(ctx, o.Connect)
	defer cancel()
	if err := s.start(within); err != nil {
		return nil, err
	}
	return openRemote(ctx, s, o.RemoteOptions)
}

// start stops what killed runs have left and starts our instance.
func (s *singularity) start(ctx context.Context) error {
	s.sweep(ctx)
	name, err := randomName(s.o.Rand)
	if err != nil {
		return fmt.Errorf("start an instance: %w", err)
	}
	s.instance = strings.Join([]string{"hermes", strconv.Itoa(os.Getpid()), beganAt(os.Getpid()), name[:12]}, "-")
	s.work = filepath.Join(s.o.Temp, s.instance)
	if err := os.Mkdir(s.work, 0o700); err != nil {
		return fmt.Errorf("start an instance: %w", err)
	}
	args := []string{"instance", "start", "--containall", "--writable-tmpfs", "--workdir", s.work}
	if s.o.Workspace != "" {
		args = append(args, "--bind", s.o.Workspace+":"+s.o.Workspace)
	}
	if _, err := s.run(ctx, append(args, s.o.Image, s.instance)...); err != nil {
		return errors.Join(err, os.RemoveAll(s.work))
	}
	return nil
}

// sweep stops instances whose owners are gone, and removes their directories.
func (s *singularity) sweep(ctx context.Context) {
	out, err := s.run(ctx, "instance", "list")
	if err != nil {
		return
	}
	host, err := os.Hostname()
	if err != nil {
		return
	}
	for line := range strings.Lines(out) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		f := strings.Split(name, "-")
		if len(f) != 4 || f[0] != "hermes" || !ownerGone(host+"/"+f[1]+"/"+f[2]) {
			continue
		}
		if _, err := s.run(ctx, "instance", "stop", name); err == nil {
			_ = os.RemoveAll(filepath.Join(s.o.Temp, name))
		}
	}
}

func (s *singularity) name() string { return "singularity" }
func (s *singularity) dir() string  { return s.o.Workspace }

func (s *singularity) notes() []string { return nil }

func (s *singularity) describe(info *Info) {
	info.Name, info.Target, info.Network = s.name(), s.o.Image, true
	info.Isolated = s.o.Workspace == ""
}

// argv runs a program in the instance.
func (s *singularity) argv(spec clientSpec) []string {
	return append([]string{s.program, "exec", "instance://" + s.instance}, spec.words...)
}

// ready sees that the instance still runs. It is not started again: what was in
// it is gone.
func (s *singularity) ready(ctx context.Context) error {
	out, err := s.run(ctx, "instance", "list", s.instance)
	if err != nil {
		return err
	}
	if !strings.Contains(out, s.instance) {
		return &UnavailableError{Place: s.name(), What: "the instance " + s.instance + " has ended", Next: "start a new session"}
	}
	return nil
}

func (s *singularity) run(ctx context.Context, args ...string) (string, error) {
	out, said, code, err := runClient(append([]string{s.program}, args...), s.o.Env, ctx.Done())
	if err == nil && code == 0 {
		return out, nil
	}
	known := s.explain(said)
	if known == nil {
		known = &UnavailableError{
			What: fmt.Sprintf("%s %s %s failed", filepath.Base(s.program), args[0], args[1]),
			Next: "see what the program says and try again",
		}
	}
	if err == nil {
		err = fmt.Errorf("exit %d", code)
	}
	known.Place, known.Said, known.Err = s.name(), said, err
	return out, known
}

// explain knows what Apptainer and Singularity say, in lower case.
func (s *singularity) explain(said string) *UnavailableError {
	return explain(said, []knownFailure{
		{"no such file or directory: " + strings.ToLower(s.o.Image), "there is no image " + s.o.Image, "build or pull it, or correct terminal.singularity_image"},
		{"could not open image", "the image " + s.o.Image + " cannot be opened", "build or pull it, or correct terminal.singularity_image"},
		{"no instance found", "the instance has ended", "start a new session"},
		{"/bin/sh: no such file", "there is no /bin/sh in it", "choose an image with a POSIX shell"},
		{`"/bin/sh": executable file not found`, "there is no /bin/sh in it", "choose an image with a POSIX shell"},
		{"user namespace", "this user may not start containers", "ask the administrator to allow user namespaces, or use another terminal.backend"},
		{"unable to pull", "the image " + s.o.Image + " cannot be fetched", "pull it by hand and set terminal.singularity_image to the file"},
	})
}

// close stops the instance.
func (s *singularity) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.o.Connect)
	defer cancel()
	_, err := s.run(ctx, "instance", "stop", s.instance)
	return errors.Join(err, os.RemoveAll(s.work))
}
