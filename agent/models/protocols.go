package models

import (
	"slices"

	"hermes-tui/providers"
	"hermes-tui/providers/anthropic"
	"hermes-tui/providers/bedrock"
	"hermes-tui/providers/chat"
	"hermes-tui/providers/responses"
	"hermes-tui/providers/transport"
	"hermes-tui/store/config"
)

// protocols is how endpoints can be spoken to.
func protocols(c config.Config) []transport.Protocol {
	return []transport.Protocol{
		chat.Protocol(chatOptions(c)),
		responses.Protocol(),
		anthropic.Protocol(),
		bedrock.Protocol(bedrock.Options{Region: c.Bedrock.Region, Profile: c.Bedrock.Profile, Guardrail: bedrock.Guardrail(c.Bedrock.Guardrail)}),
	}
}

func chatOptions(c config.Config) chat.Options {
	o := chat.Options{Routing: chat.Routing(c.Routing), RouterScore: c.OpenRouter.MinCodingScore}
	if c.OpenRouter.ResponseCache {
		o.AnswerCache = c.OpenRouter.ResponseCacheTTL.Duration()
	}
	return o
}

// protocol finds a protocol by its id.
func (a *Access) protocol(id providers.Protocol) (transport.Protocol, bool) {
	known := a.settings().protocols
	i := slices.IndexFunc(known, func(p transport.Protocol) bool { return p.ID == id })
	if i < 0 {
		return transport.Protocol{}, false
	}
	return known[i], true
}
