// Package catalog knows the model services: where they are, which environment
// variables hold their keys, which models to prefer and how large their contexts
// are. It also finds model servers on this machine and orders what is usable.
//
// The tables are data of the program. Functions return copies, so callers may
// change what they get. Nothing here opens a connection or reads the environment
// by itself; callers hand in what is needed. Everything is safe for concurrent
// use.
package catalog

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"hermes-tui/providers"
	"hermes-tui/tools/spelling"
)

// The protocols of the services in the catalogue, by the ids of their packages.
const (
	// Chat is the chat completions protocol of OpenAI.
	Chat providers.Protocol = "chat"
	// Responses is the protocol that came after it.
	Responses providers.Protocol = "responses"
	// Anthropic is the messages protocol of Anthropic.
	Anthropic providers.Protocol = "anthropic"
	// Bedrock is the converse protocol of Amazon Bedrock.
	Bedrock providers.Protocol = "bedrock"
	// Demo is the built-in demonstration, which needs no endpoint.
	Demo providers.Protocol = "demo"
)

// Auth says what opens a service.
type Auth string

// The kinds. Most services want a key and take nothing else.
const (
	ByKey Auth = ""
	// ByLogin is a service that knows accounts, not keys.
	ByLogin Auth = "login"
	// ByChain is a service that finds credentials by itself when it is named: the
	// environment, files and the machine's own, as its tools do.
	ByChain Auth = "chain"
)

// The names with a meaning of their own in the configuration.
const (
	// Auto, like an empty name, leaves the choice to the environment.
	Auto = "auto"
	// Custom is an endpoint that only the configuration describes.
	Custom = "custom"
	// DemoID is the provider of the built-in demonstration.
	DemoID = "demo"
)

// Provider is a row of the catalogue.
type Provider struct {
	// ID is the name in the configuration, in small letters.
	ID string
	// Name is the one for people.
	Name string
	// Aliases are other names that are understood, in small letters.
	Aliases []string
	// KeyEnv lists the environment variables that may hold the key, best first.
	// Without any, the service needs no key.
	KeyEnv []string
	// BaseEnv is the variable that overrides BaseURL, "" if there is none.
	BaseEnv string
	// BaseURL is the endpoint without a slash at the end.
	BaseURL  string
	Protocol providers.Protocol
	// Auth says what else than a key opens the service.
	Auth Auth
	// Models are preferences for [Match]. The first is a model id that can be
	// used without asking the endpoint for its list.
	Models []string
	// KeyPage is the web page where keys are made.
	KeyPage string
	// Proof is a path below BaseURL that answers a good key only, where the list of models
	// is there for everyone; empty where the list is none.
	Proof string
	// Headers are sent with every request.
	Headers map[string]string
}

// Find looks a service up by id or alias, whatever the case, among all services
// and local servers.
func Find(name string) (Provider, bool) {
	p, known := find(name)
	p.KeyEnv, p.Models, p.Aliases, p.Headers = slices.Clone(p.KeyEnv), slices.Clone(p.Models), slices.Clone(p.Aliases), maps.Clone(p.Headers)
	return p, known
}

// services is [Providers], not to be changed.
var services = sync.OnceValue(Providers)

// everything is all services and local servers, not to be changed.
var everything = sync.OnceValue(func() []Provider { return append(Providers(), Locals()...) })

// find is [Find] without a copy.
func find(name string) (Provider, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, p := range everything() {
		if p.ID == name || slices.Contains(p.Aliases, name) {
			return p, true
		}
	}
	return Provider{}, false
}

// Nearest gives the id or alias that is spelt most like name, "" if none is.
func Nearest(name string, more ...string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	names := append([]string{Custom, DemoID}, more...)
	for _, p := range append(Providers(), Locals()...) {
		names = append(append(names, p.ID), p.Aliases...)
	}
	best, found := max(2, len(name)/3)+1, ""
	for _, n := range names {
		if d := spelling.Distance(name, n, best); d < best && d < len(n) {
			best, found = d, n
		}
	}
	return found
}
