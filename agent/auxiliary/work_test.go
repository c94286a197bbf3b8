package auxiliary

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// works asks a client for a piece of work, and says which services tried it, with a mark
// behind that of the session.
func works(ctx context.Context, c *Client, do func(ctx context.Context, provider string) (bool, error)) (tried []string, err error) {
	err = c.Each(ctx, Review, func(ctx context.Context, s Service, same bool) (bool, error) {
		name := s.Provider
		if same {
			name += "!"
		}
		tried = append(tried, name)
		return do(ctx, s.Provider)
	})
	return tried, err
}

// TestEach has the services of a chain try a piece of work until one has done it. One that
// passes is neither a failure nor left out, and one that says nothing in time is.
func TestEach(t *testing.T) {
	chain := map[Task]Setting{Review: {Service: Service{Provider: "first", Model: "m"}, Fallbacks: []Service{{Provider: "second", Model: "m"}}, Timeout: 20 * time.Millisecond}}
	broken := errors.New("broken")
	hangs := func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
	for name, c := range map[string]struct {
		does          map[string]func(ctx context.Context) error
		tried, again  []string
		err           string
		calls, failed int
	}{
		"the first does it": {nil, []string{"first"}, []string{"first"}, "", 2, 0},
		"one fails":         {map[string]func(context.Context) error{"first": func(context.Context) error { return broken }}, []string{"first", "second"}, []string{"first", "second"}, "", 2, 0},
		"one hangs":         {map[string]func(context.Context) error{"first": hangs}, []string{"first", "second"}, []string{"second"}, "", 2, 0},
		"two pass": {map[string]func(context.Context) error{
			"first": func(context.Context) error { return ErrPass }, "second": func(context.Context) error { return ErrPass },
		}, []string{"first", "second", "main!"}, []string{"first", "second", "main!"}, "", 2, 0},
		"one passes and the others fail": {map[string]func(context.Context) error{
			"first": func(context.Context) error { return ErrPass }, "second": func(context.Context) error { return broken }, "main": func(context.Context) error { return broken },
		}, []string{"first", "second", "main!"}, []string{"first", "second", "main!"}, ErrPass.Error(), 0, 0},
		"all fail": {map[string]func(context.Context) error{
			"first": func(context.Context) error { return broken }, "second": func(context.Context) error { return broken }, "main": func(context.Context) error { return broken },
		}, []string{"first", "second", "main!"}, []string{"first", "second", "main!"}, "no model answered the side call background_review", 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			client := newWorld(t).client(chain)
			for _, want := range [][]string{c.tried, c.again} {
				tried, err := works(t.Context(), client, func(ctx context.Context, provider string) (bool, error) {
					if do := c.does[provider]; do != nil {
						return false, do(ctx)
					}
					return true, nil
				})
				if !slices.Equal(tried, want) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("%v tried it, not %v: %v", tried, want, err)
				}
			}
			var calls, failed int
			for _, u := range client.Used() {
				calls, failed = calls+u.Calls, failed+u.Failed
			}
			if calls != c.calls || failed != c.failed {
				t.Errorf("%d answered, %d not", calls, failed)
			}
		})
	}
}

// TestEachEnds gives the cause of a context that ends, and asks no one after that.
func TestEachEnds(t *testing.T) {
	client := newWorld(t).client(map[Task]Setting{Review: {Service: Service{Provider: "first", Model: "m"}}})
	why := errors.New("it is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	tried, err := works(ctx, client, func(ctx context.Context, _ string) (bool, error) {
		cancel(why)
		return true, ctx.Err()
	})
	if !slices.Equal(tried, []string{"first"}) || !errors.Is(err, why) {
		t.Errorf("%v tried it: %v", tried, err)
	}
}
