package catalog

import (
	"fmt"
	"strings"
)

// UnknownProviderError is a provider that is in no table.
type UnknownProviderError struct {
	Name string
	// Nearest is a known name that is spelt alike, "" if there is none.
	Nearest string
}

// Error implements error.
func (e *UnknownProviderError) Error() string {
	if e.Nearest != "" {
		return fmt.Sprintf("the provider %q is not known: did you mean %q?", e.Name, e.Nearest)
	}
	return fmt.Sprintf("the provider %q is not known: name a known one, or use %q with a base_url", e.Name, Custom)
}

// MissingKeyError is a service without the key it needs.
type MissingKeyError struct {
	Provider string
	Name     string
	// KeyEnv are the variables that may hold it.
	KeyEnv []string
	// KeyPage is where keys are made.
	KeyPage string
	// URL is where the service is.
	URL string
	// GivenFor is the address that the key in those variables is for, "" if there is
	// none.
	GivenFor string
}

// Error implements error.
func (e *MissingKeyError) Error() string {
	if e.GivenFor != "" {
		return fmt.Sprintf("%s at %s needs an API key: the one in %s is for %s; name another with api_key or key_env in config.yaml",
			e.Name, hostOf(e.URL), strings.Join(e.KeyEnv, " or "), hostOf(e.GivenFor))
	}
	s := fmt.Sprintf("%s needs an API key: set %s", e.Name, strings.Join(e.KeyEnv, " or "))
	if e.KeyPage != "" {
		s += ", keys are made at " + e.KeyPage
	}
	return s
}

// MissingURLError is an endpoint without a base URL.
type MissingURLError struct{ Provider string }

// Error implements error.
func (e *MissingURLError) Error() string {
	return fmt.Sprintf("the provider %q needs a base_url: add it in config.yaml, it usually ends in /v1", e.Provider)
}

// MissingLoginError is a service that knows accounts, where no one is logged in.
type MissingLoginError struct{ Provider, Name string }

func (e *MissingLoginError) Error() string {
	return fmt.Sprintf("%s needs a login: run hermes-tui login %s, for which login.openai.client_id must be set in config.yaml", e.Name, e.Provider)
}

// UnsendableError is a key or header with a character that HTTP does not carry.
type UnsendableError struct {
	// What and From say where it is, At is the place of the character, from 1.
	What, From string
	At         int
	Character  rune
}

func (e *UnsendableError) Error() string {
	kind := fmt.Sprintf("the character %U, which", e.Character)
	switch e.Character {
	case '\n', '\r':
		kind = "a line break, which"
	case ' ', '\t':
		kind = "a blank, which"
	}
	from := ""
	if e.From != "" {
		from = " (" + e.From + ")"
	}
	return fmt.Sprintf("%s%s has %s cannot be sent, in place %d: enter it again", e.What, from, kind, e.At)
}
