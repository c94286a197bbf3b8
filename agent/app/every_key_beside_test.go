//go:build unix

package app

import (
	"bytes"
	"context"
	"encoding/json"
	pictures "image"
	"image/png"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/agent/models"
	"hermes-tui/providers/script"
)

// delegating is a situation in which the agent hands out work with the arguments given,
// and the subagents run commands.
func delegating(base, args string, commands ...string) *situation {
	var calls []script.Call
	for _, c := range commands {
		calls = append(calls, runs(c))
	}
	child := when("", calls...)
	for i := range child {
		child[i].Match.User = "count the files"
	}
	return &situation{base: base, env: map[string]string{"OPENROUTER_BASE_URL": "{{main}}", "OPENROUTER_API_KEY": "sk-or-0123456789abcdef"},
		rules: slices.Concat(when("go", script.Call{Name: "delegate_task", Args: args}), child)}
}

const (
	oneTask  = `{"goal":"count the files"}`
	twoTasks = `{"tasks":[{"goal":"count the files"},{"goal":"count the files again"}]}`
)

var (
	child    = delegating(free, oneTask)
	busy     = delegating(free, oneTask, "true", "true ", "true  ")
	children = delegating(free, twoTasks)
	router2  = delegating(router.base+"\napprovals.mode: \"off\"", oneTask)
	asksUp   = delegating(custom+"approvals.mode: manual", oneTask, "touch counted")
	deep     = delegating(free+"delegation.max_spawn_depth: 2\n", `{"goal":"count the files","role":"orchestrator"}`)
	// sleepy has a subagent that works longer than the shortest bound, half a minute.
	sleepy = delegating(free, oneTask, "sleep 33; echo slept$((1+1))well")
)

func childKeys() []keyTest {
	return []keyTest{
		{key: "delegation.model", in: child, set: "small", with: `"model":"small"`},
		{key: "delegation.provider", in: child, also: "providers.house.base_url: {{other}}", set: "house", with: `other request .*Your task`},
		{key: "delegation.base_url", in: child, also: "delegation.provider: custom\ndelegation.model: small\n", set: "{{other}}", with: `other request .*Your task`},
		{key: "delegation.api_key", in: child, also: "delegation.provider: custom\ndelegation.base_url: {{other}}\ndelegation.model: small\n", set: "key-of-file-0123456789", with: `other header Authorization: Bearer key-of-file-0123456789`},
		{key: "delegation.reasoning_effort", in: router2, set: "high", with: `"effort":"high"`},
		{key: "delegation.max_iterations", in: busy, set: "1", with: `event agent_spawned .*"budget":1\b`, without: `event agent_finished .*"state":"completed"`},
		{key: "delegation.max_concurrent_children", in: children, set: "1", without: `count the files again.*event agent_finished|event agent_spawned .*count the files again`},
		{key: "delegation.max_async_children", in: child, set: "0", without: `main request .*go on without waiting; the report`},
		{key: "delegation.max_spawn_depth", in: child, set: "2", with: `main request .*an orchestrator may have subagents`},
		{key: "delegation.orchestrator_enabled", in: deep, set: "false", without: `event agent_spawned .*"role":"orchestrator"`},
		{key: "delegation.child_timeout_seconds", in: sleepy, set: "30", without: `slept2well`},
		{key: "delegation.max_tree_iterations", in: busy, set: "3", without: `event agent_finished .*"state":"completed"`},
		{key: "delegation.max_tree_cost", in: busy, also: "pricing: [{model: m, input: 1000, output: 1000}]", set: "0.01", without: `event agent_finished .*"state":"completed"`},
		{key: "delegation.approvals", in: asksUp, set: "deny", with: `subagents are not given this here`},
	}
}

// beside is a situation in which a task beside the session is done.
type beside struct {
	task string
	in   *situation
}

var hung = []script.Step{script.Open{}, script.Stall{For: 4 * time.Second}, script.Text{Text: "Late."}}

// dot is a picture of one pixel.
var dot = func() string {
	var b bytes.Buffer
	_ = png.Encode(&b, pictures.NewGray(pictures.Rect(0, 0, 1, 1)))
	return b.String()
}()

// tasksBeside are all of them. The servers answer what the main model is asked as well.
func tasksBeside() []beside {
	env := plain.env
	titles := script.Rule{Match: script.Match{System: "You name conversations"}, Steps: []script.Step{script.Text{Text: "A title"}}}
	judge := script.Rule{Match: script.Match{System: "careful reviewer"}, Steps: []script.Step{script.Text{Text: "ALLOW"}}}
	sees := script.Rule{Match: script.Match{System: "You look at an image"}, Steps: []script.Step{script.Text{Text: "A dot"}}}
	samples := script.Rule{Match: script.Match{System: "Answer a server"}, Steps: []script.Step{script.Text{Text: "Sampled"}}}
	looks := []script.Rule{{Match: script.Match{User: "session|This is not the user", Results: new(int)}, Steps: []script.Step{keep("user", "wants tabs")}}}
	return []beside{
		{"title_generation", &situation{env: env, base: strings.Replace(custom, "agent.auto_title: false", "", 1), rules: []script.Rule{titles, ok}}},
		{"approval", &situation{env: env, base: custom + "approvals.mode: smart\n", rules: append([]script.Rule{judge}, when("go", runs("rm -rf /tmp/no-such-folder-here"))...)}},
		{"compression", &situation{env: env, base: small, rules: []script.Rule{record, ok}, act: func(s *scene) {
			a, c := s.start()
			for _, text := range saying(9) {
				s.turn(c, text)
			}
			changed, err := c.Compress(s.t.Context(), "")
			s.note("compressed: %v %v", changed, err)
			closed(s.t, a)
		}}},
		{"vision", &situation{
			env: env, base: free, before: func(s *scene) { s.file("a.png", dot, 0o644) },
			rules: append([]script.Rule{sees}, when("go", script.Call{Name: "vision_analyze", Args: `{"image_url":"a.png","question":"what is it"}`})...),
		}},
		{"mcp", &situation{
			env: env, base: free + "mcp_servers.NAME.command: " + os.Args[0] + "\nmcp_servers.NAME.env: {" + serverEnv + ": \"1\"}\n", says: "Allow once",
			rules: append([]script.Rule{samples}, when("go", script.Call{Name: "mcp__NAME__sample", Args: "{}"})...),
		}},
		{"background_review", &situation{env: env, base: custom, rules: append(looks, ok), act: func(s *scene) {
			a, c := s.start()
			s.turn(c, "use tabs")
			_, err := c.Refine(s.t.Context(), "")
			s.note("refined: %v", err)
			closed(s.t, a)
		}}},
	}
}

// elsewhere names the other server as an endpoint.
const elsewhere = "providers.house.base_url: {{other}}\nproviders.house.default: small\n"

func sideKeys() (list []keyTest) {
	for _, b := range tasksBeside() {
		at := "auxiliary." + b.task + "."
		own := at + "provider: custom\n" + at + "model: small\n" + at + "base_url: {{other}}\n"
		chain := func(entry string) string { return at + "fallback_chain: [{" + entry + "}]" }
		broken := elsewhere + at + "provider: custom\n" + at + "model: none\n" + at + "base_url: {{noted}}/v1\n" // where nothing answers
		slow := *b.in
		slow.others = []script.Rule{{Steps: hung}}
		list = append(list,
			keyTest{key: at + "provider", in: b.in, also: elsewhere, set: "house", with: `other request`},
			keyTest{key: at + "model", in: b.in, set: "small", with: `main request .*"model":"small"`},
			keyTest{key: at + "base_url", in: b.in, also: at + "provider: custom\n" + at + "model: small\n", set: "{{other}}", with: `other request`},
			keyTest{key: at + "api_key", in: b.in, also: own, set: "key-of-file-0123456789", with: `other header Authorization: Bearer key-of-file-0123456789`},
			keyTest{key: at + "key_env", in: b.in, also: own, set: "MODEL_KEY", with: `other header Authorization: Bearer key-of-env-0123456789`},
			keyTest{key: at + "timeout", in: &slow, also: own, set: "1", with: lateFor[b.task]},
			keyTest{key: at + "extra_body", in: b.in, also: own, set: "{top_k: 7}", with: `other request .*"top_k":7`},
			keyTest{key: at + "fallback_chain.N.provider", in: b.in, also: broken, set: chain("model: small, provider: house"), with: `other request`},
			keyTest{key: at + "fallback_chain.N.model", in: b.in, also: broken + chain("model: m, provider: house"), set: chain("model: small, provider: house"), with: `other request .*"model":"small"`},
			keyTest{key: at + "fallback_chain.N.base_url", in: b.in, also: broken, set: chain("model: small, base_url: '{{other}}'"), with: `other request`},
			keyTest{key: at + "fallback_chain.N.api_key", in: b.in, also: broken + chain("model: m, provider: house"), set: chain("model: m, provider: house, api_key: key-of-file-0123456789"), with: `other header Authorization: Bearer key-of-file-0123456789`},
			keyTest{key: at + "fallback_chain.N.key_env", in: b.in, also: broken + chain("model: m, provider: house"), set: chain("model: m, provider: house, key_env: MODEL_KEY"), with: `other header Authorization: Bearer key-of-env-0123456789`},
			keyTest{key: at + "fallback_chain.N.extra_body", in: b.in, also: broken + chain("model: m, provider: house"), set: chain("model: m, provider: house, extra_body: {top_k: 7}"), with: `other request .*"top_k":7`},
		)
	}
	return append(list, vectorKeys()...)
}

// lateFor is what is seen of a task whose model answers too late: the main one is asked.
var lateFor = map[string]string{
	"title_generation": `main request .*You name conversations`, "approval": `main request .*careful reviewer`,
	"compression": `main request .*You keep the record`, "background_review": `main request .*This is not the user`, "vision": `main request .*You look at an image`, "mcp": `main request .*Answer a server`,
}

// recalling looks for something in memory; vectors come from the server that notes.
var recalling = &situation{base: free, env: map[string]string{"MODEL_KEY": "key-of-env-0123456789"}, rules: when("go", script.Call{Name: "memory", Args: `{"action":"search","query":"which pet"}`})}

// vectors answers requests for vectors after a time.
func (s *scene) vectors(w http.ResponseWriter, raw []byte) {
	var asked struct{ Input []string }
	_ = json.Unmarshal(raw, &asked)
	var data []any
	for range asked.Input {
		data = append(data, map[string]any{"embedding": []float32{1, 0.1}})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

func vectorKeys() []keyTest {
	const at = "auxiliary.embedding."
	const endpoint = "providers.house.base_url: {{noted}}/v1\nproviders.house.default: small\n"
	const own = at + "provider: custom\n" + at + "model: e\n" + at + "base_url: {{noted}}/v1\n"
	const broken = endpoint + at + "provider: custom\n" + at + "model: e\n" + at + "base_url: {{other}}\n"
	chain := func(entry string) string { return at + "fallback_chain: [{" + entry + "}]" }
	house := broken + chain("model: m, provider: house")
	return []keyTest{
		{key: at + "provider", in: recalling, also: endpoint + at + "model: e", set: "house", with: `noted POST /v1/embeddings`},
		{key: at + "model", in: recalling, also: endpoint + at + "provider: house", set: "e", with: `noted POST /v1/embeddings .*"model":"e"`},
		{key: at + "base_url", in: recalling, also: at + "provider: custom\n" + at + "model: e", set: "{{noted}}/v1", with: `noted POST /v1/embeddings`},
		{key: at + "api_key", in: recalling, also: own, set: "key-of-file-0123456789", with: `noted POST .*Bearer key-of-file-0123456789`},
		{key: at + "key_env", in: recalling, also: own, set: "MODEL_KEY", with: `noted POST .*Bearer key-of-env-0123456789`},
		{key: at + "timeout", in: recallingLate, also: own, set: "1", with: `words only`},
		{key: at + "extra_body", in: recalling, also: own, set: "{top_k: 7}", with: `noted POST .*"top_k":7`},
		{key: at + "fallback_chain.N.provider", in: recalling, also: broken, set: chain("model: m, provider: house"), with: `noted POST /v1/embeddings`},
		{key: at + "fallback_chain.N.model", in: recalling, also: house, set: chain("model: e2, provider: house"), with: `noted POST .*"model":"e2"`},
		{key: at + "fallback_chain.N.base_url", in: recalling, also: broken, set: chain("model: m, base_url: '{{noted}}/v1'"), with: `noted POST /v1/embeddings`},
		{key: at + "fallback_chain.N.api_key", in: recalling, also: house, set: chain("model: m, provider: house, api_key: key-of-file-0123456789"), with: `noted POST .*Bearer key-of-file-0123456789`},
		{key: at + "fallback_chain.N.key_env", in: recalling, also: house, set: chain("model: m, provider: house, key_env: MODEL_KEY"), with: `noted POST .*Bearer key-of-env-0123456789`},
		{key: at + "fallback_chain.N.extra_body", in: recalling, also: house, set: chain("model: m, provider: house, extra_body: {top_k: 7}"), with: `noted POST .*"top_k":7`},
		{key: "memory.prefetch_chars", in: prefetching, also: own, set: "0", without: `main request .*name=.{1,3}recall`},
	}
}

// recallingLate is recalling where vectors come after three seconds.
var recallingLate = &situation{base: recalling.base, rules: recalling.rules, slow: 3 * time.Second}

// prefetching has something to call to mind.
var prefetching = &situation{base: free, rules: []script.Rule{ok}, act: func(s *scene) {
	s.talk("Minou sleeps in the office")
	a, c := s.start()
	own := c.(*conversation)
	if err := a.recall.Keep(s.t.Context(), own.side.Embed); err != nil {
		s.t.Fatal(err)
	}
	s.turn(c, "which pet?")
	closed(s.t, a)
}}

// mute is a server that accepts connections and says nothing for four seconds.
func (s *scene) mute() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			time.AfterFunc(4*time.Second, func() { conn.Close() })
		}
	}()
	return "https://" + l.Addr().String() + "/v1"
}

// sandboxKeys are about the place sandbox, where the kernel can make one.
func sandboxKeys() []keyTest {
	in := func(command string) *situation {
		return &situation{
			base: free + "terminal.backend: sandbox\nterminal.env_passthrough: [TARGET]\n", rules: when("go", runs(command)),
			before: func(s *scene) {
				if err := os.MkdirAll(filepath.Join(s.env["HOME"], "outside"), 0o700); err != nil {
					s.t.Fatal(err)
				}
				s.env["TARGET"] = strings.Replace(strings.TrimPrefix(s.noted.URL, "http://"), ":", "/", 1)
			},
			act: func(s *scene) {
				a, c := s.start()
				own, ok := c.(*conversation)
				if !ok || own.place.Info().Name != "sandbox" {
					s.t.Skip("SKIPPED: no sandbox can be made here")
				}
				s.turn(c, "go")
				closed(s.t, a)
			},
		}
	}
	return []keyTest{
		{key: "terminal.sandbox_writable", in: in(`echo w > ~/outside/f && echo wrote-"it"`), set: "[~/outside]", with: `main request .*wrote-it`},
		{key: "terminal.sandbox_network", in: in(`(exec 3<>/dev/tcp/$TARGET) && echo reached-"it"`), set: "true", with: `main request .*reached-it`},
	}
}

// places are programs that stand for those of containers and hosts: they note how they
// are called, and run here what is to run there.
const engine = `#!/bin/sh
echo "called ${0##*/} $*" >> "$HOME/called"
case "$1" in
image) echo id ;;
ps) ;;
run) echo cid ;;
inspect) echo true ;;
exec) while [ "$1" != cid ]; do shift; done; shift; exec "$@" ;;
esac
`

const host = `#!/bin/sh
echo "called ${0##*/} $*" >> "$HOME/called"
exit 255
`

func placed(base, program, text string) *situation {
	return &situation{base: custom + base, before: func(s *scene) {
		for _, name := range strings.Fields(program) {
			s.file("bin/"+name, text, 0o700)
		}
		s.env["PATH"] = s.dir + "/bin:" + s.env["PATH"]
	}, act: func(s *scene) {
		a, c := s.start()
		if c != nil {
			s.note("works in %s", c.State().Work.Dir)
		}
		closed(s.t, a)
		s.show("../called")
	}}
}

var (
	docker = placed("terminal.backend: docker\nterminal.docker_image: img\n", "docker podman", engine)
	remote = placed("terminal.backend: ssh\nterminal.ssh_host: there\n", "ssh", host)
	image  = placed("terminal.backend: singularity\n", "apptainer singularity", host)
	local  = placed("", "docker", engine)
	muted  = &situation{base: custom + "agent.api_max_retries: 1\n", before: func(s *scene) {
		s.settings["model.base_url"] = s.mute()
		s.config(nested(s.settings))
	}}
	// probing has a server where Ollama would be, one that takes its time, and no provider.
	probing = &situation{base: "agent.auto_title: false", slow: time.Second, env: map[string]string{"OLLAMA_HOST": "{{noted}}"}, act: func(s *scene) {
		a, c := s.start()
		if c != nil {
			s.note("answers: %+v", c.State().Model)
		}
		closed(s.t, a)
	}}
	logins = &situation{base: "login.openai.client_id: a-client\nlogin.openai.issuer: {{noted}}\nlogin.openai.redirect_urls: ['http://127.0.0.1:0/auth/callback']\n", act: func(s *scene) {
		c, _, err := loadChecked(s)
		if err != nil {
			s.t.Fatal(err)
		}
		l, err := models.OpenLogins(models.LoginOptions{Version: "test", Home: s.home, Settings: models.LoginSettingsOf(c), Env: func(string) (string, bool) { return "", false }, UserHome: s.dir, IDs: event.SystemSource()})
		if err != nil {
			s.t.Fatal(err)
		}
		s.note("ready: %v", l.Ready())
		ctx, cancel := context.WithTimeout(s.t.Context(), 3*time.Second)
		_, err = l.Login(ctx, "", models.LoginWay{Browser: func(address string) { s.note("open %s", address); cancel() }})
		cancel()
		s.note("login: %v", err)
		if err := l.Close(); err != nil {
			s.t.Error(err)
		}
	}}
)

func placeKeys() []keyTest {
	const run = `called docker run .*`
	return []keyTest{
		{key: "terminal.backend", in: local, also: "terminal.docker_image: img", set: "docker", with: run},
		{key: "terminal.cwd", in: docker, set: "/tmp", with: `works in /tmp`},
		{key: "terminal.docker_image", in: docker, set: "second", with: run + `\bsecond\b`},
		{key: "terminal.docker_engine", in: docker, set: "podman", with: `called podman run`},
		{key: "terminal.docker_mount_cwd_to_workspace", in: docker, set: "true", with: run + `/work:[^ ]*/work|` + run + `src=[^ ]*/work`},
		{key: "terminal.docker_volumes", in: docker, set: "['/srv:/srv']", with: run + `/srv:/srv`},
		{key: "terminal.docker_network", in: docker, set: "none", with: run + `--network[ =]none`},
		{key: "terminal.container_cpu", in: docker, set: "3", with: run + `--cpus[ =]3\b`},
		{key: "terminal.container_memory", in: docker, set: "777", with: run + `777`},
		{key: "terminal.container_disk", in: docker, set: "888", with: run + `size=888m`},
		{key: "terminal.container_persistent", in: docker, set: "false", without: `called docker ps .*hermes\.spec`},
		{key: "terminal.ssh_host", in: remote, set: "elsewhere", with: `called ssh .*\belsewhere\b`},
		{key: "terminal.ssh_user", in: remote, set: "someone", with: `called ssh .*\bsomeone\b`},
		{key: "terminal.ssh_port", in: remote, set: "2222", with: `called ssh .*\b2222\b`},
		{key: "terminal.ssh_key", in: remote, set: "/a/key", with: `called ssh .*/a/key`},
		{key: "terminal.singularity_image", in: image, set: "docker://debian", with: `called [a-z]+ .*docker://debian`},

		{key: "network.connect_timeout_s", in: muted, set: "1", without: `"took":(?:[3-9]|\d\d)\d{9}\b`},
		{key: "probe.local_servers", in: probing, set: "true", with: `noted GET`},
		{key: "probe.timeout_ms", in: probing, also: "probe.local_servers: true", set: "9000", with: `answers: .*127\.0\.0\.1`},
		{key: "login.openai.issuer", in: logins, set: "{{noted}}/second", with: `open [^ ]*/second`},
		{key: "login.openai.client_id", in: logins, set: "b-client", with: `open .*b-client`},
		{key: "login.openai.redirect_urls", in: logins, set: "['http://127.0.0.1:0/auth/second']", with: `open .*auth%2Fsecond`},
	}
}
