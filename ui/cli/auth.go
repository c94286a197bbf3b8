package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"

	"hermes-tui/agent/api"
	"hermes-tui/agent/app"
	"hermes-tui/agent/models"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/credentials"
	"hermes-tui/providers/redact"
	"hermes-tui/ui/doctor"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// newAuth makes the commands about keys and logins of model services.
func newAuth(s *sys, f *flags, p loginParts) *cobra.Command {
	cmd := &cobra.Command{
		Use: "auth", Short: "Add, list, try and remove the keys and logins of model services", Args: noArgs,
		Long: "auth knows the keys of the environment, of .env and config.yaml, those that it keeps in auth.json, which only\n" +
			"you can read, and logins.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAuthAdd(s, f), newAuthList(s, f), newAuthRemove(s, f), newAuthStatus(s, f), newLogin(s, f, p), newLogout(s, f, p))
	return cmd
}

func newAuthAdd(s *sys, f *flags) *cobra.Command {
	var of api.Service
	var name string
	var try bool
	cmd := &cobra.Command{
		Use: "add PROVIDER", Short: "Keep a key of a service in auth.json",
		Long: "add asks for the key, without showing it, or reads it from the standard input. It is never an argument, which\n" +
			"other programs and the history of your shell would see. Several keys of a service take turns.",
		Example: "  hermes-tui auth add openrouter\n  hermes-tui auth add anthropic --name work <key.txt\n" +
			"  hermes-tui auth add custom --address http://127.0.0.1:8080/v1 <key.txt",
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usageError{errors.New("auth add needs the name of a service, as in hermes-tui auth add openrouter")}
			case 1:
				return nil
			}
			return usageError{errors.New("auth add takes the name of a service and nothing else: a key is typed, or handed to the standard input")}
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			home, err := s.find(f)
			if err != nil {
				return err
			}
			if err := home.Ensure(); err != nil {
				return startError{err}
			}
			return s.withModels(f, func(a *models.Access) error {
				of.ID, of.Name = args[0], args[0]
				return s.addKey(cmd.Context(), a, of, name, try)
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "call the key `NAME` in the list")
	cmd.Flags().StringVar(&of.Address, "address", "", "keep it for the service at this `URL` alone")
	cmd.Flags().BoolVar(&try, "try", false, "have the service show that it takes the key, and keep it only then")
	return cmd
}

// withModels opens what leads to models, without sessions or tools.
func (s *sys) withModels(f *flags, do func(*models.Access) error) error {
	home, c, env, err := s.load(f)
	if err != nil {
		return err
	}
	s.warn(f)
	a, err := models.Open(models.Options{Version: Version(), Home: home, Config: c, Env: env, Unattended: true, IDs: s.ids})
	if err != nil {
		return startError{err}
	}
	for _, n := range a.Notices() {
		s.complain(n)
	}
	return errors.Join(authError(do(a)), a.Close(context.Background()))
}

// authError sorts an error: what names nothing is a wrong command line.
func authError(err error) error {
	if is[*models.NoKeyError](err) || is[*credentials.TargetError](err) {
		return usageError{err}
	}
	return loginError(err)
}

func (s *sys) addKey(ctx context.Context, a *models.Access, of api.Service, name string, try bool) error {
	key, err := s.typedKey(of.ID)
	if err != nil {
		return err
	}
	if try {
		g, err := a.Try(ctx, of, key)
		if e, ok := errors.AsType[*models.TryError](err); ok && e.Unheard {
			return errors.New(redact.NewSecrets(key).Text(err.Error()) + "; without --try it is kept unchecked")
		}
		if err != nil {
			return errors.New(redact.NewSecrets(key).Text(err.Error()))
		}
		fmt.Fprintf(s.out, "%s takes it, and offers %s.\n", term.Line(g.Label), format.Count(len(g.Models), "model", "models"))
	}
	kept, err := a.KeepKey(ctx, of, name, key)
	if err == nil {
		fmt.Fprintf(s.out, "The key %s of %s is kept in auth.json as %s.\n", kept.Shown, term.Line(kept.Provider), kept.ID)
	}
	return err
}

func newAuthList(s *sys, f *flags) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the keys and logins that there are, and where each comes from", Args: words(0, 0),
		Long:    "list shows keys masked. What is in auth.json has an id, by which auth remove takes it away.",
		Example: "  hermes-tui auth list\n  hermes-tui auth list --json",
		RunE: func(*cobra.Command, []string) error {
			return s.withModels(f, func(a *models.Access) error {
				list, err := a.Held()
				if err != nil {
					return err
				}
				return s.printKeys(list, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (s *sys) printKeys(list []models.Credential, asJSON bool) error {
	if asJSON {
		return s.printJSON(append([]models.Credential{}, list...))
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "There are no keys and no logins: add a key with hermes-tui auth add PROVIDER, or set one in the environment.")
	}
	w := s.grid()
	for _, c := range list {
		more := c.Name
		for _, text := range []string{c.Address, c.Problem} {
			if text != "" {
				more += "  " + text
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", term.Line(c.Provider), c.Kind, cmp.Or(term.Line(c.Shown), "-"), term.Line(c.From), cmp.Or(c.ID, "-"), term.Line(more))
	}
	return w.Flush()
}

func newAuthRemove(s *sys, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "remove PROVIDER [KEY]", Short: "Take a key out of auth.json", Args: words(1, 2),
		Long: "remove takes the key away that KEY names: its id or its name in auth list. It may be left out where the service\n" +
			"has one key. Logins are ended with auth logout; what is set elsewhere is taken away there.",
		Example: "  hermes-tui auth remove openrouter\n  hermes-tui auth remove anthropic work",
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withModels(f, func(a *models.Access) error {
				gone, err := a.ForgetKey(cmd.Context(), args[0], append(args, "")[1])
				if err == nil {
					fmt.Fprintf(s.out, "The key %s of %s is gone from auth.json.\n", gone.Shown, term.Line(gone.Provider))
				}
				return err
			})
		},
	}
}

func newAuthStatus(s *sys, f *flags) *cobra.Command {
	var live, asJSON bool
	cmd := &cobra.Command{
		Use: "status [PROVIDER]", Short: "Say which services can be used and with which key", Args: words(0, 1),
		Long: "status lists services in the order in which they are tried. With --live each is asked for its models and shows\n" +
			"that it takes its key; it ends with 1 when one does not.",
		Example: "  hermes-tui auth status\n  hermes-tui auth status openrouter --live",
		RunE: func(cmd *cobra.Command, args []string) error {
			only := ""
			if len(args) > 0 {
				only = args[0]
				if p, known := catalog.Find(only); known {
					only = p.ID
				}
			}
			if live {
				return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error { return s.tryKeys(ctx, a, only, asJSON) })
			}
			return s.withModels(f, func(a *models.Access) error { return s.printStatus(a, only, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&live, "live", false, "ask the services")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// tryKeys makes the check of doctor that asks services.
func (s *sys) tryKeys(ctx context.Context, a *app.App, only string, asJSON bool) error {
	m := &doctor.Machine{App: a, Only: only, Env: s.env}
	list := doctor.Run(ctx, m, []doctor.Check{{Name: "models", Look: doctor.Models}})
	for i := range list {
		list[i].Says = a.Mask(list[i].Says)
	}
	return s.printFindings(list, asJSON)
}

// printFindings prints what was found, and is an error if something does not work.
func (s *sys) printFindings(list []doctor.Finding, asJSON bool) (err error) {
	if asJSON {
		err = s.printJSON(list)
	} else {
		width := 0
		if file, ok := s.file.(*os.File); ok {
			width, _, _ = xterm.GetSize(int(file.Fd()))
		}
		err = doctor.Print(s.out, list, width)
	}
	if bad := doctor.Count(list, doctor.Bad); bad > 0 {
		return errors.Join(err, fmt.Errorf("%s", format.Exact(bad, "thing does not work", "things do not work")))
	}
	return err
}

// keyStatus is a service as JSON has it.
type keyStatus struct {
	Provider string `json:"provider"`
	Label    string `json:"label"`
	Host     string `json:"host"`
	From     string `json:"from"`
}

func (s *sys) printStatus(a *models.Access, only string, asJSON bool) error {
	found, err := a.Endpoints()
	if err != nil {
		s.complain(err.Error())
	}
	list := []keyStatus{}
	for _, g := range found {
		if g.Host != "" && (only == "" || g.Provider == only) {
			list = append(list, keyStatus{g.Provider, g.Label, g.Host, g.Key})
		}
	}
	if asJSON {
		if err := s.printJSON(list); err != nil {
			return err
		}
	}
	switch {
	case len(list) == 0 && only != "":
		return fmt.Errorf("nothing opens %s: add a key with hermes-tui auth add %s, or log in with hermes-tui auth login", only, only)
	case asJSON:
		return nil
	case len(list) == 0:
		fmt.Fprintln(s.out, "No service can be used: add a key with hermes-tui auth add PROVIDER, or start a model server on this machine.")
	}
	w := s.grid()
	for _, one := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\n", term.Line(one.Provider), term.Line(one.Host), term.Line(cmp.Or(one.From, "no key")))
	}
	return w.Flush()
}
