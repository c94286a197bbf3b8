package slash

// stand is what a command of Hermes Agent is here: another command, with arguments if
// the user types none, or else a sentence that names the nearest.
type stand struct {
	is   Name
	args string
	says string
}

// theirs are the commands of Hermes Agent that go by another name here, or by a key. They
// are found by their whole names, behind all others.
var theirs = map[string]stand{
	"switch": {is: Resume}, "session": {is: Resume}, "save": {is: Share}, "rollback": {is: Rewind},
	"compact": {is: Compress}, "tasks": {is: Agents}, "stop": {is: Jobs},
	"yolo": {is: Mode, args: "off"}, "footer": {is: Config},
	"statusbar": {is: Config}, "indicator": {is: Config}, "busy": {is: Config}, "mouse": {is: Config},
	"detail": {is: Details}, "verbose": {is: Details}, "status": {is: Context}, "insights": {is: Usage}, "credits": {is: Usage},
	"toolsets": {is: Tools}, "bundles": {is: Skills}, "reload-skills": {is: Skills}, "reload-mcp": {is: Servers},
	"commands": {is: Help}, "terminal-setup": {is: Help, args: "keys"},

	"steer":       {says: "Write the message while a turn runs and press ctrl+s: the agent gets it with its next result."},
	"queue":       {says: "Write the message while a turn runs and press enter: it waits in the queue."},
	"retry":       {says: "/undo takes the newest prompt back, up brings it into the draft, and enter sends it again."},
	"history":     {says: "The transcript is the history: f6 goes there, /find finds words in it, /search in all sessions."},
	"personality": {says: "Who the agent is stands in SOUL.md, in the folder that HERMES_HOME names; /context shows what it gets."},
	"background":  {says: "Ask for subagents, which work beside you, or open another session with /new; /agents shows them."},
	"goal":        {says: "Goals over several turns are not kept here: /todos shows the tasks of this session."},
	"snapshot":    {says: "Files are kept around each call: /undo, /redo and /rewind bring them back."},
	"image":       {says: "Name the picture with @ in your message, drop it on the terminal, or press ctrl+v."},
	"paste":       {says: "Press ctrl+v for a picture of the clipboard, or the paste key of the terminal for text."},
	"redraw":      {says: "Press ctrl+l."},
	"reload":      {says: "Settings are read again when config.yaml changes; variables count from the next start on."},
	"profile":     {says: "hermes-tui -p NAME begins with another profile."},
	"logs":        {says: "The logs lie in the folder logs of HERMES_HOME; hermes-tui doctor looks for what is wrong."},
	"update":      {says: "Run the installer again outside; hermes-tui --version says which one this is."},
	"version":     {says: "hermes-tui --version says it, outside."},
	"cron":        {says: "Nothing is run by the clock here: have cron call hermes-tui exec."},
	"browser":     {says: "There is no browser here: pages are read by web_extract, and MCP servers can drive one, see /mcp."},
	"voice":       {says: "There is no voice here."},
	"handoff":     {says: "Sessions stay on this machine: /resume opens one in any terminal, /share writes it as a file."},
}
