// Package slash knows the commands that a user types after a slash: their
// table, how a line is read as one of them, and what completes a beginning. It
// only reads; its caller acts.
//
// Guarantees:
//
//   - Help, completion and documentation come from one table, see [Table].
//   - [Parse] never guesses: what fits several commands is an error that names
//     them.
//   - Text that merely begins with a slash, such as a path, is no command, see
//     [IsCommand].
//
// All functions are safe for concurrent use.
package slash

import (
	"hermes-tui/agent/event"
	"hermes-tui/docs"
	"hermes-tui/themes"
)

// Name identifies a command. It is stable and is what a user types.
type Name string

// The commands.
const (
	Help    Name = "help"
	New     Name = "new"
	Resume  Name = "resume"
	Search  Name = "search"
	Share   Name = "share"
	Fork    Name = "fork"
	Tree    Name = "tree"
	Model   Name = "model"
	Mode    Name = "mode"
	Title   Name = "title"
	Copy    Name = "copy"
	Find    Name = "find"
	Details Name = "details"
	Todos   Name = "todos"
	Agents  Name = "agents"
	Theme   Name = "theme"
	Setup   Name = "setup"
	Init    Name = "init"
	Quit    Name = "quit"

	Compress   Name = "compress"
	Uncompress Name = "uncompress"
	Rewind     Name = "rewind"
	Undo       Name = "undo"
	Redo       Name = "redo"
	Jobs       Name = "jobs"
	Diff       Name = "diff"
	Review     Name = "review"

	Replay    Name = "replay"
	Wall      Name = "wall"
	Reasoning Name = "reasoning"
	Usage     Name = "usage"
	Cache     Name = "cache"
	Hud       Name = "hud"
	Tools     Name = "tools"
	Context   Name = "context"
	Skills    Name = "skills"
	Hooks     Name = "hooks"
	Servers   Name = "mcp"
	Plugins   Name = "plugins"
	Curator   Name = "curator"

	Permissions  Name = "permissions"
	Memory       Name = "memory"
	Instructions Name = "instructions"
	Learnings    Name = "learnings"
	Refine       Name = "refine"
	Trust        Name = "trust"
	Config       Name = "config"
)

// Group says where help lists a command.
type Group string

// The groups, see [Groups].
const (
	Session  Group = "Session"
	Settings Group = "Settings"
	View     Group = "View"
)

// Groups are the groups in the order in which help shows them.
func Groups() []Group { return []Group{Session, Settings, View} }

// Command is one row of the table.
type Command struct {
	Name    Name
	Aliases []string
	// Args hints at the arguments, optional ones in brackets; empty when there
	// are none.
	Args string
	// Choices are the values of the first argument, nil when it is free.
	Choices []string
	// Help says in one line what the command does.
	Help  string
	Group Group
	// Busy reports whether the command may be given while a turn runs.
	Busy bool
	// Skill marks a command that is no row of the table: a skill, which goes to the
	// model by its name.
	Skill bool
	// Prompt marks a command that is no row of the table either: a prompt of an MCP server.
	Prompt bool
}

// Usage is how the command is written: "/diff [turn|session]".
func (c Command) Usage() string {
	if c.Args == "" {
		return "/" + string(c.Name)
	}
	return "/" + string(c.Name) + " " + c.Args
}

// Table returns all commands, those of a group together, in the order in which
// help shows them. The caller may change the result.
func Table() []Command {
	return []Command{
		{Name: New, Aliases: []string{"clear", "reset"}, Args: "[title]", Group: Session, Busy: true, Help: "start a new session; this one stays, and what runs in it goes on"},
		{Name: Resume, Aliases: []string{"sessions"}, Args: "[id|title]", Group: Session, Busy: true, Help: "go back to another session, or choose one; what runs here goes on"},
		{Name: Fork, Aliases: []string{"branch"}, Group: Session, Help: "go on in a branch of this session, which stays as it is; b in the transcript begins one at the selected block"},
		{Name: Tree, Group: Session, Busy: true, Help: "show the branches, compressions and subagents of this session, go to one, or compare it with this one"},
		{Name: Share, Group: Session, Busy: true, Help: "write this session as one HTML file with secrets masked, and show where it is; nothing leaves this machine"},
		{Name: Search, Args: "[words]", Group: Session, Busy: true, Help: "find what was said, in all sessions; in:. is this folder, after:2d, role:user and sort:newest narrow it down"},
		{Name: Init, Args: "[what matters]", Group: Session, Help: "have the agent look at this project and write AGENTS.md, which later sessions follow; asks first where there is one"},
		{Name: Title, Args: "[text]", Group: Session, Busy: true, Help: "name this session, or show its name"},
		{
			Name: Rewind, Args: "[undo]", Choices: []string{"undo"}, Group: Session, Busy: true,
			Help: "go back to before an earlier prompt: session, files or both",
		},
		{Name: Undo, Args: "[number]", Group: Session, Busy: true, Help: "take your newest prompt back, or so many, with all that came of it in the session and in files"},
		{Name: Redo, Args: "[number]", Group: Session, Busy: true, Help: "bring back what /undo or /rewind took away, newest first, until you send something else"},
		{
			Name: Compress, Args: "[preview|…]", Group: Session,
			Help: "shorten what the model gets of this session, keeping what you name above all; preview shows what would go; nothing is lost here",
		},
		{Name: Uncompress, Group: Session, Help: "take the last compression back: the model gets what it got before"},
		{Name: Quit, Aliases: []string{"exit"}, Group: Session, Busy: true, Help: "leave; the session can be resumed"},

		{Name: Model, Args: "[name]", Group: Settings, Busy: true, Help: "change the model, or choose one (provider:name says whose); the next turn uses it"},
		{Name: Setup, Group: Settings, Busy: true, Help: "set up what answers, step by step: a service and its key, the model, the theme, whether this folder is trusted"},
		{Name: Config, Aliases: []string{"settings"}, Args: "[name value]", Group: Settings, Busy: true, Help: "show all settings with what each does, find and change them; with a name and a value, change that one"},
		{
			Name: Mode, Args: "[guarded|manual|…]", Choices: []string{"guarded", "manual", "smart", "plan", "off"}, Group: Settings, Busy: true,
			Help: "set what is asked before something runs: guarded confines commands and asks about what needs more, manual asks before everything but reading, smart is guarded and asks a model first, plan reads only, off asks nothing",
		},
		{
			Name: Trust, Args: "[yes|no]", Choices: []string{"yes", "no"}, Group: Settings, Busy: true,
			Help: "trust this folder, or no longer: what its git settings, hooks and instruction files say counts only in a trusted one",
		},
		{Name: Instructions, Group: Settings, Busy: true, Help: "show the instruction files that were left out because they read like an attack, and take one as it is"},
		{
			Name: Memory, Args: "[add|user|…]", Choices: []string{"add", "user", "here", "search", "undo", "history", "archive", "now"}, Group: Settings, Busy: true,
			Help: "read what the agent remembers over sessions, change or forget it, add to it (here: for this project only), search it with what was learnt and said, take back what was written, look into the archive, tell the model at once",
		},
		{
			Name: Refine, Args: "[stop|…]", Group: Settings, Busy: true,
			Help: "have the agent look back at this session and keep what later ones should know, beside it; what you name it looks at above all; stop ends it",
		},
		{Name: Servers, Group: Settings, Busy: true, Help: "show the MCP servers, their tools and what those cost; allow, try, switch off"},
		{Name: Hooks, Group: Settings, Busy: true, Help: "show the programs of yours that run at points of a session, approve them, try them, and see what they did"},
		{Name: Plugins, Group: Settings, Busy: true, Help: "show the plugins that are installed and what each brings, enable and disable them"},
		{Name: Permissions, Group: Settings, Busy: true, Help: "show what is allowed beforehand and what was decided, and take permissions back"},
		{
			Name: Reasoning, Args: "[show|hide|…]", Choices: append([]string{"show", "hide", "default"}, event.Efforts()...),
			Group: Settings, Busy: true,
			Help: "show or hide the model's reasoning, or say how much it should reason from the next turn on",
		},
		{
			Name: Theme, Aliases: []string{"skin"}, Args: "[auto|dark|…]", Choices: append([]string{themes.Auto}, themes.Names()...), Group: Settings, Busy: true,
			Help: "try themes and take one, or set the colours by name, for later starts, too; auto follows the terminal",
		},

		{Name: Help, Args: "[accessibility|…]", Choices: topics(), Group: View, Busy: true, Help: "show the keys and commands, or a page of the documentation"},
		{Name: Find, Args: "[words]", Group: View, Busy: true, Help: "find words in the transcript, in folded blocks too; n and N go to the next and previous match"},
		{
			Name: Details, Args: "[tools|…]", Choices: []string{"tools", "reasoning", "diffs", "texts", "all"}, Group: View, Busy: true,
			Help: "fold or unfold all blocks of a kind: /details tools unfold, /details reasoning hidden, /details all fold",
		},
		{Name: Copy, Group: View, Busy: true, Help: "copy the newest answer"},
		{
			Name: Diff, Args: "[turn|session]", Choices: []string{"turn", "session"}, Group: View, Busy: true,
			Help: "show what this turn, or the whole session, has changed in files",
		},
		{
			Name: Review, Args: "[turn|session]", Choices: []string{"turn", "session"}, Group: View, Busy: true,
			Help: "decide about each hunk of what this turn, or the whole session, has changed in files: reject, rewrite or comment it; the agent is told",
		},
		{Name: Jobs, Group: View, Busy: true, Help: "show what runs in the background, and end it there"},
		{Name: Usage, Aliases: []string{"cost"}, Group: View, Busy: true, Help: "show what each agent has used: tokens and money"},
		{Name: Context, Group: View, Busy: true, Help: "show what the model gets, as a map and part by part, what each costs, and the text of each"},
		{Name: Tools, Group: View, Busy: true, Help: "show the tools that the model has, what each takes, read what is said of one, leave it out or bring it back"},
		{Name: Cache, Group: View, Busy: true, Help: "show what the prompt cache gave, until when it is warm, and why a call got less"},
		{Name: Hud, Group: View, Busy: true, Help: "show how long frames take, their bytes, and how far the screen is behind, or no longer"},
		{
			Name: Learnings, Args: "[fix|undo|…]", Group: View, Busy: true,
			Help: "show what was learnt from calls that failed, change it, and forget it",
		},
		{Name: Skills, Args: "[install|…]", Choices: []string{"install", "find", "update", "audit", "uninstall"}, Group: View, Busy: true, Help: "show the skills: what each is for and costs, what needs your decision, what is wrong; find, install, update, check and remove those from elsewhere"},
		{
			Name: Curator, Args: "[status|run|…]", Choices: []string{"status", "run", "pause", "resume", "pin", "unpin", "restore", "rollback"}, Group: View, Busy: true,
			Help: "show what became of skills that no one uses, archive them now, bring one back, take back a change of a skill",
		},
		{Name: Todos, Group: View, Busy: true, Help: "go to the task list"},
		{Name: Agents, Args: "[freeze|thaw]", Choices: []string{"freeze", "thaw"}, Group: View, Busy: true, Help: "go to the agents; freeze forbids them to start others"},
		{Name: Wall, Group: View, Busy: true, Help: "show all agents at once"},
		{Name: Replay, Args: "[number]", Group: View, Busy: true, Help: "choose a tree of agents, or open one (1 is the newest): who worked when, step by step"},
	}
}

// topics are the pages that help shows.
func topics() (names []string) {
	for _, t := range docs.Topics() {
		names = append(names, t.Name)
	}
	return names
}
