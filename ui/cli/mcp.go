package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"hermes-tui/agent/api"
	"hermes-tui/agent/app"
	"hermes-tui/providers/login"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

func newMCP(s *sys, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "mcp", Short: "Use the tools of other programs, and offer this one to other agents",
		Long: "Servers of the Model Context Protocol offer tools: see docs/mcp.md. Those of the settings, of plugins\n" +
			"and, in a folder that is trusted, of its project count.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "Connect to the servers and list them with what they offer", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withNew(cmd.Context(), f, func(ctx context.Context, a *app.App, _ app.Conversation) error { return s.listServers(ctx, a, asJSON) })
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	test := s.serverCommand(f, "test", "Connect to a server and show all of it", func(_ context.Context, _ *app.App, m app.MCPServer) error {
		s.printServer(m)
		for _, t := range m.Tools {
			fmt.Fprintf(s.out, "  %s  about %s tokens\n    %s\n", t.Name, format.Tokens(int64(t.Tokens)), term.Line(t.Description))
		}
		for _, h := range m.Held {
			fmt.Fprintf(s.out, "  held back: %s\n%s", h.Name, term.Plain(h.Diff))
		}
		if m.State != "ready" {
			return errors.New(m.Name + " is " + m.State)
		}
		return nil
	})
	var give []string
	allow := s.serverCommand(f, "allow", "Allow a server, or its new and changed tools, as they are now", func(ctx context.Context, a *app.App, m app.MCPServer) error {
		if len(give) > 0 {
			if err := a.GiveMCP(ctx, m, give); err != nil {
				return err
			}
			fmt.Fprintf(s.out, "It gets your variables %s.\n", strings.Join(give, ", "))
		}
		if m.State != "held" && len(m.Held) == 0 {
			fmt.Fprintln(s.out, "Nothing of "+m.Name+" waits to be allowed.")
			return nil
		}
		if err := a.AllowMCP(ctx, m); err != nil {
			return err
		}
		fmt.Fprintln(s.out, "Allowed as it is now; when it changes you are asked again.")
		return nil
	})
	allow.Flags().StringSliceVar(&give, "env", nil, "give it `VARIABLE`s of yours that its entry names, in place of those it was given before")
	remove := &cobra.Command{
		Use: "remove NAME", Short: "Remove a server from the settings", Args: oneServer("remove"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, c, _, err := s.load(f)
			if err != nil {
				return err
			}
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				if err := a.RemoveMCP(ctx, args[0]); err != nil {
					if _, there := c.MCPServers[args[0]]; !there {
						err = usageError{err}
					}
					return err
				}
				fmt.Fprintln(s.out, "Removed from "+a.ConfigFile()+".")
				return nil
			})
		},
	}
	cmd.AddCommand(list, test, allow, newMCPAdd(s, f), remove, newMCPLogin(s, f), newMCPLogout(s, f), newMCPServe(s, f))
	return cmd
}

// newMCPLogin logs in at a server.
func newMCPLogin(s *sys, f *flags) *cobra.Command {
	var device bool
	cmd := &cobra.Command{
		Use: "login NAME", Short: "Log in at a server that asks for that", Args: oneServer("login"),
		Long: "login logs in at a server with OAuth: in a browser on this machine or, with --device or without a terminal, with\n" +
			"a code on any device, where the service offers that. The login is kept in auth.json and renewed by itself.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				return s.loginServer(ctx, a, args[0], device)
			})
		},
	}
	cmd.Flags().BoolVar(&device, "device", false, "log in with a code, on this or any other device")
	return cmd
}

// loginServer logs in at a server and says what came of it.
func (s *sys) loginServer(ctx context.Context, a *app.App, name string, device bool) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a.StartMCP(ctx)
	if _, err := server(a, name); err != nil {
		return err
	}
	way := api.LoginWay{Code: func(c api.LoginCode) { s.askDevice(login.Prompt(c)) }}
	if in, out := s.terminal(); in && out && !device {
		way.Browser = func(address string) { s.askBrowser(loginParts{open: openBrowser}, address) }
	}
	m, err := a.LoginMCP(ctx, name, way)
	if err != nil {
		return stopped(ctx, err)
	}
	fmt.Fprintf(s.out, "Logged in at %s.\n", term.Line(m.Name))
	s.printServer(m)
	return nil
}

// newMCPLogout ends a login at a server.
func newMCPLogout(s *sys, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "logout NAME", Short: "Forget the login at a server, here and there", Args: oneServer("logout"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				a.StartMCP(ctx)
				if _, err := server(a, args[0]); err != nil {
					return err
				}
				had, untold, err := a.LogoutMCP(ctx, args[0])
				switch {
				case err != nil:
					return err
				case !had:
					fmt.Fprintf(s.out, "There was no login at %s.\n", term.Line(args[0]))
				default:
					fmt.Fprintf(s.out, "Logged out of %s.\n", term.Line(args[0]))
				}
				if untold != nil {
					s.complain(fmt.Sprintf("the login is gone from here, but the service could not be told (%v): end it there in the settings of your account", untold))
				}
				return nil
			})
		},
	}
}

// serverCommand is a command about one server.
func (s *sys) serverCommand(f *flags, use, short string, do func(ctx context.Context, a *app.App, m app.MCPServer) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME", Short: short,
		Args: oneServer(use),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withNew(cmd.Context(), f, func(ctx context.Context, a *app.App, _ app.Conversation) error {
				a.StartMCP(ctx)
				m, err := server(a, args[0])
				if err != nil {
					return err
				}
				return do(ctx, a, m)
			})
		},
	}
}

// server finds a server.
func server(a *app.App, name string) (app.MCPServer, error) {
	list, _ := a.MCPServers()
	i := slices.IndexFunc(list, func(m app.MCPServer) bool { return m.Name == name })
	if i < 0 {
		return app.MCPServer{}, usageError{errors.New("there is no server " + term.Line(name) + ": hermes-tui mcp list shows them")}
	}
	return list[i], nil
}

// oneServer has a command take the name of one server.
func oneServer(use string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageError{fmt.Errorf("mcp %s takes the name of one server, which hermes-tui mcp list shows", use)}
		}
		return nil
	}
}

func (s *sys) listServers(ctx context.Context, a *app.App, asJSON bool) error {
	a.StartMCP(ctx)
	list, problems := a.MCPServers()
	for _, p := range problems {
		s.complain(p)
	}
	if asJSON {
		return s.printJSON(append([]app.MCPServer{}, list...))
	}
	for _, m := range list {
		s.printServer(m)
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "There are no servers: hermes-tui mcp add adds one.")
	}
	return nil
}

// printServer prints a server in a few lines.
func (s *sys) printServer(m app.MCPServer) {
	fmt.Fprintf(s.out, "%s  %s  %s\n", term.Line(m.Name), m.State, term.Line(m.Runs))
	if m.State == "held" && m.In != "" {
		fmt.Fprintf(s.out, "    in the folder %s\n", term.Line(m.In))
	}
	for _, g := range m.Gets {
		fmt.Fprintf(s.out, "    with %s\n", term.Line(g))
	}
	for _, v := range m.Wants {
		if v.Set && !v.Given {
			fmt.Fprintf(s.out, "    your variable %s is not given to it: hermes-tui mcp allow %s --env %s\n", term.Line(v.Name), term.Line(m.Name), term.Line(v.Name))
		}
	}
	if n := len(m.Tools); n > 0 {
		fmt.Fprintf(s.out, "    %s, about %s tokens in every request\n", format.Count(n, "tool", "tools"), format.Tokens(int64(m.Tokens())))
	}
	if n := len(m.Held); n > 0 {
		fmt.Fprintf(s.out, "    %s back: hermes-tui mcp test %s shows them\n", format.Count(n, "tool is held", "tools are held"), term.Line(m.Name))
	}
	for _, line := range []string{m.Why, m.Next, m.Junk} {
		if line != "" {
			fmt.Fprintf(s.out, "    %s\n", term.Line(line))
		}
	}
}
