// Package keys is the one table of keys. Bindings, help, the hints of the status row and
// the documentation are made from it. A [Map] must not be changed once it is made; it is
// safe for concurrent use then.
package keys

// Action is something a key can do. The names are stable: configuration refers
// to them.
type Action string

// Context is where a key has its meaning. A key is looked up in the context that
// has the focus first, then in [Anywhere].
type Context string

// The contexts.
const (
	Anywhere     Context = "anywhere"
	InComposer   Context = "writing"
	InMenu       Context = "menu"
	InRecall     Context = "history"
	InPrompt     Context = "question"
	InTranscript Context = "transcript"
	InFind       Context = "find"
	InSelection  Context = "selection"
	InSidebar    Context = "sidebar"
	InQueue      Context = "queue"
	InGrid       Context = "wall"
	InOverlay    Context = "window"
	InText       Context = "text"
	InJobs       Context = "jobs"
	InTimeline   Context = "timeline"
	InReplays    Context = "replays"
	InSkills     Context = "skills"
	InSessions   Context = "sessions"
	InHeld       Context = "instructions"
	InHooks      Context = "hooks"
	InServers    Context = "servers"
	InPlugins    Context = "plugins"
	InThemes     Context = "themes"
	InSetup      Context = "setup"
	InMemory     Context = "memory"
	InReview     Context = "review"
	InDecided    Context = "permissions"
)

// Contexts are all of them, in the order in which help shows them.
func Contexts() []Context {
	return []Context{InComposer, InPrompt, InTranscript, InFind, InSelection, InMenu, InRecall, InSidebar, InGrid, InQueue, InOverlay, InText, InJobs, InTimeline, InReplays, InSkills, InSessions, InHeld, InHooks, InServers, InPlugins, InThemes, InSetup, InMemory, InReview, InDecided, Anywhere}
}

// formerContexts are names that settings may still have from earlier versions.
var formerContexts = map[string]Context{"completion menu": InMenu, "side panes": InSidebar, "text window": InText}

// Binding gives keys to an action in a context.
type Binding struct {
	Context Context
	Action  Action
	Keys    []string
	Help    string
	// Hint is the short form for the status line, empty to leave it out.
	Hint string
}

// The actions.
const (
	Escape      Action = "escape"
	Sessions    Action = "sessions"
	NextSession Action = "next-session"
	Cancel      Action = "cancel"
	Quit        Action = "quit"
	Mode        Action = "mode"
	Help        Action = "help"
	Palette     Action = "palette"
	FocusNext   Action = "focus-next"
	Side        Action = "side-panes"
	Redraw      Action = "redraw"
	Suspend     Action = "suspend"
	PageUp      Action = "page-up"
	PageDown    Action = "page-down"
	Top         Action = "top"
	Bottom      Action = "bottom"
	TurnPrev    Action = "turn-previous"
	TurnNext    Action = "turn-next"
	FoldAll     Action = "fold-all"
	Send        Action = "send"
	Steer       Action = "steer"
	Newline     Action = "newline"
	Complete    Action = "complete"
	Up          Action = "up"
	Down        Action = "down"
	Left        Action = "left"
	Right       Action = "right"
	WordLeft    Action = "word-left"
	WordRight   Action = "word-right"
	Home        Action = "line-start"
	End         Action = "line-end"
	BufferStart Action = "text-start"
	BufferEnd   Action = "text-end"
	Backspace   Action = "backspace"
	Delete      Action = "delete"
	DeleteWordL Action = "delete-word-left"
	DeleteWordR Action = "delete-word-right"
	KillEnd     Action = "kill-to-end"
	KillStart   Action = "kill-to-start"
	Yank        Action = "yank"
	Undo        Action = "undo"
	Redo        Action = "redo"
	Expand      Action = "expand-paste"
	PasteImage  Action = "paste-image"
	Recall      Action = "recall"
	Stash       Action = "stash"
	Editor      Action = "editor"
	Accept      Action = "accept"
	Later       Action = "later"
	Fold        Action = "fold"
	Open        Action = "open"
	Copy        Action = "copy"
	CopyCode    Action = "copy-code"
	SelectText  Action = "select-text"
	SelectLines Action = "select-lines"
	Mouse       Action = "mouse"
	Times       Action = "times"
	FoldAlike   Action = "fold-alike"
	CopyOutput  Action = "copy-output"
	Prompts     Action = "prompts"

	Bookmark     Action = "bookmark"
	NextBookmark Action = "next-bookmark"
	PrevBookmark Action = "previous-bookmark"
	Bookmarks    Action = "bookmarks"

	Find      Action = "find"
	FindNext  Action = "find-next"
	FindPrev  Action = "find-previous"
	MatchCase Action = "match-case"
	Pattern   Action = "pattern"
	Replay    Action = "replay"
	Play      Action = "play"
	NextEvent Action = "next-event"
	PrevEvent Action = "previous-event"
	Slower    Action = "slower"
	Faster    Action = "faster"
	Mark      Action = "mark"
	Compare   Action = "compare"
	Allow     Action = "allow"
	Pin       Action = "pin"
	Disable   Action = "disable"
	Try       Action = "try"
	Login     Action = "login"
	Give      Action = "give-variables"
	Logged    Action = "read-log"
	Use       Action = "use"
	Install   Action = "install"
	Update    Action = "update"
	Uninstall Action = "uninstall"
	Check     Action = "check"
	Rename    Action = "rename"
	Archive   Action = "archive"
	Doom      Action = "delete-session"
	Fork      Action = "fork"
	Hidden    Action = "show-archived"
	Project   Action = "by-folder"
	Export    Action = "export"
	Beside    Action = "open-beside"
	Keep      Action = "keep"
	Skip      Action = "skip"
	Writes    Action = "writes"

	Kill       Action = "kill"
	KillTree   Action = "kill-subtree"
	Pause      Action = "pause"
	Freeze     Action = "freeze"
	SteerAgent Action = "steer-agent"
	Sort       Action = "sort"
	Filter     Action = "filter"
	Detail     Action = "detail"
	Promote    Action = "promote"
	Wall       Action = "wall"
	Timeline   Action = "timeline"
	TakeBack   Action = "take-back"
	MoveUp     Action = "move-up"
	MoveDown   Action = "move-down"
	SteerNow   Action = "steer-now"
	Remove     Action = "remove"

	NextWaiting Action = "next-waiting"

	Review        Action = "review"
	NextHunk      Action = "next-hunk"
	PrevHunk      Action = "previous-hunk"
	NextUndecided Action = "next-undecided"
	TakeHunk      Action = "accept-hunk"
	RejectHunk    Action = "reject-hunk"
	EditHunk      Action = "edit-hunk"
	CommentHunk   Action = "comment-hunk"
	TakeAll       Action = "accept-all"
	RejectAll     Action = "reject-all"
	Undecide      Action = "undecide"
	SideBySide    Action = "side-by-side"

	QuestionNext Action = "next-question"
	QuestionPrev Action = "previous-question"
)

// Default is the one table of keys. Bindings, help, the status line's hints
// and the documentation are made from it. Key names are those of Bubble Tea.
func Default() []Binding {
	return []Binding{
		{Anywhere, Escape, []string{"esc"}, "close what is open, try again at once, or interrupt the turn", "interrupt"},
		{Anywhere, Palette, []string{"ctrl+p"}, "list every action and command with its key, to take one", "all actions"},
		{Anywhere, Cancel, []string{"ctrl+c"}, "clear the draft, then interrupt, then quit when pressed twice", ""},
		{Anywhere, Quit, []string{"ctrl+d"}, "quit, when the draft is empty", ""},
		{Anywhere, Mode, []string{"shift+tab"}, "switch plan mode on or off", "mode"},
		{Anywhere, FocusNext, []string{"f6"}, "move between writing, transcript and side panes", "panes"},
		{Anywhere, Side, []string{"f7"}, "show or hide the side panes", ""},
		{Anywhere, Sessions, []string{"f8", "ctrl+x"}, "go to another session; the draft stays with this one", "sessions"},
		{Anywhere, NextSession, []string{"alt+n", "ctrl+tab"}, "go to the next session that runs here, else back to the one before", ""},
		{Anywhere, Help, []string{"f1"}, "show the keys and commands", ""},
		{Anywhere, Mouse, []string{"alt+m"}, "leave the mouse to the terminal, which selects text by itself, or take it again", ""},
		{Anywhere, Redraw, []string{"ctrl+l"}, "draw the screen again", ""},
		{Anywhere, Suspend, []string{"ctrl+z"}, "suspend the program; fg in the shell continues it", ""},
		{Anywhere, PageUp, []string{"pgup"}, "scroll the transcript up", ""},
		{Anywhere, PageDown, []string{"pgdown"}, "scroll the transcript down", ""},
		{Anywhere, Top, []string{"ctrl+home"}, "go to the start of the transcript", ""},
		{Anywhere, Bottom, []string{"ctrl+end"}, "go to the end of the transcript and follow it", ""},
		{Anywhere, TurnPrev, []string{"alt+up"}, "go to the previous message of yours", ""},
		{Anywhere, TurnNext, []string{"alt+down"}, "go to the next message of yours", ""},
		{Anywhere, Prompts, []string{"alt+j"}, "go to one of your messages, by a list of them", ""},
		{Anywhere, Find, []string{"ctrl+f"}, "find something in the transcript", ""},
		{Anywhere, FoldAll, []string{"ctrl+t"}, "unfold or fold everything", ""},

		{InComposer, Send, []string{"enter"}, "send; while a turn runs, queue", "send"},
		{InComposer, Steer, []string{"ctrl+s"}, "steer the running turn with the draft", "steer"},
		{InComposer, Newline, []string{"shift+enter", "alt+enter", "ctrl+j"}, "start a new line", ""},
		{InComposer, Complete, []string{"tab"}, "complete, or focus the question that waits", ""},
		{InComposer, Help, []string{"?"}, "show the keys and commands, when the draft is empty", "keys"},
		{InComposer, Up, []string{"up"}, "line up, then earlier drafts; takes back a queued message, or goes to the list of them", ""},
		{InComposer, Down, []string{"down"}, "line down, then later drafts", ""},
		{InComposer, Left, []string{"left", "ctrl+b"}, "one character left", ""},
		{InComposer, Right, []string{"right"}, "one character right", ""},
		{InComposer, WordLeft, []string{"ctrl+left", "alt+left", "alt+b"}, "one word left", ""},
		{InComposer, WordRight, []string{"ctrl+right", "alt+right", "alt+f"}, "one word right", ""},
		{InComposer, Home, []string{"home", "ctrl+a"}, "start of the line", ""},
		{InComposer, End, []string{"end", "ctrl+e"}, "end of the line", ""},
		{InComposer, BufferStart, []string{"alt+<"}, "start of the draft", ""},
		{InComposer, BufferEnd, []string{"alt+>"}, "end of the draft", ""},
		{InComposer, Backspace, []string{"backspace", "ctrl+h", "shift+backspace"}, "delete to the left", ""},
		{InComposer, Delete, []string{"delete"}, "delete to the right", ""},
		{InComposer, DeleteWordL, []string{"ctrl+w", "alt+backspace", "ctrl+backspace"}, "delete the word to the left", ""},
		{InComposer, DeleteWordR, []string{"alt+d", "ctrl+delete", "alt+delete"}, "delete the word to the right", ""},
		{InComposer, KillEnd, []string{"ctrl+k"}, "cut to the end of the line", ""},
		{InComposer, KillStart, []string{"ctrl+u"}, "cut to the start of the line", ""},
		{InComposer, Yank, []string{"ctrl+y"}, "insert what was cut", ""},
		{InComposer, Undo, []string{"ctrl+_", "ctrl+/"}, "undo", ""},
		{InComposer, Redo, []string{"alt+z", "ctrl+shift+z"}, "redo", ""},
		{InComposer, Expand, []string{"ctrl+o"}, "turn the paste under the cursor into text", ""},
		{InComposer, Recall, []string{"ctrl+r"}, "find an earlier prompt of any session", ""},
		{InComposer, Stash, []string{"alt+q"}, "put the draft aside, or bring one back", ""},
		{InComposer, Editor, []string{"ctrl+g", "alt+g"}, "change the draft in your editor ($VISUAL, $EDITOR)", ""},
		{InComposer, PasteImage, []string{"ctrl+v", "alt+v"}, "attach the image on the clipboard; text is pasted by the terminal's own key", ""},

		{InRecall, Accept, []string{"enter", "tab"}, "take the selected prompt into the draft", "take"},
		{InRecall, Up, []string{"ctrl+r", "up"}, "older prompt", "older"},
		{InRecall, Down, []string{"down"}, "newer prompt", ""},
		{InRecall, Backspace, []string{"backspace"}, "delete to the left", ""},
		{InRecall, KillStart, []string{"ctrl+u"}, "delete all that was typed", ""},

		{InMenu, Accept, []string{"enter", "tab"}, "take the selected entry", "select"},
		{InMenu, Up, []string{"up", "ctrl+p"}, "previous entry", ""},
		{InMenu, Down, []string{"down", "ctrl+n"}, "next entry", ""},

		{InPrompt, Accept, []string{"enter"}, "take the selected row", "answer"},
		{InPrompt, Up, []string{"up"}, "previous row", ""},
		{InPrompt, Down, []string{"down"}, "next row", ""},
		{InPrompt, Left, []string{"left"}, "previous row", ""},
		{InPrompt, Right, []string{"right"}, "next row", ""},
		{InPrompt, Later, []string{"tab"}, "next question, or back to writing", "later"},
		{InPrompt, QuestionNext, []string{"ctrl+n"}, "next question of a batch", ""},
		{InPrompt, QuestionPrev, []string{"ctrl+p"}, "previous question of a batch", ""},
		{InPrompt, PageUp, []string{"pgup"}, "scroll the question up", ""},
		{InPrompt, PageDown, []string{"pgdown"}, "scroll the question down", ""},
		{InPrompt, Backspace, []string{"backspace"}, "delete to the left", ""},

		{InTranscript, Up, []string{"up", "k"}, "previous block", "blocks"},
		{InTranscript, Down, []string{"down", "j"}, "next block", ""},
		{InTranscript, Fold, []string{"enter", "space"}, "fold or unfold the selected block", "fold"},
		{InTranscript, Open, []string{"o"}, "open the selected block in a window", "open"},
		{InTranscript, Copy, []string{"y"}, "copy the selected block", "copy"},
		{InTranscript, SelectText, []string{"v"}, "select text, starting at the selected block", "select"},
		{InTranscript, CopyCode, []string{"c"}, "copy a block of code of the selected block, by its number where there are several; of a call its command", "code"},
		{InTranscript, CopyOutput, []string{"r"}, "copy the output of the selected call", "copy output"},
		{InTranscript, Editor, []string{"e"}, "open the selected block in your editor, to read", ""},
		{InTranscript, FoldAlike, []string{"f"}, "fold or unfold all blocks of the selected one's kind", ""},
		{InTranscript, Prompts, []string{"p"}, "go to one of your messages, by a list of them", ""},
		{InTranscript, Find, []string{"/"}, "find something in the transcript", "find"},
		{InTranscript, FindNext, []string{"n"}, "next match", "next"},
		{InTranscript, FindPrev, []string{"N"}, "previous match", "previous"},
		{InTranscript, Bookmark, []string{"m"}, "set a bookmark at the selected block, or remove it; the session keeps it", ""},
		{InTranscript, NextBookmark, []string{"]"}, "next bookmark", ""},
		{InTranscript, PrevBookmark, []string{"["}, "previous bookmark", ""},
		{InTranscript, Bookmarks, []string{"'"}, "list the bookmarks, to go to one", ""},
		{InTranscript, Times, []string{"t"}, "show when each message and call came, or no longer", ""},
		{InTranscript, Review, []string{"d"}, "decide about what was changed in files since the turn of the selected block", ""},
		{InTranscript, Fork, []string{"b"}, "go on in a branch that begins at the selected block; a prompt comes back to be edited", "branch"},
		{InTranscript, Help, []string{"?"}, "show the keys and commands", ""},
		{InTranscript, Top, []string{"g", "home"}, "first block", ""},
		{InTranscript, Bottom, []string{"G", "end"}, "last block", ""},

		{InFind, Accept, []string{"enter"}, "end typing; the matches stay highlighted", "keep"},
		{InFind, FindNext, []string{"down", "ctrl+n"}, "next match", "next"},
		{InFind, FindPrev, []string{"up", "ctrl+p"}, "previous match", "previous"},
		{InFind, MatchCase, []string{"alt+c"}, "tell small and capital letters apart, or no longer", "case"},
		{InFind, Pattern, []string{"alt+r"}, "find a regular expression, or plain text again", "regexp"},
		{InFind, Backspace, []string{"backspace"}, "delete to the left", ""},
		{InFind, KillStart, []string{"ctrl+u"}, "delete all that was typed", ""},

		{InSelection, Left, []string{"left", "h"}, "one character left", ""},
		{InSelection, Right, []string{"right", "l"}, "one character right", ""},
		{InSelection, Up, []string{"up", "k"}, "one row up", ""},
		{InSelection, Down, []string{"down", "j"}, "one row down", ""},
		{InSelection, WordLeft, []string{"b"}, "one word left", ""},
		{InSelection, WordRight, []string{"w"}, "one word right", "word"},
		{InSelection, Home, []string{"0", "home"}, "start of the row", ""},
		{InSelection, End, []string{"$", "end"}, "end of the row", "end of the row"},
		{InSelection, PageUp, []string{"pgup"}, "one page up", ""},
		{InSelection, PageDown, []string{"pgdown"}, "one page down", ""},
		{InSelection, Top, []string{"g"}, "start of the transcript", ""},
		{InSelection, Bottom, []string{"G"}, "end of the transcript", ""},
		{InSelection, SelectLines, []string{"V"}, "select whole lines, or characters again", "lines"},
		{InSelection, Copy, []string{"y", "enter"}, "copy what is selected", "copy"},
		{InSelection, SelectText, []string{"v"}, "end the selection", ""},

		{InSidebar, Up, []string{"up", "k"}, "previous agent", "agents"},
		{InSidebar, Down, []string{"down", "j"}, "next agent", ""},
		{InSidebar, Detail, []string{"enter"}, "show the details of the selected agent, or close them", "detail"},
		{InSidebar, Kill, []string{"x"}, "end the selected agent when pressed twice; of the main agent: interrupt its turn", "end"},
		{InSidebar, KillTree, []string{"X"}, "end the selected agent and all below it when pressed twice", ""},
		{InSidebar, Pause, []string{"p"}, "pause the selected agent and all below it, or resume them", "pause"},
		{InSidebar, Freeze, []string{"P"}, "forbid agents to start others, or allow it again", ""},
		{InSidebar, SteerAgent, []string{"s"}, "steer the selected agent with a message", "steer"},
		{InSidebar, Promote, []string{"m"}, "show the selected agent in the main view", "main view"},
		{InSidebar, Wall, []string{"w"}, "show all agents at once", ""},
		{InSidebar, Timeline, []string{"t"}, "show who worked when", ""},
		{InSidebar, Sort, []string{"o"}, "change sort order", ""},
		{InSidebar, Filter, []string{"f"}, "filter agents", ""},
		{InSidebar, Help, []string{"?"}, "show the keys and commands", ""},

		{InGrid, Up, []string{"up", "k"}, "agent above", "agents"},
		{InGrid, Down, []string{"down", "j"}, "agent below", ""},
		{InGrid, Left, []string{"left", "h"}, "agent to the left", ""},
		{InGrid, Right, []string{"right", "l"}, "agent to the right", ""},
		{InGrid, PageUp, []string{"pgup"}, "page up", ""},
		{InGrid, PageDown, []string{"pgdown"}, "page down", ""},
		{InGrid, Promote, []string{"m", "enter"}, "show the selected agent in the main view", "main view"},
		{InGrid, Kill, []string{"x"}, "end the selected agent when pressed twice", "end"},
		{InGrid, KillTree, []string{"X"}, "end the selected agent and all below it when pressed twice", ""},
		{InGrid, Pause, []string{"p"}, "pause the selected agent and all below it, or resume them", "pause"},
		{InGrid, Freeze, []string{"P"}, "forbid agents to start others, or allow it again", ""},
		{InGrid, Timeline, []string{"t"}, "show who worked when", ""},
		{InGrid, NextWaiting, []string{"n"}, "next agent that needs your answer", ""},
		{InGrid, Sort, []string{"o"}, "put running agents first", ""},
		{InGrid, Help, []string{"?"}, "show the keys and commands", ""},

		{InQueue, Up, []string{"up", "k"}, "previous message", "messages"},
		{InQueue, Down, []string{"down", "j"}, "next message, then back to writing", ""},
		{InQueue, TakeBack, []string{"enter", "e"}, "take the selected message back to edit it", "edit"},
		{InQueue, MoveUp, []string{"K", "shift+up"}, "send the selected message earlier", "earlier"},
		{InQueue, MoveDown, []string{"J", "shift+down"}, "send the selected message later", "later"},
		{InQueue, SteerNow, []string{"s", "ctrl+s"}, "hand the selected message to the running turn", "steer"},
		{InQueue, Remove, []string{"x", "delete"}, "drop the selected message", "drop"},
		{InQueue, Help, []string{"?"}, "show the keys and commands", ""},

		{InOverlay, Accept, []string{"enter"}, "take the selected entry", "select"},
		{InOverlay, Up, []string{"up", "ctrl+p"}, "one entry or line up", ""},
		{InOverlay, Down, []string{"down", "ctrl+n"}, "one entry or line down", "scroll"},
		{InOverlay, PageUp, []string{"pgup"}, "page up", ""},
		{InOverlay, PageDown, []string{"pgdown"}, "page down", ""},
		{InOverlay, Top, []string{"home"}, "go to the start", ""},
		{InOverlay, Bottom, []string{"end"}, "go to the end", ""},
		{InOverlay, Backspace, []string{"backspace"}, "delete to the left", ""},
		{InOverlay, Find, []string{"ctrl+f"}, "find, in a text window", ""},
		{InOverlay, FindNext, []string{"ctrl+g"}, "next match", ""},
		{InOverlay, FindPrev, []string{"alt+g"}, "previous match", ""},
		{InOverlay, Copy, []string{"ctrl+y"}, "copy the text", "copy"},

		{InText, Up, []string{"k"}, "one line up", ""},
		{InText, Down, []string{"j"}, "one line down", ""},
		{InText, PageUp, []string{"b"}, "page up", ""},
		{InText, PageDown, []string{"space"}, "page down", ""},
		{InText, Top, []string{"g"}, "go to the start", ""},
		{InText, Bottom, []string{"G"}, "go to the end", ""},
		{InText, Find, []string{"/"}, "find", "find"},
		{InText, FindNext, []string{"n"}, "next match", ""},
		{InText, FindPrev, []string{"N"}, "previous match", ""},
		{InText, Editor, []string{"e"}, "open the text in your editor, to read", "editor"},

		{InJobs, Up, []string{"k"}, "previous job", ""},
		{InJobs, Down, []string{"j"}, "next job", ""},
		{InJobs, Kill, []string{"x", "X"}, "end the selected job when pressed twice", "end"},
		{InJobs, Open, []string{"o"}, "show all of its output", "output"},

		{InReview, NextHunk, []string{"n", "right", "l"}, "next hunk", "next"},
		{InReview, PrevHunk, []string{"p", "left", "h"}, "previous hunk", ""},
		{InReview, NextUndecided, []string{"tab"}, "next hunk about which nothing is decided", ""},
		{InReview, TakeHunk, []string{"a", "y"}, "accept the selected hunk", "accept"},
		{InReview, RejectHunk, []string{"r", "x"}, "reject the selected hunk", "reject"},
		{InReview, EditHunk, []string{"e"}, "rewrite the selected hunk", "edit"},
		{InReview, Editor, []string{"E"}, "rewrite the selected hunk in your editor ($VISUAL, $EDITOR)", ""},
		{InReview, CommentHunk, []string{"c"}, "say something about the selected hunk to the agent", "comment"},
		{InReview, TakeAll, []string{"A"}, "accept all hunks but those that you have rewritten", "accept all"},
		{InReview, RejectAll, []string{"R"}, "reject all hunks", ""},
		{InReview, Undecide, []string{"u"}, "take back what was decided about the selected hunk", ""},
		{InReview, SideBySide, []string{"s"}, "show old and new side by side, or below each other", "sides"},
		{InReview, Up, []string{"k"}, "one line up", ""},
		{InReview, Down, []string{"j"}, "one line down", ""},
		{InReview, PageUp, []string{"b"}, "page up", ""},
		{InReview, PageDown, []string{"space"}, "page down", ""},
		{InReview, Top, []string{"g"}, "go to the start", ""},
		{InReview, Bottom, []string{"G"}, "go to the end", ""},

		{InTimeline, Up, []string{"k"}, "previous agent", ""},
		{InTimeline, Down, []string{"j"}, "next agent", ""},
		{InTimeline, Top, []string{"g"}, "first agent", ""},
		{InTimeline, Bottom, []string{"G"}, "last agent", ""},
		{InTimeline, Left, []string{"left", "h"}, "in a replay: step back", ""},
		{InTimeline, Right, []string{"right", "l"}, "in a replay: step", ""},
		{InTimeline, Replay, []string{"r"}, "start a replay, or end it", ""},
		{InTimeline, Play, []string{"space"}, "in a replay: play and pause", ""},
		{InTimeline, NextEvent, []string{"n"}, "in a replay: next event", ""},
		{InTimeline, PrevEvent, []string{"N"}, "in a replay: previous event", ""},
		{InTimeline, Slower, []string{"<"}, "in a replay: slower", ""},
		{InTimeline, Faster, []string{">"}, "in a replay: faster", ""},
		{InTimeline, Kill, []string{"x"}, "end the selected agent when pressed twice", "end"},
		{InTimeline, KillTree, []string{"X"}, "end the selected agent and all below it when pressed twice", ""},
		{InTimeline, Pause, []string{"p"}, "pause the selected agent and all below it, or resume them", "pause"},

		{InReplays, Up, []string{"k"}, "previous entry", ""},
		{InReplays, Down, []string{"j"}, "next entry", ""},
		{InReplays, Top, []string{"g"}, "first entry", ""},
		{InReplays, Bottom, []string{"G"}, "last entry", ""},
		{InReplays, Mark, []string{"space"}, "mark for comparing", ""},
		{InReplays, Compare, []string{"c"}, "compare the two that are marked", ""},

		{InSessions, Rename, []string{"alt+r"}, "give the selected session another title", "rename"},
		{InSessions, Archive, []string{"alt+a"}, "archive the selected session, or bring it back", "archive"},
		{InSessions, Doom, []string{"alt+d"}, "delete the selected session when you leave, or no longer", "delete"},
		{InSessions, Fork, []string{"alt+b"}, "go on in a branch of the selected session", "branch"},
		{InSessions, Compare, []string{"alt+c"}, "show what the selected session says otherwise than this one", "compare"},
		{InSessions, Hidden, []string{"alt+s"}, "list archived and deleted sessions, too, or no longer", ""},
		{InSessions, Project, []string{"alt+p"}, "list the sessions of this folder, all by folder, or all by time", "by folder"},
		{InSessions, Export, []string{"alt+e"}, "write the selected session to a file", ""},
		{InSessions, Beside, []string{"alt+o"}, "go to the selected session and keep this one open", ""},

		{InDecided, Hidden, []string{"alt+s"}, "list what was decided in other sessions, too, or no longer", "all sessions"},

		{InHeld, Allow, []string{"alt+a"}, "let the selected file count as it is now", "take it anyway"},

		{InHooks, Allow, []string{"alt+a"}, "approve the selected hook as it is now", "approve"},
		{InHooks, Disable, []string{"alt+d"}, "let the selected hook run no more", "switch off"},
		{InHooks, Try, []string{"alt+t"}, "run the selected hook with a sample of its event", "try"},
		{InServers, Allow, []string{"alt+a"}, "allow the selected server, or its new and changed tools, as they are now", "allow"},
		{InServers, Disable, []string{"alt+d"}, "switch the selected server off or on until you end the program", "on/off"},
		{InServers, Project, []string{"alt+p"}, "switch the selected server off in this project, or on again", "in project"},
		{InServers, Logged, []string{"alt+o"}, "read what the selected server has written on its standard error", "log"},
		{InServers, Give, []string{"alt+v"}, "give the selected server the variables that it asks for, or take them back", "variables"},
		{InServers, Login, []string{"alt+l"}, "log in at the selected server", "log in"},
		{InServers, Try, []string{"alt+t"}, "try to connect to the selected server", "try"},

		{InPlugins, Allow, []string{"alt+a"}, "enable the selected plugin as it is now", "enable"},
		{InPlugins, Disable, []string{"alt+d"}, "disable the selected plugin", "disable"},

		{InThemes, Keep, []string{"ctrl+s"}, "take the selected theme and save it for later starts", "use and save"},

		{InSetup, Skip, []string{"alt+s"}, "leave the setup; /setup comes back to it", "skip setup"},
		{InSetup, KillStart, []string{"ctrl+u"}, "delete all that was typed", ""},

		{InMemory, Find, []string{"alt+f"}, "look for what is typed in the archive, in learnings and in other sessions, too", "find"},
		{InMemory, Editor, []string{"alt+e"}, "change the selected entry in your editor ($VISUAL, $EDITOR)", "edit"},
		{InMemory, Remove, []string{"alt+x"}, "forget the selected entry, or drop the selected change", "forget"},
		{InMemory, Undo, []string{"alt+u"}, "take the newest write back", "undo"},
		{InMemory, Writes, []string{"alt+w"}, "list the last writes, to take one back", "writes"},
		{InMemory, Archive, []string{"alt+a"}, "list what had to make room, to put it back", "archive"},

		{InSkills, Use, []string{"alt+enter"}, "begin a message that calls the selected skill", "use"},
		{InSkills, Allow, []string{"alt+a"}, "allow the selected skill as it is now, or the selected change", "allow"},
		{InSkills, Pin, []string{"alt+p"}, "keep agents from deleting the selected skill, or no longer", "pin"},
		{InSkills, Disable, []string{"alt+d"}, "switch the selected skill off, or on again; drop the selected change", "off or on"},
		{InSkills, Install, []string{"alt+i"}, "install skills from elsewhere", "install"},
		{InSkills, Find, []string{"alt+f"}, "look for what is typed among skills that can be installed", "find more"},
		{InSkills, Update, []string{"alt+u"}, "fetch what is new of the selected skill, or of all where it is not from elsewhere", "update"},
		{InSkills, Check, []string{"alt+t"}, "look through the skills from elsewhere again", ""},
		{InSkills, Uninstall, []string{"alt+x"}, "remove the selected skill that is from elsewhere", ""},
	}
}
