package cli

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-tui/internal/proxytest"
	"hermes-tui/internal/uitest"
)

// behind is what stands on the Internet, for those that a proxy lets there.
func behind(w http.ResponseWriter, r *http.Request) {
	switch r.Host {
	case "pages.example":
		w.Header().Set("Content-Type", "text/plain") // HTML is read by the program, which a test has among temporary files
		fmt.Fprint(w, "Found "+r.URL.Path+".")
	case "skills.example":
		z := zip.NewWriter(w)
		f, err := z.Create("greet/SKILL.md")
		if err == nil {
			_, _ = io.WriteString(f, "---\nname: greet\ndescription: Says hello.\n---\nSay hello.\n")
		}
		_ = z.Close()
	case "mcp.example":
		body, _ := io.ReadAll(r.Body)
		id := "0"
		if _, after, ok := strings.Cut(string(body), `"id":`); ok {
			id = after[:strings.IndexAny(after, ",}")]
		}
		answer := func(result string) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
		}
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case strings.Contains(string(body), `"initialize"`):
			answer(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"far","version":"1"}}`)
		case strings.Contains(string(body), `"tools/list"`):
			answer(`{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}`)
		case strings.Contains(string(body), `"id":`):
			answer(`{}`)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	default:
		http.NotFound(w, r)
	}
}

// TestBehindProxy has all that goes out go through the proxy of the environment, which wants a
// password and signs TLS again, in the built program, twice in the same home.
func TestBehindProxy(t *testing.T) {
	bin := uitest.Build(t)
	proxy := proxytest.Start(t, behind)
	b, _ := with(t,
		on("page", use("web_extract", map[string]any{"urls": []any{"https://pages.example/extracted"}})), after("page", 1, say("done")),
		on("commands", command(`[ "$npm_config_proxy" ] || { echo "no ${x}network"; exit; }; for f in "$SSL_CERT_FILE" "$GIT_SSL_CAINFO" "$NODE_EXTRA_CA_CERTS" "$REQUESTS_CA_BUNDLE" "$CURL_CA_BUNDLE"; do grep -c BEGIN "$f"; done; env | grep -c pa%20ss; git ls-remote https://git.example/o/n.git`)), after("commands", 1, say("done")),
		on("@http", say("done")))
	b.settings("approvals: {hosts: [git.example, pages.example]}\nprobe: {local_servers: false}\n")
	ca := filepath.Join(filepath.Dir(b.home), "company.pem")
	if err := os.WriteFile(ca, proxy.PEM, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"SSL_CERT_FILE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} {
		b.env[name] = ca
	}
	b.env["HTTPS_PROXY"], b.env["http_proxy"], b.env["NO_PROXY"] = proxy.URL.String(), proxy.URL.String(), "localhost,.corp.example,10.0.0.0/8"
	run := func(args ...string) string {
		t.Helper()
		proxy.Asked()
		cmd := exec.CommandContext(t.Context(), bin, args...)
		cmd.Env, cmd.Dir = b.environ(), b.dir
		out, _ := cmd.CombinedOutput() // what failed is seen there
		return string(out)
	}
	through := func(what, host string) {
		t.Helper()
		if asked := proxy.Asked(); !slices.Contains(asked, "CONNECT "+host+":443") {
			t.Errorf("%s: the proxy heard %q", what, asked)
		}
	}
	exec := func(prompt string) string {
		return run(append(append([]string{"exec"}, b.flags...), "--json", prompt)...)
	}
	for range 2 {
		holds(t, "web_extract", exec("page https://pages.example/extracted"), "Found /extracted.")
		through("web_extract", "pages.example")
		holds(t, "page of a prompt", exec("see @https://pages.example/named"), "done")
		through("page of a prompt", "pages.example")
		holds(t, "skill", run("skills", "install", "https://skills.example/greet.zip"), "greet  1 file, safe")
		through("skill", "skills.example")
		holds(t, "git", run("skills", "install", "https://git.example/o/n.git"), "repository 'https://git.example/o/n.git/' not found")
		through("git", "git.example")
		holds(t, "mcp", run("mcp", "add", "far", "https://mcp.example/mcp"), "far  ready", "1 tool")
		through("mcp", "mcp.example")
		run("mcp", "remove", "far")
		out := exec("commands")
		if strings.Contains(out, "no network") || strings.Contains(out, `"outcome":"denied"`) {
			t.Log("SKIPPED: this machine gives commands no network of their own")
			continue
		}
		holds(t, "commands", out, `1\n1\n1\n1\n1\n0\n`, "repository 'https://git.example/o/n.git/' not found")
		through("commands", "git.example")
	}
	hidden := filepath.Join(b.home, "company.pem")
	if err := os.WriteFile(hidden, proxy.PEM, 0o600); err != nil {
		t.Fatal(err)
	}
	b.env["GIT_SSL_CAINFO"] = hidden
	if out := exec("commands"); !strings.Contains(out, "no network") {
		holds(t, "a hidden authority", out, "cannot read the certificates in "+hidden+" (GIT_SSL_CAINFO)")
	}
}
