// Package layers holds the windows of what the model gets of a conversation: its parts, what they
// take of the context, and what can be left out, dropped, pinned and brought back.
package layers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/host"
	"hermes-tui/ui/overlay"
)

// layersMsg brings what the model gets.
type layersMsg struct {
	api.Layers
	tools bool // only those
}

// layerMsg asks for the text of a layer.
type layerMsg struct{ api.Layer }

// Open shows what the model gets of the conversation.
func Open(h host.Host) tea.Cmd {
	c, ctx := h.Conv(), h.Context()
	return h.Do(func() tea.Msg { return layersMsg{Layers: c.Layers(ctx)} })
}

// OpenTools shows the tools that the model has, what each takes of the context, and those
// that were left out, to be brought back.
func OpenTools(h host.Host) tea.Cmd {
	c, ctx := h.Conv(), h.Context()
	return h.Do(func() tea.Msg {
		l := c.Layers(ctx)
		other := func(a api.Layer) bool { return a.Kind != "tool" && a.Kind != "server" }
		l.List, l.Left = slices.DeleteFunc(slices.Clone(l.List), other), slices.DeleteFunc(slices.Clone(l.Left), other)
		l.Pieces = nil
		return layersMsg{l, true}
	})
}

// layerGroups are the headings of the kinds of layers.
var layerGroups = map[string]string{"system": "System prompt", "tool": "Tools", "history": "History", "reserve": "Kept free"}

// Handle implements [host.Message].
func (msg layersMsg) Handle(h host.Host) tea.Cmd { return Show(h, msg.Layers, msg.tools) }

// Show opens the window of what the model gets, or of its tools alone.
func Show(h host.Host, l api.Layers, tools bool) tea.Cmd {
	title := "Context · " + format.Tokens(int64(l.Tokens))
	if l.Window > 0 {
		title += " of " + format.Tokens(int64(l.Window))
	}
	if l.Warm > 0 {
		title += " · " + format.Tokens(int64(l.Warm)) + " warm"
	}
	if l.Priced && l.Cost > 0 {
		title += " · ~" + format.Dollars(l.Cost)
	}
	if tools {
		tokens := 0
		for _, layer := range l.List {
			tokens += layer.Tokens
		}
		title = "Tools · " + format.Count(len(l.List), "tool", "tools") + " · " + format.Tokens(int64(tokens)) + " of the context"
	}
	above := func(cells int) []string { return layerMap(l, cells) }
	if tools {
		above = nil
	}
	byID := map[string]overlay.Request{}
	p := overlay.NewPicker(h.Styles(), overlay.PickerOptions{
		Title: title, Empty: "Nothing was sent yet.", Hints: h.WindowHints("open"), Above: above,
		Chosen: func(it overlay.Item) overlay.Request { return byID[it.ID] },
	})
	h.Show(p)
	items := layerItems(l, byID)
	if len(l.Pieces) > 0 {
		byID["pieces"] = piecesMsg{l}
		items = append(items, overlay.Item{
			ID: "pieces", Label: "drop, pin or bring back parts of the history", Group: "Change it", Right: format.Count(len(l.Pieces), "part", "parts"),
		})
	}
	p.SetItems(p.Load(), items)
	return h.Dispatch(p.Search())
}

// layerMap draws in so many cells how the context is shared out, and says what the signs mean.
func layerMap(l api.Layers, cells int) []string {
	whole, share := max(l.Window, l.Tokens, 1), map[string]int{}
	for _, layer := range l.List {
		share[string(layer.Kind)] += layer.Tokens
	}
	line, legend, end := "", "", 0
	for _, k := range []struct{ kind, sign, name string }{
		{"system", "█", "prompt"}, {"tool", "▓", "tools"}, {"history", "▒", "history"}, {"reserve", "░", "kept free"}, {"", "·", "free"},
	} {
		if k.kind == "" {
			share[""] = max(whole-end, 0)
		}
		n := (min(end+share[k.kind], whole)*cells+whole/2)/whole - len([]rune(line))
		if share[k.kind] <= 0 {
			continue
		}
		if n = max(n, 0); n == 0 && len([]rune(line)) < cells {
			n = 1 // what is there is seen
		}
		end += share[k.kind]
		line += strings.Repeat(k.sign, n)
		legend += " " + k.sign + " " + k.name + " " + format.Tokens(int64(share[k.kind])) + " ·"
	}
	return []string{line, strings.TrimSuffix(strings.TrimPrefix(legend, " "), " ·")}
}

// layerItems are the rows of the window, each with what choosing it asks for.
func layerItems(l api.Layers, chosen map[string]overlay.Request) []overlay.Item {
	var items []overlay.Item
	server := ""
	for i, layer := range l.List {
		if layer.Server != server {
			if server = layer.Server; server != "" {
				items = append(items, serverItem(l, server, chosen))
			}
		}
		it := overlay.Item{ID: strconv.Itoa(i), Label: layer.Name, Group: layerGroup(l, layer), Right: layerRight(l, layer.Tokens, layer.Cost)}
		chosen[it.ID] = layerMsg{layer}
		switch {
		case layer.Items > 0:
			it.Detail = format.Count(layer.Items, "message", "messages")
		case layer.Room > 0:
			it.Detail = "of " + format.Tokens(int64(layer.Room)) + " · " + layer.Setting
		case layer.Fixed != "":
			it.Detail = "stays: " + layer.Fixed
		}
		if layer.Text == "" {
			it.Disabled = "There is no text."
			if layer.Fixed != "" {
				it.Disabled = layer.Fixed
			}
		}
		items = append(items, it)
	}
	for _, layer := range l.Left {
		right := ""
		if layer.Tokens > 0 {
			right = format.Tokens(int64(layer.Tokens))
		}
		chosen[layer.ID] = layerMsg{layer}
		items = append(items, overlay.Item{ID: layer.ID, Label: layer.Name, Detail: layerWord(layer), Group: "Left out for this session", Right: right})
	}
	return items
}

// layerGroup is the heading above a layer.
func layerGroup(l api.Layers, layer api.Layer) string {
	group := layerGroups[string(layer.Kind)]
	switch {
	case layer.Server != "":
		group = "Tools of the server " + layer.Server
	case layer.Kind == "history" && l.Room > 0:
		group += " · shortened once all is over " + format.Tokens(int64(l.Room))
	}
	return group
}

// layerRight says how much something takes.
func layerRight(l api.Layers, tokens int, cost event.Money) string {
	right := format.Tokens(int64(tokens))
	if whole := max(l.Window, l.Tokens); whole > 0 {
		right += fmt.Sprintf("  %4.1f%%", 100*float64(tokens)/float64(whole))
	}
	if cost > 0 {
		right += "  ~" + format.Dollars(cost)
	}
	return right
}

// serverItem is the row of all tools of a server.
func serverItem(l api.Layers, name string, chosen map[string]overlay.Request) overlay.Item {
	it := overlay.Item{Label: "all of them", Group: "Tools of the server " + name}
	for _, s := range l.Servers {
		if s.Name == name {
			it.ID, it.Detail, it.Right = s.ID, format.Count(s.Tools, "tool", "tools"), layerRight(l, s.Tokens, s.Cost)
			chosen[s.ID] = layerMsg{api.Layer{Kind: "server", ID: s.ID, Name: name, Tokens: s.Tokens}}
		}
	}
	return it
}

// layerWord says what a layer is, in one word.
func layerWord(l api.Layer) string {
	switch l.Kind {
	case "tool":
		return "tool"
	case "server":
		return "server"
	}
	return "part of the prompt"
}

// Handle shows the text of a layer, or asks what is to be done with one that can be left out.
func (msg layerMsg) Handle(h host.Host) tea.Cmd {
	if msg.Kind == "history" {
		return readLayer(h, msg.Layer)
	}
	var items []overlay.Item
	if msg.Text != "" {
		items = append(items, overlay.Item{ID: pieceRead, Label: "Read it"})
	}
	switch {
	case msg.Left:
		items = append(items, overlay.Item{ID: pieceBack, Label: "Bring it back", Detail: "the next question shows the price"})
	case msg.Fixed != "":
		items = append(items, overlay.Item{ID: pieceDrop, Label: "Leave it out", Detail: msg.Fixed, Disabled: msg.Fixed})
	default:
		items = append(items, overlay.Item{ID: pieceDrop, Label: "Leave it out for the rest of the session", Detail: "the next question shows the price"})
	}
	p := overlay.NewPicker(h.Styles(), overlay.PickerOptions{
		Title: msg.Name, Hints: h.WindowHints("choose"),
		Chosen: func(it overlay.Item) overlay.Request { return layerDoMsg{msg.Layer, it.ID} },
	})
	h.ShowOver(p)
	p.SetItems(p.Load(), items)
	return h.Dispatch(p.Search())
}

func readLayer(h host.Host, l api.Layer) tea.Cmd {
	h.ShowOver(overlay.NewPager(h.Styles(), l.Name, l.Text, h.ReadHints()))
	return nil
}

// layerDoMsg asks for something to be done with a layer.
type layerDoMsg struct {
	api.Layer
	what string
}

func (msg layerDoMsg) Handle(h host.Host) tea.Cmd {
	if msg.what == pieceRead {
		return readLayer(h, msg.Layer)
	}
	c, ctx := h.Conv(), h.Context()
	return h.Do(func() tea.Msg { return layerPriceMsg{c.LeavePrice(ctx, msg.ID), msg.Layer} })
}

// layerPriceMsg brings what leaving out a layer, or bringing it back, does to the next
// requests; leaveLayerMsg asks to do it.
type (
	layerPriceMsg struct {
		api.Change
		api.Layer
	}
	leaveLayerMsg struct {
		out bool
		id  string
	}
)

func (msg layerPriceMsg) Handle(h host.Host) tea.Cmd {
	out := !msg.Left
	question, first := "Leave out "+msg.Name+"?", fmt.Sprintf("The model gets about %s tokens less, from the next turn on and for the rest of the session. /context brings it back.", format.Tokens(int64(msg.Change.Tokens)))
	yes := "leave it out"
	if !out {
		question, first, yes = "Bring back "+msg.Name+"?", "The model gets it again, from the next turn on.", "bring it back"
	}
	ask := overlay.NewConfirm(h.Styles(), question, append([]overlay.Line{{Text: first}}, changeLines(msg.Change)...), h.QuestionHints(yes, "leave all as it is"))
	ask.Yes = leaveLayerMsg{out, msg.ID}
	h.ShowOver(ask)
	return nil
}

func (msg leaveLayerMsg) Handle(h host.Host) tea.Cmd {
	c, ctx := h.Conv(), h.Context()
	return choose(h, func() error { return c.Leave(ctx, msg.out, msg.id) })
}

// changeLines say what a change costs.
func changeLines(ch api.Change) (lines []overlay.Line) {
	if ch.Cold > 0 {
		lines = append(lines, overlay.Line{Text: fmt.Sprintf("About %s tokens behind it are no longer cached: the next request reads them again.", format.Tokens(int64(ch.Cold)))})
	}
	if ch.Priced && ch.Now > 0 {
		change, less := "less", ch.Later
		if less < 0 {
			change, less = "more", -less
		}
		lines = append(lines, overlay.Line{
			Text: fmt.Sprintf("It costs ~%s instead of ~%s; each one after that ~%s %s.", format.Dollars(ch.Next), format.Dollars(ch.Now), format.Dollars(less), change), Warn: ch.Next > ch.Now,
		})
	}
	return lines
}
