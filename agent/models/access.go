// Package models finds what answers: it chooses services by the settings, the
// environment and the keys and logins that are there, connects to them, lists their
// models and says what is known of them and what they cost.
//
// An [Access] is safe for concurrent use. Its methods that take a context may block on
// disk or network.
package models

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/credentials"
	"hermes-tui/providers/pricing"
	"hermes-tui/providers/transport"
	"hermes-tui/store"
	"hermes-tui/store/config"
	"hermes-tui/store/modelcache"
)

// Options are what an access is made of.
type Options struct {
	Version string
	Home    store.Home
	Config  config.Config
	// Env looks up a variable of the environment.
	Env func(name string) (string, bool)
	// Scenario is a scenario file for the provider "script"; empty plays the
	// demonstration.
	Scenario string
	// Unattended says that no one is there to ask.
	Unattended bool
	IDs        event.Source
	// Background runs what no one waits for, until its context ends.
	Background func(f func(ctx context.Context))
	// Answered hears of answers that tell of allowances; see [transport.Options].
	Answered func(host string, list []transport.Quota)
}

// Access is the way to the models of one HERMES_HOME.
type Access struct {
	o         Options
	log       *slog.Logger
	notices   []string
	transport *transport.Transport
	set       atomic.Pointer[settings]
	keys      *credentials.Store
	unread    error // why auth.json is not what keys are kept in, nil if it is
	logins    *Logins
	facts     *modelcache.Cache // about models

	mu      sync.Mutex
	clients map[string]providers.Client // by endpoint, with its key
}

// settings are the configuration that an access follows, and what it makes of it.
type settings struct {
	config.Config
	prices    *pricing.Table
	protocols []transport.Protocol
}

func (a *Access) settings() *settings { return a.set.Load() }

// Configure changes the configuration for what is connected to from now on. How long
// connecting and reading may take stays as it was.
func (a *Access) Configure(c config.Config) error {
	prices, err := priceTable(c)
	if err != nil {
		return err
	}
	a.set.Store(&settings{c, prices, protocols(c)})
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clients = map[string]providers.Client{}
	return nil
}

// Open opens keys, logins, prices and what is remembered of models. Nothing is asked.
// Close frees it.
func Open(o Options) (*Access, error) {
	a := &Access{o: o, log: slog.New(slog.DiscardHandler)}
	if err := a.Configure(o.Config); err != nil {
		return nil, err
	}
	if err := a.openKeys(); err != nil {
		return nil, err
	}
	network := o.Config.Network
	a.transport = transport.New(transport.Options{
		Version: o.Version, Env: a.env, ConnectTimeout: network.ConnectTimeout.Duration(), ReadTimeout: readTimeout(o.Config), Answered: o.Answered,
	})
	a.openFacts()
	a.openLogins()
	return a, nil
}

// LogTo sets where an access logs to, before it is used.
func (a *Access) LogTo(log *slog.Logger) { a.log = log }

// Secrets are the stored keys and tokens, which must never show.
func (a *Access) Secrets() []string { return a.keys.Secrets() }

// Credentials is the store of keys and logins. It is closed with a.
func (a *Access) Credentials() *credentials.Store { return a.keys }

// Notices are sentences for the user about what was found when it was opened.
func (a *Access) Notices() []string { return a.notices }

// Close closes connections that no one uses and writes what is not written yet.
func (a *Access) Close(ctx context.Context) error {
	a.transport.CloseIdle()
	return a.keys.Close(ctx)
}

// readTimeout is how long a server may send no byte at all. The transport knows
// local servers by itself; a configured value holds for all.
func readTimeout(c config.Config) time.Duration {
	if !c.IsSet("network.stream_read_timeout_s") {
		return 0
	}
	return c.Network.StreamReadTimeout.Duration()
}

// env looks up a variable, empty when it is not set.
func (a *Access) env(name string) string {
	v, _ := a.o.Env(name)
	return v
}
