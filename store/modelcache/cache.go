package modelcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"sync"
	"time"

	"hermes-tui/providers"
)

// Options say where things are.
type Options struct {
	// Lists is the file of model lists, such as cache/models.json in the home; empty
	// remembers none.
	Lists string
	// Limits is the file of context windows, context_length_cache.yaml in the home;
	// empty remembers none.
	Limits string
	// Now is the clock; nil is the usual one.
	Now func() time.Time
}

// Cache remembers lists of models and context windows.
type Cache struct {
	now func() time.Time

	mu     sync.Mutex
	lists  file[lists]
	limits file[limits]
	// pending are windows that errors stated and nothing has confirmed.
	pending map[limitKey]int
}

// patience is how long another instance that writes is waited for.
const patience = 5 * time.Second

// New makes a cache. It touches no file.
func New(o Options) *Cache {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Cache{
		now:     o.Now,
		lists:   file[lists]{path: o.Lists, most: mostListBytes, patience: patience, parse: parseLists},
		limits:  file[limits]{path: o.Limits, most: mostLimitBytes, patience: patience, shared: true, parse: parseLimits},
		pending: map[limitKey]int{},
	}
}

// Key names a list: an endpoint as one account sees it.
type Key struct{ text string }

// NewKey makes the key of an endpoint's list. Account tells apart accounts that may see
// different models: a key, or the id of an account, and the same for as long as it is
// the same account. Neither it nor what stands in the address as user name or query can
// be read from the key.
func NewKey(base, account string) Key {
	address := bareURL(base)
	sum := sha256.Sum256([]byte("models\x00" + base + "\x00" + account))
	return Key{address + "#" + hex.EncodeToString(sum[:6])}
}

// String is the key as it is written down.
func (k Key) String() string { return k.text }

// mostAddress bounds addresses, in bytes.
const mostAddress = 500

// bareURL is the address of an endpoint without what could be a credential: scheme,
// host and path, in one spelling. It is empty for what is no such address.
func bareURL(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	bare := u.Scheme + "://" + strings.ToLower(u.Host) + strings.TrimRight(u.EscapedPath(), "/")
	if len(bare) > mostAddress {
		return ""
	}
	return bare
}

// Get gives the list that was put last under a key, and how long ago that was. ok is
// false when there is none.
func (c *Cache) Get(k Key) (models []providers.Model, age time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists.path == "" {
		return nil, 0, false
	}
	e, ok := c.lists.load().Entries[k.text]
	if !ok {
		return nil, 0, false
	}
	// A clock that was wrong must not keep a list for years.
	if age = c.now().Sub(e.At); age < -clockSlack {
		return nil, 0, false
	}
	return copyModels(e.Models), max(age, 0), true
}

// Put remembers a list. A list that is too long, or names that are, are an [*Error] of
// [ProblemInvalid]; so is an empty list, which would hide what is known. Another
// instance that is writing is waited for, some seconds at most.
func (c *Cache) Put(ctx context.Context, k Key, models []providers.Model) error {
	if c.lists.path == "" {
		return nil
	}
	if err := checkModels(c.lists.path, models); err != nil {
		return err
	}
	return c.lists.change(ctx, func(data []byte) ([]byte, error) {
		l, _ := parseLists(data)
		if l.Version > listVersion {
			return nil, &Error{Path: c.lists.path, Problem: ProblemNewer}
		}
		now := c.now()
		l.Entries[k.text] = list{At: now.UTC().Truncate(time.Second), Models: models}
		out, err := l.encode(k.text, now)
		if err != nil {
			return nil, failed(c.lists.path, err)
		}
		return out, nil
	})
}
