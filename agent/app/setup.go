package app

import (
	"context"
	"errors"

	"hermes-tui/agent/api"
	"hermes-tui/agent/models"
	"hermes-tui/providers/catalog"
)

// Service is a model service that can be set up.
type Service = api.Service

// Services are those that can be set up with a key.
func (a *App) Services() []Service { return a.models.Services() }

// AddressService is the service at an address.
func AddressService(address string) Service {
	return Service{ID: catalog.Custom, Name: address, Address: address}
}

// TryService asks a service for its models with a key; see [models.Access.Try].
func (a *App) TryService(ctx context.Context, s Service, key string) (ModelGroup, error) {
	a.learn(key)
	return a.models.Try(ctx, s, key)
}

// WantsKey reports whether a service was not to be used because of its key.
func WantsKey(err error) bool {
	e, ok := errors.AsType[*models.TryError](err)
	return ok && e.Key
}

// Unchecked reports whether a key could not be checked, because nothing was heard of the
// service.
func Unchecked(err error) bool {
	e, ok := errors.AsType[*models.TryError](err)
	return ok && e.Unheard
}

// Keep has a model of a service answer from now on: its key goes into auth.json, which only
// the user can read, and the settings name the model. An empty key leaves what there is.
func (a *App) Keep(ctx context.Context, s Service, key, model string) error {
	if key != "" {
		if _, err := a.models.KeepKey(ctx, s, "setup", key); err != nil {
			return err
		}
		if err := a.models.RetireVariables(ctx, s, key); err != nil {
			return err
		}
	}
	now := a.config()
	values := [][2]string{{"model.default", model}}
	switch {
	case s.ID == catalog.Custom && s.Address == "", s.ID == now.Model.Provider && s.Address == "": // the rest says where that is
	default:
		values = append(values, [2]string{"model.provider", s.ID})
		values = append([][2]string{{"model.base_url", s.Address}, {"model.api_key"}, {"model.key_env"}, {"model.protocol"}}, values...)
	}
	for _, v := range values {
		if v[1] == "" && !now.IsSet(v[0]) {
			continue
		}
		if err := a.write(ctx, v[0], v[1]); err != nil {
			return err
		}
	}
	if a.o.Loading.File != "" {
		a.reload()
	}
	return nil
}
