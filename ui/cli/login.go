package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"hermes-tui/agent/models"
	"hermes-tui/providers/credentials"
	"hermes-tui/providers/login"
	"hermes-tui/store"
	"hermes-tui/store/atomicfile"
	"hermes-tui/store/config"
	"hermes-tui/ui/term"
)

// loginParts are what the commands about logins need besides the system.
type loginParts struct {
	// settings are the part of the configuration that logins follow.
	settings func(config.Config) models.LoginSettings
	// open opens an address in a browser, and reports whether it could begin to.
	open func(s *sys, address string) bool
	// sleep waits between two questions to a service; nil waits in real time.
	sleep func(ctx context.Context, d time.Duration) error
}

// addLogins adds the commands about keys and logins. Logging in and out have short names,
// too.
func addLogins(root *cobra.Command, sys *sys, f *flags, p loginParts) {
	root.AddCommand(newAuth(sys, f, p), newLogin(sys, f, p), newLogout(sys, f, p))
}

func newLogin(sys *sys, f *flags, p loginParts) *cobra.Command {
	var device, list bool
	in := &cobra.Command{
		Use:   "login [PROVIDER]",
		Short: "Log in to ChatGPT, or list logins",
		Long: "login logs in to ChatGPT (" + login.ProviderOpenAI + "), in a browser on this machine or, with --device or without a\n" +
			"terminal, with a code on any other device. It needs a client id that OpenAI gave you for this program,\n" +
			"login.openai.client_id in config.yaml; without one, use a key. The login is kept in auth.json and renewed\n" +
			"by itself. The login of Claude Code is found where that program keeps it, and listed here.",
		Example: "  hermes-tui login --list\n  hermes-tui login " + login.ProviderOpenAI + " --device",
		Args:    atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return sys.withLogins(f, p, func(l *models.Logins) error { return sys.listLogins(l) })
			}
			return sys.withLogins(f, p, func(l *models.Logins) error { return sys.login(cmd.Context(), l, p, strings.Join(args, ""), device) })
		},
	}
	in.Flags().BoolVar(&device, "device", false, "log in with a code, on this or any other device")
	in.Flags().BoolVar(&list, "list", false, "list who is logged in, and until when")
	in.MarkFlagsMutuallyExclusive("device", "list")
	return in
}

func newLogout(sys *sys, f *flags, p loginParts) *cobra.Command {
	return &cobra.Command{
		Use:     "logout PROVIDER",
		Short:   "Forget a login, here and at the service",
		Long:    "logout removes the login of a service from auth.json and tells the service that it is over. Keys stay.",
		Example: "  hermes-tui logout " + login.ProviderOpenAI,
		Args:    exactlyOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			return sys.withLogins(f, p, func(l *models.Logins) error { return sys.logout(cmd.Context(), l, args[0]) })
		},
	}
}

func atMostOne(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError{errors.New("login takes one provider at a time (see hermes-tui login --help)")}
	}
	return nil
}

func exactlyOne(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("logout needs the name of one provider: hermes-tui logout %s (hermes-tui login --list names those there are)", login.ProviderOpenAI)}
	}
	return nil
}

// withLogins loads the settings, opens the logins and closes them again.
func (s *sys) withLogins(f *flags, p loginParts, do func(*models.Logins) error) error {
	home, c, env, err := s.load(f)
	if err != nil {
		return err
	}
	for _, text := range f.notices() {
		s.complain(text)
	}
	l, err := models.OpenLogins(models.LoginOptions{
		Version: Version(), Home: home, Settings: p.settings(c), Env: env, UserHome: userHome(env), IDs: s.ids, Sleep: p.sleep,
	})
	if err != nil {
		return loginError(err)
	}
	err = do(l)
	return errors.Join(err, loginError(l.Close()))
}

// stoppedLogin is a login that was interrupted.
type stoppedLogin struct{}

// Error implements error.
func (stoppedLogin) Error() string {
	return "interrupted: the login was not finished, and nothing was changed"
}

// Is makes it end the program as an interrupt does.
func (stoppedLogin) Is(target error) bool { return target == errInterrupted }

// stopped is [loginError] for what the user may interrupt.
func stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return stoppedLogin{}
	}
	return loginError(err)
}

// loginError sorts an error: the command line or the settings, the machine, or the
// service.
func loginError(err error) error {
	if own, ok := errors.AsType[*login.Error](err); ok {
		if own.Problem == login.ProblemSetting {
			return usageError{err}
		}
		return err
	}
	switch {
	case is[*models.UnknownLoginError](err):
		return usageError{err}
	case is[*credentials.FileError](err), is[*store.HomeError](err), is[*atomicfile.HeldError](err):
		return startError{err}
	}
	return err
}

// login logs in. Whatever is shown is plain text, so that it can be piped.
func (s *sys) login(ctx context.Context, l *models.Logins, p loginParts, provider string, device bool) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	in, out := s.terminal()
	way := models.LoginWay{Device: s.askDevice}
	if in && out && !device {
		way = models.LoginWay{Browser: func(address string) { s.askBrowser(p, address) }}
	}
	info, err := l.Login(ctx, provider, way)
	if err != nil {
		return stopped(ctx, err)
	}
	fmt.Fprintf(s.out, "Logged in to %s%s. Use it with hermes-tui --provider %s\n", info.Name, account(info), info.Provider)
	return nil
}

// askBrowser shows the address to log in at.
func (s *sys) askBrowser(p loginParts, address string) {
	fmt.Fprintf(s.out, "Log in at this address, in a browser on this machine:\n\n  %s\n\n", term.Plain(address))
	if set(s.env, "SSH_CONNECTION") {
		fmt.Fprint(s.out, "This is another machine, reached over ssh: if the browser cannot come back here, use --device.\n")
	} else if p.open(s, address) {
		fmt.Fprint(s.out, "It was opened for you. ")
	}
	fmt.Fprint(s.out, "Waiting for the browser…\n")
}

// askDevice shows the code to log in with.
func (s *sys) askDevice(p login.Prompt) {
	fmt.Fprintf(s.out, "Open this page on any device, and enter the code there until %s:\n\n  %s\n  code: %s\n\n", p.Expires.Format("15:04"), term.Plain(p.Page), term.Plain(p.Code))
	if p.Direct != "" {
		fmt.Fprintf(s.out, "Or open this, which has the code in it:\n\n  %s\n\n", term.Plain(p.Direct))
	}
	fmt.Fprint(s.out, "Enter it only if you began this login yourself. Waiting…\n")
}

func set(env func(string) (string, bool), name string) bool {
	v, _ := env(name)
	return v != ""
}

// account is the account of a login, to follow a name.
func account(i models.LoginInfo) string {
	if i.Account == "" {
		return ""
	}
	return " (account " + i.Account + ")"
}

// logout forgets a login.
func (s *sys) logout(ctx context.Context, l *models.Logins, provider string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	o, err := l.Logout(ctx, provider)
	switch {
	case err != nil:
		return stopped(ctx, err)
	case o.Shared:
		fmt.Fprintf(s.out, "This profile no longer uses the login to %s of the default profile; hermes-tui -p default logout %s ends it.\n", o.Name, provider)
	case o.Removed == 0:
		fmt.Fprintf(s.out, "There was no login to %s.\n", o.Name)
	default:
		fmt.Fprintf(s.out, "Logged out of %s.\n", o.Name)
	}
	if o.Unrevoked != nil && o.Removed > 0 {
		s.complain(fmt.Sprintf("the login is gone from here, but the service could not be told (%v): end it there in the settings of your account", o.Unrevoked))
	}
	return nil
}

// listLogins prints who is logged in.
func (s *sys) listLogins(l *models.Logins) error {
	list, err := l.List()
	if err != nil {
		return loginError(err)
	}
	if len(list) == 0 {
		next := "Set a key such as OPENROUTER_API_KEY or ANTHROPIC_API_KEY, or log in with claude, the program of Claude Code.\n" +
			"Logging in to ChatGPT needs a client id from OpenAI: login.openai.client_id in config.yaml.\n"
		if l.Ready() {
			next = "Log in to ChatGPT with hermes-tui login, or set a key.\n"
		}
		fmt.Fprint(s.out, "No one is logged in. "+next)
		return nil
	}
	table := s.grid()
	for _, i := range list {
		who := i.Account
		if who == "" {
			who = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", i.Provider, i.Name, who, term.Plain(i.From), until(i, s.ids.Now().Location()))
	}
	return table.Flush()
}

// until says how long a login holds, in the time of a place.
func until(i models.LoginInfo, at *time.Location) string {
	const form = "2 Jan 2006 15:04"
	switch {
	case i.Problem != nil:
		return term.Plain(i.Problem.Error())
	case i.Expires.IsZero():
		return "no end known"
	case i.Renews:
		return "until " + i.Expires.In(at).Format(form) + ", then renewed"
	}
	return "until " + i.Expires.In(at).Format(form)
}
