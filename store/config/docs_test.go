package config

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/config.md again")

// The documentation is made from the tags of Config.
func TestDocs(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "config.md")
	want := docs()
	if *updateDocs {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != want {
		t.Errorf("docs/config.md is not what the settings are (%v); write it again with: go test ./store/config -run TestDocs -update-docs", err)
	}
}

// Each task beside a session has its row in the documentation.
func TestDocsOfTasks(t *testing.T) {
	for name := range (Auxiliary{}).Tasks() {
		if !strings.Contains(docsHead, "\n| `"+name+"` | ") {
			t.Errorf("the documentation does not say what auxiliary.%s is for", name)
		}
	}
}

const docsHead = `# Settings

<!-- Made from the code: go test ./store/config -run TestDocs -update-docs -->

Settings are in ` + "`config.yaml`" + ` in HERMES_HOME (` + "`~/.hermes`" + ` unless you set it). A command line flag
wins over an environment variable, that over the file, and the file over the default. Variables
may also stand in the file ` + "`.env`" + ` beside it; those of the process win.

` + "`hermes-tui config show`" + ` lists all settings and where each value comes from, ` + "`config set NAME VALUE`" + ` writes one and keeps the
comments of the file, ` + "`config edit`" + ` opens it in your editor, ` + "`config check`" + ` says what is wrong with it, and ` + "`config schema`" + ` prints
its form as a JSON Schema, by which editors check and complete it. On the screen ` + "`/config`" + ` lists them with what each does, is
searched by typing, and changes them; ` + "`/config NAME VALUE`" + ` changes one.

` + "`${NAME}`" + ` in a value is replaced by the environment variable, and kept as it is when there is
none. ` + "`model`" + ` may be one text, the name of the model. Keys that other programs keep in the same
file are passed over in silence; other keys that are not known give a warning. Of Hermes Agent's own,
` + "`custom_providers`" + ` adds to ` + "`providers`" + `, and ` + "`api_mode`" + `, ` + "`extra_headers`" + ` and ` + "`model`" + ` in an endpoint are read
as ` + "`protocol`" + `, the headers and ` + "`default`" + ` where those are not set.

A value that does not fit is passed over, and a warning names its line; everything else counts. Where it was to forbid or to confine
something (` + "`approvals`, `terminal.backend`" + `), everything is asked about, and where a rule is missing that might have forbidden something, no rule
allows anything, whatever the command line says. ` + "`hermes-tui doctor` and `config check`" + ` fail then. What is no YAML cannot be used at all.

The file is read when the program starts, and again whenever it changes. The column "takes effect" says
when a changed setting does: at once (rules: from the next question on), with the next turn, with the next session
that is begun or resumed, or with the next start. The session you are in says in a line what has changed. A file that
cannot be used changes nothing, nor does one with such a value that was to forbid or to confine something, and a line says what is
wrong with it. What the command line or a variable sets stays,
and ` + "`.env`" + ` is read at the start only.

What one source names, the command line, the environment or the file, is one endpoint: a provider or an address of a source
that counts more leaves out address, key, headers and model of the others, unless they are about the same endpoint. ` + "`base_url`" + `
of an entry in ` + "`providers`" + ` wins over ` + "`model.base_url`" + `. A key goes to the address beside which it is written; the key of
a variable such as ` + "`OPENAI_API_KEY`" + ` goes to its service, to the address of the variable below if that is set, or to the one that is
named together with the provider. Without a provider, an address stands for the service that is there.

` + "`keys`" + ` gives actions other keys:

` + "```yaml" + `
keys:
  send: [ctrl+enter]
  transcript.copy: y # in one place of the screen only; one key needs no list
  quit: []           # no key
` + "```" + `

The places are ` + "`writing`, `menu` (of completions), `question`, `transcript`, `find`, `selection` (of text), `sidebar`, `queue`, `wall`, `window` (any), `text` (a window with\ntext), `jobs`, `timeline`, `replays` and `anywhere`" + `; help shows them with their actions' keys.

` + "`fallback_providers`" + ` lists models that answer when the configured one cannot, in this order. Every
entry needs a model, and a provider or a base URL. The older form of the list, ` + "`fallback_model`" + `,
is read when this one is missing or empty.

` + "```yaml" + `
fallback_providers:
  - provider: openrouter
    model: some/model
  - base_url: https://models.example/v1
    model: other-model
    key_env: OTHER_KEY
credential_pool_strategies:
  openrouter: round_robin # providers that are not named: fill_first
` + "```" + `

` + "`pricing`" + ` says what models cost, in US dollars for a million tokens, where the prices that the program
knows are not yours. Prices are taken as they are written, with up to six digits behind the point.

` + "```yaml" + `
pricing:
  - model: some/model
    provider: openrouter # without it, wherever the model runs
    input: 3
    output: 15.50
    cache_read: 0.30
    cache_write: 3.75
  - {provider: my-own, model: "*", input: 0, output: 0} # paid for already
` + "```" + `

` + "`auxiliary`" + ` says which models make the calls beside a session. Each task has its own settings, called TASK in the
table below; what is set is asked first, then its ` + "`fallback_chain`" + ` in its order, then the model of the session, which is
all there is by default. One that fails or takes longer than ` + "`timeout`" + ` is followed by the next, and left out for a while
where asking again would not help. ` + "`/usage`" + ` shows for each task how often it was called, what that has used, which link
of the chain answered and why one failed; that none answers is said once.

| TASK | what for | seconds | last link |
|---|---|---|---|
| ` + "`title_generation`" + ` | the title of a session, after its first answer (` + "`agent.auto_title`" + `) | 30 | the model of the session |
| ` + "`approval`" + ` | the judge of mode smart | 30 | the model of the session |
| ` + "`compression`" + ` | the summary of what is left out of a long session | 120 | the model of the session |
| ` + "`embedding`" + ` | vectors, by which notes and past sessions are found by their meaning; only where a model is set for it | 30 | the last of its chain |
| ` + "`vision`" + ` | what images show: for a model that sees none, and for the tool ` + "`vision_analyze`" + ` | 120 | the model of the session, if it sees |
| ` + "`mcp`" + ` | prompts that an MCP server wants answered, when you allow that | 60 | the model of the session |
| ` + "`background_review`" + ` | looking back at a session and keeping what later ones should know (` + "`memory.review`" + `, ` + "`/refine`" + `), in all its calls; a model that is not that of the session gets a shortened copy of it | 300 | the model of the session |

` + "```yaml" + `
auxiliary:
  title_generation:
    provider: openrouter
    model: some/small-model
    extra_body: {reasoning: {enabled: false}} # fields of its own
  approval:
    model: other-model # where the model of the session is
    timeout: 20
    fallback_chain:
      - {provider: openrouter, model: some/small-model}
` + "```" + `

Rules under ` + "`approvals`" + ` say what is allowed, asked about or forbidden, in the form ` + "`tool`" + `, ` + "`tool*`" + ` or
` + "`tool(pattern)`" + `. For ` + "`terminal`" + ` a pattern is the words of one simple command; a ` + "`*`" + ` is any text in a
word, and as the last word any further words: ` + "`git log *`" + ` is ` + "`git log`" + ` and ` + "`git log -1`" + `, not ` + "`git logout`" + `.
What forbids or asks looks at every command of a line, also behind ` + "`env`" + `, ` + "`sudo`" + `, ` + "`sh -c`" + ` and in ` + "`$(…)`" + `, and
asks where it cannot tell; what allows must cover all of them. For ` + "`write_file`" + ` and ` + "`patch`" + ` a pattern is a path: ` + "`/etc/**`" + `,
` + "`~/notes/**`" + `, ` + "`$HERMES_HOME/**`" + `, and in the workspace ` + "`src/**`" + `. For ` + "`web_extract`" + ` it is a site:
` + "`domain:go.dev`" + `, or ` + "`domain:*.go.dev`" + ` for all below it; an address that may carry data is asked about even if a rule allows its site. Tools of MCP
servers are called ` + "`mcp__SERVER__TOOL`" + `; rules hold by the former ` + "`mcp_SERVER_TOOL`" + ` as well, and by ` + "`web_fetch`" + ` for ` + "`web_extract`" + `. Forbidding wins over asking, asking over allowing.
A project's own rules, in ` + "`.hermes/rules.yaml`" + ` with the same lists, can forbid and ask, once its folder is trusted.

` + "```yaml" + `
approvals:
  deny: ["terminal(git push *)", "write_file(/etc/**)"]
  ask: ["mcp__shop__*"]
  allow: ["terminal(npm publish --dry-run)"]
  rules:
    - deny: terminal(terraform apply *)
      examples: ["terraform apply -auto-approve"] # the file is refused when these do not match
      not: ["terraform plan"]                     # or when these do
      reason: The pipeline does that.
` + "```" + `

Commands that are confined reach the network through a proxy that lets them connect to what ` + "`hosts`" + ` lists, and asks about every
other host. ` + "`*.golang.org`" + ` is all that is below that name. Addresses of this machine and of private networks are refused, whatever the
name that leads there, unless the host itself is listed. More in ` + "`docs/network.md`" + `.

` + "```yaml" + `
approvals:
  hosts: [registry.npmjs.org, "*.golang.org", "db.internal:5432", "localhost:3000"]
` + "```" + `

These variables say where a service is, where the settings do not: ` + "`OPENROUTER_BASE_URL`" + ` (OpenRouter), ` + "`NOUS_BASE_URL`" + ` (Nous Portal), ` + "`OPENAI_BASE_URL`" + ` (OpenAI), ` + "`ANTHROPIC_BASE_URL`" + ` (Anthropic),
` + "`GEMINI_BASE_URL`" + ` (Google Gemini), ` + "`XAI_BASE_URL`" + ` (xAI), ` + "`DEEPSEEK_BASE_URL`" + ` (DeepSeek), ` + "`KIMI_BASE_URL`" + ` (Moonshot), ` + "`GLM_BASE_URL`" + ` (Z.AI),
` + "`MINIMAX_BASE_URL`" + ` (MiniMax), ` + "`DASHSCOPE_BASE_URL`" + ` (Alibaba Cloud), ` + "`NVIDIA_BASE_URL`" + ` (NVIDIA), ` + "`GROQ_BASE_URL`" + ` (Groq),
` + "`HF_BASE_URL`" + ` (Hugging Face), ` + "`LM_BASE_URL`" + ` (LM Studio), ` + "`OLLAMA_HOST`" + ` (Ollama).

`

func docs() string {
	var b strings.Builder
	b.WriteString(docsHead)
	b.WriteString("| Key | Type | Default | Variable | Takes effect | Meaning |\n|---|---|---|---|---|---|\n")
	for _, k := range withEvents(withTasks(Keys())) {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", k.Name, docType(k), docDefault(k), docEnv(k), docClass(k), k.Doc)
	}
	return b.String()
}

// withTasks lists the settings that every task of auxiliary has once, with the
// defaults of all tasks.
func withTasks(keys []Key) []Key {
	const section = "auxiliary."
	var all []Key
	at := map[string]int{}                    // in all, by the name below the task
	tasks := map[string]map[string][]string{} // by that name: the tasks by their default
	for _, k := range keys {
		rest, ours := strings.CutPrefix(k.Name, section)
		if !ours {
			all = append(all, k)
			continue
		}
		task, name, _ := strings.Cut(rest, ".")
		if _, seen := at[name]; !seen {
			at[name], tasks[name] = len(all), map[string][]string{}
			one := k
			one.Name = section + "TASK." + name
			all = append(all, one)
		}
		tasks[name][k.Default] = append(tasks[name][k.Default], task)
	}
	for name, i := range at {
		if len(tasks[name]) == 1 {
			continue
		}
		var values []string
		for _, value := range slices.Sorted(maps.Keys(tasks[name])) {
			values = append(values, value+" ("+strings.Join(tasks[name][value], ", ")+")")
		}
		all[i].Default = strings.Join(values, ", ")
	}
	return all
}

func docClass(k Key) string {
	if k.Class == Live {
		return "at once"
	}
	return "next " + string(k.Class)
}

// withEvents lists the settings that hooks of every event have once.
func withEvents(keys []Key) []Key {
	const section = "hooks."
	var all []Key
	seen := map[string]bool{}
	for _, k := range keys {
		if rest, ours := strings.CutPrefix(k.Name, section); ours {
			_, name, _ := strings.Cut(rest, ".")
			if k.Name = section + "EVENT." + name; seen[name] {
				continue
			}
			seen[name] = true
		}
		all = append(all, k)
	}
	return all
}

func docType(k Key) string {
	switch {
	case k.Allowed != nil && k.Type != "text":
		return k.Type + ": " + oneOf(k.Allowed)
	case k.Allowed != nil:
		return oneOf(k.Allowed)
	case k.Max > 0:
		return fmt.Sprintf("%s, %s to %s", k.Type, decimal(k.Min), decimal(k.Max))
	case k.Secret:
		return k.Type + ", secret"
	}
	return k.Type
}

func docDefault(k Key) string {
	switch {
	case k.Type == "list of texts":
		return "`[" + k.Default + "]`"
	case k.Default == "":
		return "none"
	}
	return "`" + k.Default + "`"
}

func docEnv(k Key) string {
	switch {
	case k.Env == "":
		return ""
	case k.EnvValue != "":
		return fmt.Sprintf("`%s=1` means `%s`", k.Env, k.EnvValue)
	}
	return "`" + k.Env + "`"
}
