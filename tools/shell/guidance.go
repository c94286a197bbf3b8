package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Advice on commands that this tool cannot run in a useful way: without
// background jobs, with them, and for a command that is one.
const (
	adviceBackground = "This tool waits for a command to end, and what it leaves in the background is out of reach afterwards. " +
		"Leave out &; or use the background job within the same command and end it there: " +
		"start it with &, use it, then kill $! and wait."
	adviceForever = "This command does not end by itself, and this tool waits for the end. Give it a limit (timeout 20 …) to see how " +
		"it starts, or start it with &, use it, and kill $! within the same command."

	jobBackground = "What a command leaves in the background is out of reach afterwards. Leave out & and " +
		"set background to true: the command then goes on by itself, and the process tool shows its output and ends it. " +
		"Only a background job that the same command ends again (kill $!, wait) may stay as it is."
	jobForever = "This command does not end by itself, and this tool waits for the end. Set background to true and use the process " +
		"tool to read its output and to end it; watch_patterns tells you when it is ready."

	// What is put aside on purpose runs; these stand below its output.
	leftBehind = "[What this left in the background goes on by itself: its output is not read here, and nothing ends it but kill.]"
	jobBehind  = "[What this left in the background goes on by itself: its output is not read here, and nothing ends it but kill. " +
		"With background: true instead of &, nohup, setsid and disown the process tool shows its output and ends it.]"

	// With what it has left, and the id under which that is a job.
	leftRunning = "[%s: %s of the process tool, which can end it, and shows no output of it. " +
		"With background: true instead of &, nohup, setsid and disown there is its output, too.]"

	jobInJob = "background is true, so the command is put into the background already, and it would count as ended at once. " +
		"Leave out &, nohup, setsid and disown."
)

// maxGuided is the longest command, in bytes, that is looked at.
const maxGuided = 20_000

// guidance advises against a command: refused says why it is not run, or note what
// the model should know when it has run. Both may be empty. jobs says that there are
// background jobs, background that the command is to be one. What it does not
// understand it lets pass: it helps, it does not guard.
func guidance(command string, jobs, background bool) (refused, note string) {
	if len(command) > maxGuided {
		return "", ""
	}
	file, err := parse(command)
	if err != nil {
		return "", ""
	}
	g := guide{}
	syntax.Walk(file, g.visit)
	g.detaches = g.detaches || g.nohup && g.background
	leaves, waits := g.background && !g.ends, g.forever && !g.background
	switch {
	case background && (leaves || g.detaches || g.nohup):
		return jobInJob, ""
	case background:
		return "", ""
	case waits && jobs:
		return jobForever, ""
	case waits:
		return adviceForever, ""
	case g.detaches && jobs:
		return "", jobBehind
	case g.detaches:
		return "", leftBehind
	case leaves && jobs:
		return jobBackground, ""
	case leaves:
		return adviceBackground, ""
	}
	return "", ""
}

// guide collects what a command does.
type guide struct {
	background bool // a job in the background
	ends       bool // waits for jobs, or kills them
	detaches   bool // leaves something behind on purpose
	nohup      bool // and so it does what is in the background
	forever    bool // runs a server in the foreground
}

func (g *guide) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Stmt:
		g.background = g.background || n.Background
	case *syntax.CallExpr:
		var words []string
		for _, w := range n.Args {
			words = append(words, literal(w))
		}
		g.call(words)
	}
	return true
}

// call looks at one program with its arguments.
func (g *guide) call(words []string) {
	if len(words) == 0 || asksForHelp(words) {
		return
	}
	switch name := path.Base(words[0]); name {
	case "wait", "kill", "pkill", "fg":
		g.ends = true
	case "disown":
		g.detaches = true
	case "nohup", "setsid":
		g.nohup, g.detaches = true, g.detaches || name == "setsid"
		g.call(words[1:])
	case "timeout", "gtimeout": // ends whatever it runs
	case "sudo", "env", "nice", "exec", "command", "npx", "bunx", "time", "stdbuf":
		rest := words[1:]
		for len(rest) > 0 && (strings.HasPrefix(rest[0], "-") || strings.Contains(rest[0], "=")) {
			rest = rest[1:]
		}
		g.call(rest)
	default:
		g.forever = g.forever || endless(name, words[1:])
	}
}

func asksForHelp(words []string) bool {
	return slices.ContainsFunc(words[1:], func(w string) bool {
		return w == "--help" || w == "--version" || w == "-h" || w == "-v" || w == "-V"
	})
}

// endless reports whether a program runs until it is stopped.
func endless(name string, args []string) bool {
	plain := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") })
	at := func(i int) string {
		if i < len(plain) {
			return plain[i]
		}
		return ""
	}
	switch name {
	case "npm", "pnpm", "yarn", "bun":
		script := at(0)
		if script == "run" {
			script = at(1)
		}
		return slices.Contains([]string{"dev", "start", "serve", "watch"}, script)
	case "docker", "podman":
		return at(0) == "compose" && slices.Contains(plain, "up") && !detached(args)
	case "docker-compose", "podman-compose":
		return slices.Contains(plain, "up") && !detached(args)
	case "next":
		return at(0) == "dev" || at(0) == "start"
	case "vite":
		return !slices.Contains([]string{"build", "optimize"}, at(0))
	case "nodemon", "uvicorn", "gunicorn":
		return true
	case "python", "python3":
		i := slices.Index(args, "-m")
		return i >= 0 && i+1 < len(args) && args[i+1] == "http.server"
	}
	return false
}

func detached(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return a == "-d" || a == "--detach" || a == "--wait" || a == "--no-start"
	})
}
