//go:build unix

package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/internal/oauthtest"
	"hermes-tui/providers/script"
)

// remoteMCP has the server lie at an address, which it writes into the settings.
func remoteMCP(secure bool) func(*scene) {
	return func(s *scene) {
		inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return testServer() }, &sdk.StreamableHTTPOptions{Stateless: true})
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			begins := ""
			if bytes.Contains(body, []byte(`"initialize"`)) {
				begins = " initialize"
			}
			if bytes.Contains(body, []byte(`"ping"`)) {
				begins = " ping"
			}
			s.note("remote X-Key %q%s", r.Header.Get("X-Key"), begins)
			inner.ServeHTTP(w, r)
		}))
		if !secure {
			server.Start()
		} else {
			if _, wanted := s.settings["mcp_servers.NAME.ssl_verify"]; wanted {
				server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert} //nolint:gosec // of a test
			}
			if strings.Contains(s.settings["mcp_servers.NAME.ssl_verify"], ".pem") {
				server.TLS = nil
			}
			server.StartTLS()
			own := server.TLS.Certificates[0]
			key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
			if err != nil {
				s.t.Fatal(err)
			}
			cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]})
			secret := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
			s.file("cert.pem", string(cert), 0o600)
			s.file("key.pem", string(secret), 0o600)
			s.file("both.pem", string(bytes.Join([][]byte{cert, secret}, nil)), 0o600)
		}
		s.t.Cleanup(server.Close)
		s.settings["mcp_servers.NAME.url"] = server.URL
		s.config(nested(s.settings))
	}
}

// webKeys are about pages that an agent reads. They lie on this machine, which the settings
// allow.
func webKeys() []keyTest {
	reading := func(took time.Duration) *situation {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		at := l.Addr().String()
		in := &situation{base: free + "approvals.hosts: [\"" + at + "\"]\n", rules: when("go", script.Call{Name: "web_extract", Args: `{"urls":["http://` + at + `/page"]}`}, script.Call{Name: "web_search", Args: `{"query":"saws"}`})}
		in.env = map[string]string{"SEARXNG_URL": "http://127.0.0.1:1"}
		var once sync.Once
		in.before = func(s *scene) { // of both plays
			once.Do(func() {
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					select {
					case <-time.After(took):
					case <-r.Context().Done():
					}
					if r.FormValue("q") != "" {
						fmt.Fprintf(w, `{"results":[{"title":"Found %s","url":"https://found.example/"}]}`, r.FormValue("format"))
						return
					}
					fmt.Fprint(w, "<title>Long</title><p>first word "+strings.Repeat("and so on ", 1200)+"last word")
				}))
				_ = server.Listener.Close()
				server.Listener = l
				server.Start()
				s.t.Cleanup(server.Close)
			})
		}
		return in
	}
	slow, there, bare := reading(3*time.Second), reading(0), reading(0)
	at := func(in *situation) string { // where its page is
		_, rest, _ := strings.Cut(in.base, "approvals.hosts: [\"")
		host, _, _ := strings.Cut(rest, "\"")
		return host
	}
	here := at(bare)
	bare.base = strings.Split(bare.base, "approvals.hosts")[0] + "web.search_url: http://" + here + "\n"
	heard := reading(0) // by a subagent, and the agent above it sends
	reads := heard.rules
	for i := range reads {
		reads[i].Match.User = "count the files"
	}
	heard.rules = slices.Concat(when("go", script.Call{Name: "delegate_task", Args: oneTask}, runs("git push nowhere")), reads)
	heard.base = strings.Replace(heard.base, "\"off\"", "manual\napprovals.allow: [\"terminal(git push *)\", web_extract]", 1)
	return []keyTest{
		{key: "approvals.ask_after_untrusted", in: heard, set: "false", with: `event tool_started .*nowhere`, without: `event requested .*strangers`},
		{key: "web.enabled", in: reading(0), set: "false", without: `main request .*Read pages of the web as Markdown`},
		{key: "web.extract_char_limit", in: reading(0), set: "2000", with: `characters are left out here`},
		{key: "approvals.hosts", in: bare, set: "[\"" + here + "\"]", with: `Found json`},
		{key: "web.search_backend", in: reading(0), set: "off", without: `main request .*Search the web`},
		{key: "web.search_url", in: there, set: "http://" + at(there), with: `Found json`},
		{key: "web.extract_timeout", in: slow, set: "1", with: `it took longer than 1s`},
	}
}

// loggingIn logs in at a server; the browser comes back or, within three seconds, does not.
func loggingIn(base string, secret bool, back ...bool) *situation {
	in := &situation{base: base, rules: when("go")}
	in.act = func(s *scene) {
		server := oauthtest.Start(s.t)
		server.Secret = secret
		server.Documents = true
		server.Know("mine")
		server.Know("https://program.test/client.json")
		server.Approve()
		s.settings["mcp_servers.NAME.url"] = server.MCP()
		s.config(nested(s.settings))
		a, _ := s.start()
		a.StartMCP(s.t.Context())
		ctx, cancel := context.WithTimeout(s.t.Context(), patience)
		defer cancel()
		if len(back) > 0 {
			ctx, cancel = context.WithTimeout(s.t.Context(), 3*time.Second)
			defer cancel()
		}
		now, err := a.LoginMCP(ctx, "NAME", api.LoginWay{Browser: func(address string) {
			s.note("page %s", address)
			if len(back) == 0 {
				go oauthtest.Visit(s.t, address)
			}
		}, Code: func(api.LoginCode) { s.note("a code is shown") }})
		s.note("noted %s %v\n%s", now.State, err, strings.Join(server.Log(), "\n"))
	}
	return in
}

// resting waits for a server that no one calls to rest.
func resting(base string) *situation {
	in := &situation{base: base, rules: when("go")}
	in.act = func(s *scene) {
		a, _ := s.start()
		why := ""
		for deadline := time.Now().Add(3 * time.Second); time.Now().Before(deadline) && why == ""; time.Sleep(20 * time.Millisecond) {
			if list, _ := a.MCPServers(); len(list) > 0 && list[0].Rests {
				why = list[0].Why
			}
		}
		s.note("%s", strings.ToLower(why))
	}
	return in
}

// pinged waits for a server to be asked whether it is there.
func pinged() *situation {
	in := &situation{base: free, rules: when("go"), before: remoteMCP(false)}
	in.act = func(s *scene) {
		s.start()
		for deadline := time.Now().Add(3 * time.Second); time.Now().Before(deadline) && !strings.Contains(s.seen(), " ping"); {
			time.Sleep(20 * time.Millisecond)
		}
	}
	return in
}

func mcpKeys() []keyTest {
	const at = "mcp_servers.NAME."
	base := free + at + "command: " + os.Args[0] + "\n" + at + "env: {" + serverEnv + ": \"1\"}\n"
	trusting := base + at + "trust: full\n"
	call := func(name string) script.Call { return script.Call{Name: "mcp__NAME__" + name, Args: "{}"} }
	in := func(base string, calls ...script.Call) *situation {
		return &situation{base: base, rules: when("go", calls...)}
	}
	listed, about := in(base), in(trusting, call("about"))
	both := &situation{base: trusting, rules: []script.Rule{
		{Match: script.Match{User: "^go", Results: new(int)}, Steps: []script.Step{script.Call{Name: "mcp__NAME__meet", Args: `{"who":"a"}`}, script.Call{Name: "mcp__NAME__meet", Args: `{"who":"b"}`}}}, ok,
	}}
	asks := in(trusting, call("ask"))
	asks.answer = event.Choice("text")
	late := in(trusting, call("ask"))
	late.says, late.late = "Yes", true
	samples := in(trusting, call("sample"))
	samples.says = "Allow once"
	samples.rules = append(samples.rules, script.Rule{Match: script.Match{System: "Answer a server"}, Steps: []script.Step{script.Text{Text: "Sampled"}}})
	pondering := in(trusting, call("sample"))
	pondering.says = "Allow once"
	pondering.rules = append(slices.Clone(pondering.rules), script.Rule{Match: script.Match{System: "Answer a server"}, Steps: hung})
	mute := in(free + at + "command: /bin/sh\n" + at + "args: [-c, sleep 60]\n")
	mute.act = func(s *scene) {
		a := s.open()
		if _, err := a.Start(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
		why := ""
		for deadline := time.Now().Add(8 * time.Second); time.Now().Before(deadline) && why == ""; time.Sleep(20 * time.Millisecond) {
			if list, _ := a.MCPServers(); len(list) > 0 {
				why = list[0].Why
			}
		}
		s.note("%s", why)
	}
	asked := in(strings.Replace(base, "approvals.mode: \"off\"\n", "", 1), call("about"))
	far, secure := in(free), in(free)
	far.before, secure.before = remoteMCP(false), remoteMCP(true)
	bridge := in(trusting, script.Call{Name: "tool_search", Args: `{"queries":["tells about"]}`}, script.Call{Name: "tool_call", Args: `{"calls":[{"name":"mcp__NAME__about"}]}`})
	many := in(trusting+"tools.tool_search.enabled: \"on\"\n", script.Call{Name: "tool_search", Args: `{"queries":["resources and prompts of the server"]}`})
	remembers := in(base, keep("memory", "uses tabs"))
	remembers.act = func(s *scene) {
		a, c := s.start()
		s.turn(c, "go")
		next, err := a.Start(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		next.(*conversation).memoryBegun(s.t.Context()) // the provider has heard of it
		closed(s.t, a)
		s.show("remembered")
	}
	hands := &situation{base: base, rules: slices.Concat(when("go", script.Call{Name: "delegate_task", Args: oneTask}), []script.Rule{ok}), act: remembers.act}
	shortens := &situation{base: base + "model.context_length: 20000\n", rules: []script.Rule{record, ok}, act: func(s *scene) {
		s.talk(saying(14)...)
		s.show("remembered")
	}}
	server := "memory.provider: mcp\nmemory.provider_server: NAME\n"
	return []keyTest{
		{key: "memory.provider_server", in: remembers, also: "memory.provider: mcp\nmemory.provider_tools.prefetch: remember\nmemory.provider_server: none", set: "NAME", with: `The server remembers go`},
		{key: "memory.provider_tools.system_prompt_block", in: remembers, also: server, set: "remember", with: `The server remembers`},
		{key: "memory.provider_tools.prefetch", in: remembers, also: server, set: "remember", with: `The server remembers go`},
		{key: "memory.provider_tools.sync_turn", in: remembers, also: server, set: "remember", with: `remembered query "" user "go" answer "Done\."`},
		{key: "memory.provider_tools.memory_write", in: remembers, also: server, set: "remember", with: `target "memory" diff ".*uses tabs`},
		{key: "memory.provider_tools.is_available", in: remembers, also: server, set: "remember", with: `remembered query ""`},
		{key: "memory.provider_tools.initialize", in: remembers, also: server, set: "remember", with: `remembered query ""`},
		{key: "memory.provider_tools.queue_prefetch", in: remembers, also: server, set: "remember", with: `remembered query "go"`},
		{key: "memory.provider_tools.turn_start", in: remembers, also: server, set: "remember", with: `remembered query "go"`},
		{key: "memory.provider_tools.session_switch", in: remembers, also: server, set: "remember", with: `remembered query ""`},
		{key: "memory.provider_tools.delegation", in: hands, also: server, set: "remember", with: `remembered query ""`},
		{key: "memory.provider_tools.pre_compress", in: shortens, also: server, set: "remember", with: `remembered query ""`},
		{key: "memory.provider_tools.session_end", in: remembers, also: server, set: "remember", with: `remembered query "" user "" answer "" target "" diff ""`},
		{key: "tools.tool_search.enabled", in: bridge, set: "\"on\"", with: `(?s)"total_available.*args \[\]`},
		{key: "tools.tool_search.threshold_pct", in: bridge, set: "0", with: `(?s)"total_available.*args \[\]`},
		{key: "tools.tool_search.search_default_limit", in: many, set: "1", without: `list_resources.{1,400}list_prompts.{1,400}total_available|list_prompts.{1,400}list_resources.{1,400}total_available`},
		{key: at + "enabled", in: listed, set: "false", without: `main request .*mcp__NAME__about`},
		{key: at + "command", in: in(free), set: at + "command: " + os.Args[0] + "\n" + at + "env: {" + serverEnv + ": \"1\"}", with: `main request .*mcp__NAME__about`},
		{key: at + "args", in: about, set: "[one, \"${workspaceFolderBasename}\"]", with: `args \[\\*"one\\*" \\*"work\\*"\] in work`},
		{key: at + "cwd", in: about, set: "/", with: `args \[\] in / with`},
		{key: at + "env", in: about, set: "{" + serverEnv + ": \"1\", EXTRA: here}", with: `with \\*"here\\*"`},
		{key: at + "url", in: in(free), set: "{{noted}}/mcp", with: `noted POST /mcp .*initialize`},
		{key: at + "transport", in: in(free), also: at + "url: {{noted}}/mcp", set: "sse", without: `noted POST /mcp`}, // else the older transport is tried second
		{key: at + "headers", in: far, set: "{X-Key: secret5}", with: `remote X-Key "secret5"`},
		{key: at + "auth", in: loggingIn(free, false), set: "none", with: `no logging in`},
		{key: at + "oauth.client_id", in: loggingIn(free, false), set: "mine", with: `page .*client_id=mine`},
		{key: at + "oauth.client_secret", in: loggingIn(free, true), also: at + "oauth.client_id: mine", set: "secret-of-mine", with: `noted ready`},
		{key: at + "oauth.scope", in: loggingIn(free, false), set: "a b", with: `page .*scope=a\+b`},
		{key: at + "oauth.redirect_port", in: loggingIn(free, false), set: "27898", with: `page .*127\.0\.0\.1%3A27898`},
		{key: at + "oauth.client_name", in: loggingIn(free, false), set: "my-program", with: `register my-program`},
		{key: at + "oauth.token_endpoint_auth_method", in: loggingIn(free, true), also: at + "oauth.client_id: mine\n" + at + "oauth.client_secret: secret-of-mine", set: "client_secret_post", with: `with the secret in the form`},
		{key: at + "oauth.flow", in: loggingIn(free, false), set: "device", with: `a code is shown`},
		{key: at + "oauth.timeout", in: loggingIn(free, false, false), set: "1", with: `it took longer than 1s`},
		{key: at + "oauth.redirect_host", in: loggingIn(free, false), set: "localhost", with: `page .*localhost%3A`},
		{key: at + "oauth.redirect_uri", in: loggingIn(free, false), set: "http://localhost:27899/done", with: `page .*localhost%3A27899%2Fdone`},
		{key: at + "oauth.client_metadata_url", in: loggingIn(free, false), set: "https://program.test/client.json", with: `page .*client_id=https%3A%2F%2Fprogram\.test%2Fclient\.json`},
		{key: at + "oauth.cimd", in: loggingIn(free, false), also: at + "oauth.client_metadata_url: https://program.test/client.json", set: "false", with: `register hermes-tui`},
		{key: at + "oauth.user_agent", in: loggingIn(free, false), set: "mine/1.0", with: `agent mine/1\.0`},
		{key: at + "keepalive_interval", in: pinged(), set: "1", with: `remote X-Key "" ping`},
		{key: at + "identity_header.name", in: far, also: at + "identity_header.value: me7", set: "X-Key", with: `remote X-Key "me7"`},
		{key: at + "identity_header.value_from", in: far, also: at + "identity_header.name: X-Key", set: "profile", with: `remote X-Key "default"`},
		{key: at + "identity_header.value", in: far, also: at + "identity_header.name: X-Key", set: "me8", with: `remote X-Key "me8"`},
		{key: at + "protocol", in: far, set: "stateless", without: `remote X-Key "" initialize`},
		{key: at + "idle_timeout_seconds", in: resting(trusting), set: "1", with: `rests until it is called`},
		{key: at + "max_lifetime_seconds", in: resting(trusting), set: "1", with: `rests until it is called`},
		{key: at + "connect_timeout", in: mute, set: "1", with: `did not answer within 1s`},
		{key: at + "timeout", in: in(trusting, call("slow")), set: "1", with: `did not answer within 1s`},
		{key: at + "trust", in: asked, set: "full", with: `main request .*args \[\]`},
		{key: at + "supports_parallel_tool_calls", in: both, set: "true", without: `main request .*nobody came`},
		{key: at + "ssl_verify", in: secure, set: "\"{{dir}}/cert.pem\"", with: `main request .*mcp__NAME__about`},
		{key: at + "client_cert", in: secure, also: at + "ssl_verify: \"false\"", set: "\"{{dir}}/both.pem\"", with: `main request .*mcp__NAME__about`},
		{key: at + "client_cert", in: secure, also: at + "ssl_verify: false", set: "[\"{{dir}}/cert.pem\", \"{{dir}}/key.pem\"]", with: `main request .*mcp__NAME__about`},
		{key: at + "client_key", in: secure, also: at + "ssl_verify: \"false\"\n" + at + "client_cert: \"{{dir}}/cert.pem\"", set: "\"{{dir}}/key.pem\"", with: `main request .*mcp__NAME__about`},
		{key: at + "tools.include", in: listed, set: "[s*]", without: `main request .*mcp__NAME__about`},
		{key: at + "tools.exclude", in: listed, set: "[about]", without: `main request .*mcp__NAME__about`},
		{key: at + "tools.resources", in: listed, set: "false", without: `main request .*mcp__NAME__list_resources`},
		{key: at + "tools.prompts", in: listed, set: "false", without: `main request .*mcp__NAME__get_prompt`},
		{key: at + "sampling.enabled", in: samples, set: "false", with: `does not support`},
		{key: at + "sampling.model", in: samples, set: "other-model", with: `main request .*"model":"other-model"`},
		{key: at + "sampling.allowed_models", in: samples, set: "[none-of-these]", with: `among those of allowed_models`},
		{key: at + "sampling.max_tokens_cap", in: samples, set: "77", with: `main request .*tokens":77`},
		{key: at + "sampling.timeout", in: pondering, set: "1", with: `it took longer than 1s`},
		{key: at + "elicitation.timeout", in: late, set: "1", with: `said cancel`},
		{key: at + "sampling.max_rpm", in: samples, set: "1", with: `at most 1 times a minute`},
		{key: at + "elicitation.enabled", in: asks, set: "false", with: `does not support elicitation`},
	}
}
