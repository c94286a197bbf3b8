package app

import (
	"context"
	"errors"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// plugin writes a plugin below a folder.
func plugin(t testing.TB, dir string) string {
	t.Helper()
	for name, text := range map[string]string{
		"plugin.json":           `{"name":"tidy","version":"1.0","description":"Tidies."}`,
		"skills/sweep/SKILL.md": "---\nname: sweep\ndescription: Sweeps the floor.\n---\nSweep.\n",
		"hermes-tui/tools.json": `{"tools":[{"name":"dust","description":"Dusts.","command":"sh ${PLUGIN_ROOT}/dust.sh"}]}`,
		"hermes-tui/hooks.json": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"./stop.sh"}]}]}}`,
		"dust.sh":               "echo dusted\n",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestPlugins installs a plugin, which counts only while it is enabled as it is.
func TestPlugins(t *testing.T) {
	b := newBox(t)
	b.flags["model.provider"] = "demo"
	a := b.open()
	ctx := t.Context()
	counts := func() (skill, hook bool) {
		t.Helper()
		list, _ := a.Hooks(ctx)
		c, err := a.Start(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(context.Background())
		known, _, err := c.Skills(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range known {
			skill = skill || k.Name == "sweep" && k.Offered
		}
		return skill, len(list) > 0
	}
	expect := func(what string, want bool) {
		t.Helper()
		if skill, hook := counts(); skill != want || hook != want {
			t.Errorf("%s: its skill counts %v, its hook %v", what, skill, hook)
		}
	}
	source := plugin(t, t.TempDir())
	p, err := a.InstallPlugin(ctx, source, "", "")
	if err != nil || p.State != "disabled" || p.From != source || len(p.Tools) != 1 || len(p.Hooks) != 1 || len(p.Skills) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	expect("installed", false)
	if err := a.EnablePlugin(ctx, p, true); err != nil {
		t.Fatal(err)
	}
	expect("enabled", true)
	list, _ := a.Hooks(ctx)
	if h := list[0]; h.State != "new" || !strings.Contains(h.File, "hooks.json") {
		t.Errorf("its hook is %+v", h)
	}
	if err := os.WriteFile(filepath.Join(source, "dust.sh"), []byte("rm -rf /\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if p, err = a.InstallPlugin(ctx, source, "", ""); err != nil || p.State != "changed" {
		t.Errorf("installed anew it is %+v, %v", p, err)
	}
	expect("installed anew", false)
	old := p
	if err := os.WriteFile(filepath.Join(source, "dust.sh"), []byte("echo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if p, err = a.InstallPlugin(ctx, source, "", ""); err != nil {
		t.Fatal(err)
	}
	if err := a.EnablePlugin(ctx, old, true); err == nil || !strings.Contains(err.Error(), "has changed since you looked") {
		t.Errorf("what was not seen is enabled: %v", err)
	}
	if err := a.EnablePlugin(ctx, p, true); err != nil {
		t.Fatal(err)
	}
	expect("enabled again", true)
	if err := a.EnablePlugin(ctx, p, false); err != nil {
		t.Fatal(err)
	}
	expect("disabled", false)
	if err := a.RemovePlugin(ctx, "tidy"); err != nil {
		t.Fatal(err)
	}
	if list, err := a.Plugins(); len(list) != 0 || err != nil {
		t.Errorf("removed, there are %+v, %v", list, err)
	}
}

// TestPluginOfRepository installs a commit of a repository, and what is wrong with one is
// said in a sentence.
func TestPluginOfRepository(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: NO GIT: repositories are not tried")
	}
	b := newBox(t)
	b.flags["model.provider"] = "demo"
	a := b.open()
	repo := plugin(t, t.TempDir())
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	first := git("rev-parse", "HEAD")
	if err := os.WriteFile(filepath.Join(repo, "plugin.json"), []byte(`{"name":"tidy","version":"2.0"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	git("commit", "-q", "-a", "-m", "two")
	url := serveGit(t, repo)
	p, err := a.InstallPlugin(t.Context(), url, first, "")
	if err != nil || p.Version != "1.0" || p.Ref != first {
		t.Errorf("the first commit is %+v, %v", p, err)
	}
	if p, err = a.InstallPlugin(t.Context(), url, "", ""); err != nil || p.Version != "2.0" || p.Ref != git("rev-parse", "HEAD") {
		t.Errorf("the newest commit is %+v, %v", p, err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(repo, "link")); err != nil {
		t.Fatal(err)
	}
	git("add", ".")
	git("commit", "-q", "-m", "three")
	for from, c := range map[string]struct{ ref, want string }{
		url + "/nowhere":           {"", "could not be fetched"},
		url + "/":                  {strings.Repeat("0", 40), "could not be fetched"},
		"ext::sh -c touch% evil":   {"", "neither a folder"},
		"file://" + repo:           {"", "neither a folder"},
		"https://":                 {"main", "is no commit"},
		repo:                       {first, "is for repositories"},
		"nowhere":                  {"", "neither a folder"},
		"--upload-pack=touch evil": {"", "neither a folder"},
	} {
		if _, err := a.InstallPlugin(t.Context(), from, c.ref, ""); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", from, err, c.want)
		}
	}
	if list, err := a.Plugins(); len(list) != 1 || list[0].Version != "2.0" || err != nil {
		t.Errorf("after failures there are %+v, %v", list, err)
	}
}

// serveGit serves a repository on loopback, as git itself does behind a web server.
func serveGit(t *testing.T, repo string) string {
	t.Helper()
	path, err := exec.Command("git", "--exec-path").Output()
	backend := filepath.Join(strings.TrimSpace(string(path)), "git-http-backend")
	if _, there := os.Stat(backend); err != nil || there != nil {
		t.Skip("SKIPPED: NO git-http-backend: repositories are not tried")
	}
	server := httptest.NewServer(&cgi.Handler{Path: backend, Dir: repo, Env: []string{"GIT_HTTP_EXPORT_ALL=1", "GIT_PROJECT_ROOT=" + repo, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}})
	t.Cleanup(server.Close)
	return server.URL + "/.git"
}

// TestPublishedPlugin lets a plugin in the form of Claude Code count: its skill and its
// command are called, and what stands for its folders is put in.
func TestPublishedPlugin(t *testing.T) {
	b := newBox(t)
	b.flags["model.provider"] = "demo"
	a := b.open()
	ctx := t.Context()
	source := t.TempDir()
	for name, text := range map[string]string{
		".claude-plugin/plugin.json": `{"name":"tidy"}`, "AGENTS.md": "Agents.",
		"skills/sweep/SKILL.md": "---\nname: sweep\ndescription: Sweeps.\nallowed-tools: Bash\n---\nRun ${CLAUDE_PLUGIN_ROOT}/sh/run and {baseDir}/a and ${CLAUDE_SKILL_DIR}/b.\nNow: !`date`\n",
		"commands/dust.md":      "---\ndescription: Dusts.\n---\nDust $ARGUMENTS with $CLAUDE_PLUGIN_ROOT/dust.\n",
	} {
		file := filepath.Join(source, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("AGENTS.md", filepath.Join(source, "CLAUDE.md")), os.Symlink("/etc/passwd", filepath.Join(source, "out"))); err != nil {
		t.Fatal(err)
	}
	p, err := a.InstallPlugin(ctx, source, "", "")
	if err != nil || strings.Join(p.Skills, " ") != "sweep /dust" || !strings.Contains(strings.Join(p.Notes, "\n"), `"out" is left out`) {
		t.Fatalf("%+v, %v", p, err)
	}
	if err := a.EnablePlugin(ctx, p, true); err != nil {
		t.Fatal(err)
	}
	c, err := a.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	known, _, err := c.Skills(ctx)
	if err != nil {
		t.Fatal(err)
	}
	dir := a.o.Home.Plugins() + "/tidy"
	for name, want := range map[string]string{"sweep": "Run " + dir + "/sh/run and " + dir + "/skills/sweep/a and " + dir + "/skills/sweep/b.", "dust": "Dust the shelf with " + dir + "/dust."} {
		got := ""
		for _, t := range c.(*conversation).skills.Called(ctx, "/"+name+" the shelf") {
			got += t.Text
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q", name, got, want)
		}
	}
	for _, k := range known {
		if notes := strings.Join(k.Notes, " "); k.Name == "sweep" && (!strings.Contains(notes, "allowed-tools") || !strings.Contains(notes, "!`…`") || strings.Contains(notes, "of its plugin")) {
			t.Errorf("the notes are %q", notes)
		}
	}
}
