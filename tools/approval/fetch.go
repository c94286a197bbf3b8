package approval

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// longSegment is how long a part of an address may be that says nothing by itself.
const longSegment = 80

// judgeFetch asks about each site that the settings do not allow, and about addresses in
// which data can be sent that no one has written before.
func (g *Gate) judgeFetch(a tools.Action) shellrisk.Verdict {
	var sites []string
	data := false
	for _, address := range a.URLs {
		u, err := url.Parse(address)
		if err != nil {
			return shellrisk.JudgeFetch([]string{address}, true)
		}
		host, port := siteOf(u)
		if g.o.Hosts == nil || !g.o.Hosts(host, port) {
			sites = append(sites, host)
		}
		data = data || !slices.Contains(a.Known, address) && carriesData(u)
	}
	if a.Command != "" {
		return shellrisk.JudgeSearch(len(sites) > 0)
	}
	slices.Sort(sites)
	return shellrisk.JudgeFetch(slices.Compact(sites), data)
}

// siteOf is the host of an address as rules name it, and its port.
func siteOf(u *url.URL) (host string, port int) {
	host = shellrisk.SiteName(u.Hostname())
	port, err := strconv.Atoi(u.Port())
	switch {
	case err == nil:
	case u.Scheme == "https":
		port = 443
	default:
		port = 80
	}
	return host, port
}

// carriesData reports whether an address has room for data of the workspace: in one long
// part, or in many short ones.
func carriesData(u *url.URL) bool {
	path, host := u.EscapedPath(), u.Hostname()
	return u.RawQuery != "" || u.Fragment != "" || u.User != nil || len(path) > 2*longSegment || len(host) > longSegment ||
		longest(path, "/") > longSegment || longest(host, ".") > longSegment/2
}

// longest is the length of the longest part of a text.
func longest(text, sep string) (n int) {
	for part := range strings.SplitSeq(text, sep) {
		n = max(n, len(part))
	}
	return n
}

// fetchScopes are the permissions that an answer can give for a fetch: for its one site
// that none covers yet, or for all services of a search. Of data in an address none is given.
func (g *Gate) fetchScopes(m *matter) []tools.Scope {
	if m.has(shellrisk.CatExfiltration) {
		return nil
	}
	var open, all [][]tools.Scope
	var hosts []string
	seen := map[string]bool{}
	for _, address := range m.Action.URLs {
		u, err := url.Parse(address)
		if err != nil {
			return nil
		}
		host, port := siteOf(u)
		if seen[host] || host == "" || g.o.Hosts != nil && g.o.Hosts(host, port) {
			continue
		}
		seen[host] = true
		hosts = append(hosts, host)
		scopes := hostScopes(host, port)
		for i := range scopes {
			scopes[i].Rule = "fetch from " + strings.TrimPrefix(scopes[i].Rule, "connect to ")
		}
		if all = append(all, scopes); g.grantedAs(context.Background(), tools.ActFetch, scopes, nil) == "" {
			open = append(open, scopes)
		}
	}
	switch {
	case m.Action.Command != "" && len(all) > 1: // services that stand in for each other
		return []tools.Scope{{Label: "these services", Rule: "search at " + strings.Join(hosts, ", ")}}
	case len(open) == 1:
		return open[0]
	case len(open) == 0 && len(all) > 0:
		return all[0]
	}
	return nil
}
