package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/models"
	"hermes-tui/ui/format"
	pick "hermes-tui/ui/models"
	"hermes-tui/ui/term"
)

// newModels makes the commands about models.
func newModels(s *sys, f *flags) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "models [WORD ...]", Short: "List the models that can be used, with context, price and abilities",
		Long: "models lists what each service that has a key offers, and the model servers of this machine: provider, name,\n" +
			"context window in tokens, dollars for a million tokens in and out, and what the model can do. With words it lists\n" +
			"those that have all of them in provider or name. Lists are remembered for a day.",
		Example: "  hermes-tui models\n  hermes-tui models anthropic opus\n  hermes-tui models --json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withModels(f, func(a *models.Access) error { return s.listModels(cmd.Context(), a.Known, args, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(&cobra.Command{
		Use: "refresh", Short: "Ask the services for their lists of models again", Args: words(0, 0),
		Long: "refresh asks every service and says what it offers. It ends with 1 when one does not answer.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withModels(f, func(a *models.Access) error { return s.refreshModels(cmd.Context(), a) })
		},
	})
	return cmd
}

// offered collects what endpoints offer, in their order.
func offered(ctx context.Context, ask func(context.Context, func(api.ModelGroup)) error) ([]api.ModelGroup, error) {
	var list []api.ModelGroup
	err := ask(ctx, func(g api.ModelGroup) {
		if !g.Asking && !models.Scripted(g.Provider) {
			list = append(list, g)
		}
	})
	slices.SortStableFunc(list, func(a, b api.ModelGroup) int { return a.At - b.At })
	return list, err
}

// shownModel is a model as JSON has it. Prices are dollars for a million tokens.
type shownModel struct {
	Provider  string   `json:"provider"`
	Name      string   `json:"name"`
	Context   int      `json:"context,omitempty"`
	Output    int      `json:"output,omitempty"`
	Input     *float64 `json:"price_in,omitempty"`
	Answer    *float64 `json:"price_out,omitempty"`
	Cached    *float64 `json:"price_cached,omitempty"`
	Abilities []string `json:"abilities,omitempty"`
}

func shown(m api.ModelInfo) shownModel {
	_, _, can := pick.Describe(m)
	out := shownModel{Provider: m.Provider, Name: m.Name, Context: m.ContextMax, Output: m.OutputMax, Abilities: can}
	if p := m.Price; p != nil {
		dollars := func(m event.Money) *float64 {
			if m < 0 {
				return nil
			}
			v := float64(m) / float64(event.Dollar)
			return &v
		}
		out.Input, out.Answer, out.Cached = dollars(p.Input), dollars(p.Output), dollars(p.CacheRead)
	}
	return out
}

func (s *sys) listModels(ctx context.Context, ask func(context.Context, func(api.ModelGroup)) error, filter []string, asJSON bool) error {
	groups, err := offered(ctx, ask)
	w := s.grid()
	list, unanswered := []shownModel{}, 0
	for _, g := range groups {
		if g.Problem != "" {
			unanswered++
			s.complain(g.Label + ": " + g.Problem)
		}
		for _, m := range g.Models {
			if !holdsAll(m.Provider+" "+m.Name, filter) {
				continue
			}
			list = append(list, shown(m))
			window, price, can := pick.Describe(m)
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", term.Line(m.Provider), term.Line(m.Name), window, price, strings.Join(can, " "))
		}
	}
	switch {
	case err != nil:
		return err
	case asJSON:
		err = s.printJSON(list)
	default:
		err = w.Flush()
	}
	switch {
	case err != nil || len(list) > 0:
	case len(groups) == 0:
		s.complain("no service can be used: add a key with hermes-tui auth add PROVIDER, or start a model server on this machine")
	case unanswered == len(groups):
		err = errors.New("no service has listed its models")
	case len(filter) > 0:
		s.complain("no model has all of these words in its name: " + strings.Join(filter, " "))
	}
	return err
}

// holdsAll reports whether a text has all words in it, whatever the case.
func holdsAll(text string, words []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) })
}

func (s *sys) refreshModels(ctx context.Context, a *models.Access) error {
	groups, err := offered(ctx, a.Ask)
	bad := 0
	for _, g := range groups {
		if g.Problem != "" {
			bad++
			s.complain(g.Label + ": " + g.Problem)
			continue
		}
		fmt.Fprintf(s.out, "%s  %s in %s\n", term.Line(g.Provider), format.Count(len(g.Models), "model", "models"), g.Took.Round(time.Millisecond))
	}
	if err == nil && bad > 0 {
		err = fmt.Errorf("%s did not answer", format.Exact(bad, "service", "services"))
	}
	return err
}
