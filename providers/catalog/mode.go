package catalog

import (
	"net/url"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/models"
)

// Mode says which protocol an endpoint is spoken to with. What is explicit holds;
// else the provider decides, then the address, then the model: newer models of
// OpenAI reason and call tools in one answer only over [Responses]. provider is an
// id of the catalogue, "" or [Custom] for an endpoint that only its address describes.
func Mode(explicit providers.Protocol, provider, baseURL, model string) providers.Protocol {
	if explicit != "" {
		return explicit
	}
	at := addressOf(baseURL)
	if p, _ := find(provider); p.Protocol != "" && p.Protocol != Chat && p.BaseEnv != openAIBase {
		return p.Protocol // which the service speaks wherever it is reached
	}
	unnamed := provider == "" || provider == Custom
	switch {
	case provider == "xai-oauth", unnamed && (at.host == "chatgpt.com" && strings.HasPrefix(at.path, "/backend-api/codex") || at.host == "api.x.ai"):
		return Responses
	case at.host == "api.anthropic.com", strings.HasSuffix(at.path, "/anthropic"):
		return Anthropic
	case strings.HasPrefix(at.host, "bedrock-runtime.") && strings.HasSuffix(at.host, ".amazonaws.com"):
		return Bedrock
	case at.host == "api.openai.com":
		return Responses
	case chatOnly(provider, at.host):
		return Chat
	case strings.HasPrefix(strings.ToLower(model[strings.LastIndexByte(model, '/')+1:]), "gpt-") && models.Of(model).Responses:
		return Responses
	}
	return Chat
}

// address is where a base URL leads, in small letters and without a slash at the
// end.
type address struct{ host, path string }

func addressOf(base string) address {
	u, err := url.Parse(strings.ToLower(strings.TrimSpace(base)))
	if err != nil {
		return address{}
	}
	return address{u.Hostname(), strings.TrimRight(u.Path, "/")}
}

// chatOnly are the services that offer models of OpenAI over chat completions only,
// and servers nearby, whatever they call their models.
func chatOnly(provider, host string) bool {
	switch provider {
	case "nous", "azure", "copilot", "copilot-acp":
		return true
	}
	local := host == "localhost" || strings.HasPrefix(host, "127.") || host == "::1"
	return local || strings.HasSuffix(host, ".azure.com")
}
