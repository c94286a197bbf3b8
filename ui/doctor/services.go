package doctor

import (
	"context"
	"crypto/x509"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/app"
)

// Models asks each endpoint for its models, with its key, and has it show that it takes
// the key.
func Models(ctx context.Context, m *Machine) (list []Finding) {
	if m.App == nil {
		return nil
	}
	for _, s := range m.App.MissingServices() {
		f := Finding{About: s.Key, State: Weak, Says: s.Why, Fix: "correct it in config.yaml, or take the entry out"}
		if s.Key == "model.provider" {
			f.State, f.Fix = Bad, "correct it in config.yaml, or choose a model in the program with /setup"
		}
		if m.Only == "" {
			list = append(list, f)
		}
	}
	if m.Offline {
		return append(list, Finding{About: "endpoints", State: Note, Says: "not asked, since --offline was given"})
	}
	answers, keyless := map[int]Finding{}, m.App.KeylessModels()
	demo := false
	err := m.App.ProveModels(ctx, func(g app.ModelGroup) {
		if m.Only != "" && g.Provider != m.Only {
			return
		}
		delete(keyless, g.Provider)
		about := g.Label
		if g.Host != "" {
			about += " (" + g.Host + ")"
		}
		key := ""
		if g.Key != "" {
			key = ", key from " + g.Key
		}
		switch {
		case g.Provider == "demo" || g.Provider == "script":
			demo = true
		case g.At < 0 && m.Only == "": // the service of the settings, which is missing
		case g.Asking:
			answers[g.At] = Finding{About: about, State: Bad, Says: fmt.Sprintf("no answer within %v", Patience), Fix: "check that the server runs and that its address is right"}
		case g.Problem != "":
			answers[g.At] = Finding{About: about, State: Bad, Says: g.Problem, Fix: "see its address in hermes-tui config show, and where its key comes from in hermes-tui auth list"}
		default:
			answers[g.At] = Finding{About: about, State: Good, Says: fmt.Sprintf("%s in %v%s", count(len(g.Models), "model"), g.Took.Round(time.Millisecond), key+oldPrices(g.Models))}
		}
	})
	var order []int
	for at := range answers {
		order = append(order, at)
	}
	slices.Sort(order)
	for _, at := range order {
		list = append(list, answers[at])
	}
	for _, name := range slices.Sorted(maps.Keys(keyless)) {
		if m.Only == "" || m.Only == name {
			list = append(list, Finding{About: "providers." + name, State: Weak, Says: "it is not used: its key is to be in " + keyless[name] + ", which is not set",
				Fix: "set it in the environment, or write a line " + keyless[name] + "=KEY into .env of the home"})
		}
	}
	switch {
	case err != nil && ctx.Err() == nil:
		list = append(list, Finding{About: "endpoints", State: Bad, Says: err.Error()})
	case len(list) == 0 && m.Only != "":
		list = append(list, Finding{About: m.Only, State: Bad, Says: "nothing opens it: no key and no login",
			Fix: "add a key with hermes-tui auth add " + m.Only + ", or log in with hermes-tui auth login"})
	case len(list) == 0 && demo:
		list = append(list, Finding{About: "endpoints", State: Weak, Says: "there is none: without a model the program plays its demonstration",
			Fix: "add a provider's key with hermes-tui auth add, or start a model server like Ollama on this machine"})
	}
	return list
}

// oldPrices are words about prices that come from a list of long ago.
func oldPrices(list []app.ModelInfo) string {
	for _, m := range list {
		if p := m.Price; p != nil && !p.Old.IsZero() {
			return "; their prices are those of " + p.Old.Format("2 January 2006") + ", newer ones can be set as pricing"
		}
	}
	return ""
}

// network looks at proxies and certificates.
func network(_ context.Context, m *Machine) (list []Finding) {
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"} {
		value, at := valueOf(m, name), name
		if value == "" {
			at = strings.ToLower(name)
			value = valueOf(m, at)
		}
		address := value
		if !strings.Contains(address, "://") {
			address = "http://" + address
		}
		switch u, err := url.Parse(address); {
		case value == "":
		case name == "NO_PROXY":
			list = append(list, Finding{About: at, State: Note, Says: "reached without a proxy: " + value})
		case err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme):
			list = append(list, Finding{About: at, State: Bad, Says: "it is no address of a proxy", Fix: "write it as http://HOST:PORT or socks5://HOST:PORT, or unset it"})
		default:
			list = append(list, Finding{About: at, State: Note, Says: "requests, and those of confined commands, go by way of " + u.Scheme + "://" + u.Host})
		}
	}
	if name, _ := m.Env("SSL_CERT_FILE"); name != "" {
		pem, err := os.ReadFile(name)
		switch {
		case err != nil:
			list = append(list, Finding{About: "SSL_CERT_FILE", State: Bad, Says: "it cannot be read: " + err.Error(), Fix: "name a file that exists, or unset it"})
		case !x509.NewCertPool().AppendCertsFromPEM(pem):
			list = append(list, Finding{About: "SSL_CERT_FILE", State: Bad, Says: name + " holds no certificate", Fix: "name a file in PEM form, or unset it"})
		default:
			list = append(list, Finding{About: "SSL_CERT_FILE", State: Note, Says: "certificates are those of " + name})
		}
	}
	if len(list) == 0 {
		list = []Finding{{About: "connections", State: Good, Says: "direct, with the certificates of the system"}}
	}
	return list
}

// valueOf is a variable of the environment, empty where there is none.
func valueOf(m *Machine, name string) string {
	value, _ := m.Env(name)
	return value
}

// servers tries the MCP servers of the settings and plugins.
func servers(ctx context.Context, m *Machine) (list []Finding) {
	if m.App == nil {
		return nil
	}
	if !m.Offline {
		m.App.StartMCP(ctx)
	}
	all, problems := m.App.MCPServers()
	for _, p := range problems {
		list = append(list, Finding{About: "files", State: Bad, Says: p})
	}
	for _, s := range all {
		f := Finding{About: s.Name, State: Weak, Says: s.State, Fix: s.Next}
		if s.Why != "" {
			f.Says += ": " + s.Why
		}
		switch s.State {
		case "ready":
			f.State, f.Says, f.Fix = Good, "ready, with "+count(len(s.Tools), "tool"), ""
		case "off":
			f.State = Note
		case "connecting":
			f.State = Bad
			if s.Why == "" {
				f.Says = fmt.Sprintf("no answer within %v", Patience)
			}
		case "failed", "parked":
			f.State = Bad
		}
		if f.State == Bad {
			f.Fix = "see what it says with hermes-tui mcp test " + s.Name + ", or take it out with hermes-tui mcp remove " + s.Name
		}
		if m.Offline && s.State != "off" {
			f.State, f.Says, f.Fix = Note, "not tried, since --offline was given", ""
		}
		list = append(list, f)
	}
	return list
}

// count is a number of things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
