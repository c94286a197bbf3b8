package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"

	"hermes-tui/agent/app"
	"hermes-tui/store"
	"hermes-tui/store/config"
	"hermes-tui/ui/term"
)

// addsServer are the flags of mcp add.
type addsServer struct {
	trust        bool
	env, headers []string // NAME=VALUE, NAME: VALUE
	auth         string
}

// newMCPAdd writes a server into the settings.
func newMCPAdd(s *sys, f *flags) *cobra.Command {
	var o addsServer
	cmd := &cobra.Command{
		Use: "add NAME URL | add NAME -- COMMAND [ARG...]", Short: "Add a server to the settings, and try it",
		Long: "add writes a server to config.yaml and connects to it. Its tools are asked about, call by call, unless you\n" +
			"trust it. ${VARIABLE} in --env and --header stands for a variable of yours, which keeps its value out of\n" +
			"the file. --auth header asks for a key, or reads it from the standard input, keeps it in .env and sends it\n" +
			"to the address as Authorization: Bearer KEY; --auth oauth logs in at once (docs/mcp.md).",
		Example: "  hermes-tui mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\n" +
			"  hermes-tui mcp add docs https://docs.example.com/mcp\n" +
			"  hermes-tui mcp add tickets https://tickets.example.com --auth header <key.txt\n" +
			"  hermes-tui mcp add git --env 'GITHUB_TOKEN=${GITHUB_TOKEN}' -- my-git-server",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageError{errors.New("mcp add takes a name, and an address or a command")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return s.addServer(cmd.Context(), f, o, args) },
	}
	cmd.Flags().BoolVar(&o.trust, "trust", false, "call its tools without asking, and trust what it says about them")
	cmd.Flags().StringArrayVar(&o.env, "env", nil, "give the command a variable, `NAME=VALUE`; repeat it for more")
	cmd.Flags().StringArrayVar(&o.headers, "header", nil, "send the address a header, `'NAME: VALUE'`; repeat it for more")
	cmd.Flags().StringVar(&o.auth, "auth", "", "by `WHAT` the address knows you: header, oauth or none")
	return cmd
}

// addServer adds a server and says what comes of it.
func (s *sys) addServer(ctx context.Context, f *flags, o addsServer, args []string) error {
	n := app.NewMCP{Name: args[0], Command: args[1:], Trust: o.trust, Env: map[string]string{}, Headers: map[string]string{}}
	if strings.Contains(args[1], "://") && len(args) == 2 {
		n.URL, n.Command = args[1], nil
	}
	for _, one := range o.env {
		name, value, ok := strings.Cut(one, "=")
		if !ok || name == "" {
			return usageError{errors.New("--env takes NAME=VALUE")}
		}
		n.Env[name] = value
	}
	for _, one := range o.headers {
		name, value, ok := strings.Cut(one, ":")
		if name, value = strings.TrimSpace(name), strings.TrimSpace(value); !ok || name == "" || value == "" {
			return usageError{errors.New("--header takes 'NAME: VALUE'")}
		}
		n.Headers[name] = value
	}
	switch o.auth {
	case "", "header":
	case "oauth", "none":
		n.Auth = o.auth
	default:
		return usageError{errors.New("--auth is header, oauth or none")}
	}
	if o.auth == "header" {
		if n.URL == "" {
			return usageError{errors.New("--auth header is for an address: a command gets its key with --env")}
		}
		name, err := s.keepServerKey(ctx, f, n.Name)
		if err != nil {
			return err
		}
		n.Headers["Authorization"] = "Bearer ${" + name + "}"
	}
	return s.withApp(ctx, f, func(ctx context.Context, a *app.App) error {
		if err := a.AddMCP(ctx, n); err != nil {
			return err
		}
		fmt.Fprintln(s.out, "Added to "+a.ConfigFile()+".")
		if o.auth == "oauth" {
			return s.loginServer(ctx, a, n.Name, false)
		}
		a.StartMCP(ctx)
		m, err := a.TryMCP(ctx, n.Name)
		if err == nil {
			s.printServer(m)
		}
		return err
	})
}

// keepServerKey asks for the key of a server that is to be added, keeps it in .env and gives
// the name of its variable.
func (s *sys) keepServerKey(ctx context.Context, f *flags, server string) (variable string, err error) {
	home, c, _, err := s.load(f)
	if err != nil {
		return "", err
	}
	if _, there := c.MCPServers[server]; there {
		return "", fmt.Errorf("there is a server %s already: change its entry in %s", term.Line(server), home.Config())
	}
	key, err := s.typedKey(server)
	if err != nil {
		return "", err
	}
	variable = "MCP_" + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, strings.ToUpper(server)) + "_API_KEY"
	return variable, s.setVariable(ctx, home, variable, key)
}

// setVariable writes a variable into .env.
func (s *sys) setVariable(ctx context.Context, home store.Home, name, value string) error {
	if set, there := s.env(name); there && set != value {
		return fmt.Errorf("the variable %s has another value in your environment, which counts more than .env: take it out there", name)
	}
	if err := home.Ensure(); err != nil {
		return startError{err}
	}
	if err := config.SetEnv(ctx, home.Env(), name, value); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "The key is kept in %s as %s.\n", home.Env(), name)
	return nil
}

// typedKey reads a key from the standard input: without showing it, if that is a terminal.
func (s *sys) typedKey(of string) (string, error) {
	var key string
	var err error
	if in, _ := s.terminal(); in {
		file, ok := s.in.(*os.File)
		if !ok {
			return "", usageError{errors.New("the key cannot be read from here: hand it to the standard input")}
		}
		fmt.Fprintf(s.err, "Key for %s (it is not shown): ", term.Line(of))
		var typed []byte
		typed, err = xterm.ReadPassword(int(file.Fd()))
		fmt.Fprintln(s.err)
		key = string(typed)
	} else {
		key, err = s.secretLine()
	}
	key = strings.TrimSpace(key)
	if rest, ok := strings.CutPrefix(strings.ToLower(key), "bearer "); ok { // as it is copied from a page
		key = strings.TrimSpace(key[len(key)-len(rest):])
	}
	if err == nil && key == "" {
		err = usageError{errors.New("there was no key: nothing was changed")}
	}
	return key, err
}
