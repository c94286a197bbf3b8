//go:build unix

package app

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
	"hermes-tui/store/config"
)

// The tests of these files set every setting of docs/config.md in a config.yaml and see
// what it does. For a new setting add an entry to the list that fits, or to one of its
// own that keyTests names:
//
//	{key: "agent.max_turns", in: loops, set: "2", with: `"reason":"budget"`},
//
// in is a situation: files, what the model answers, what is said. It is played twice,
// without and with the setting; all that goes to servers, all events and what the
// situation notes is kept as text. with is a regular expression that must be found in the
// second text and not in the first, without one that must be found in the first only.
// also are settings for both times. set is the value; for a key below NAME, N or of a
// section it is whole lines instead, "a.b: value", and the value is YAML in one line.
// {{main}} and {{other}} are the addresses of two model servers, {{noted}} of one that
// only notes what it is asked, {{dir}} and {{home}} the folders of work and settings.

// keyTest is how a setting is seen to have an effect.
type keyTest struct {
	key           string
	in            *situation
	also, set     string
	with, without string
}

// situation is in what settings show.
type situation struct {
	// base are settings, one "a.b: value" a line.
	base string
	env  map[string]string
	// rules are what the main server plays; without them it answers "ok". The other one
	// plays others, or the same.
	rules, others []script.Rule
	models        []script.Model
	// before prepares files, act does what is seen; without it something is said.
	before, act func(*scene)
	// answer is the answer to questions, empty for no; late gives it after two seconds.
	answer event.Choice
	late   bool
	// says is the answer to questions for a text, empty for none.
	says string
	// slow is how long the server that notes takes.
	slow time.Duration
}

// scene is a situation that is played.
type scene struct {
	*box
	in          *situation
	main, other *scripttest.Server
	noted       *httptest.Server
	settings    map[string]string
	later       string // settings that are edited while the program runs
	replace     *strings.Replacer
	want        *regexp.Regexp // what is waited for

	mu   sync.Mutex
	text strings.Builder
}

// keyTests are the lists of all entries.
func keyTests() []keyTest {
	return slices.Concat(endpointKeys(), workKeys(), sessionKeys(), childKeys(), sideKeys(), placeKeys(), screenKeys(), hookKeys(), mcpKeys(), webKeys(), sandboxKeys(), logKeys())
}

// TestEveryKey sets each setting and sees it take effect. One that has no entry fails.
func TestEveryKey(t *testing.T) {
	have, known := map[string]bool{}, map[string]bool{}
	for _, k := range keyTests() {
		have[k.key] = true
	}
	for _, k := range config.Keys() {
		known[k.Name] = true
		if !have[k.Name] && refuses(k.Name) {
			t.Errorf("%s has no entry: see the top of every_key_test.go", k.Name)
		}
	}
	var baselines sync.Map // func() string by situation and settings
	for _, k := range keyTests() {
		t.Run(k.key, func(t *testing.T) {
			t.Parallel()
			if !known[k.key] {
				t.Fatal("there is no such setting")
			}
			if _, err := exec.LookPath("python3"); err != nil && strings.HasPrefix(k.key, "code_execution.") {
				t.Skip("SKIPPED: python3, which runs scripts, is not installed")
			}
			k.check(t, &baselines)
		})
	}
}

func (k keyTest) check(t *testing.T, baselines *sync.Map) {
	var was string
	if k.without != "" {
		was = k.in.play(t, k.also, k.without)
	} else {
		once, _ := baselines.LoadOrStore([2]any{k.in, k.also}, sync.OnceValue(func() string { return k.in.play(t, k.also, "") }))
		was = once.(func() string)()
	}
	is := k.in.play(t, k.also+"\n"+k.setting(), k.with)
	for _, c := range []struct {
		pattern    string
		here, gone string
		when       [2]string
	}{{k.with, is, was, [2]string{"with", "without"}}, {k.without, was, is, [2]string{"without", "with"}}} {
		if c.pattern == "" {
			continue
		}
		p := regexp.MustCompile(c.pattern)
		if !p.MatchString(c.here) {
			t.Errorf("%s it there is no %s:\n%s", c.when[0], c.pattern, shortened(c.here))
		}
		if at := p.FindStringIndex(c.gone); at != nil {
			t.Errorf("%s it there is %s too: %s", c.when[1], c.pattern, c.gone[max(0, at[0]-100):min(len(c.gone), at[1]+100)])
		}
	}
	if k.with == "" && k.without == "" {
		t.Error("nothing is looked for")
	}
}

// setting is the line, or the lines, of the setting.
func (k keyTest) setting() string {
	if set := k.set; strings.Contains(set, ": ") && !strings.HasPrefix(set, "{") && !strings.HasPrefix(set, "[") && !strings.HasPrefix(set, "'") {
		return set
	}
	return k.key + ": " + k.set
}

// shortened cuts lines that no one reads.
func shortened(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if len(line) > 1500 {
			line = line[:700] + " […] " + line[len(line)-700:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// play plays a situation with settings. It goes on until want is there, if there is one.
// Settings that come later are edited once the session has begun.
func (in *situation) play(t *testing.T, settings, want string, later ...string) string {
	t.Helper()
	s := &scene{box: newBox(t), in: in, later: strings.Join(later, "\n"), settings: map[string]string{"probe.local_servers": "false"}}
	maps.Copy(s.env, in.env)
	if want != "" {
		s.want = regexp.MustCompile(want)
	}
	s.main, s.other = s.serve(in.rules), s.serve(in.others)
	s.noted = httptest.NewServer(http.HandlerFunc(s.take))
	t.Cleanup(s.noted.Close)
	s.replace = strings.NewReplacer("{{main}}", s.main.URL(), "{{other}}", s.other.URL(), "{{noted}}", s.noted.URL, "{{dir}}", s.dir, "{{home}}", s.home.Dir())
	for line := range strings.Lines(in.base + "\n" + settings) {
		if path, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			s.settings[path] = s.replace.Replace(value)
		}
	}
	s.config(nested(s.settings))
	for name, value := range s.env {
		s.env[name] = s.replace.Replace(value)
	}
	if in.before != nil {
		in.before(s)
	}
	if in.act != nil {
		in.act(s)
	} else {
		s.talk("go")
	}
	return s.seen() + s.requests()
}

// nested writes settings by their paths as YAML.
func nested(settings map[string]string) string {
	type node map[string]any
	root := node{}
	for _, path := range slices.Sorted(maps.Keys(settings)) {
		at, parts := root, strings.Split(path, ".")
		for _, p := range parts[:len(parts)-1] {
			if _, ok := at[p].(node); !ok {
				at[p] = node{}
			}
			at = at[p].(node)
		}
		at[parts[len(parts)-1]] = settings[path]
	}
	var write func(node, string) string
	write = func(n node, indent string) (text string) {
		for _, name := range slices.Sorted(maps.Keys(n)) {
			switch v := n[name].(type) {
			case node:
				text += indent + name + ":\n" + write(v, indent+"  ")
			default:
				text += fmt.Sprintf("%s%s: %v\n", indent, name, v)
			}
		}
		return text
	}
	return write(root, "")
}

func (s *scene) serve(rules []script.Rule) *scripttest.Server {
	s.t.Helper()
	if rules == nil {
		rules = s.in.rules
	}
	if rules == nil {
		rules = []script.Rule{{Steps: []script.Step{script.Text{Text: "ok"}}}}
	}
	models := s.in.models
	if models == nil {
		models = []script.Model{{ID: "m", ContextLength: 100_000}, {ID: "small", ContextLength: 100_000}}
	}
	server, err := scripttest.Serve(&script.Scenario{Models: models, Rules: rules}, scripttest.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = server.Close() })
	return server
}

// note keeps a line of what is to be seen.
func (s *scene) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.text, format+"\n", args...)
}

func (s *scene) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// requests is what the model servers were asked. A header is "main header Name: value".
func (s *scene) requests() string {
	var b strings.Builder
	for name, server := range map[string]*scripttest.Server{"main": s.main, "other": s.other} {
		for i, r := range server.Requests() {
			for _, h := range slices.Sorted(maps.Keys(r.Header)) {
				fmt.Fprintf(&b, "%s header %s: %s\n", name, h, strings.Join(r.Header[h], ", "))
			}
			fmt.Fprintf(&b, "%s request %d %s\n", name, i+1, r.Body)
		}
	}
	return b.String()
}

// file writes a file of the folder of work, or an absolute one.
func (s *scene) file(name, text string, mode os.FileMode) string {
	s.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.dir, name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		s.t.Fatal(err)
	}
	return name
}

// start opens the program and begins a session; it notes why that fails. The servers of the
// settings have come then, or failed: of a machine that is slow they may be later than the
// first turn waits for them.
func (s *scene) start() (*App, Conversation) {
	a := s.box.open()
	c, err := a.Start(s.t.Context())
	if err != nil {
		s.note("start: %v", err)
		return a, nil
	}
	s.settled(a) // else the first life of a server is noted behind the edit
	s.edited(a)
	a.syncMCP()
	s.settled(a)
	return a, c
}

// settled waits until the servers of the settings have come or failed.
func (s *scene) settled(a *App) {
	for path := range s.settings {
		if name, ok := strings.CutPrefix(path, "mcp_servers."); ok {
			name, _, _ = strings.Cut(name, ".")
			serverNow(s.t, a, name, func(m api.MCPServer) bool { return m.State != "connecting" || m.Why != "" })
		}
	}
}

// open opens the program without a session.
func (s *scene) open() *App {
	a := s.box.open()
	s.edited(a)
	return a
}

// talk says something in a new session, each text in a turn of its own, and closes the
// program.
func (s *scene) talk(texts ...string) {
	a, c := s.start()
	if c != nil {
		for _, text := range texts {
			s.turn(c, text)
		}
		s.await(c)
	}
	closed(s.t, a)
}

// turn says something, answers questions, and notes the events until the turn has ended.
func (s *scene) turn(c Conversation, text string) {
	if _, err := c.Submit(text); err != nil {
		s.note("submit: %v", err)
		return
	}
	s.follow(c, func(e event.Event) bool {
		_, ended := e.(*event.TurnFinished)
		return ended && e.Head().Agent == c.Root()
	})
}

// await notes events until what is wanted is there.
func (s *scene) await(c Conversation) {
	if s.want == nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	for !s.want.MatchString(s.seen()+s.requests()) && ctx.Err() == nil {
		short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
		events, err := c.Next(short)
		stop()
		if err != nil && short.Err() == nil {
			return
		}
		for _, e := range events {
			s.noteEvent(e)
		}
	}
}

// follow notes events until one is the last.
func (s *scene) follow(c Conversation, last func(event.Event) bool) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 4*patience)
	defer cancel()
	for {
		events, err := c.Next(ctx)
		if err != nil {
			s.t.Fatalf("%v\n%s", err, shortened(s.seen()))
		}
		over := false
		for _, e := range events {
			s.noteEvent(e)
			if q, ok := e.(*event.Requested); ok {
				s.reply(c, q.Request)
			}
			over = over || last(e)
		}
		if over {
			return
		}
	}
}

// reply answers a question.
func (s *scene) reply(c Conversation, q event.Request) {
	a := event.Answer{Choice: s.in.answer}
	switch {
	case q.Kind == event.RequestClarify && s.in.says != "":
		a = event.Answer{Choice: event.ChoiceText, Text: s.in.says}
	case q.Kind == event.RequestClarify:
		a = event.Answer{Choice: event.ChoiceNone}
	case a.Choice == "":
		a.Choice = event.ChoiceDeny
	}
	wait := time.Duration(0)
	if s.in.late {
		wait = 2 * time.Second
	}
	timer := time.AfterFunc(wait, func() { _ = c.Answer(q.ID, a) }) // it may be over by then
	s.t.Cleanup(func() { timer.Stop() })
}

func (s *scene) noteEvent(e event.Event) {
	raw, err := event.Marshal(e)
	s.note("event %s %s %v", e.Head().Type, raw, err)
}

// take answers what goes to no model server: with vectors, as Ollama, or with nothing that
// is of use.
func (s *scene) take(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.note("noted %s %s auth %s body %s", r.Method, r.URL.Path, r.Header.Get("Authorization"), body)
	select {
	case <-time.After(s.in.slow):
	case <-r.Context().Done():
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/embeddings"):
		s.vectors(w, body)
	case r.Method == http.MethodGet && r.URL.Path == "/api/tags":
		fmt.Fprint(w, `{"models":[{"name":"found","model":"found"}]}`)
	case r.Method == http.MethodGet && r.URL.Path == "/v1/models":
		fmt.Fprint(w, `{"data":[{"id":"found"}]}`)
	default:
		http.Error(w, `{"error":{"message":"nothing here"}}`, http.StatusNotFound)
	}
}

// show notes a file that may be there, by its place in the folder of work.
func (s *scene) show(name string) {
	raw, _ := os.ReadFile(filepath.Join(s.dir, name))
	s.note("%s", raw)
}

// loadChecked reads the settings with the tests that the program makes.
func loadChecked(s *scene) (config.Config, []config.Warning, error) {
	env := func(name string) (string, bool) { v, ok := s.env[name]; return v, ok }
	return config.Load(config.Options{File: s.home.Config(), Env: env, Check: CheckSettings(s.env["HOME"], s.home)})
}
