package models

import (
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
	"hermes-tui/providers/bedrock"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/transport"
	"hermes-tui/store/config"
)

// TestProtocols holds that every service of the catalogue can be spoken to, that every
// protocol can be asked for in the settings, and that lists come from a client that
// has them.
func TestProtocols(t *testing.T) {
	var ids []providers.Protocol
	list := protocols(config.Config{})
	for _, p := range list {
		ids = append(ids, p.ID)
	}
	tr := transport.New(transport.Options{})
	for _, p := range list {
		for _, k := range config.Keys() {
			if strings.HasSuffix(k.Name, ".protocol") && !strings.HasPrefix(k.Name, "mcp_servers.") && !slices.Contains(k.Allowed, string(p.ID)) {
				t.Errorf("%s cannot be %s", k.Name, p.ID)
			}
		}
		c, err := p.New(transport.Service{Endpoint: providers.Endpoint{Provider: "x", BaseURL: "https://host.test"}, Transport: tr})
		if err != nil {
			t.Fatal(err)
		}
		if p.Kept == nil {
			t.Errorf("%s says nothing of caches", p.ID)
		}
		if _, lists := c.(providers.Lister); p.List == p.ID && !lists || p.List != "" && !slices.Contains(ids, p.List) {
			t.Errorf("%s: %s lists no models", p.ID, p.List)
		}
	}
	for _, p := range append(catalog.Providers(), catalog.Locals()...) {
		if !slices.Contains(ids, p.Protocol) {
			t.Errorf("%s speaks %q, which no package registers", p.ID, p.Protocol)
		}
		if p.Protocol == bedrock.ID && p.BaseURL != bedrock.AnyRegion {
			t.Errorf("%s is at %s, not in any region", p.ID, p.BaseURL)
		}
	}
}
