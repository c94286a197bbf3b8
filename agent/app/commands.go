package app

import (
	"cmp"
	"encoding/json"
	"slices"

	"hermes-tui/tools/shell"
)

// commandTools are the commands that are tools: those of the settings by name, and those of
// plugins.
func (a *App) commandTools() (list []shell.Command) {
	for name, t := range a.config().Tools.Commands {
		list = append(list, shell.Command{
			Name: name, Description: t.Description, Command: t.Command, Parameters: json.RawMessage(t.Parameters), Timeout: t.Timeout.Duration(),
		})
	}
	slices.SortFunc(list, func(x, y shell.Command) int { return cmp.Compare(x.Name, y.Name) })
	return append(list, a.pluginTools()...)
}
