package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

func newContext(sys *sys, f *flags) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "context [SESSION]",
		Short: "Show what the model gets of a session",
		Long: "context lists what the next request of a session holds: the parts of the system prompt, the tools and the\n" +
			"kinds of messages, each with its tokens and its share of what sending it once more costs now. Without a\n" +
			"session it is the newest one. With --json it holds the texts, too; costs are in trillionths of a dollar.",
		Example: "  hermes-tui context --json",
		Args:    words(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				f.resume = args[0]
			}
			f.latest = f.resume == ""
			err := sys.context(cmd.Context(), f, asJSON)
			if errors.Is(err, app.ErrNone) {
				err = usageError{errors.New("there is no session yet whose context could be shown: start one with hermes-tui")}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, with the text of each part")
	f.choosing(cmd.Flags())
	f.working(cmd.Flags())
	return cmd
}

// context prints the layers of a session.
func (s *sys) context(ctx context.Context, f *flags, asJSON bool) error {
	return s.withApp(ctx, f, func(ctx context.Context, a *app.App) error {
		c, err := f.conversation(ctx, a)
		if err != nil {
			return err
		}
		return s.printLayers(c.Layers(ctx), asJSON)
	})
}

func (s *sys) printLayers(l app.Layers, asJSON bool) error {
	if asJSON {
		return s.printJSON(l)
	}
	w := s.grid()
	row := func(columns ...string) { fmt.Fprintln(w, term.Plain(strings.Join(columns, "\t"))) }
	server := ""
	for _, layer := range l.List {
		if layer.Server != server {
			server = layer.Server
			for _, s := range l.Servers {
				if s.Name == server {
					row("server", s.Name, format.Tokens(int64(s.Tokens)), format.Count(s.Tools, "tool", "tools"), dollars(l, app.Layer{Cost: s.Cost}))
				}
			}
		}
		row(string(layer.Kind), layer.Name, format.Tokens(int64(layer.Tokens)), room(layer.Room, layer.Setting), dollars(l, layer))
	}
	for _, layer := range l.Left {
		row("left out", layer.Name)
	}
	row("total", "", format.Tokens(int64(l.Tokens)), room(l.Room, "compression.threshold"), dollars(l, app.Layer{Cost: l.Cost}))
	return w.Flush()
}

// room is how much something may take, and by which setting.
func room(tokens int, setting string) string {
	if tokens == 0 {
		return ""
	}
	return "of " + format.Tokens(int64(tokens)) + " (" + setting + ")"
}

// dollars is what a layer costs, empty without a price.
func dollars(l app.Layers, layer app.Layer) string {
	if !l.Priced || layer.Cost == 0 {
		return ""
	}
	return "~" + format.Dollars(layer.Cost)
}
