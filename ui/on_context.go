package ui

import (
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// layersMsg brings what the model gets.
type layersMsg struct{ app.Layers }

// layerMsg asks for the text of a layer.
type layerMsg struct{ app.Layer }

// openContext shows what the model gets of the conversation.
func (m *Model) openContext() tea.Cmd {
	c, ctx := m.conv, m.ctx
	return m.do(func() tea.Msg { return layersMsg{c.Layers(ctx)} })
}

// layerGroups are the headings of the kinds of layers.
var layerGroups = map[string]string{"system": "System prompt", "tool": "Tools", "history": "History", "reserve": "Kept free"}

func (msg layersMsg) handle(m *Model) tea.Cmd {
	title := "Context · " + format.Tokens(int64(msg.Tokens))
	if msg.Window > 0 {
		title += " of " + format.Tokens(int64(msg.Window))
	}
	if msg.Warm > 0 {
		title += " · " + format.Tokens(int64(msg.Warm)) + " warm"
	}
	if msg.Priced && msg.Cost > 0 {
		title += " · ~" + format.Dollars(msg.Cost)
	}
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: title, Empty: "Nothing was sent yet.", Hints: m.hints(keys.InOverlay, keys.Accept, keys.Escape),
		Chosen: func(it overlay.Item) overlay.Request {
			i, err := strconv.Atoi(it.ID)
			if err != nil {
				return piecesMsg(msg)
			}
			return layerMsg{msg.List[i]}
		},
	})
	m.show(p)
	items := layerItems(msg.Layers)
	if len(msg.Pieces) > 0 {
		items = append(items, overlay.Item{
			ID: "pieces", Label: "drop, pin or bring back parts of the history", Group: "Change it", Right: format.Count(len(msg.Pieces), "part", "parts"),
		})
	}
	p.SetItems(p.Load(), items)
	return m.dispatch(p.Search())
}

// layerItems are the rows of the window.
func layerItems(l app.Layers) []overlay.Item {
	items := make([]overlay.Item, len(l.List))
	for i, layer := range l.List {
		it := overlay.Item{ID: strconv.Itoa(i), Label: layer.Name, Group: layerGroups[string(layer.Kind)], Right: format.Tokens(int64(layer.Tokens))}
		if layer.Items > 0 {
			it.Detail = format.Count(layer.Items, "message", "messages")
		}
		if whole := max(l.Window, l.Tokens); whole > 0 {
			it.Right += fmt.Sprintf("  %4.1f%%", 100*float64(layer.Tokens)/float64(whole))
		}
		if layer.Cost > 0 {
			it.Right += "  ~" + format.Dollars(layer.Cost)
		}
		if layer.Text == "" {
			it.Disabled = "There is no text."
		}
		items[i] = it
	}
	return items
}

func (msg layerMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	m.showOver(overlay.NewPager(m.styles, msg.Name, msg.Text, m.hints(keys.InOverlay, keys.Escape)))
	return nil
}
