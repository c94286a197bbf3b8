package cli

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-tui/store/config"
)

// dumped are the files of a dump by their names.
func dumped(t *testing.T, name string) map[string]string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for r := tar.NewReader(z); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(head.Name, "hermes-tui-dump/")] = string(text)
	}
}

// everySecret are settings with each secret that there is, and the secrets.
func everySecret() (settings string, secrets []string) {
	var b strings.Builder
	secret := func() string {
		secrets = append(secrets, fmt.Sprintf("S%dq%dZx7Lw2Vb9Kt4", len(secrets), len(secrets)*7919))
		return secrets[len(secrets)-1]
	}
	value := func(key string) string {
		switch {
		case strings.HasSuffix(key, "headers"), strings.HasSuffix(key, ".env"):
			return "{X_API_KEY: " + secret() + ", AUTHORIZATION: Bearer " + secret() + "}"
		}
		return secret()
	}
	for _, key := range []string{"model.api_key", "model.default_headers", "delegation.api_key"} {
		section, name, _ := strings.Cut(key, ".")
		fmt.Fprintf(&b, "%s: {%s: %s}\n", section, name, value(key))
	}
	return strings.Replace(b.String(), "model: {api_key: "+secrets[0]+"}\nmodel: {", "model: {provider: demo, api_key: "+secrets[0]+", ", 1) +
		"providers: {work: {base_url: \"http://127.0.0.1:1/v1\", api_key: " + value("api_key") + ", headers: " + value("headers") + "}}\n" +
		"fallback_providers: [{provider: openrouter, model: m, api_key: " + value("api_key") + "}]\n" +
		"auxiliary: {title_generation: {api_key: " + value("api_key") + ", fallback_chain: [{provider: openrouter, model: m, api_key: " + value("api_key") + "}]}}\n" +
		"mcp_servers:\n  files: {url: \"http://127.0.0.1:1/\", enabled: false, headers: " + value("headers") + ", oauth: {client_id: x, client_secret: " + value("client_secret") + "}}\n" +
		"  other: {command: none, enabled: false, env: " + value(".env") + "}\nprobe: {local_servers: false}\n", secrets
}

var auxiliaryTask = regexp.MustCompile(`^auxiliary\.\w+\.`)

// TestDumpMasks writes each secret that settings, .env and auth.json can have into every
// place that a dump takes something from: none is in it.
func TestDumpMasks(t *testing.T) {
	for _, k := range config.Keys() { // so that everySecret has a new one, too
		known := []string{"model.api_key", "model.default_headers", "providers.NAME.api_key", "providers.NAME.headers", "fallback_providers.N.api_key", "delegation.api_key",
			"mcp_servers.NAME.env", "mcp_servers.NAME.headers", "mcp_servers.NAME.oauth.client_secret", "auxiliary.TASK.api_key", "auxiliary.TASK.fallback_chain.N.api_key"}
		name := auxiliaryTask.ReplaceAllString(k.Name, "auxiliary.TASK.")
		if k.Secret && !slices.Contains(known, name) {
			t.Errorf("%s is a secret that this test does not know", k.Name)
		}
	}
	settings, secrets := everySecret()
	for name, text := range map[string]string{"as they should be": settings, "broken": settings + "display: {theme: pink}\n"} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			secrets := append(secrets[:len(secrets):len(secrets)], "Env7Gq2Rz5Wx8Yb1Nm", "Stored4Jk7Pd2Fs9Hv", "Given3Lp6Tc8Xw1Qa5")
			b.settings(settings)
			b.write(".env", "OTHER_TOKEN=Env7Gq2Rz5Wx8Yb1Nm\n")
			b.env["OPENROUTER_API_KEY"] = "Given3Lp6Tc8Xw1Qa5"
			b.in = strings.NewReader("Stored4Jk7Pd2Fs9Hv\n")
			if o := b.run("auth", "add", "deepseek"); o.code != exitOK {
				t.Fatal(o)
			}
			b.in = nil
			everything := strings.Join(secrets, " and ")
			if o := b.exec("--provider", "demo", "--log-level", "debug", "a distinctive sentence with "+everything); o.code != exitOK {
				t.Fatal(o)
			}
			log := filepath.Join(b.home, "logs", "hermes-tui.log")
			was, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			b.write("logs/hermes-tui.log", string(was)+"time=x level=INFO msg="+everything+"\n")
			b.write("logs/hermes-tui.log.1", strings.Join(secrets, "\n"))
			b.write("logs/mcp-files.log", everything+"\n")
			b.write("logs/refused-20260101-000000.000.json", `{"refused": "request"}`)
			b.settings(text)
			broken := text != settings
			check := func(o outcome, file string, want ...string) map[string]string {
				t.Helper()
				if o.code != exitOK || !strings.Contains(o.out, "Written to ") {
					t.Fatal(o)
				}
				files := dumped(t, file)
				for _, name := range want {
					if files[name] == "" {
						t.Errorf("%s is not there", name)
					}
				}
				for name, text := range files {
					for _, secret := range secrets {
						if strings.Contains(text, secret) {
							t.Errorf("%s has a secret: %s", name, secret)
						}
					}
					if strings.Contains(text, "refused") {
						t.Errorf("%s has a refused request", name)
					}
				}
				return files
			}
			file := filepath.Join(b.dir, "out.tar.gz")
			want := []string{"version.json", "doctor.json", "files.json", "logs/hermes-tui.log", "logs/hermes-tui.log.1"}
			if !broken {
				want = append(want, "settings.json", "sessions.json")
			}
			files := check(b.run("dump", "--yes", "-o", "out.tar.gz"), file, want...)
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v %v", info, err)
			}
			for name, text := range files {
				if strings.Contains(text, "distinctive") {
					t.Errorf("%s has what was said", name)
				}
			}
			if !broken && !strings.Contains(files["sessions.json"], `"turn_finished"`) {
				t.Errorf("%s", files["sessions.json"])
			}
			if broken {
				return
			}
			id, _, _ := strings.Cut(b.run("sessions", "list").out, " ")
			said := filepath.Join(b.dir, "said.tar.gz")
			files = check(b.run("dump", "--yes", "-o", said, "--server-logs", "--session", id), said, "session.json", "journal.jsonl", "logs/mcp-files.log")
			for name, want := range map[string]string{"session.json": "a distinctive sentence", "journal.jsonl": `"turn_finished"`} {
				if !strings.Contains(files[name], want) {
					t.Errorf("%s has no %s: %s", name, want, files[name])
				}
			}
		})
	}
}

// TestMaskArguments masks what flags call secret, and nothing else.
func TestMaskArguments(t *testing.T) {
	for text, want := range map[string]string{
		"--api-key, hunter2, --user, anna":                    "--api-key, ***, --user, anna",
		"tool --token=abc -v --password 'a b' x":              "tool --token=*** -v --password *** x",
		`args="[--auth-token abc -x]"`:                        `args="[--auth-token *** -x]"`,
		`["--apikey", "hunter2"]`:                             `["--apikey", ***]`,
		"-H, X-Key: one two, --db, x":                         "-H, X-Key: ***, --db, x",
		`curl --header "Authorization: Basic abc" http://x`:   `curl --header "Authorization: ***" http://x`,
		"--access_key KEY, --github.pat p":                    "--access_key ***, --github.pat ***",
		"--monkey banana, --keys 3, --token-limit 9, a-key b": "--monkey banana, --keys 3, --token-limit 9, a-key b",
		"--api-key --verbose":                                 "--api-key --verbose",
		"auth --auth":                                         "auth --auth",
		"nothing":                                             "nothing",
	} {
		if got := maskArguments(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}
