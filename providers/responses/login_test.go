package responses

import (
	"context"
	"encoding/base64"
	"errors"
	"testing"

	"hermes-tui/providers"
)

func TestLogins(t *testing.T) {
	jwt := func(claims string) string {
		return "sk-secret." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
	}
	s := serve(t, streams(sse(completed)))
	for _, c := range []struct{ name, token, account, want string }{
		{"stated", "sk-secret-1", "acc-1", "acc-1"},
		{"in the token", jwt(`{"https://api.openai.com/auth":{"chatgpt_account_id":"acc-2"}}`), "", "acc-2"},
		{"elsewhere in the token", jwt(`{"chatgpt_account_id":"acc-3"}`), "", "acc-3"},
		{"stated and in the token", jwt(`{"chatgpt_account_id":"acc-3"}`), "acc-1", "acc-1"},
		{"nowhere", jwt(`{"chatgpt_account_id":7}`), "", ""},
		{"no claims", jwt(`[]`), "", ""},
		{"no token of this kind", "sk-secret.§.x", "", "!damaged"},
		{"no header", "sk-secret-1", "a\r\nb", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := newClient(t, s.url, func(o *Config) {
				o.Provider = provider(ChatGPT)
				o.Token = func(context.Context) (string, string, error) { return c.token, c.account, nil }
			})
			_, err := collect(t, client, hello())
			if c.want == "!damaged" {
				failure(t, err, providers.ErrorRequest, "the token of the login is damaged")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			req, _ := s.asked()
			if got := req.Header.Get("ChatGPT-Account-ID"); got != c.want || req.Header.Get("Authorization") != "Bearer "+c.token {
				t.Errorf("got %q, %v", got, req.Header)
			}
		})
	}
	for _, c := range []struct {
		name, says string
		err        error
	}{{"nothing", "log in again", nil}, {"error", "the refresh token was revoked", errors.New("the refresh token was revoked")}} {
		t.Run(c.name, func(t *testing.T) {
			client := newClient(t, s.url, func(o *Config) {
				o.Token = func(context.Context) (string, string, error) { return "", "", c.err }
			})
			_, err := collect(t, client, hello())
			if failure(t, err, providers.ErrorRequest, c.says); c.err != nil && !errors.Is(err, c.err) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		client := newClient(t, s.url, func(o *Config) {
			o.Token = func(ctx context.Context) (string, string, error) { cancel(cause); return "", "", ctx.Err() }
		})
		if _, err := client.Stream(ctx, hello()); !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	})
}
