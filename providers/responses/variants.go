package responses

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// Variant is a family of servers with the same demands.
type Variant string

// The variants. Servers that are none of these are asked as OpenAI is.
const (
	OpenAI  Variant = "openai"
	ChatGPT Variant = "chatgpt"
	XAI     Variant = "xai"
)

// program is how this program names itself where a service asks who began a request.
const program = "hermes-tui"

// rules are what a variant asks for.
type rules struct {
	variant Variant
	// base is the usual base URL.
	base string
	// path is the one that is meant by an address without.
	path string
	// providers are the services of the variant wherever they are reached.
	providers []string
	// hosts are its servers.
	hosts []string
	// headers go along with every request. account is the header with the id of the
	// account that a login belongs to, session the one with the id of the session;
	// empty for none.
	headers map[string]string
	account string
	session string
	// cacheKey reports whether the session is named in the body, as the key of the
	// prompt cache.
	cacheKey bool
	// maxOutput reports whether an answer can be capped.
	maxOutput bool
	// instructions stand in for a missing system prompt where there must be one.
	instructions string
	// nameless reports whether replayed reasoning must not have an id.
	nameless bool
	// kept is how long prompts are kept at least; more when a server is not busy. 0 is
	// not known.
	kept time.Duration
	// maker is who makes the models that the service knows.
	maker string
	// steers reports whether the effort can change within a conversation.
	steers bool
	// summary reports whether readable summaries of reasoning can be asked for.
	summary bool
}

// variants is the table of all variants. The first one is for everyone else.
func variants() []rules {
	return []rules{
		{
			variant: OpenAI, base: "https://api.openai.com/v1", path: "/v1", hosts: []string{"api.openai.com"},
			cacheKey: true, kept: 5 * time.Minute, maxOutput: true, maker: "openai", summary: true, steers: true,
		},
		{
			variant: ChatGPT, base: "https://chatgpt.com/backend-api/codex", path: "/backend-api/codex", providers: []string{"openai-codex"}, hosts: []string{"chatgpt.com"},
			headers: map[string]string{"originator": program}, account: "ChatGPT-Account-ID", session: "session_id",
			cacheKey: true, kept: 5 * time.Minute, instructions: "Do what the user asks.", nameless: true, maker: "openai", summary: true, steers: true,
		},
		{
			variant: XAI, base: "https://api.x.ai/v1", path: "/v1", providers: []string{"xai", "xai-oauth"}, hosts: []string{"api.x.ai"},
			session: "x-grok-conv-id", maxOutput: true, maker: "xai",
		},
	}
}

// rulesFor finds the rules of a service, or of the server at an address.
func rulesFor(provider, address string) rules {
	table := variants()
	host := ""
	if u, err := url.Parse(strings.TrimSpace(address)); err == nil {
		host = strings.ToLower(u.Hostname())
	}
	for _, fits := range []func(rules) bool{
		func(r rules) bool { return slices.Contains(r.providers, provider) },
		func(r rules) bool { return slices.Contains(r.hosts, host) },
	} {
		if i := slices.IndexFunc(table, fits); i >= 0 {
			return table[i]
		}
	}
	other := table[0]
	other.steers = false
	return other
}
