package doctor

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"hermes-tui/ui/term"
)

// helper is a program that the agent or this program uses where it is there.
type helper struct {
	names []string // one of which is enough
	args  []string // that have it say its version
	// lacking is what is not there without it, state how bad that is, and install what to
	// install.
	lacking string
	state   State
	install string
}

// helpers are those programs.
var helpers = []helper{
	{[]string{"git"}, []string{"--version"}, "the agent is not told what has changed in a repository, and skills and plugins are not installed from git", Weak, "git"},
	{[]string{"rg"}, []string{"--version"}, "searches in files take longer", Note, "ripgrep"},
	{[]string{"python3", "python"}, []string{"--version"}, "the tool execute_code cannot run scripts", Weak, "Python 3"},
	{[]string{"tmux"}, []string{"-V"}, "--tmux cannot be used", Note, "tmux"},
	{[]string{"docker", "podman"}, []string{"--version"}, "--place docker cannot be used", Note, "Docker or Podman"},
	{[]string{"ssh"}, []string{"-V"}, "--place ssh cannot be used", Note, "an SSH client, such as openssh-client"},
	{[]string{"xdg-open", "open", "wslview"}, nil, "logins and links do not open a browser by themselves: their address is shown", Note, "xdg-utils"},
}

// programs looks for helpers and asks them for their version.
func programs(ctx context.Context, m *Machine) []Finding {
	list := make([]Finding, len(helpers))
	var all sync.WaitGroup
	for i, h := range helpers {
		all.Go(func() { list[i] = h.find(ctx, m) })
	}
	all.Wait()
	return list
}

func (h helper) find(ctx context.Context, m *Machine) Finding {
	for _, name := range h.names {
		path, err := m.Find(name)
		if err != nil {
			continue
		}
		f := Finding{About: name, State: Good, Says: path}
		if h.args == nil {
			return f
		}
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		out, err := m.Run(ctx, append([]string{path}, h.args...)...)
		line, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
		if err != nil && line == "" {
			f.State, f.Says, f.Fix = Weak, path+" does not run: "+err.Error(), "install it again, or take it off the PATH"
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				f.Says = path + " does not answer"
			}
			return f
		}
		f.Says = line
		return f
	}
	return Finding{About: h.names[0], State: h.state, Says: "not found: " + h.lacking, Fix: "install " + h.install + ", or do without that"}
}

// clipboard names the way that a copied text takes.
func clipboard(_ context.Context, m *Machine) []Finding {
	for _, step := range term.PlanCopy("x", m.Term).Steps {
		if step.Sequence != "" {
			return []Finding{{About: "copying", State: Note, Says: "text is handed to the terminal (OSC 52), which says nothing of whether it took it",
				Fix: "if nothing arrives, allow it in the terminal's settings, hold " + m.Term.SelectKey() + " to select with the mouse, or install wl-copy or xclip on a machine with a display"}}
		}
		if _, err := m.Find(step.Argv[0]); err == nil {
			return []Finding{{About: "copying", State: Good, Says: "text goes to " + step.Name + " with " + step.Argv[0]}}
		}
	}
	return nil
}

// wish is an option of tmux, what it should be and why.
type wish struct {
	option string
	good   func(value string) bool
	why    string
	set    string
}

// wishes are what the screen needs of tmux.
var wishes = []wish{
	{"escape-time", func(v string) bool { return len(v) <= 2 }, "the key esc is felt late", "set -s escape-time 10"},
	{"focus-events", on, "the program does not know whether it is in view, and notifies you of too much or too little", "set -g focus-events on"},
	{"set-clipboard", func(v string) bool { return v != "off" }, "copied text stays in tmux", "set -g set-clipboard on"},
	{"allow-passthrough", func(v string) bool { return v != "off" && v != "" }, "notifications and pictures do not reach the terminal", "set -g allow-passthrough on"},
	{"extended-keys", func(v string) bool { return v != "off" && v != "" }, "keys like shift+enter and ctrl+tab do not arrive", "set -s extended-keys on"},
	{"mouse", on, "the wheel and clicks do not arrive", "set -g mouse on"},
	{"default-terminal", func(v string) bool { return strings.HasPrefix(v, "tmux") || strings.HasPrefix(v, "screen") }, "programs inside draw for another terminal", "set -g default-terminal tmux-256color"},
}

func on(v string) bool { return v == "on" }

// tmux looks at the options of the tmux around the program.
func tmux(ctx context.Context, m *Machine) (list []Finding) {
	if !m.Term.Tmux {
		return nil
	}
	out, err := m.Run(ctx, "tmux", "show-options", "-gs", ";", "show-options", "-g", ";", "show-options", "-gw")
	if err != nil {
		return []Finding{{About: "options", State: Weak, Says: "tmux does not tell them: " + err.Error()}}
	}
	values := map[string]string{}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		values[name] = strings.Trim(value, `"`)
	}
	for _, w := range wishes {
		value := values[w.option]
		f := Finding{About: w.option, State: Good, Says: value}
		if !w.good(value) {
			if value == "" {
				value = "unknown to this tmux"
			}
			f.State, f.Says, f.Fix = Weak, value+": "+w.why, "write into ~/.tmux.conf: "+w.set
		}
		list = append(list, f)
	}
	if !strings.Contains(out, "RGB") && !strings.Contains(out, ":Tc") {
		list = append(list, Finding{About: "colours", State: Note, Says: "tmux hands on 256 colours", Fix: `write into ~/.tmux.conf: set -as terminal-features ",*:RGB"`})
	}
	return list
}
