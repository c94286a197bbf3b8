package chat

import (
	"strconv"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/models"
)

// program is how this program names itself where a service asks who began a request.
const program = "hermes-tui"

// The rows about servers that have more to tell than the protocol knows.
const (
	rowOllama   = "ollama"
	rowLMStudio = "lm studio"
)

// quirks is the table of what services need beyond the protocol, and models at them; what
// holds for models as such is known to [models.Of]. Rows that are about a model stand
// behind those about its service.
func quirks() []quirk {
	var rows []quirk
	for _, group := range [][]quirk{openRouterQuirks(), nousQuirks(), makerQuirks(), qwenQuirks(), localQuirks(), modelQuirks()} {
		rows = append(rows, group...)
	}
	return rows
}

// The services that several rows are about, with the models that a row is about.

func openRouter(models ...string) match {
	return match{providers: []string{"openrouter"}, hosts: []string{"openrouter.ai"}, models: models}
}

func nous(models ...string) match {
	return match{providers: []string{"nous"}, hosts: []string{"nousresearch.com"}, models: models}
}

func kimi(models ...string) match {
	return match{
		providers: []string{"moonshot", "kimi", "kimi-coding", "kimi-coding-cn"}, hosts: []string{"moonshot.ai", "moonshot.cn", "kimi.com"},
		models: models,
	}
}

func gemini(models ...string) match {
	return match{providers: []string{"gemini"}, hosts: []string{"generativelanguage.googleapis.com"}, models: models}
}

// openRouterQuirks are about OpenRouter. It refuses reasoning for models that have
// none, so that it is asked for only where it is known to be understood. Claude
// takes no effort for it from version 4.6 on, but one as the field verbosity.
func openRouterQuirks() []quirk {
	return []quirk{
		{name: "openrouter", at: openRouter(), wants: wants{think: thinkKnown, body: openRouterBody, headers: openRouterHeaders}},
		{
			name: "openrouter reasoning",
			at: openRouter("deepseek/*", "anthropic/*", "openai/*", "x-ai/*", "google/gemini-2*", "google/gemma-4*",
				"qwen/qwen3*", "tencent/hy3-preview*", "xiaomi/*"),
			wants: wants{think: thinkObject, unset: "medium"},
		},
		{
			name: "openrouter claude", at: openRouter("*claude*"),
			wants: wants{limit: claudeOutput, marks: time.Hour, headers: func(query) map[string]string {
				return map[string]string{"X-Anthropic-Beta": "fine-grained-tool-streaming-2025-05-14"}
			}},
		},
		{name: "openrouter adaptive claude", at: adaptive(openRouter()), wants: wants{think: thinkVerbosity}},
		{name: "openrouter grok", at: openRouter("x-ai/grok-*", "xai/grok-*"), wants: wants{headers: grokHeaders}},
		{name: "openrouter pareto", at: openRouter("openrouter/pareto-code"), wants: wants{body: paretoBody}},
	}
}

// adaptive narrows a match down to the versions of Claude that decide by themselves how
// long they think.
func adaptive(m match) match {
	m.is = func(a models.Ask) bool { return a.Think == models.ByEffort }
	return m
}

// openRouterBody asks for the cost of the call, names the session so that the same
// server answers, and passes on where calls may go.
func openRouterBody(q query) map[string]any {
	return map[string]any{
		"usage":      map[string]any{"include": true},
		"session_id": q.session,
		"provider":   q.config.Routing.wire(),
	}
}

// openRouterHeaders name this program, and ask for answers to be kept for equal
// requests where the user wants that.
func openRouterHeaders(q query) map[string]string {
	h := map[string]string{"X-Title": program}
	if keep := q.config.AnswerCache; keep > 0 {
		h["X-OpenRouter-Cache"] = "true"
		h["X-OpenRouter-Cache-TTL"] = strconv.Itoa(int(keep / time.Second))
	}
	return h
}

// grokHeaders keep a conversation on the server that has its prompt in the cache.
func grokHeaders(q query) map[string]string { return map[string]string{"X-Grok-Conv-Id": q.session} }

// paretoBody says how good at coding the model must be that the router chooses.
func paretoBody(q query) map[string]any {
	if q.config.RouterScore == 0 {
		return nil
	}
	return map[string]any{"plugins": []any{map[string]any{"id": "pareto-router", "min_coding_score": q.config.RouterScore}}}
}

// nousQuirks are about the Nous Portal, which has models of many makers as well.
func nousQuirks() []quirk {
	return []quirk{
		{name: "nous", at: nous(), wants: wants{think: thinkObjectOrNot, unset: "medium", body: func(query) map[string]any {
			return map[string]any{"tags": []string{"product=" + program}}
		}}},
		{name: "nous claude", at: nous("*claude*"), wants: wants{limit: claudeOutput, marks: time.Hour}},
		{name: "nous qwen", at: nous("*qwen*"), wants: wants{marks: 5 * time.Minute}},
	}
}

// thinks narrows a match down to models that are known to reason.
func thinks(m match) match {
	m.is = func(a models.Ask) bool { return a.Reasons == providers.Yes || len(a.Efforts) > 0 }
	return m
}

// makerQuirks are about those who offer their own models.
func makerQuirks() []quirk {
	return []quirk{
		{
			name: "kimi", at: kimi(),
			wants: wants{think: thinkKimi, unset: effortDefault, limit: atMost(32_000), echo: true, ownIDs: true},
		},
		{
			name:  "deepseek thinking",
			at:    match{providers: []string{"deepseek"}, hosts: []string{"api.deepseek.com"}, models: []string{"deepseek-v[4-9]*", "deepseek-reasoner*"}},
			wants: wants{think: thinkSwitch, unset: effortDefault},
		},
		{name: "gemini", at: gemini(), wants: wants{think: thinkNot}},
		{name: "gemini thinking", at: thinks(gemini("gemini*")), wants: wants{think: thinkGemini}},
		{name: "zai", at: thinks(match{providers: []string{"zai"}, hosts: []string{"z.ai", "bigmodel.cn"}}), wants: wants{think: thinkSwitch}},
		{name: "grok", at: match{providers: []string{"xai"}, hosts: []string{"api.x.ai"}}, wants: wants{headers: grokHeaders}},
		{
			name:  "minimax m3",
			at:    match{providers: []string{"minimax"}, hosts: []string{"api.minimax.io"}, path: "/v1", models: []string{"minimax-m3"}},
			wants: wants{think: thinkMiniMax, body: func(query) map[string]any { return map[string]any{"reasoning_split": true} }},
		},
		{
			name:  "xiaomi",
			at:    match{providers: []string{"xiaomi", "mimo"}, hosts: []string{"xiaomimimo.com"}},
			wants: wants{flatTools: true, echo: true},
		},
		{name: "mistral", at: match{providers: []string{"mistral"}, hosts: []string{"api.mistral.ai"}}, wants: wants{strict: true, nineID: true}},
	}
}

// qwenQuirks are about those who offer Qwen with marks for the cache, which keeps
// prompts for five minutes there.
func qwenQuirks() []quirk {
	portal := match{providers: []string{"qwen-oauth", "qwen-portal"}, hosts: []string{"portal.qwen.ai"}}
	return []quirk{
		{
			name: "qwen portal", at: portal,
			wants: wants{
				lists: true, marks: 5 * time.Minute, markSystem: true, limit: atMost(65_536),
				body: func(query) map[string]any { return map[string]any{"vl_high_resolution_images": true} },
			},
		},
		{
			name: "alibaba qwen",
			at: match{
				providers: []string{"dashscope", "alibaba", "alibaba-coding-plan", "opencode", "opencode-go", "opencode-zen"},
				hosts:     []string{"aliyuncs.com", "opencode.ai"}, models: []string{"*qwen*"},
			},
			wants: wants{marks: 5 * time.Minute},
		},
	}
}

// localQuirks are about servers that people run themselves.
func localQuirks() []quirk {
	return []quirk{
		{name: "context size", wants: wants{body: contextBody}},
		{
			name:  rowOllama,
			at:    match{providers: []string{"ollama", "ollama-cloud"}, hosts: []string{"ollama.com"}, ports: []string{ollamaPort}},
			wants: wants{think: thinkOllama, limit: atMost(65_536)},
		},
		{
			name:  rowLMStudio,
			at:    match{providers: []string{"lmstudio", "lm-studio"}, ports: []string{lmStudioPort}},
			wants: wants{think: thinkListed},
		},
	}
}

// contextBody asks a server that loads models on demand for a context window.
func contextBody(q query) map[string]any {
	if q.config.Window <= 0 {
		return nil
	}
	return map[string]any{"options": map[string]any{"num_ctx": q.config.Window}}
}

// modelQuirks are about models wherever they are offered.
func modelQuirks() []quirk {
	return []quirk{
		{
			name:  "kimi models",
			at:    match{models: []string{"kimi*", "k3", "k3.*", "k3-*", "moonshot*", "moonshotai/*"}},
			wants: wants{ownIDs: true},
		},
		{
			name:  "mistral models",
			at:    match{models: []string{"*mistral*", "*mixtral*", "*ministral*", "*magistral*", "*devstral*", "*codestral*", "*pixtral*", "*voxtral*"}},
			wants: wants{strict: true, nineID: true},
		},
		{name: "gemma models", at: match{models: []string{"*gemma*"}}, wants: wants{strict: true}},
		{name: "minimax m2", at: match{models: []string{"*minimax-m2*"}}, wants: wants{tagged: true}},
		{name: "reasoning echo", at: match{models: []string{"*deepseek*", "*mimo*"}}, wants: wants{echo: true}},
		{name: "gemini signatures", at: match{models: []string{"*gemini*", "*gemma*"}}, wants: wants{extras: true}},
		{
			name:  "trinity",
			at:    match{models: []string{"*trinity*thinking*"}},
			wants: wants{body: func(query) map[string]any { return map[string]any{"temperature": 0.5} }},
		},
	}
}
