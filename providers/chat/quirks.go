package chat

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/models"
	"hermes-tui/providers/transport"
)

// quirk is one row of the table of [quirks]: which requests it is about, and what
// they need that others do not.
type quirk struct {
	name string
	at   match
	wants
}

// match says which requests a row is about: those to one of its endpoints for one of
// its models. A list that is empty excludes nothing.
type match struct {
	// providers are ids of the catalogue and of the settings.
	providers []string
	// hosts are names of servers, which stand for those below them as well, and
	// paths what the base URL must end with.
	hosts []string
	path  string
	// ports are those of servers on this machine or nearby.
	ports []string
	// models are patterns of names in small letters, in which a star stands for any
	// letters. One with a slash is held against the whole name, one without against
	// the name behind the vendor.
	models []string
	// is narrows it down to models of which this is true; nil to none.
	is func(models.Ask) bool
}

// wants is what requests need. Rows that say nothing about a matter have the zero
// value there.
type wants struct {
	// think says how reasoning is asked for; nil for the field that OpenAI began.
	think thinker
	// unset is the effort of a turn for which none is asked. Calls beside the
	// conversation, which belong to no session, do without.
	unset string
	// limit gives the most tokens of an answer for which none is asked, 0 for none.
	limit func(model string) int
	// body gives further fields of the request; empty ones are left out.
	body func(q query) map[string]any
	// headers gives further headers; empty ones are left out.
	headers func(q query) map[string]string
	// marks is the longest time for which a cache keeps what is marked, 0 where
	// marks are not wanted.
	marks time.Duration
	// markSystem keeps the marks to the system prompt.
	markSystem bool
	// lists tells that contents are lists of parts, even where they are one text.
	lists bool
	// flatTools tells that the content of tool messages is a text nevertheless.
	flatTools bool
	// strict tells that roles must take turns, also behind a result.
	strict bool
	// nineID tells that ids of calls are nine letters and digits, ownIDs that those of the
	// model's own form stay.
	nineID, ownIDs bool
	// tagged tells that the model wants its reasoning back between its tags.
	tagged bool
	// echo tells that messages with calls must have reasoning_content.
	echo bool
	// extras tells that calls get back what the model attached to them.
	extras bool
}

// query is what the functions of a row may go by.
type query struct {
	config  *Config
	model   string
	session string
}

// needs collects what a request needs: of every row that is about it, in the order
// of the table, so that the row that is more special stands behind the general one.
type needs struct {
	wants
	rows    []string
	bodies  []func(query) map[string]any
	headers []func(query) map[string]string
}

// needs looks up what requests for a model need.
func (c *Client) needs(model string) needs {
	var n needs
	at := endpointOf(c.config.Provider, c.base)
	for _, row := range quirks() {
		if row.at.fits(at, model) {
			n.add(row)
		}
	}
	return n
}

// add takes what a row says.
func (n *needs) add(row quirk) {
	n.rows = append(n.rows, row.name)
	if row.body != nil {
		n.bodies = append(n.bodies, row.body)
	}
	if row.wants.headers != nil {
		n.headers = append(n.headers, row.wants.headers)
	}
	w := &n.wants
	if row.think != nil {
		w.think, w.unset = row.think, row.unset
	}
	if row.limit != nil {
		w.limit = row.limit
	}
	if row.marks > 0 {
		w.marks, w.markSystem = row.marks, row.markSystem
	}
	w.lists = w.lists || row.lists
	w.flatTools = w.flatTools || row.flatTools
	w.strict = w.strict || row.strict
	w.nineID = w.nineID || row.nineID
	w.ownIDs = w.ownIDs || row.ownIDs
	w.tagged = w.tagged || row.tagged
	w.echo = w.echo || row.echo
	w.extras = w.extras || row.extras
}

// endpoint is where requests go, in small letters.
type endpoint struct {
	provider, host, port, path string
	local                      bool
}

func endpointOf(provider string, base *url.URL) endpoint {
	return endpoint{
		provider: strings.ToLower(provider), host: strings.ToLower(base.Hostname()), port: base.Port(), path: strings.ToLower(base.Path),
		local: transport.IsLocal(base.Hostname()),
	}
}

// fits reports whether a row is about a request.
func (m *match) fits(at endpoint, model string) bool {
	return m.fitsEndpoint(at) && strings.HasSuffix(at.path, m.path) && m.fitsModel(model)
}

func (m *match) fitsEndpoint(at endpoint) bool {
	if len(m.providers)+len(m.hosts)+len(m.ports) == 0 || slices.Contains(m.providers, at.provider) {
		return true
	}
	if at.local && slices.Contains(m.ports, at.port) {
		return true
	}
	return slices.ContainsFunc(m.hosts, func(h string) bool { return strings.HasSuffix("."+at.host, "."+h) })
}

func (m *match) fitsModel(model string) bool {
	if m.is != nil && !m.is(models.Of(model)) {
		return false
	}
	if len(m.models) == 0 {
		return true
	}
	full, bare := strings.ToLower(strings.TrimSpace(model)), bareModel(model)
	return slices.ContainsFunc(m.models, func(pattern string) bool {
		name := bare
		if strings.Contains(pattern, "/") {
			name = full
		}
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// effort is the effort that a request asks for, or stands for.
func (n *needs) effort(r providers.Request) string {
	if r.Effort == "" && r.Session != "" {
		return n.unset
	}
	return r.Effort
}

// fields gives the fields of a request that its rows add.
func (n *needs) fields(q query) map[string]any {
	out := map[string]any{}
	for _, body := range n.bodies {
		for k, v := range body(q) {
			if v != nil && v != "" {
				out[k] = v
			}
		}
	}
	return out
}

// extraHeaders gives the headers of a request that its rows add.
func (n *needs) extraHeaders(q query) map[string]string {
	out := map[string]string{}
	for _, headers := range n.headers {
		for k, v := range headers(q) {
			if v != "" {
				out[k] = v
			}
		}
	}
	return out
}
