package bind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"hermes-tui/agent/prompt"
	"hermes-tui/tools"
	"hermes-tui/tools/charset"
	"hermes-tui/tools/place"
)

// PromptOptions say what a prompt is built from.
type PromptOptions struct {
	Place place.Place
	// GitEnv is the environment in which git is asked about the workspace.
	GitEnv []string
	// Dir is where the conversation works.
	Dir      string
	Guidance func() []string
	// Layers are further parts of the prompt, but for those that Skip leaves out.
	Layers []prompt.Layer
	Skip   func(layer string) bool
	// AlsoObeyed are files of a trusted folder that are obeyed besides instructions.
	AlsoObeyed []string
	// AlsoNamed returns what else of it is named, see [prompt.Builder].
	AlsoNamed func(root string) []string
	// Soul is the file of the user's own description of the agent.
	Soul    string
	Now     func() time.Time
	MaxFile int
	Percent float64
	// LeftOut hears in a sentence of each file that is left out; it may be nil.
	LeftOut func(sentence string)
	// Taken reports whether the user takes a file as it is; it may be nil.
	Taken func(file, hash string) bool
	// Fresh reports whether a file is new or another one since its folder was trusted; it may
	// be nil.
	Fresh func(file, hash string) bool
}

// Prompter builds system prompts; see package prompt.
type Prompter = prompt.Builder

// Prompt makes the prompt builder of a conversation.
func Prompt(o PromptOptions) *Prompter {
	info := o.Place.Info()
	secrets := tools.NewSecrets([]string{info.Home}, nil, nil)
	return &prompt.Builder{
		Files: Files(o.Place), Run: Run(o.Place, o.GitEnv), Dir: o.Dir, Layers: o.Layers, Skip: o.Skip, Guidance: o.Guidance, AlsoObeyed: o.AlsoObeyed, AlsoNamed: o.AlsoNamed, Soul: Soul(o.Soul), Now: o.Now, MaxFile: o.MaxFile, Percent: o.Percent,
		Began: time.Now(), LeftOut: o.LeftOut, Taken: o.Taken, Fresh: o.Fresh, Holding: new(prompt.Holding), Secret: func(name string) bool { return secrets.Holds(name) != "" },
		System: prompt.System{
			Place: info.Name, OS: info.OS, Arch: info.Arch, Shell: info.Shell, Home: info.Home,
			Target: info.Target, Isolated: info.Isolated, Confined: info.Confined, Confines: info.Confines, Roots: info.Roots, Offline: !info.Network,
		},
	}
}

// Files reads a place for the prompt.
func Files(p place.Place) prompt.Files { return reader{p.FS()} }

type reader struct{ fs place.FS }

// Read implements [prompt.Files].
func (f reader) Read(name string, limit int64) ([]byte, error) {
	file, err := f.fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.Join(fs.ErrInvalid, err)}
	}
	return io.ReadAll(io.LimitReader(file, limit))
}

// Dir implements [prompt.Files].
func (f reader) Dir(name string) ([]string, error) {
	list, err := f.fs.ReadDir(name)
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name()
	}
	return names, err
}

// IsDir implements [prompt.Files].
func (f reader) IsDir(name string) bool {
	info, err := f.fs.Stat(name)
	return err == nil && info.IsDir()
}

// Resolve implements [prompt.Files].
func (f reader) Resolve(name string) (string, error) { return f.fs.Resolve(name) }

// Changed implements [prompt.Files].
func (f reader) Changed(name string) (time.Time, error) {
	info, err := f.fs.Stat(name)
	if err != nil {
		return time.Time{}, err
	}
	return place.ChangedAt(info), nil
}

// maxRunOutput bounds what a command for the prompt may say, maxRunSaid what it may say
// about a failure, in bytes.
const (
	maxRunOutput = 64 << 10
	maxRunSaid   = 1 << 10
)

// Run starts fixed commands of the prompt in a place. Programs are looked up in
// the PATH of env.
func Run(p place.Place, env []string) prompt.Run {
	return func(ctx context.Context, dir string, argv ...string) (string, error) {
		name, err := lookPath(p.FS(), env, argv[0], dir)
		if err != nil {
			return "", err
		}
		out, said := &bounded{left: maxRunOutput}, &bounded{left: maxRunSaid}
		proc, err := p.Start(ctx, place.Proc{
			Argv: append([]string{name}, argv[1:]...), Dir: dir, Env: place.Settled(env, dir), Stdout: out, Stderr: said,
		})
		if err != nil {
			return "", fmt.Errorf("run %s: %w", argv[0], err)
		}
		exit, err := proc.Wait()
		if err != nil {
			return "", fmt.Errorf("run %s: %w", argv[0], err)
		}
		if exit.Code != 0 {
			return "", fmt.Errorf("run %s: exit %d %s", argv[0], exit.Code, strings.Join(strings.Fields(said.String()), " "))
		}
		return out.String(), nil
	}
}

// lookPath finds a program in the absolute folders of PATH, but none that belongs to
// the folder it is to look at: agents write there.
func lookPath(fsys place.FS, env []string, program, but string) (string, error) {
	for _, kv := range env {
		dirs, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for dir := range strings.SplitSeq(dirs, ":") {
			if !strings.HasPrefix(dir, "/") {
				continue
			}
			name := strings.TrimSuffix(dir, "/") + "/" + program
			real, err := fsys.Resolve(name)
			if err != nil || tools.Within(path.Clean(name), but) || tools.Within(real, but) {
				continue
			}
			if info, err := fsys.Stat(real); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
				return name, nil
			}
		}
	}
	return "", fmt.Errorf("%s: %w", program, fs.ErrNotExist)
}

// bounded keeps the first bytes written to it.
type bounded struct {
	bytes.Buffer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	b.Buffer.Write(p[:n])
	return len(p), nil
}

// maxSoul bounds how much of SOUL.md is read, in bytes.
const maxSoul = 1 << 20

// Soul reads the user's own description of the agent; empty without one.
func Soul(name string) func() (string, error) {
	return func() (string, error) {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxSoul))
		return charset.Text(text), err
	}
}
