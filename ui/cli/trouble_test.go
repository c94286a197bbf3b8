package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers/script"
)

// sentence checks that a call ended with a code and one sentence that has some
// parts.
func sentence(t *testing.T, o outcome, code int, parts ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d", o.code, code)
	}
	if n := strings.Count(o.err, "\n"); n != 1 || !strings.HasPrefix(o.err, "hermes-tui: ") {
		t.Errorf("not one sentence:\n%s", o.err)
	}
	holds(t, "stderr", o.err, parts...)
}

// ending checks that a turn failed with a last sentence that has some parts.
// Sentences before it are of attempts to mend it.
func ending(t *testing.T, o outcome, parts ...string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(o.err, "\n"), "\n")
	last := lines[len(lines)-1]
	if o.code != exitFailed || !strings.HasPrefix(last, "hermes-tui: ") {
		t.Error(o)
	}
	holds(t, "the last sentence", last, parts...)
}

// left reports whether a path exists.
func left(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Lstat(path)
	return err == nil
}

// TestProvidersThatFail has endpoints that do everything but answer. Each gives
// one sentence and exit code 1, what had arrived is printed, and the prompt is
// in the conversation that the sentence names.
func TestProvidersThatFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		steps []script.Step
		url   string // instead of the scenario
		out   string
		says  []string
	}{
		{name: "unreachable", url: "http://127.0.0.1:1/v1", says: []string{"http://127.0.0.1:1/v1", "cannot be reached", "check that the server runs"}},
		{name: "wrong key", steps: []script.Step{script.Failure{Status: 401, Message: "Incorrect API key provided", Code: "invalid_api_key"}},
			says: []string{"does not accept the API key (HTTP 401)", "set a valid one"}},
		{name: "HTML page", steps: []script.Step{script.Failure{Status: 404, HTML: "<html><head><title>Welcome to nginx</title></head>\n<body>x</body></html>"}},
			says: []string{"Welcome to nginx", "base URL is right"}},
		{name: "HTML page with status 200", steps: []script.Step{script.Failure{Status: 200, HTML: "<html><title>Log in</title></html>"}},
			says: []string{"Log in", "base URL is right"}},
		{name: "malformed chunk", steps: []script.Step{say("half "), script.Malformed{}}, out: "half"},
		{name: "cut", steps: []script.Step{say("half "), script.CutReset}, out: "half"},
		{name: "no such model", steps: []script.Step{script.Failure{Status: 404, Message: "The model `script` does not exist", Code: "model_not_found"}},
			says: []string{"does not have script", "another model"}},
		{name: "silent end", steps: []script.Step{script.Finish{Reason: "stop"}}, says: []string{"answered nothing"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, _ := with(t, on("", c.steps...))
			b.settings("agent: {api_max_retries: 1}\n") // no waits
			if c.url != "" {
				b.flags[3] = c.url
			}
			o := b.run("exec", "a prompt of mine")
			// What is missing may have been asked for again, and come to the same end.
			if words := slices.Compact(strings.Fields(o.out)); !slices.Equal(words, strings.Fields(c.out)) {
				t.Errorf("printed %q", o.out)
			}
			ending(t, o, append(c.says, "hermes-tui --resume "+latest(t, b))...)
			if got := b.said(); !slices.Contains(got, "user: a prompt of mine") {
				t.Errorf("stored %q", got)
			}
		})
	}
}

// TestEndlessStream has an endpoint that sends keep-alives for ever.
func TestEndlessStream(t *testing.T) {
	streaming := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // it lists no models
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			if _, err := fmt.Fprint(w, ": keep-alive\n\n"); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			if n == 20 {
				streaming <- struct{}{}
			}
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	b := newBox(t)
	c := b.start("exec", "--provider", "custom", "--base-url", server.URL+"/v1", "--model", "m", "hi")
	select {
	case <-streaming:
	case <-time.After(patience):
		t.Fatal("no request came")
	}
	c.stop()
	sentence(t, c.wait(), exitInterrupted, "Interrupted", "--resume")
	if got := b.said(); !slices.Equal(got, []string{"user: hi"}) {
		t.Errorf("stored %q", got)
	}
}

// TestBadMachine breaks what the program needs to start. Each gives one sentence
// with the next step, and no file that was there is touched.
func TestBadMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		prepare func(b *box) (kept []string, args []string)
		code    int
		says    []string
	}{
		{"broken config.yaml", func(b *box) ([]string, []string) {
			return []string{b.write("config.yaml", "# mine\ndisplay:\n  theme: dark\n model: [\n")}, nil
		}, exitUsage, []string{"config.yaml, line 4, column "}},
		{"wrong setting of the command line", func(b *box) ([]string, []string) {
			return []string{b.write("config.yaml", "# mine\ndisplay:\n  theme: dark\n")}, []string{"--log-level", "loud"}
		}, exitUsage, []string{"flag for logging.level", `"loud"`}},
		{"key that is not set", func(b *box) ([]string, []string) {
			return []string{b.write("config.yaml", "model:\n  provider: groq\n  api_key: ${NO_SUCH_KEY}\n")}, nil
		}, exitUsage, []string{"config.yaml: model.api_key", "${NO_SUCH_KEY}", "set it in the environment"}},
		{"broken .env", func(b *box) ([]string, []string) {
			return []string{b.write(".env", "GOOD=1\nthis is no assignment\n")}, nil
		}, exitUsage, []string{".env, line 2"}},
		{"no HOME", func(b *box) ([]string, []string) {
			delete(b.env, "HOME")
			delete(b.env, "HERMES_HOME")
			return nil, nil
		}, exitStart, []string{"home directory is not known", "set HERMES_HOME"}},
		{"home that is a file", func(b *box) ([]string, []string) {
			return []string{b.file(b.home)}, nil
		}, exitStart, []string{"a file is in its place", "HERMES_HOME"}},
		{"home below a file", func(b *box) ([]string, []string) {
			kept := b.file(b.home)
			b.env["HERMES_HOME"] = filepath.Join(b.home, "below")
			return []string{kept}, nil
		}, exitStart, []string{"HERMES_HOME"}},
		{"unwritable home", func(b *box) ([]string, []string) {
			b.env["HERMES_HOME"] = b.unwritable()
			return nil, nil
		}, exitStart, []string{sealed, "set HERMES_HOME to another directory"}},
		{"state.db that is no database", func(b *box) ([]string, []string) {
			return []string{b.write("state.db", strings.Repeat("my diary\n", 200))}, nil
		}, exitStart, []string{"state.db is not a session database", "move it away"}},
		{"state.db that is a folder", func(b *box) ([]string, []string) {
			return []string{b.write("state.db/file", "x")}, nil
		}, exitStart, []string{"state.db"}},
		{"no scenario", func(b *box) ([]string, []string) {
			return nil, []string{"--scenario", filepath.Join(b.dir, "none.json")}
		}, exitUsage, []string{"none.json", "check the path"}},
		{"broken scenario", func(b *box) ([]string, []string) {
			file := b.write("play.json", "{\"rules\": [\n  {\"steps\": [{\"txt\": \"a\"}]}]}")
			return []string{file}, []string{"--scenario", file}
		}, exitUsage, []string{"play.json, line 2", "txt"}},
		{"unknown provider", func(b *box) ([]string, []string) {
			return nil, []string{"--provider", "opnrouter"}
		}, exitUsage, []string{`"opnrouter" is not known`, `did you mean "openrouter"`}},
		{"provider without a key", func(b *box) ([]string, []string) {
			return nil, []string{"--provider", "groq"}
		}, exitUsage, []string{"set GROQ_API_KEY", "https://"}},
		{"custom without an address", func(b *box) ([]string, []string) {
			return nil, []string{"--provider", "custom"}
		}, exitUsage, []string{"base_url"}},
		{"no such conversation", func(b *box) ([]string, []string) {
			return nil, []string{"--provider", "demo", "--resume", "nothing"}
		}, exitUsage, []string{`no session "nothing"`, "/resume"}},
		{"nothing to continue", func(b *box) ([]string, []string) {
			return nil, []string{"--provider", "demo", "-c"}
		}, exitUsage, []string{"no session to continue yet"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			kept, args := c.prepare(b)
			before := contents(t, kept)
			o := b.run(append(append([]string{"exec"}, args...), "hi")...)
			if o.out != "" {
				t.Errorf("printed %q", o.out)
			}
			sentence(t, o, c.code, c.says...)
			if after := contents(t, kept); !slices.Equal(before, after) {
				t.Errorf("files changed: %q, then %q", before, after)
			}
		})
	}
}

// TestWrongSettings has values in config.yaml that do not fit: a line names each, what makes the
// program stricter first, and the rest works.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	file := b.write("config.yaml", "# mine\nx_a: 1\nx_b: 2\nx_c: 3\nmodel: {provider: demo}\ndisplay:\n  theme: pink\napprovals: {deny: [[x]]}\n")
	before := contents(t, []string{file})
	o := b.run("exec", "hi")
	if o.code != exitOK || o.out == "" {
		t.Error(o)
	}
	lines := strings.Split(o.err, "\n")
	if len(lines) < 4 {
		t.Fatalf("it says %q", lines)
	}
	holds(t, "the first line", lines[0], "config.yaml, line 8", "approvals.deny", "everything is asked about")
	holds(t, "the second line", lines[1], "config.yaml, line 7", "display.theme", "auto, dark, light", `"pink"`, "it is ignored")
	holds(t, "the last line", lines[3], "2 more of the settings", "hermes-tui doctor")
	if after := contents(t, []string{file}); !slices.Equal(before, after) {
		t.Errorf("the file was %q, is %q", before, after)
	}
}

// file puts a file where a folder belongs.
func (b *box) file(path string) string {
	b.t.Helper()
	if err := os.WriteFile(path, []byte("a file"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// sealed is in the name of the folder that cannot be written.
const sealed = "unwritable"

// unwritable is a folder that cannot be written; the system's administrator can
// write everywhere but into the kernel's own tables.
func (b *box) unwritable() string {
	if os.Geteuid() != 0 {
		dir := filepath.Join(b.dir, sealed)
		if err := os.Mkdir(dir, 0o500); err != nil {
			b.t.Fatal(err)
		}
		return filepath.Join(dir, "home")
	}
	if runtime.GOOS != "linux" {
		b.t.Skip("SKIPPED: the administrator can write everywhere")
	}
	return "/proc/" + sealed
}

func contents(t *testing.T, files []string) []string {
	t.Helper()
	var list []string
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(raw))
	}
	return list
}
