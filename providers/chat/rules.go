package chat

import (
	"slices"
	"strings"
)

// The names of the field that caps an answer.
const (
	tokensOld = "max_tokens"
	tokensNew = "max_completion_tokens"
)

// tokensKey names the request field that caps an answer: the newer name on
// hosts that insist on it and for the models of OpenAI wherever they are
// offered, the older name, which everyone else knows, otherwise.
func tokensKey(host, model string) string {
	for _, suffix := range []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com", ".githubcopilot.com"} {
		if strings.HasSuffix("."+host, suffix) {
			return tokensNew
		}
	}
	if isOpenAI(host) || hasPrefix(model, "gpt-4o", "gpt-4.1", "gpt-5") || isOSeries(model) {
		return tokensNew
	}
	return tokensOld
}

// systemRole is the role that carries the system prompt.
func systemRole(host, model string) string {
	if isOpenAI(host) && (hasPrefix(model, "gpt-5") || isOSeries(model) || strings.Contains(bareModel(model), "codex")) {
		return "developer"
	}
	return "system"
}

func isOpenAI(host string) bool { return host == "api.openai.com" }

// isOSeries reports whether a model is one of o1, o3, o4 and so on.
func isOSeries(model string) bool {
	m := bareModel(model)
	return len(m) >= 2 && m[0] == 'o' && '1' <= m[1] && m[1] <= '9' && (len(m) == 2 || m[2] == '-')
}

func hasPrefix(model string, prefixes ...string) bool {
	m := bareModel(model)
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(m, p) })
}

// bareModel is a model's name in lower case without its vendor.
func bareModel(model string) string {
	return strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
}
