package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Client is this program as an issuer knows it.
type Client struct {
	ID, Secret string
	// Basic says that the secret goes into a header, otherwise it goes into the form.
	Basic bool
}

// NewClient makes this program known to the issuer, under a name for people. The browser
// comes back to one of redirects; device says that the login is one with a code.
func (s Service) NewClient(ctx context.Context, c *http.Client, name string, redirects []string, device bool) (Client, error) {
	if s.Register == "" {
		return Client{}, fmt.Errorf("%s lets no program register by itself: get a client id there for this one, and set oauth.client_id of the server in config.yaml", shown(s.Issuer))
	}
	m := &oauthex.ClientRegistrationMetadata{
		ClientName: name, RedirectURIs: redirects, TokenEndpointAuthMethod: "none", ApplicationType: "native",
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
	}
	if device {
		m.GrantTypes = append(m.GrantTypes, "urn:ietf:params:oauth:grant-type:device_code")
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	r, err := oauthex.RegisterClient(ctx, s.Register, m, c)
	if err != nil {
		return Client{}, fmt.Errorf("%s does not let this program register: %w", shown(s.Issuer), errors.New(plain(err.Error())))
	}
	return Client{r.ClientID, r.ClientSecret, r.ClientSecret != "" && r.TokenEndpointAuthMethod != "client_secret_post" && r.TokenEndpointAuthMethod != "none"}, nil
}
