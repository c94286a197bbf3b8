package chat

import (
	"strings"

	"hermes-tui/providers/models"
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
	if isOpenAI(host) || models.Of(model).NewTokens {
		return tokensNew
	}
	return tokensOld
}

// systemRole is the role that carries the system prompt.
func systemRole(host, model string) string {
	if isOpenAI(host) && models.Of(model).Developer {
		return "developer"
	}
	return "system"
}

func isOpenAI(host string) bool { return host == "api.openai.com" }

// bareModel is a model's name in lower case without its vendor.
func bareModel(model string) string {
	return strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
}
