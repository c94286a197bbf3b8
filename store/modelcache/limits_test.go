package modelcache

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

const base = "https://api.example/v1"

func TestLimitsAreWrittenWhenConfirmed(t *testing.T) {
	dir := t.TempDir()
	c := in(dir, time.Now)
	learn := func(model string, tokens int, confirmed bool) {
		t.Helper()
		if err := c.Learn(t.Context(), model, base, tokens, confirmed); err != nil {
			t.Fatal(err)
		}
	}
	want := func(model string, tokens int) {
		t.Helper()
		for name, cache := range map[string]*Cache{"the same": c, "another": in(dir, time.Now)} {
			if got, ok := cache.Limit(model, base); got != tokens || ok != (tokens > 0) {
				t.Errorf("%s cache: the window of %s is %d, %v; want %d", name, model, got, ok, tokens)
			}
		}
	}
	succeed := func(model, at string, tokens int) {
		t.Helper()
		if err := c.Succeeded(t.Context(), model, at, tokens); err != nil {
			t.Fatal(err)
		}
	}
	learn("m", 32_768, false)
	want("m", 0)
	succeed("m", "https://other.example/v1", 10_000)
	succeed("other", base, 10_000)
	succeed("m", base, 0)
	want("m", 0)
	succeed("m", base+"/", 30_000)
	want("m", 32_768)

	// A prompt that is larger and is answered all the same proves the error wrong.
	learn("liar", 4_096, false)
	succeed("liar", base, 5_000)
	succeed("liar", base, 1_000)
	want("liar", 0)

	learn("m", 16_384, true)
	want("m", 16_384)
	learn("corrected", 8_000, false)
	learn("corrected", 9_000, false)
	succeed("corrected", base, 8_500)
	want("corrected", 9_000)
}

func TestLearnRefuses(t *testing.T) {
	dir := t.TempDir()
	c := in(dir, time.Now)
	for _, x := range []struct {
		name, model, base string
		tokens            int
	}{
		{"too small", "m", base, leastWindow - 1},
		{"too large", "m", base, mostWindow + 1},
		{"negative", "m", base, -5},
		{"no model", "", base, 8_192},
		{"a long model", strings.Repeat("x", 301), base, 8_192},
		{"lines", "a\nb", base, 8_192},
		{"blanks", " m", base, 8_192},
		{"no text", "a\xff", base, 8_192},
		{"no address", "m", "", 8_192},
		{"another address", "m", "bedrock:eu-west-1", 8_192},
		{"a long address", "m", "https://a/" + strings.Repeat("x", 600), 8_192},
	} {
		for _, confirmed := range []bool{false, true} {
			err := c.Learn(t.Context(), x.model, x.base, x.tokens, confirmed)
			wantProblem(t, err, ProblemInvalid)
		}
	}
	if _, err := os.Stat(limitsIn(dir)); !isMissing(err) {
		t.Error("there is a file:", err)
	}
}

// TestFormat holds the form in which another program reads and writes the file.
func TestFormat(t *testing.T) {
	dir := t.TempDir()
	c := in(dir, time.Now)
	mustLearn(t, c, "vendor/model:tag", base+"/", 131_072)
	mustLearn(t, c, "@cf/meta/llama@2", "HTTP://127.0.0.1:8080", 4_096)
	want := "context_lengths:\n  vendor/model:tag@https://api.example/v1: 131072\n  '@cf/meta/llama@2@http://127.0.0.1:8080': 4096\n"
	if got := readText(t, limitsIn(dir)); got != want {
		t.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
	for model, at := range map[string]string{"vendor/model:tag": base, "@cf/meta/llama@2": "http://127.0.0.1:8080/"} {
		if _, ok := c.Limit(model, at); !ok {
			t.Errorf("nothing is known about %s", model)
		}
	}
}

// TestOtherProgramReads has the library that the other program uses read the file.
func TestOtherProgramReads(t *testing.T) {
	if err := exec.Command("python3", "-c", "import yaml").Run(); err != nil {
		t.Skip("SKIPPED: no python3 with yaml here")
	}
	dir := t.TempDir()
	c := in(dir, time.Now)
	names := []string{"plain", "a: b", "- x", "'q'", "#c", "*s", "{m}", "ünï", "@at", "null", "0x10", "a@b", "?", "%x", "&y"}
	for i, m := range names {
		mustLearn(t, c, m, base, 2_000+i)
	}
	script := `import sys,yaml
for k,v in yaml.safe_load(open(sys.argv[1]))["context_lengths"].items(): print(k, v+0)`
	out, err := exec.Command("python3", "-X", "utf8", "-c", script, limitsIn(dir)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, m := range names {
		want := m + "@" + base + " " + strconv.Itoa(2_000+i) + "\n"
		if !strings.Contains(string(out), want) {
			t.Errorf("it reads no %q in\n%s", want, out)
		}
		if n, _ := in(dir, time.Now).Limit(m, base); n != 2_000+i {
			t.Errorf("the window of %q is %d", m, n)
		}
	}
}

// TestOthersEntriesStay: everything that is not our entry stays as it was.
func TestOthersEntriesStay(t *testing.T) {
	dir := t.TempDir()
	writeText(t, limitsIn(dir), `# written by hand
other_section: {a: [1, 2]}
context_lengths:
  # a note
  gpt-5.4-mini@https://chatgpt.com/backend-api/codex: 400000
  gpt-5.4-mini@https://chatgpt.com/backend-api/codex/: 300_000 # the same
  odd@nowhere: 5
  words@https://api.example/v1: many
  m@https://api.example/v1/: 8192
`)
	c := in(dir, time.Now)
	for model, want := range map[string]int{"gpt-5.4-mini": 300_000, "odd": 0, "words": 0} {
		at := base
		if want > 0 {
			at = "https://chatgpt.com/backend-api/codex"
		}
		if got, _ := c.Limit(model, at); got != want {
			t.Errorf("the window of %s is %d, want %d", model, got, want)
		}
	}
	mustLearn(t, c, "m", base, 16_384)
	mustLearn(t, c, "new", base, 32_768)
	mustLearn(t, c, "gpt-5.4-mini", "https://chatgpt.com/backend-api/codex", 272_000)
	want := `# written by hand
other_section: {a: [1, 2]}
context_lengths:
  # a note
  gpt-5.4-mini@https://chatgpt.com/backend-api/codex: 272000
  gpt-5.4-mini@https://chatgpt.com/backend-api/codex/: 272000 # the same
  odd@nowhere: 5
  words@https://api.example/v1: many
  m@https://api.example/v1/: 16384
  new@https://api.example/v1: 32768
`
	if got := readText(t, limitsIn(dir)); got != want {
		t.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
}

func TestLimitFilesOfOtherShapes(t *testing.T) {
	for name, x := range map[string]struct {
		text  string
		aside bool
	}{
		"empty":               {"", false},
		"only a comment":      {"# nothing\n", false},
		"null":                {"null\n", false},
		"an empty section":    {"context_lengths:\n", false},
		"a section in a line": {"context_lengths: {a@https://b/v1: 4096}\n", false},
		"another section":     {"x: 1\n", false},
		"an anchor":           {"context_lengths:\n  m@https://api.example/v1: &a 4096\nother: *a\n", false},
		"no YAML":             {"context_lengths: [\n", true},
		"a list":              {"- 1\n", true},
		"a text":              {"nothing\n", true},
		"a list of windows":   {"context_lengths: [1]\n", true},
		"several documents":   {"a: 1\n---\nb: 2\n", true},
		"bytes":               {"\x00\x01", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeText(t, limitsIn(dir), x.text)
			c := in(dir, time.Now)
			mustLearn(t, c, "m", base, 8_192)
			if got, _ := in(dir, time.Now).Limit("m", base); got != 8_192 {
				t.Errorf("the window is %d in\n%s", got, readText(t, limitsIn(dir)))
			}
			aside, err := os.ReadFile(limitsIn(dir) + ".corrupt")
			if (err == nil) != x.aside || x.aside && string(aside) != x.text {
				t.Errorf("put aside was %q, %v", aside, err)
			}
		})
	}
}

// TestLargeLimitFiles: what belongs to others as well is never dropped.
func TestLargeLimitFiles(t *testing.T) {
	dir := t.TempDir()
	text := "# " + strings.Repeat("x", mostLimitBytes) + "\n"
	writeText(t, limitsIn(dir), text)
	c := in(dir, time.Now)
	wantProblem(t, c.Learn(t.Context(), "m", base, 8_192, true), ProblemFull)
	if readText(t, limitsIn(dir)) != text {
		t.Error("the file was changed")
	}
	// What could not be written is tried again.
	writeText(t, limitsIn(dir), "")
	if err := c.Succeeded(t.Context(), "m", base, 8_000); err != nil {
		t.Error(err)
	}
	if got, _ := c.Limit("m", base); got != 8_192 {
		t.Errorf("the window is %d", got)
	}
}

func FuzzLimits(f *testing.F) {
	f.Add([]byte("context_lengths:\n  m@https://api.example/v1/: 8192 # x\n"), "m", base, 4_096)
	f.Add([]byte("a: &a {<<: *a}\ncontext_lengths: {? [x] : 1, 'm@http://h': 0x2000}\n"), "@m@", "http://user@h:1/%20?q", 9_000_000)
	f.Fuzz(func(t *testing.T, data []byte, model, address string, tokens int) {
		if l, err := parseLimits(data); err != nil && len(l) > 0 {
			t.Error("a damaged file gives windows")
		}
		k := limitKey{model, bareURL(address)}
		if k.check() != nil || tokens < leastWindow || tokens > mostWindow {
			return
		}
		out, err := withLimit(data, k, tokens)
		if err != nil {
			return
		}
		l, err := parseLimits(out)
		if err != nil || l[k] != tokens {
			t.Errorf("the window of %q is %d, not %d: %v\n%s", k, l[k], tokens, err, out)
		}
		before, _ := parseLimits(data)
		for other, n := range before {
			if other != k && l[other] != n {
				t.Errorf("the window of %q became %d", other, l[other])
			}
		}
	})
}
