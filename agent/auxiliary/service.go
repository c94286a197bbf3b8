package auxiliary

import (
	"net/url"
	"time"

	"hermes-tui/providers"
	"hermes-tui/store/config"
)

// Service names a model of an endpoint, as the settings name one to go to when others
// fail. The zero value is none. Provider "auto" is as good as empty, and no Model the
// usual one of the provider.
type Service config.Fallback

// auto leaves the provider to the program.
const auto = "auto"

// IsZero reports whether no endpoint and no model is named.
func (s Service) IsZero() bool { return s.noEndpoint() && s.Model == "" }

// noEndpoint reports whether no endpoint is named.
func (s Service) noEndpoint() bool {
	return (s.Provider == "" || s.Provider == auto) && s.BaseURL == ""
}

// String names it for people, without anything secret.
func (s Service) String() string {
	name := s.Provider
	if u, err := url.Parse(s.BaseURL); (name == "" || name == "custom") && err == nil && u.Host != "" {
		name = u.Host
	}
	if name == "" {
		name = "the model service"
	}
	if s.Model != "" {
		name += "/" + s.Model
	}
	return name
}

// site is where a service is. What is left out is left out by it.
type site struct{ provider, baseURL string }

func (s Service) site() site { return site{s.Provider, s.BaseURL} }

// Setting is what the settings say of a task.
type Setting struct {
	// Service is asked first. With a model alone it is that model where the model
	// of the conversation is; the zero value asks that model itself.
	Service
	// Fallbacks are asked when it fails, in this order.
	Fallbacks []Service
	// Timeout bounds an attempt; 0 is what suits the task.
	Timeout time.Duration
}

// Runtime is a service that was connected to.
type Runtime struct {
	Client providers.Client
	Model  string // its name there
}
