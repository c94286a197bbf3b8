package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"hermes-tui/agent/event"
	"hermes-tui/providers/redact"
	"hermes-tui/store"
	"hermes-tui/store/config"
	"hermes-tui/store/flight"
	"hermes-tui/tools"
	"hermes-tui/tools/hunks"
	"hermes-tui/ui/term"
)

// recordFlags say whether a session is recorded.
type recordFlags struct {
	file string
	over bool
}

func (r *recordFlags) add(set *pflag.FlagSet) {
	set.StringVar(&r.file, "record", "", "write keys, answers of services, results of tools and the time into a new `FILE`, with secrets masked; hermes-tui replay plays it")
	set.BoolVar(&r.over, "overwrite", false, "let --record take the place of a file")
}

// check finds combinations that mean nothing.
func (r *recordFlags) check(f *flags) error {
	switch {
	case r.over && r.file == "":
		return usageError{errors.New("--overwrite goes with --record FILE")}
	case r.file == "":
	case f.resume != "" || f.latest:
		return usageError{errors.New("--record begins with a new session: what an earlier one holds is not in the recording")}
	case f.scenario != "" || f.provider == "script":
		return usageError{errors.New("--record does not go with a scenario, which is one already")}
	}
	return nil
}

// record begins a recording, whose seed the identifiers of the session come from.
func (s *sys) record(o recordFlags, f *flags, home store.Home, c config.Config, dir, prompt string) (*flight.Recorder, error) {
	seed := make([]byte, 32)
	if _, err := rand.Read(seed); err != nil {
		return nil, startError{err}
	}
	text, err := os.ReadFile(home.Config())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, startError{err}
	}
	secrets := redact.NewSecrets(c.Secrets()...)
	for _, kv := range s.environ {
		if name, value, _ := strings.Cut(kv, "="); secretVariable(name) && len(value) >= 8 {
			secrets.Learn(value)
		}
	}
	mask := redact.Masker{Secrets: secrets}.Text
	settings, err := playable(text, mask)
	if err != nil {
		return nil, startError{err}
	}
	start := time.Now()
	zone, offset := start.Zone()
	h := flight.Head{
		Program: build(), System: runtime.GOOS + "/" + runtime.GOARCH, Start: start, Zone: zone, Offset: offset, Theme: c.Display.Theme, Seed: seed,
		Home: userHome(s.env), Dir: dir, Settings: settings, Set: f.settings(), Environ: playedEnviron(s.environ, mask), Prompt: prompt,
	}
	if h.Cols, h.Rows, err = s.size(); err != nil {
		return nil, startError{err}
	}
	r, err := flight.Record(o.file, o.over, h, mask)
	if _, there := errors.AsType[*flight.Exists](err); there {
		return nil, usageError{fmt.Errorf("--record: %w", err)}
	}
	if err != nil {
		return nil, startError{fmt.Errorf("--record: %w", err)}
	}
	s.ids = seeded(seed, time.Now)
	return r, nil
}

// seeded makes identifiers of a seed.
func seeded(seed []byte, clock func() time.Time) event.Source {
	var of [32]byte
	copy(of[:], seed)
	return event.Source{Random: &lockedReader{from: mathrand.NewChaCha8(of)}, Clock: clock}
}

// lockedReader is a reader for several goroutines.
type lockedReader struct {
	mu   sync.Mutex
	from io.Reader
}

func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.from.Read(p)
}

// secretVariable reports whether a variable holds a credential, by its name.
func secretVariable(name string) bool {
	name = strings.ToUpper(name)
	return name == "AWS_ACCESS_KEY_ID" || slices.ContainsFunc([]string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// playedEnviron are the variables that say what a session is like. Those that hold
// credentials, or where the user is, have a value that only says that they are there.
func playedEnviron(environ []string, mask func(string) string) (list []string) {
	plain := []string{"TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "LANG", "NO_COLOR", "COLORFGBG", "AWS_REGION", "AWS_DEFAULT_REGION", "OLLAMA_HOST"}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case secretVariable(name), name == "SSH_CONNECTION", name == "TMUX":
			list = append(list, name+"=recorded-and-left-out")
		case slices.Contains(plain, name), strings.HasPrefix(name, "LC_"), strings.HasSuffix(name, "_BASE_URL"),
			strings.HasPrefix(name, "HERMES_TUI_") && name != "HERMES_TUI_UITEST":
			list = append(list, name+"="+mask(value))
		}
	}
	slices.Sort(list)
	return list
}

// unplayable are settings that name programs to run and servers to connect to.
var unplayable = [][]string{
	{"hooks"}, {"hooks_auto_accept"}, {"mcp_servers"}, {"quick_commands"}, {"terminal"}, {"plugins"}, {"display", "status_command"},
	{"memory", "provider"}, {"memory", "provider_command"}, {"memory", "provider_server"},
}

// playable are settings without what runs programs, and with secrets masked.
func playable(text []byte, mask func(string) string) (string, error) {
	var all map[string]any
	if err := yaml.Unmarshal(text, &all); err != nil {
		return "", fmt.Errorf("the settings cannot be read: %w", err)
	}
	for _, key := range unplayable {
		in := all
		for _, part := range key[:len(key)-1] {
			in, _ = in[part].(map[string]any)
		}
		delete(in, key[len(key)-1])
	}
	out, err := yaml.Marshal(maskTree(all, mask))
	return string(out), err
}

// maskTree masks the strings of settings, and all below a name that says it is a secret.
func maskTree(v any, mask func(string) string) any {
	switch v := v.(type) {
	case string:
		return mask(v)
	case []any:
		for i := range v {
			v[i] = maskTree(v[i], mask)
		}
	case map[string]any:
		for name, value := range v {
			if _, text := value.(string); text && secretVariable("_"+name) {
				value = "recorded-and-left-out"
			}
			if strings.HasSuffix(name, "headers") {
				value = maskTree(value, func(string) string { return "recorded-and-left-out" })
			}
			v[name] = maskTree(value, mask)
		}
	}
	return v
}

// performed reports whether a tool is called again when a recording is played: its calls
// are the user's answers, and those of agents, which are recorded themselves.
func performed(t tools.Tool) bool { return t.Class == tools.Interactive || t.Class == tools.Delegating }

// recordTool records the calls of a tool.
func recordTool(r *flight.Recorder) func(tools.Tool) tools.Tool {
	return func(t tools.Tool) tools.Tool {
		if performed(t) {
			return t
		}
		run, action, files := t.Run, t.Action, t.Files
		t.Run = func(ctx context.Context, c tools.Call, h tools.Host, out tools.Sink) (tools.Result, error) {
			call := r.Begin(t.Name, c.Args)
			res, err := run(ctx, c, h, io.MultiWriter(out, call))
			call.End(ctx, res, err)
			return res, err
		}
		if action != nil {
			t.Action = func(args json.RawMessage) (tools.Action, error) {
				a, err := action(args)
				if a.OnFiles() || err != nil {
					r.Asked(t.Name, "action "+string(args), a, err)
				}
				return a, err
			}
		}
		if files != nil {
			t.Files = func(args json.RawMessage) ([]hunks.File, error) {
				list, err := files(args)
				r.Asked(t.Name, "files "+string(args), list, err)
				return list, err
			}
		}
		return t
	}
}

// recordingEnded says why a recording has ended.
func recordingEnded(file string, err error) string {
	return fmt.Sprintf("%s could not be written (%v); the session goes on.", term.Line(file), err)
}
