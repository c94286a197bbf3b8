package ui

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// action is something a key can do. The names are stable: configuration refers
// to them.
type action string

// place is where a key has its meaning. A key is looked up in the place that
// has the focus first, then in [anywhere].
type place string

// The places, in the order in which help shows them.
const (
	anywhere     place = "anywhere"
	inComposer   place = "writing"
	inMenu       place = "completion menu"
	inPrompt     place = "question"
	inTranscript place = "transcript"
	inSide       place = "side panes"
	inQueue      place = "queue"
	inWall       place = "wall"
	inOverlay    place = "window"
)

// binding gives keys to an action in a place.
type binding struct {
	place  place
	action action
	keys   []string
	help   string
	// hint is the short form for the status line, empty to leave it out.
	hint string
}

// The actions.
const (
	actEscape      action = "escape"
	actSessions    action = "sessions"
	actCancel      action = "cancel"
	actQuit        action = "quit"
	actMode        action = "mode"
	actHelp        action = "help"
	actFocusNext   action = "focus-next"
	actSide        action = "side-panes"
	actRedraw      action = "redraw"
	actSuspend     action = "suspend"
	actPageUp      action = "page-up"
	actPageDown    action = "page-down"
	actTop         action = "top"
	actBottom      action = "bottom"
	actTurnPrev    action = "turn-previous"
	actTurnNext    action = "turn-next"
	actFoldAll     action = "fold-all"
	actSend        action = "send"
	actSteer       action = "steer"
	actNewline     action = "newline"
	actComplete    action = "complete"
	actUp          action = "up"
	actDown        action = "down"
	actLeft        action = "left"
	actRight       action = "right"
	actWordLeft    action = "word-left"
	actWordRight   action = "word-right"
	actHome        action = "line-start"
	actEnd         action = "line-end"
	actBufferStart action = "text-start"
	actBufferEnd   action = "text-end"
	actBackspace   action = "backspace"
	actDelete      action = "delete"
	actDeleteWordL action = "delete-word-left"
	actDeleteWordR action = "delete-word-right"
	actKillEnd     action = "kill-to-end"
	actKillStart   action = "kill-to-start"
	actYank        action = "yank"
	actUndo        action = "undo"
	actRedo        action = "redo"
	actExpand      action = "expand-paste"
	actPasteImage  action = "paste-image"
	actAccept      action = "accept"
	actLater       action = "later"
	actFold        action = "fold"
	actOpen        action = "open"
	actCopy        action = "copy"
	actFind        action = "find"
	actFindNext    action = "find-next"
	actFindPrev    action = "find-previous"

	actKill       action = "kill"
	actKillTree   action = "kill-subtree"
	actPause      action = "pause"
	actFreeze     action = "freeze"
	actSteerAgent action = "steer-agent"
	actSort       action = "sort"
	actFilter     action = "filter"
	actDetail     action = "detail"
	actPromote    action = "promote"
	actWall       action = "wall"
	actTimeline   action = "timeline"
	actTakeBack   action = "take-back"
	actMoveUp     action = "move-up"
	actMoveDown   action = "move-down"
	actSteerNow   action = "steer-now"
	actRemove     action = "remove"

	actNextWaiting action = "next-waiting"

	actQuestionNext action = "next-question"
	actQuestionPrev action = "previous-question"
)

// defaultKeys is the one table of keys. Bindings, help, the status line's hints
// and the documentation are made from it. Key names are those of Bubble Tea.
func defaultKeys() []binding {
	return []binding{
		{anywhere, actEscape, []string{"esc"}, "close what is open, try again at once, or interrupt the turn", "interrupt"},
		{anywhere, actCancel, []string{"ctrl+c"}, "clear the draft, then interrupt, then quit when pressed twice", ""},
		{anywhere, actQuit, []string{"ctrl+d"}, "quit, when the draft is empty", ""},
		{anywhere, actMode, []string{"shift+tab"}, "change the approval mode: guarded, plan, off", "mode"},
		{anywhere, actFocusNext, []string{"f6"}, "move between writing, transcript and side panes", "panes"},
		{anywhere, actSide, []string{"f7"}, "show or hide the side panes", ""},
		{anywhere, actSessions, []string{"f8"}, "go to another session; the draft stays with this one", "sessions"},
		{anywhere, actHelp, []string{"f1"}, "show the keys and commands", ""},
		{anywhere, actRedraw, []string{"ctrl+l"}, "draw the screen again", ""},
		{anywhere, actSuspend, []string{"ctrl+z"}, "suspend the program; fg in the shell continues it", ""},
		{anywhere, actPageUp, []string{"pgup"}, "scroll the transcript up", ""},
		{anywhere, actPageDown, []string{"pgdown"}, "scroll the transcript down", ""},
		{anywhere, actTop, []string{"ctrl+home"}, "go to the start of the transcript", ""},
		{anywhere, actBottom, []string{"ctrl+end"}, "go to the end of the transcript and follow it", ""},
		{anywhere, actTurnPrev, []string{"alt+up"}, "go to the previous message of yours", ""},
		{anywhere, actTurnNext, []string{"alt+down"}, "go to the next message of yours", ""},
		{anywhere, actFoldAll, []string{"ctrl+t"}, "unfold or fold everything", ""},

		{inComposer, actSend, []string{"enter"}, "send; while a turn runs, queue", "send"},
		{inComposer, actSteer, []string{"ctrl+s"}, "steer the running turn with the draft", "steer"},
		{inComposer, actNewline, []string{"shift+enter", "alt+enter", "ctrl+j"}, "start a new line", ""},
		{inComposer, actComplete, []string{"tab"}, "complete, or focus the question that waits", ""},
		{inComposer, actHelp, []string{"?"}, "show the keys and commands, when the draft is empty", "keys"},
		{inComposer, actUp, []string{"up"}, "line up, then earlier drafts; takes back a queued message, or goes to the list of them", ""},
		{inComposer, actDown, []string{"down"}, "line down, then later drafts", ""},
		{inComposer, actLeft, []string{"left", "ctrl+b"}, "one character left", ""},
		{inComposer, actRight, []string{"right", "ctrl+f"}, "one character right", ""},
		{inComposer, actWordLeft, []string{"ctrl+left", "alt+left", "alt+b"}, "one word left", ""},
		{inComposer, actWordRight, []string{"ctrl+right", "alt+right", "alt+f"}, "one word right", ""},
		{inComposer, actHome, []string{"home", "ctrl+a"}, "start of the line", ""},
		{inComposer, actEnd, []string{"end", "ctrl+e"}, "end of the line", ""},
		{inComposer, actBufferStart, []string{"alt+<"}, "start of the draft", ""},
		{inComposer, actBufferEnd, []string{"alt+>"}, "end of the draft", ""},
		{inComposer, actBackspace, []string{"backspace", "ctrl+h", "shift+backspace"}, "delete to the left", ""},
		{inComposer, actDelete, []string{"delete"}, "delete to the right", ""},
		{inComposer, actDeleteWordL, []string{"ctrl+w", "alt+backspace", "ctrl+backspace"}, "delete the word to the left", ""},
		{inComposer, actDeleteWordR, []string{"alt+d", "ctrl+delete", "alt+delete"}, "delete the word to the right", ""},
		{inComposer, actKillEnd, []string{"ctrl+k"}, "cut to the end of the line", ""},
		{inComposer, actKillStart, []string{"ctrl+u"}, "cut to the start of the line", ""},
		{inComposer, actYank, []string{"ctrl+y"}, "insert what was cut", ""},
		{inComposer, actUndo, []string{"ctrl+_", "ctrl+/"}, "undo", ""},
		{inComposer, actRedo, []string{"alt+z", "ctrl+shift+z"}, "redo", ""},
		{inComposer, actExpand, []string{"ctrl+o"}, "turn the paste under the cursor into text", ""},
		{inComposer, actPasteImage, []string{"ctrl+v", "alt+v"}, "attach the image on the clipboard; text is pasted by the terminal's own key", ""},

		{inMenu, actAccept, []string{"enter", "tab"}, "take the marked entry", "take"},
		{inMenu, actUp, []string{"up", "ctrl+p"}, "previous entry", ""},
		{inMenu, actDown, []string{"down", "ctrl+n"}, "next entry", ""},

		{inPrompt, actAccept, []string{"enter"}, "take the marked row", "answer"},
		{inPrompt, actUp, []string{"up"}, "previous row", ""},
		{inPrompt, actDown, []string{"down"}, "next row", ""},
		{inPrompt, actLeft, []string{"left"}, "previous row", ""},
		{inPrompt, actRight, []string{"right"}, "next row", ""},
		{inPrompt, actLater, []string{"tab"}, "next question, or back to writing", "later"},
		{inPrompt, actQuestionNext, []string{"ctrl+n"}, "next question of a batch", ""},
		{inPrompt, actQuestionPrev, []string{"ctrl+p"}, "previous question of a batch", ""},
		{inPrompt, actPageUp, []string{"pgup"}, "scroll the question up", ""},
		{inPrompt, actPageDown, []string{"pgdown"}, "scroll the question down", ""},
		{inPrompt, actBackspace, []string{"backspace"}, "delete to the left", ""},

		{inTranscript, actUp, []string{"up", "k"}, "previous block", "blocks"},
		{inTranscript, actDown, []string{"down", "j"}, "next block", ""},
		{inTranscript, actFold, []string{"enter", "space"}, "fold or unfold the marked block", "fold"},
		{inTranscript, actOpen, []string{"o"}, "open the marked block in a window", "open"},
		{inTranscript, actCopy, []string{"y", "c"}, "copy the marked block", "copy"},
		{inTranscript, actHelp, []string{"?"}, "show the keys and commands", ""},
		{inTranscript, actTop, []string{"g", "home"}, "first block", ""},
		{inTranscript, actBottom, []string{"G", "end"}, "last block", ""},

		{inSide, actUp, []string{"up", "k"}, "previous agent", "agents"},
		{inSide, actDown, []string{"down", "j"}, "next agent", ""},
		{inSide, actDetail, []string{"enter"}, "show the details of the marked agent, or close them", "detail"},
		{inSide, actKill, []string{"x"}, "kill the marked agent when pressed twice; of the root: stop its turn", "kill"},
		{inSide, actKillTree, []string{"X"}, "kill the marked agent and all below it when pressed twice", ""},
		{inSide, actPause, []string{"p"}, "pause the marked agent and all below it, or resume them", "pause"},
		{inSide, actFreeze, []string{"P"}, "forbid agents to start others, or allow it again", ""},
		{inSide, actSteerAgent, []string{"s"}, "steer the marked agent with a message", "steer"},
		{inSide, actPromote, []string{"m"}, "show the marked agent in the main view", "main view"},
		{inSide, actWall, []string{"w"}, "show all agents at once", ""},
		{inSide, actTimeline, []string{"t"}, "show who worked when", ""},
		{inSide, actSort, []string{"o"}, "change sort order", ""},
		{inSide, actFilter, []string{"f"}, "filter agents", ""},
		{inSide, actHelp, []string{"?"}, "show the keys and commands", ""},

		{inWall, actUp, []string{"up", "k"}, "agent above", "agents"},
		{inWall, actDown, []string{"down", "j"}, "agent below", ""},
		{inWall, actLeft, []string{"left", "h"}, "agent to the left", ""},
		{inWall, actRight, []string{"right", "l"}, "agent to the right", ""},
		{inWall, actPageUp, []string{"pgup"}, "page up", ""},
		{inWall, actPageDown, []string{"pgdown"}, "page down", ""},
		{inWall, actPromote, []string{"m", "enter"}, "show the marked agent in the main view", "main view"},
		{inWall, actKill, []string{"x"}, "kill the marked agent when pressed twice", "kill"},
		{inWall, actKillTree, []string{"X"}, "kill the marked agent and all below it when pressed twice", ""},
		{inWall, actPause, []string{"p"}, "pause the marked agent and all below it, or resume them", "pause"},
		{inWall, actFreeze, []string{"P"}, "forbid agents to start others, or allow it again", ""},
		{inWall, actTimeline, []string{"t"}, "show who worked when", ""},
		{inWall, actNextWaiting, []string{"n"}, "next agent that waits for you", ""},
		{inWall, actSort, []string{"o"}, "put running agents first", ""},
		{inWall, actHelp, []string{"?"}, "show the keys and commands", ""},

		{inQueue, actUp, []string{"up", "k"}, "previous message", "messages"},
		{inQueue, actDown, []string{"down", "j"}, "next message, then back to writing", ""},
		{inQueue, actTakeBack, []string{"enter", "e"}, "take the marked message back to edit it", "edit"},
		{inQueue, actMoveUp, []string{"K", "shift+up"}, "send the marked message earlier", "earlier"},
		{inQueue, actMoveDown, []string{"J", "shift+down"}, "send the marked message later", "later"},
		{inQueue, actSteerNow, []string{"s", "ctrl+s"}, "hand the marked message to the running turn", "steer"},
		{inQueue, actRemove, []string{"x", "delete"}, "drop the marked message", "drop"},
		{inQueue, actHelp, []string{"?"}, "show the keys and commands", ""},

		{inOverlay, actAccept, []string{"enter"}, "take the marked entry", "take"},
		{inOverlay, actUp, []string{"up", "ctrl+p"}, "one entry or line up", ""},
		{inOverlay, actDown, []string{"down", "ctrl+n"}, "one entry or line down", "scroll"},
		{inOverlay, actPageUp, []string{"pgup"}, "page up", ""},
		{inOverlay, actPageDown, []string{"pgdown"}, "page down", ""},
		{inOverlay, actTop, []string{"home"}, "go to the start", ""},
		{inOverlay, actBottom, []string{"end"}, "go to the end", ""},
		{inOverlay, actBackspace, []string{"backspace"}, "delete to the left", ""},
		{inOverlay, actFind, []string{"ctrl+f"}, "find, in a text window", ""},
		{inOverlay, actFindNext, []string{"ctrl+g"}, "next match", ""},
		{inOverlay, actFindPrev, []string{"alt+g"}, "previous match", ""},
		{inOverlay, actCopy, []string{"ctrl+y"}, "copy the text", "copy"},
	}
}

// keymap finds the action of a key.
type keymap struct {
	bindings []binding
	byPlace  map[place]map[string]action
}

// newKeymap applies the person's own keys to the table. own maps actions, or
// "place.action" for one place only, to keys; no keys is none. What does not fit
// is reported and left at its default. A key has one action in a place: the
// person's own choice before a default, else the first of the table.
func newKeymap(own map[string][]string) (*keymap, []string) {
	table, problems, chosen := defaultKeys(), []string(nil), map[int]bool{}
	for _, name := range sortedKeys(own) {
		keys, bad := keysOf(own[name])
		for _, k := range bad {
			problems = append(problems, fmt.Sprintf("keys: %s: there is no key called %q; a name is like ctrl+s, alt+up, pgdown or x", name, k))
		}
		if len(bad) > 0 && len(keys) == 0 {
			continue
		}
		if !rebind(table, name, keys, chosen) {
			problems = append(problems, fmt.Sprintf("keys: there is no action %q; there are %s", name, actionsFor(table, name)))
		}
	}
	m := &keymap{bindings: table, byPlace: map[place]map[string]action{}}
	for _, theirs := range []bool{true, false} {
		for i := range table {
			if chosen[i] == theirs {
				problems = append(problems, m.claim(&table[i])...)
			}
		}
	}
	return m, append(problems, m.hidden()...)
}

// claim gives a binding those of its keys that are free, and reports the others.
func (m *keymap) claim(b *binding) (problems []string) {
	keys := m.byPlace[b.place]
	if keys == nil {
		keys = map[string]action{}
		m.byPlace[b.place] = keys
	}
	var free []string
	for _, k := range b.keys {
		if other, taken := keys[k]; taken {
			problems = append(problems, fmt.Sprintf("keys: %s is both %s and %s (%s); it is %s", k, other, b.action, b.place, other))
			continue
		}
		keys[k] = b.action
		free = append(free, k)
	}
	b.keys = free
	return problems
}

// hidden reports keys that should work anywhere and mean something else in some
// place.
func (m *keymap) hidden() []string {
	var problems []string
	for _, b := range m.bindings {
		if b.place == anywhere {
			continue
		}
		for _, k := range b.keys {
			if other, ok := m.byPlace[anywhere][k]; ok && other != b.action {
				problems = append(problems, fmt.Sprintf("keys: %s is %s (%s), so it is not %s there", k, b.action, b.place, other))
			}
		}
	}
	return problems
}

// keysOf brings the names of keys into the form in which keys arrive. bad are
// those that no key has.
func keysOf(names []string) (keys, bad []string) {
	for _, n := range names {
		k, ok := keyName(n)
		switch {
		case !ok:
			bad = append(bad, n)
		case !slices.Contains(keys, k):
			keys = append(keys, k)
		}
	}
	return keys, bad
}

// actionsFor lists the actions that a name may have meant: those of its place,
// or all.
func actionsFor(table []binding, name string) string {
	where, _, _ := strings.Cut(name, ".")
	there := slices.ContainsFunc(table, func(b binding) bool { return string(b.place) == where })
	var names []string
	for _, b := range table {
		if (!there || string(b.place) == where) && !slices.Contains(names, string(b.action)) {
			names = append(names, string(b.action))
		}
	}
	return strings.Join(names, ", ")
}

// rebind gives new keys to the bindings that a configured name means, and marks
// them.
func rebind(table []binding, name string, keys []string, chosen map[int]bool) bool {
	where, what, qualified := strings.Cut(name, ".")
	found := false
	for i := range table {
		b := &table[i]
		if qualified && (string(b.place) != where || string(b.action) != what) || !qualified && string(b.action) != name {
			continue
		}
		b.keys, found = slices.Clone(keys), true
		chosen[i] = true
	}
	return found
}

func sortedKeys(m map[string][]string) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// find looks a key up in the given places, in order.
func (m *keymap) find(key string, places ...place) (action, bool) {
	for _, p := range places {
		if a, ok := m.byPlace[p][key]; ok {
			return a, true
		}
	}
	return "", false
}

// binding finds a binding that has keys, in the first of the places that has
// the action.
func (m *keymap) binding(a action, places ...place) (binding, bool) {
	for _, p := range places {
		for _, b := range m.bindings {
			if b.place == p && b.action == a && len(b.keys) > 0 {
				return b, true
			}
		}
	}
	return binding{}, false
}
