package bind

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/clarify"
	"hermes-tui/tools/code"
	"hermes-tui/tools/files"
	"hermes-tui/tools/patch"
	"hermes-tui/tools/recall"
	"hermes-tui/tools/search"
	"hermes-tui/tools/shell"
	"hermes-tui/tools/skill"
	"hermes-tui/tools/todo"
	"hermes-tui/tools/vision"
	"hermes-tui/tools/web"
)

// families are those of an agent, in the order in which they are made: the tools of a
// family are there for the ones behind it. To add a tool, write its package and add
// its family here.
func families() []func(o *ToolOptions, t *Tools) tools.Family {
	return []func(o *ToolOptions, t *Tools) tools.Family{
		shellFamily, fileFamily, searchFamily, patchFamily,
		func(*ToolOptions, *Tools) tools.Family { return todo.New().Family() },
		func(o *ToolOptions, _ *Tools) tools.Family {
			return single(clarify.New(clarify.Options{Timeout: o.Settings.Agent.ClarifyTimeout.Duration()}))
		},
		func(o *ToolOptions, _ *Tools) tools.Family {
			return tools.Family{Tools: []tools.Tool{o.Jobs.Tool(o.Agent)}, News: func() []tools.News { return o.Jobs.News(o.Agent) }}
		},
		visionFamily, webFamily, skillFamily, memoryFamily, learningsFamily, pastFamily, delegateFamily, codeFamily, commandFamily,
	}
}

// single is a family of one tool that shares nothing.
func single(t tools.Tool) tools.Family { return tools.Family{Tools: []tools.Tool{t}} }

func shellFamily(o *ToolOptions, t *Tools) tools.Family {
	sh := shell.New(shellOptions(o))
	t.dir = sh.Dir
	t.shell = sh
	return tools.Family{Tools: []tools.Tool{sh.Tool()}, Close: sh.Close}
}

// shellOptions say how commands run.
func shellOptions(o *ToolOptions) shell.Options {
	c := o.Settings.Terminal
	return shell.Options{
		Place: o.Place, Dir: o.Root, Env: o.Env, PassEnv: c.EnvPassthrough, DenyEnv: o.Settings.KeyVariables(),
		Timeout: c.Timeout.Duration(), MaxTimeout: max(c.Timeout.Duration(), shell.DefaultMaxTimeout),
		InitFiles: initFiles(c.ShellInitFiles, o.Place.Info().Home), NoInit: !c.AutoSourceBashrc && len(c.ShellInitFiles) == 0,
		MaxOutput: o.Settings.ToolOutput.MaxBytes, Jobs: shellJobs{o.Jobs, o.Agent}, Trusted: o.Trusted, GitSettings: o.gitSettings(),
	}
}

// gitSettings reads the user's own settings of git, those of no repository, when they are
// needed first.
func (o *ToolOptions) gitSettings() func() [][2]string {
	at, env, root := o.Place, o.Env, o.Root
	return sync.OnceValue(func() (list [][2]string) {
		for _, scope := range []string{"--system", "--global"} {
			ctx, cancel := context.WithTimeout(context.Background(), gitSettingsTime)
			out, _ := Run(at, env)(ctx, root, "git", "config", scope, "--includes", "--list", "-z") // without git, or such a file, there are none
			cancel()
			for _, entry := range strings.Split(out, "\x00") {
				if key, value, ok := strings.Cut(entry, "\n"); ok {
					list = append(list, [2]string{key, value})
				}
			}
		}
		return list
	})
}

// gitSettingsTime bounds that.
const gitSettingsTime = 5 * time.Second

// commandFamily are commands of the user that are tools. It comes last: none takes the name
// of another tool.
func commandFamily(o *ToolOptions, t *Tools) (f tools.Family) {
	for _, c := range o.Commands {
		tool := t.shell.Command(c)
		err := t.registry.Usable(tool)
		if strings.TrimSpace(c.Command) == "" {
			err = errors.New("it has no command")
		}
		if err != nil {
			t.Refused = append(t.Refused, c.Name+": "+err.Error())
			continue
		}
		f.Tools = append(f.Tools, tool)
	}
	return f
}

// initFiles are the configured start-up files with ~ resolved.
func initFiles(files []string, home string) []string {
	var out []string
	for _, f := range files {
		if rest, ok := strings.CutPrefix(f, "~/"); ok {
			f = home + "/" + rest
		}
		out = append(out, f)
	}
	return out
}

func fileFamily(o *ToolOptions, t *Tools) tools.Family {
	c := o.Settings.ToolOutput
	var watched files.Watcher
	done := func() error { return nil }
	if o.Watch != nil {
		set := o.Watch.Set()
		watched, done = set, set.Close
	}
	t.files = files.New(files.Options{
		Place: o.Place, Dir: t.dir, Root: o.Root, Private: o.Private, Agent: o.Agent, Shared: o.Files,
		Lock: o.FilesLock, Env: o.Env, Now: o.Now,
		Limits: files.Limits{Lines: c.MaxLines, Line: c.MaxLineLength, Page: o.Settings.FileReadMaxChars},
		Watch:  watched, PDF: o.PDF,
		Jobs: func() bool { return o.Jobs.Busy(o.Agent) },
	})
	return tools.Family{
		Tools: t.files.Tools(), Forget: t.files.Forget, Ran: t.files.ResetRepeats, Seen: t.files.Read,
		Begin: t.files.Begin, News: t.files.News, Acts: t.files.Acts, Close: done,
	}
}

func patchFamily(_ *ToolOptions, t *Tools) tools.Family { return single(patch.New(t.files).Tool()) }

func searchFamily(o *ToolOptions, t *Tools) tools.Family {
	path, _ := tools.Variable(o.Env, "PATH")
	s := search.New(search.Options{Place: o.Place, Dir: t.dir, Root: o.Root, Private: o.Private, Env: o.Env, Path: path})
	return tools.Family{Tools: []tools.Tool{s.Tool()}, Forget: s.ResetRepeats, Ran: s.ResetRepeats}
}

func visionFamily(o *ToolOptions, t *Tools) tools.Family {
	if o.Eyes == nil {
		return tools.Family{}
	}
	return single(vision.New(t.files, o.Eyes))
}

func webFamily(o *ToolOptions, _ *Tools) tools.Family {
	if o.Web == nil {
		return tools.Family{}
	}
	f := single(web.New(*o.Web))
	if o.Search != nil {
		f.Tools = append(f.Tools, web.NewSearch(*o.Search))
	}
	return f
}

func memoryFamily(o *ToolOptions, _ *Tools) tools.Family {
	if o.Memory == nil {
		return tools.Family{}
	}
	return recall.NewMemory(recall.MemoryOptions{Store: o.Memory, Approve: o.Settings.Memory.WriteApproval, Finder: o.Recall})
}

func skillFamily(o *ToolOptions, _ *Tools) tools.Family {
	if o.Skills == nil {
		return tools.Family{}
	}
	return skill.New(o.Skills, o.Skills.Writer()).Family()
}

func learningsFamily(o *ToolOptions, _ *Tools) tools.Family {
	if o.Learnings == nil {
		return tools.Family{}
	}
	return single(recall.NewLearnings(o.Learnings))
}

func pastFamily(o *ToolOptions, _ *Tools) tools.Family {
	if o.Past == nil {
		return tools.Family{}
	}
	return single(recall.SearchTool(o.Past))
}

func delegateFamily(o *ToolOptions, t *Tools) tools.Family {
	if o.Delegate == nil {
		return tools.Family{}
	}
	return single(o.Delegate(t))
}

func codeFamily(o *ToolOptions, t *Tools) tools.Family {
	x := o.Settings.CodeExecution
	most := x.MaxToolCalls
	if most == 0 {
		most = -1 // 0 is the default there
	}
	c := code.New(code.Options{
		Place: o.Place, Mode: code.Mode(x.Mode), Timeout: x.Timeout.Duration(), MaxCalls: most, Env: o.Env,
		Dir: t.dir, Root: o.Root, Trusted: o.Trusted, GitSettings: o.gitSettings(), Tools: t.All,
	})
	return tools.Family{Tools: []tools.Tool{c.Tool()}, Close: c.Close}
}
