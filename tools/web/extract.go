package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Name is the name of the tool that reads pages, Toolset its toolset.
const (
	Name    = "web_extract"
	Toolset = "web"
)

// Names reports whether what a tool gives names addresses: others have written it. Its
// arguments are in there at most where they were asked for already.
func Names(tool string) bool { return tool == Name || tool == SearchName }

// maxURLs is how many pages are read at once.
const maxURLs = 5

// The usual bounds of a page, and how much may be asked for, in characters.
const (
	DefaultChars = 15_000
	leastChars   = 2_000
	mostChars    = 500_000
)

// CacheAge is for how long a page that was read is given again.
const CacheAge = 20 * time.Minute

// ExtractOptions say how pages are read for an agent.
type ExtractOptions struct {
	// Client makes requests, and judges every address and redirect.
	Client *http.Client
	// Agent is how the program calls itself.
	Agent string
	// Known reports whether the user or the web has named an address letter by letter, see
	// [Names].
	Known func(address string) bool
	// Secret reports whether a text holds a key or a password.
	Secret func(text string) bool
	// Reader makes text of pages.
	Reader Reader
	// Save keeps the whole of a page that is shown in part, and says where.
	Save func(ctx context.Context, name string, data []byte) (path string, err error)
	// Chars is how much of a page is shown, and Timeout how long all pages of a call may
	// take.
	Chars   int
	Timeout time.Duration
	// Cache is shared by all agents.
	Cache *Cache
	Now   func() time.Time
}

// Cache keeps pages for a while. It is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	pages map[string]cached
	tired map[string]time.Time // services that did not let us search, and when
	turns int                  // searches begun
}

type cached struct {
	page Page
	at   time.Time
}

// maxCached is how many characters a cache holds.
const maxCached = 20_000_000

// NewCache makes an empty cache.
func NewCache() *Cache { return &Cache{pages: map[string]cached{}, tired: map[string]time.Time{}} }

// rests reports whether a service did not let us search a moment ago, rest notes it.
func (c *Cache) rests(service string, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.tired[service]
	return ok && now.Sub(at) < restTime
}

func (c *Cache) rest(service string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tired[service] = now
}

// turn counts searches.
func (c *Cache) turn() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turns++
	return c.turns - 1
}

func (c *Cache) get(address string, now time.Time) (Page, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one, ok := c.pages[address]
	return one.page, ok && now.Sub(one.at) < CacheAge
}

func (c *Cache) put(address string, p Page, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := len(p.Text)
	for a, one := range c.pages {
		if now.Sub(one.at) >= CacheAge {
			delete(c.pages, a)
			continue
		}
		held += len(one.page.Text)
	}
	if held > maxCached {
		clear(c.pages)
	}
	c.pages[address] = cached{p, now}
}

const parameters = `{"type":"object","properties":{
"urls":{"type":"array","items":{"type":"string"},"description":"addresses of pages, at most 5"},
"char_limit":{"type":"integer","description":"characters of each page, 2000 to 500000"}},
"required":["urls"]}`

type arguments struct {
	URLs  []string       `json:"urls"`
	Limit *tools.Integer `json:"char_limit"`
}

// New makes web_extract.
func New(o ExtractOptions) tools.Tool {
	return tools.Tool{
		Name: Name, Toolset: Toolset,
		Description: "Read pages of the web as Markdown, and other texts as they are. Of a long page the middle is left out; the whole is kept in a file.",
		Parameters:  json.RawMessage(parameters),
		Class:       tools.ReadOnly, ReadsOnly: true, MaxResult: -1,
		Preview: func(raw json.RawMessage) tools.View { return view(read(raw)) },
		Action: func(raw json.RawMessage) (tools.Action, error) {
			a := read(raw)
			if err := o.check(a); err != nil {
				return tools.Action{}, nil //nolint:nilerr // the call says so, and does nothing
			}
			act := tools.Action{Kind: tools.ActFetch, URLs: a.URLs}
			for _, u := range a.URLs {
				if o.Known(u) {
					act.Known = append(act.Known, u)
				}
			}
			return act, nil
		},
		Summarise: func(in, _ tools.Members) (string, string) { return "read " + in.Text("urls"), "" },
		Run: func(ctx context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			return o.run(ctx, c)
		},
	}
}

func read(raw json.RawMessage) (a arguments) {
	_ = json.Unmarshal(raw, &a) // Run reports what is wrong
	return a
}

func view(a arguments) tools.View {
	v := tools.View{Kind: tools.KindGeneric, Lang: "markdown"}
	if len(a.URLs) > 0 {
		v.Subject = shorten.Line(strings.Join(a.URLs, " "), 200)
	}
	return v
}

// check says what is wrong with what a model has asked for.
func (o ExtractOptions) check(a arguments) error {
	switch {
	case len(a.URLs) == 0:
		return errors.New("urls is empty: name at least one address")
	case len(a.URLs) > maxURLs:
		return fmt.Errorf("at most %d pages are read at once, not %d", maxURLs, len(a.URLs))
	}
	for _, u := range a.URLs {
		if _, err := ParseURL(u); err != nil {
			return fmt.Errorf("%s: %w", shorten.Line(u, 200), err)
		}
		if name := secretIn(u, o.Secret); name != "" {
			return fmt.Errorf("the address holds %s, which is not sent to a site: leave it out, or have the user run a command that sends it", name)
		}
	}
	return nil
}

// secretIn names what in an address is a secret, as it stands there or decoded: by its form,
// or by the name of its parameter. Empty for none.
func secretIn(address string, secret func(string) bool) string {
	u, err := ParseURL(address)
	if err != nil {
		return ""
	}
	for name, values := range u.Query() {
		plain := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(name))
		if slices.Contains(secretParameters, plain) && slices.ContainsFunc(values, func(v string) bool { return v != "" }) {
			return "a secret by the name of its parameter " + shorten.Line(name, 40)
		}
	}
	decoded := address
	for range 5 { // some are encoded again
		if secret(decoded) {
			return "what looks like a key or a password"
		}
		next, err := url.QueryUnescape(decoded)
		if err != nil || next == decoded {
			break
		}
		decoded = next
	}
	return ""
}

// secretParameters are names of parameters whose values are secrets, without signs between
// their words.
var secretParameters = []string{"apikey", "accesskey", "accesstoken", "authtoken", "refreshtoken", "idtoken", "privatekey", "secretkey", "clientsecret", "secret", "token", "password", "passwd", "pwd", "xapikey"}

// extracted is what the model gets of a page.
type extracted struct {
	URL     string `json:"url"`
	Title   string `json:"title,omitempty"`
	Content string `json:"content,omitempty"`
	Error   string `json:"error,omitempty"`
}

func (o ExtractOptions) run(ctx context.Context, c tools.Call) (tools.Result, error) {
	var a arguments
	if err := c.Decode(&a); err != nil {
		return tools.Failure(view(read(c.Args)), err.Error()), nil
	}
	v := view(a)
	if err := o.check(a); err != nil {
		return tools.Failure(v, err.Error()), nil
	}
	limit := o.Chars
	if a.Limit != nil {
		limit = min(max(int(*a.Limit), leastChars), mostChars)
	}
	timed, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("it took longer than %v", o.Timeout))
	defer cancel()
	list := make([]extracted, len(a.URLs))
	var reading sync.WaitGroup
	for i, u := range a.URLs {
		reading.Go(func() { list[i] = o.one(timed, u, limit) })
	}
	reading.Wait()
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	failed, body := 0, []string{}
	for _, e := range list {
		if e.Error != "" {
			failed++
			body = append(body, e.URL+": "+e.Error)
			continue
		}
		head := e.URL
		if e.Title != "" {
			head = "# " + e.Title + "\n" + head
		}
		body = append(body, strings.TrimSpace(head+"\n\n"+e.Content))
	}
	v.Body = strings.Join(body, "\n\n")
	v.Summary = tools.Plural(len(list)-failed, "page", "pages")
	r := tools.Result{View: v, Untrusted: "the web", Content: tools.JSON(struct {
		Results []extracted `json:"results"`
	}{list})}
	if failed == len(list) {
		r.Status, r.View.Summary = tools.StatusFailed, shorten.Line(list[0].Error, 200)
	}
	return r, nil
}

// one reads a page, or takes it out of the cache.
func (o ExtractOptions) one(ctx context.Context, address string, limit int) extracted {
	e := extracted{URL: address}
	p, ok := o.Cache.get(address, o.Now())
	if !ok {
		var err error
		if p, err = Read(ctx, o.within(address), o.Agent, address, o.Reader); err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			e.Error = err.Error()
			return e
		}
		o.Cache.put(address, p, o.Now())
	}
	e.URL, e.Title = p.URL, p.Title
	e.Content = o.shown(ctx, p, limit)
	return e
}

// within is the client for an address: a redirect to another site is for the agent to ask
// for, and for the user to allow.
func (o ExtractOptions) within(address string) *http.Client {
	from, err := ParseURL(address)
	if err != nil {
		return o.Client
	}
	return hopping(o.Client, func(to *url.URL) error {
		if site(to) != site(from) {
			return fmt.Errorf("it leads to another site: read %s if you want that", shorten.Line(to.String(), 300))
		}
		return nil
	})
}

// hopping is a client that follows redirects only where may has nothing against it either.
func hopping(c *http.Client, may func(to *url.URL) error) *http.Client {
	own := *c
	own.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if c.CheckRedirect != nil {
			if err := c.CheckRedirect(r, via); err != nil {
				return err
			}
		}
		return may(r.URL)
	}
	return &own
}

// site is what belongs to one owner, as far as its name says.
func site(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if owned, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return owned
	}
	return host
}

// shown is what of a page the model gets: all of it, or its beginning and end.
func (o ExtractOptions) shown(ctx context.Context, p Page, limit int) string {
	n := utf8.RuneCountInString(p.Text)
	if n <= limit {
		if p.Cut {
			return p.Text + "\n\n[the rest of the page was not read: it is too long]"
		}
		return p.Text
	}
	head := limit * 3 / 4
	all := []rune(p.Text)
	where := ""
	if path, err := o.Save(ctx, "page.md", []byte(p.Text)); err == nil {
		where = "; the whole is in " + path + ": read it with read_file"
	}
	return fmt.Sprintf("%s\n\n[%d characters are left out here%s]\n\n%s", string(all[:head]), n-limit, where, string(all[n-(limit-head):]))
}
