package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/bind"
	"hermes-tui/providers/login"
	"hermes-tui/store/config"
	"hermes-tui/tools/mcp"
	"hermes-tui/tools/mcp/oauth"
	"hermes-tui/tools/network"
)

// redirects are where the browser comes back after a login at a server: the port of the
// settings, or one that seldom has another use, or, when the program registers by itself,
// any.
func redirects(set config.MCPOAuth) (list []string) {
	if set.RedirectURI != "" {
		return []string{set.RedirectURI}
	}
	ports := []int{set.RedirectPort}
	if set.RedirectPort == 0 {
		ports = []int{27890, 27891, 27892, 27893, 27894}
		for range 5 {
			if set.ClientID == "" {
				ports = append(ports, 49152+rand.IntN(1<<14)) //nolint:gosec // no secret
			}
		}
	}
	for _, p := range ports {
		list = append(list, fmt.Sprintf("http://%s:%d/callback", first(set.RedirectHost, "127.0.0.1"), p))
	}
	return list
}

// mcpClients make requests to a server, and to who gives logins for it. Hosts of this
// machine and of private networks are connected to where the user's own settings name them.
func (a *App) mcpClients(c mcp.Config) (server, issuer *http.Client, err error) {
	own, at := "", ""
	if u, err := url.Parse(c.URL); err == nil && c.Origin == a.o.Home.Config() {
		if name, err := network.ParseName(u.Hostname()); err == nil {
			own, at = name.String(), u.Host
		}
	}
	set, err := a.certificates(c)
	if err != nil {
		return nil, nil, err
	}
	d := a.dialer(func(host string, port int) bool { return host == own || a.hosts().Names(host, port) })
	server, issuer = d.Streams(set), d.Streams(&tls.Config{MinVersion: tls.VersionTLS12})
	issuer.Timeout = time.Minute
	issuer.Transport = &byHost{at, a.loginSettings(c).UserAgent, d.Streams(set).Transport, issuer.Transport}
	return server, issuer, nil
}

// loginSettings are those about logging in at a server: a file of a project has none.
func (a *App) loginSettings(c mcp.Config) (set config.MCPOAuth) {
	if c.Origin == a.o.Home.Config() {
		set = a.config().MCPServers[c.Name].OAuth
	}
	return set
}

// byHost has the certificates of the settings count at the server's own host only. agent is
// how requests name the program, empty for the usual name.
type byHost struct {
	host, agent string
	own, other  http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (b *byHost) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Close = true // logins are rare
	if b.agent != "" {
		r.Header.Set("User-Agent", b.agent)
	}
	if r.URL.Host == b.host {
		return b.own.RoundTrip(r)
	}
	return b.other.RoundTrip(r)
}

// mcpClient is what [mcp.Options] wants.
func (a *App) mcpClient(_ context.Context, c mcp.Config) (*mcp.Client, mcp.Login, error) {
	server, issuer, err := a.mcpClients(c)
	if err != nil || !c.LogsIn() {
		return server, nil, err
	}
	keeper := a.mcp.logins.At(c.Name, c.URL, issuer)
	return server, &oauth.Handler{Keeper: keeper, Now: a.o.IDs.Now, Wants: keeper.Wants}, nil
}

// mcpNamed is the entry of a server that can be logged in at.
func (a *App) mcpNamed(name string) (mcp.Config, error) {
	list := a.mcp.servers.List()
	i := slices.IndexFunc(list, func(s mcp.Status) bool { return s.Name == name })
	switch {
	case i < 0:
		return mcp.Config{}, errors.New("there is no server " + name + " that is switched on: see which there are with /mcp or hermes-tui mcp list")
	case list[i].URL == "":
		return mcp.Config{}, fmt.Errorf("the server %s is a program: what it needs to know goes into env of its entry", name)
	case !list[i].LogsIn():
		return mcp.Config{}, fmt.Errorf("the server %s gets a key in headers of its entry, or has auth: none there, so there is no logging in", name)
	}
	return list[i].Config, nil
}

// LoginMCP logs in at a server, as the user asked for, and connects to it. What was kept of
// an earlier login stays until there is a new one.
func (a *App) LoginMCP(ctx context.Context, name string, way api.LoginWay) (api.MCPServer, error) {
	c, err := a.mcpNamed(name)
	if err != nil {
		return api.MCPServer{}, err
	}
	if err := a.loginMCP(ctx, c, way); err != nil {
		if ctx.Err() != nil {
			return api.MCPServer{}, context.Cause(ctx)
		}
		if _, worded := errors.AsType[*login.Error](err); !worded {
			err = fmt.Errorf("logging in to the MCP server %s failed: %w", name, err)
		}
		return api.MCPServer{}, err
	}
	return a.TryMCP(ctx, name)
}

func (a *App) loginMCP(ctx context.Context, c mcp.Config, way api.LoginWay) error {
	_, client, err := a.mcpClients(c)
	if err != nil {
		return err
	}
	keeper := a.mcp.logins.At(c.Name, c.URL, client)
	if err := keeper.Prove(ctx); err != nil {
		return err
	}
	service, err := oauth.Find(ctx, client, c.URL)
	if err != nil {
		return err
	}
	set := a.loginSettings(c)
	do := bind.MCPLoginWay{Redirects: redirects(set), Browser: way.Browser}
	remote, _ := a.o.Env("SSH_CONNECTION")
	if service.Device != "" && way.Code != nil && set.Flow != "browser" && (way.Browser == nil || remote != "" || set.Flow == "device") {
		do.Device = func(p login.Prompt) { way.Code(api.LoginCode(p)) }
	}
	switch {
	case do.Device != nil:
	case way.Browser == nil, set.Flow == "device":
		return errors.New("it offers no login with a code, only one in a browser on this machine")
	}
	if set.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, set.Timeout.Duration(), fmt.Errorf("it took longer than %v", set.Timeout.Duration()))
		defer cancel()
	}
	as := oauth.Client{ID: set.ClientID, Secret: set.ClientSecret.Reveal()}
	as.Basic = as.Secret != "" && !slices.Contains(service.Methods, "client_secret_post")
	if as.Secret != "" && set.AuthMethod != "" && set.AuthMethod != "auto" {
		as.Basic = set.AuthMethod == "client_secret_basic"
	}
	if as.ID == "" && set.Documented && service.Documents {
		as.ID = set.Document
	}
	if as.ID == "" {
		if as, err = service.NewClient(ctx, client, first(set.ClientName, "hermes-tui"), do.Redirects, do.Device != nil); err != nil {
			return err
		}
	}
	before, err := keeper.Current()
	if err != nil {
		return err
	}
	scopes := service.Scopes
	if set.Scope != "" {
		scopes = strings.Fields(set.Scope)
	}
	if before.Issuer == service.Issuer && len(before.Wanted) > 0 {
		scopes = oauth.Join(strings.Fields(before.Scope), scopes, before.Wanted)
	}
	if slices.Contains(service.Knows, "offline_access") {
		scopes = oauth.Join(scopes, []string{"offline_access"})
	}
	if err = keeper.LogIn(ctx, service, as, scopes, do); err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// LogoutMCP forgets the login at a server. untold says why its issuer could not be told.
func (a *App) LogoutMCP(ctx context.Context, name string) (had bool, untold, err error) {
	c, err := a.mcpNamed(name)
	if err != nil {
		return false, nil, err
	}
	_, client, err := a.mcpClients(c)
	if err != nil {
		return false, nil, err
	}
	if had, untold, err = a.mcp.logins.At(c.Name, c.URL, client).LogOut(ctx); had {
		a.mcp.servers.Anew(name)
	}
	return had, untold, err
}
