package providers

import "maps"

// Protocol names a wire protocol: the id under which its package is registered.
type Protocol string

// Endpoint is one model service as everyone knows it who has to do with it: the
// settings, the catalogue, the clients. What is empty is not said.
type Endpoint struct {
	// Provider is the id of the service. It is the issuer of native items.
	Provider string
	// BaseURL is the address.
	BaseURL string
	// Where is the setting that holds the address, for errors; empty is config.yaml.
	Where string
	// Key is the credential; it wins over KeyEnv. With a BaseURL it is given for
	// that address and goes to no other; without one it is given for the provider,
	// wherever it is said to be.
	Key string
	// KeyEnv is the variable that holds a credential, given as Key is.
	KeyEnv string
	// Login says whose login there is for the endpoint, "a login". It counts where
	// there is no key.
	Login string
	// Protocol is the one to speak; empty goes by the service, its address and the
	// model.
	Protocol Protocol
	// Model is the model to use.
	Model string
	// Headers are sent with every request. They may hold secrets and are given for the
	// same address as the key.
	Headers map[string]string
	// Extra are fields for requests of chat completions, as a JSON object; they win.
	Extra string
	// Window is the context window in tokens to ask a server for that loads models on
	// demand.
	Window int
	// ContextMax is what the model takes, in tokens.
	ContextMax int
	// OutputMax is what it gives, in tokens.
	OutputMax int
}

// String describes an endpoint without its key and headers, also where it is printed
// in full.
func (e Endpoint) String() string {
	s := e.Provider + " " + e.BaseURL
	if e.Model != "" {
		s += " " + e.Model
	}
	return s
}

// GoString is [Endpoint.String].
func (e Endpoint) GoString() string { return e.String() }

// Public is the endpoint without what is secret.
func (e Endpoint) Public() Endpoint {
	e.Key, e.KeyEnv, e.Login, e.Headers = "", "", "", nil
	return e
}

// Over lays what e says over what low says. Headers are joined.
func (e Endpoint) Over(low Endpoint) Endpoint {
	if e.BaseURL != "" {
		low.BaseURL, low.Where = e.BaseURL, e.Where
	}
	if e.Key != "" || e.KeyEnv != "" {
		low.Key, low.KeyEnv = e.Key, e.KeyEnv
	}
	if len(e.Headers) > 0 {
		h := maps.Clone(low.Headers)
		if h == nil {
			h = map[string]string{}
		}
		maps.Copy(h, e.Headers)
		low.Headers = h
	}
	over(&low.Provider, e.Provider)
	over(&low.Model, e.Model)
	over(&low.Login, e.Login)
	over(&low.Extra, e.Extra)
	over(&low.Protocol, e.Protocol)
	over(&low.Window, e.Window)
	over(&low.ContextMax, e.ContextMax)
	over(&low.OutputMax, e.OutputMax)
	return low
}

// over sets a value that is given.
func over[T comparable](to *T, v T) {
	var none T
	if v != none {
		*to = v
	}
}
