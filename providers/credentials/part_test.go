package credentials

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestServerLogins keeps logins at servers beside all else that the file holds.
func TestServerLogins(t *testing.T) {
	name := filepath.Join(t.TempDir(), "auth.json")
	if err := os.WriteFile(name, []byte(`{"version": 1, "own": [1.50], "credential_pool": {"x": []}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func() *Store {
		s, err := Open(Options{File: name})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	put := func(s *Store, text string) error {
		return s.ChangeServer(t.Context(), "a b", time.Second, func(json.RawMessage) (json.RawMessage, error) {
			if text == "" {
				return nil, nil
			}
			return json.RawMessage(text), nil
		})
	}
	s := open()
	if got, err := s.Server("a b"); got != nil || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if err := put(s, `{"access_token": "secret-one", "issuer": "i"}`); err != nil {
		t.Fatal(err)
	}
	s = open()
	if got, err := s.Server("a b"); err != nil || !strings.Contains(string(got), "secret-one") {
		t.Errorf("%s, %v", got, err)
	}
	if list := s.Secrets(); !slices.Equal(list, []string{"secret-one"}) {
		t.Errorf("%q", list)
	}
	no := errors.New("no")
	if err := s.ChangeServer(t.Context(), "a b", time.Second, func(json.RawMessage) (json.RawMessage, error) { return nil, no }); !errors.Is(err, no) {
		t.Errorf("%v", err)
	}
	raw, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(raw), `1.50`) || !strings.Contains(string(raw), "secret-one") {
		t.Errorf("%s, %v", raw, err)
	}
	if err := put(s, ""); err != nil {
		t.Fatal(err)
	}
	if got, err := open().Server("a b"); got != nil || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// TestServerLoginsTogether: of many who change a login at once each sees what the one before
// it left, and one who cannot wait says so.
func TestServerLoginsTogether(t *testing.T) {
	name := filepath.Join(t.TempDir(), "auth.json")
	var wg sync.WaitGroup
	for range 10 {
		s, err := Open(Options{File: name})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			err := s.ChangeServer(context.Background(), "n", 20*time.Second, func(old json.RawMessage) (json.RawMessage, error) {
				var n struct{ N int }
				if old != nil {
					if err := json.Unmarshal(old, &n); err != nil {
						return nil, err
					}
				}
				n.N++
				return json.Marshal(n)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, err := Open(Options{File: name})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Server("n"); err != nil || strings.Join(strings.Fields(string(got)), "") != `{"N":10}` {
		t.Errorf("%s, %v", got, err)
	}
	err = s.ChangeServer(t.Context(), "n", 10*time.Second, func(json.RawMessage) (json.RawMessage, error) {
		err := s.ChangeServer(t.Context(), "n", 100*time.Millisecond, func(json.RawMessage) (json.RawMessage, error) { return nil, nil })
		if _, is := errors.AsType[*FileError](err); !is {
			t.Errorf("%v", err)
		}
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
}
