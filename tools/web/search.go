package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// SearchName is the name of the tool that searches the web.
const SearchName = "web_search"

// Hit is a page that a search found.
type Hit struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// Engine is a service that searches the web.
type Engine struct {
	Name string
	// KeyEnv is the variable that holds its key, empty for none. URLEnv is that of its
	// address where it has none of its own.
	KeyEnv, URLEnv string
	// URL is where it is asked.
	URL string

	request func(ctx context.Context, at, key, query string, n int) (*http.Request, error)
	read    func(body []byte, at string) ([]Hit, error)
}

// Engines are all that there are, in the order in which they are taken: those that need a
// key or an address first, then those that need none, which stand in for each other. To add
// one, add it here.
func Engines() []Engine {
	return []Engine{
		{Name: "brave", KeyEnv: "BRAVE_SEARCH_API_KEY", URL: "https://api.search.brave.com/res/v1/web/search", request: asksBrave, read: readBrave},
		{Name: "tavily", KeyEnv: "TAVILY_API_KEY", URL: "https://api.tavily.com/search", request: asksTavily, read: readResults("content")},
		{Name: "exa", KeyEnv: "EXA_API_KEY", URL: "https://api.exa.ai/search", request: asksExa, read: readResults("highlights")},
		{Name: "parallel", KeyEnv: "PARALLEL_API_KEY", URL: "https://api.parallel.ai/v1beta/search", request: asksParallel, read: readResults("excerpts")},
		{Name: "firecrawl", KeyEnv: "FIRECRAWL_API_KEY", URL: "https://api.firecrawl.dev/v1/search", request: asksFirecrawl, read: readFirecrawl},
		{Name: "searxng", URLEnv: "SEARXNG_URL", request: asksSearXNG, read: readResults("content")},
		{Name: "exa-free", URL: "https://mcp.exa.ai/mcp", request: asksExaFree, read: readExaFree},
		{Name: "parallel-free", URL: "https://search.parallel.ai/mcp", request: asksParallelFree, read: readParallelFree},
		{Name: "keenable", URL: "https://api.keenable.ai/v1/search/public", request: asksKeenable, read: readResults("snippet")},
		{Name: "duckduckgo", URL: "https://html.duckduckgo.com/html/", request: asksDuckDuckGo, read: readDuckDuckGo},
	}
}

// Free reports whether the service needs neither a key nor an address.
func (e Engine) Free() bool { return e.KeyEnv == "" && e.URLEnv == "" }

// Backend is a service as it is asked.
type Backend struct {
	Engine
	Key string // empty where it has none
}

// SearchOptions say how the web is searched for an agent.
type SearchOptions struct {
	// Client makes requests, and judges every address and redirect.
	Client *http.Client
	Agent  string
	// Backends are asked one after the other until one lets us search.
	Backends []Backend
	// Secret reports whether a text holds a key or a password.
	Secret  func(text string) bool
	Timeout time.Duration
	Cache   *Cache
	Now     func() time.Time
}

// The bounds of a search.
const (
	usualHits   = 5
	mostHits    = 20
	longQuery   = 400 // characters
	maxAnswer   = 4 << 20
	maxSnippet  = 500
	searchStart = "search\x00" // of keys in the cache
)

const searchParameters = `{"type":"object","properties":{
"query":{"type":"string"},
"limit":{"type":"integer","description":"pages, at most 20","default":5}},
"required":["query"]}`

type searchArgs struct {
	Query string         `json:"query"`
	Limit *tools.Integer `json:"limit"`
}

func readSearch(raw json.RawMessage) (a searchArgs) {
	_ = json.Unmarshal(raw, &a) // Run reports what is wrong
	return a
}

func (o SearchOptions) check(a searchArgs) error {
	switch n := len([]rune(strings.TrimSpace(a.Query))); {
	case n == 0:
		return errors.New("query is empty: say what to search for")
	case n > longQuery:
		return fmt.Errorf("query has %d characters, more than the %d of a search", n, longQuery)
	case o.Secret(a.Query):
		return errors.New("query holds what looks like a key or a password, which is not sent to a service")
	}
	return nil
}

// NewSearch makes web_search.
func NewSearch(o SearchOptions) tools.Tool {
	view := func(raw json.RawMessage) tools.View {
		return tools.View{Kind: tools.KindGeneric, Subject: shorten.Line(readSearch(raw).Query, 200)}
	}
	return tools.Tool{
		Name: SearchName, Toolset: Toolset,
		Description: "Search the web. Gives titles, addresses and what the pages say about it, in short; read pages with web_extract.",
		Parameters:  json.RawMessage(searchParameters),
		Class:       tools.ReadOnly, ReadsOnly: true,
		Preview: view,
		Action: func(raw json.RawMessage) (tools.Action, error) {
			a := readSearch(raw)
			if o.check(a) != nil {
				return tools.Action{}, nil //nolint:nilerr // the call says so, and does nothing
			}
			var at []string
			for _, b := range o.Backends {
				at = append(at, b.URL)
			}
			return tools.Action{Kind: tools.ActFetch, URLs: at, Known: at, Command: a.Query}, nil
		},
		Summarise: func(in, _ tools.Members) (string, string) { return "searched the web for " + in.Text("query"), "" },
		Run: func(ctx context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			v := view(c.Args)
			var a searchArgs
			if err := c.Decode(&a); err != nil {
				return tools.Failure(v, err.Error()), nil
			}
			if err := o.check(a); err != nil {
				return tools.Failure(v, err.Error()), nil
			}
			n := usualHits
			if a.Limit != nil {
				n = min(max(int(*a.Limit), 1), mostHits)
			}
			list, by, err := o.search(ctx, strings.TrimSpace(a.Query), n)
			switch {
			case ctx.Err() != nil:
				return tools.Result{}, context.Cause(ctx)
			case err != nil:
				r := tools.Failure(v, err.Error())
				r.Untrusted = fromSearch // services put words of their own into errors
				return r, nil
			}
			return found(v, list, by), nil
		},
	}
}

// fromSearch is where what a search gives comes from.
const fromSearch = "a search of the web"

// found shows what was found, and by whom.
func found(v tools.View, list []Hit, by string) tools.Result {
	var b strings.Builder
	for _, h := range list {
		fmt.Fprintf(&b, "%s\n%s\n%s\n\n", h.Title, h.URL, h.Description)
	}
	v.Body, v.Summary = strings.TrimSpace(b.String()), fmt.Sprintf("%d found by %s", len(list), by)
	return tools.Result{View: v, Untrusted: fromSearch, Content: tools.JSON(struct {
		Success bool             `json:"success"`
		Data    map[string][]Hit `json:"data"`
		By      string           `json:"served_by"`
	}{true, map[string][]Hit{"web": append([]Hit{}, list...)}, by})}
}

// A service that does not let us search, for now or without a key, and one that does not
// work: another one may stand in.
var (
	errThrottled = errors.New("it does not let us search")
	errAway      = errors.New("it does not work just now")
)

// restTime is for how long a service that did not let us search, or did not work, is asked
// last.
const restTime = 10 * time.Minute

// search asks the services until one answers, or takes what one has said a moment ago. by is
// the one. Those without a key take turns; those that did not answer a moment ago come last.
func (o SearchOptions) search(ctx context.Context, query string, n int) (list []Hit, by string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("it took longer than %v", o.Timeout))
	defer cancel()
	key := func(b Backend) string {
		return fmt.Sprintf("%s%s %d %s", searchStart, b.Name, n, strings.Join(strings.Fields(strings.ToLower(query)), " "))
	}
	for _, b := range o.Backends {
		if p, ok := o.Cache.get(key(b), o.Now()); ok && json.Unmarshal([]byte(p.Text), &list) == nil {
			return list, b.Name, nil
		}
	}
	var ready, resting []Backend
	for _, b := range o.inTurn() {
		if o.Cache.rests(b.Name, o.Now()) {
			resting = append(resting, b)
		} else {
			ready = append(ready, b)
		}
	}
	var failed []string
	for _, b := range append(ready, resting...) {
		list, err := o.try(ctx, b, query, n)
		if err == nil {
			if data, err := json.Marshal(list); err == nil && len(list) > 0 {
				o.Cache.put(key(b), Page{Text: string(data)}, o.Now())
			}
			return list, b.Name, nil
		}
		failed = append(failed, fmt.Sprintf("%s: %v", b.Name, err))
		if !errors.Is(err, errThrottled) && !errors.Is(err, errAway) || ctx.Err() != nil {
			break
		}
		o.Cache.rest(b.Name, o.Now())
	}
	text := strings.Join(failed, "; ")
	if strings.Contains(text, errThrottled.Error()) {
		text += ". Tell the user that web.search_backend names another service, or a key of one (docs/web.md)"
	}
	return nil, "", errors.New(text)
}

// inTurn are the services in the order in which they are asked: the first of those that need
// neither key nor address is another one each time.
func (o SearchOptions) inTurn() []Backend {
	if len(o.Backends) == 0 || !o.Backends[0].Free() {
		return o.Backends
	}
	k := o.Cache.turn() % len(o.Backends)
	return slices.Concat(o.Backends[k:], o.Backends[:k])
}

// tryTime is how long one service may take where another one could stand in.
const tryTime = 20 * time.Second

// try is ask within a share of the time, so that some is left for those that stand in.
func (o SearchOptions) try(ctx context.Context, b Backend, query string, n int) ([]Hit, error) {
	if len(o.Backends) == 1 {
		return o.ask(ctx, b, query, n)
	}
	tried, cancel := context.WithTimeoutCause(ctx, tryTime, fmt.Errorf("it took longer than %v", tryTime))
	defer cancel()
	list, err := o.ask(tried, b, query, n)
	if err != nil && tried.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", errAway, context.Cause(tried))
	}
	return list, err
}

// ask asks a service.
func (o SearchOptions) ask(ctx context.Context, b Backend, query string, n int) ([]Hit, error) {
	r, err := b.request(ctx, b.URL, b.Key, query, n)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", o.Agent)
	resp, err := hopping(o.Client, func(to *url.URL) error { // which would get the key and the words
		if to.Hostname() != r.URL.Hostname() || to.Port() != r.URL.Port() {
			return fmt.Errorf("it leads to another host, %s", shorten.Line(to.Host, 200))
		}
		return nil
	}).Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if wrong, ok := errors.AsType[*url.Error](err); ok {
			err = wrong.Err // the address is known, and may hold the query
		}
		return nil, fmt.Errorf("%w: %w", errAway, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errAway, err)
	case resp.StatusCode >= http.StatusInternalServerError:
		return nil, fmt.Errorf("%w (%s)", errAway, status(resp))
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden, resp.StatusCode == http.StatusPaymentRequired, resp.StatusCode == http.StatusAccepted:
		return nil, fmt.Errorf("%w (%s)", errThrottled, status(resp))
	case resp.StatusCode/100 != 2:
		return nil, fmt.Errorf("it answered %s", status(resp))
	}
	list, err := b.read(body, b.URL)
	switch {
	case errors.Is(err, errThrottled):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: its answer cannot be read: %w", errAway, err)
	}
	return tidy(list, n), nil
}

// tidy keeps hits with an address of a page, in short.
func tidy(list []Hit, n int) (kept []Hit) {
	seen := map[string]bool{}
	for _, h := range list {
		if _, err := ParseURL(h.URL); err != nil || seen[h.URL] || len(kept) == n {
			continue
		}
		seen[h.URL] = true
		kept = append(kept, Hit{shorten.Line(h.Title, 200), h.URL, shorten.Line(plain(h.Description), maxSnippet)})
	}
	return kept
}

// plain is a piece of HTML without its tags.
func plain(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	var b strings.Builder
	for z := html.NewTokenizer(strings.NewReader(s)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.Write(z.Text())
		}
	}
}

func get(ctx context.Context, at string, query url.Values) (*http.Request, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	u.RawQuery = query.Encode()
	return http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
}

func post(ctx context.Context, at string, body any) (*http.Request, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(data))
	if err == nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, err
}

func asksBrave(ctx context.Context, at, key, query string, n int) (*http.Request, error) {
	r, err := get(ctx, at, url.Values{"q": {query}, "count": {fmt.Sprint(n)}})
	if err == nil {
		r.Header.Set("X-Subscription-Token", key)
		r.Header.Set("Accept", "application/json")
	}
	return r, err
}

func readBrave(body []byte, _ string) ([]Hit, error) {
	var a struct{ Web struct{ Results []Hit } }
	err := json.Unmarshal(body, &a)
	return a.Web.Results, err
}

func asksTavily(ctx context.Context, at, key, query string, n int) (*http.Request, error) {
	r, err := post(ctx, at, map[string]any{"query": query, "max_results": n})
	if err == nil {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return r, err
}

func asksExa(ctx context.Context, at, key, query string, n int) (*http.Request, error) {
	r, err := post(ctx, at, map[string]any{"query": query, "numResults": n, "contents": map[string]any{"highlights": true}})
	if err == nil {
		r.Header.Set("X-Api-Key", key)
	}
	return r, err
}

func asksSearXNG(ctx context.Context, at, _, query string, _ int) (*http.Request, error) {
	return get(ctx, strings.TrimSuffix(at, "/")+"/search", url.Values{"q": {query}, "format": {"json"}})
}

// readResults reads the form that most services have, with what a page says under a name.
func readResults(says string) func([]byte, string) ([]Hit, error) {
	return func(body []byte, _ string) ([]Hit, error) {
		var a struct{ Results []map[string]any }
		if err := json.Unmarshal(body, &a); err != nil {
			return nil, err
		}
		var list []Hit
		for _, r := range a.Results {
			title, _ := r["title"].(string)
			address, _ := r["url"].(string)
			var said []string
			switch v := r[says].(type) {
			case string:
				said = append(said, v)
			case []any:
				for _, one := range v {
					said = append(said, fmt.Sprint(one))
				}
			}
			list = append(list, Hit{title, address, strings.Join(said, " … ")})
		}
		return list, nil
	}
}

func asksDuckDuckGo(ctx context.Context, at, _, query string, _ int) (*http.Request, error) {
	return get(ctx, at, url.Values{"q": {query}})
}

// readDuckDuckGo reads a page of results: links of the class result__a, and what follows in
// result__snippet.
func readDuckDuckGo(body []byte, at string) ([]Hit, error) {
	doc, err := html.ParseWithOptions(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	var list []Hit
	for n := range doc.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case classed(n, "result__a"):
			list = append(list, Hit{Title: words(n), URL: behind(base, attribute(n, "href"))})
		case classed(n, "result__snippet") && len(list) > 0:
			list[len(list)-1].Description = words(n)
		}
	}
	return list, nil
}

// behind is the address that a link of results leads to: some go by way of the service.
func behind(base *url.URL, link string) string {
	u, err := base.Parse(link)
	if err != nil {
		return ""
	}
	if to := u.Query().Get("uddg"); to != "" {
		return to
	}
	return u.String()
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func classed(n *html.Node, class string) bool {
	for c := range strings.FieldsSeq(attribute(n, "class")) {
		if c == class {
			return true
		}
	}
	return false
}

// words are the texts of an element.
func words(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
