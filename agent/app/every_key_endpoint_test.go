//go:build unix

package app

import (
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/script"
)

// ok answers everything.
var ok = script.Rule{Steps: []script.Step{script.Text{Text: "ok"}}}

const custom = `
	agent.auto_title: false
	model.provider: custom
	model.base_url: {{main}}
	model.default: m
`

var (
	plain = &situation{base: custom, env: map[string]string{"MODEL_KEY": "key-of-env-0123456789"}}
	// houses has an endpoint under a name.
	houses = &situation{env: plain.env, base: `
		agent.auto_title: false
		model.provider: house
		providers.house.base_url: {{main}}
		providers.house.default: m
	`}
	// noting talks to a server that speaks no protocol.
	noting = &situation{base: "agent.auto_title: false\nagent.api_max_retries: 1\nmodel.provider: custom\nmodel.base_url: {{noted}}/v1\nmodel.default: m"}
	// refused has a main server that takes no key.
	refused = &situation{
		env: plain.env, base: custom + "providers.house.base_url: {{other}}\n",
		rules: []script.Rule{{Steps: []script.Step{script.Failure{Status: 401, Message: "no"}}}}, others: []script.Rule{ok},
	}
	pool = &situation{base: houses.base, before: func(s *scene) { s.auth("first-key-0123456789", "second-key-0123456789") }, act: func(s *scene) { s.talk("one"); s.talk("two") }}
	// shaky fails once.
	shaky = &situation{base: custom, rules: []script.Rule{{Times: 1, Steps: []script.Step{script.Failure{Status: 503, Message: "overloaded"}}}, ok}}
	// slow answers after three seconds, lively gives signs of life meanwhile.
	slow   = &situation{base: custom + "agent.api_max_retries: 1", rules: []script.Rule{{Steps: []script.Step{script.Open{}, script.Stall{For: 3 * time.Second}, script.Text{Text: "ok"}}}}}
	lively = &situation{base: slow.base, rules: []script.Rule{{Steps: alive()}}}

	router = &situation{
		env:  map[string]string{"OPENROUTER_BASE_URL": "{{main}}", "OPENROUTER_API_KEY": "sk-or-0123456789abcdef"},
		base: "agent.auto_title: false\nmodel.provider: openrouter\nmodel.default: anthropic/claude-sonnet-4.5",
	}
	amazon = &situation{
		env: map[string]string{"AWS_ACCESS_KEY_ID": "AKIDPLAIN", "AWS_SECRET_ACCESS_KEY": "secret-of-amazon-0123", "AWS_EC2_METADATA_DISABLED": "true"},
		base: "agent.auto_title: false\nagent.api_max_retries: 1\nmodel.provider: bedrock\nmodel.default: anthropic.claude-sonnet-4-20250514-v1:0\n" +
			"providers.bedrock.base_url: {{noted}}",
	}
	// profiled has no credentials but those of a profile.
	profiled = &situation{base: amazon.base}
	priced   = &situation{base: custom, rules: []script.Rule{{Steps: []script.Step{script.Text{Text: "ok"}, used}}}}
)

func alive() []script.Step {
	list := []script.Step{script.Open{}}
	for range 6 {
		list = append(list, script.Keepalive{N: 1}, script.Sleep{For: 500 * time.Millisecond})
	}
	return append(list, script.Text{Text: "ok"})
}

func endpointKeys() []keyTest {
	return []keyTest{
		{key: "model.provider", in: plain, also: "providers.house.base_url: {{other}}", set: "house", with: `other request`},
		{key: "model.default", in: plain, set: "small", with: `"model":"small"`},
		{key: "model.base_url", in: plain, set: "{{other}}", with: `other request`},
		{key: "model.api_key", in: plain, set: "key-of-file-0123456789", with: `main header Authorization: Bearer key-of-file-0123456789`},
		{key: "model.key_env", in: plain, set: "MODEL_KEY", with: `main header Authorization: Bearer key-of-env-0123456789`},
		{key: "model.protocol", in: noting, set: "anthropic", with: `noted POST /v1/messages`},
		{key: "model.context_length", in: plain, set: "54321", with: `event model.changed .*54321`},
		{key: "model.ollama_num_ctx", in: plain, set: "4242", with: `"num_ctx":4242`},
		{key: "model.extra_body", in: plain, set: `'{"top_k": 7}'`, with: `"top_k":7`},
		{key: "model.max_tokens", in: plain, set: "777", with: `"max_tokens":777`},
		{key: "model.default_headers", in: plain, set: "{X-House: mine}", with: `main header X-House: mine`},

		{key: "providers.NAME.base_url", in: houses, set: "providers.house.base_url: {{other}}", with: `other request`},
		{key: "providers.NAME.api_key", in: houses, set: "providers.house.api_key: key-of-file-0123456789", with: `Bearer key-of-file-0123456789`},
		{key: "providers.NAME.key_env", in: houses, set: "providers.house.key_env: MODEL_KEY", with: `Bearer key-of-env-0123456789`},
		{key: "providers.NAME.default", in: houses, set: "providers.house.default: small", with: `"model":"small"`},
		{key: "providers.NAME.extra_body", in: houses, set: "providers.house.extra_body: {top_k: 7}", with: `"top_k":7`},
		{key: "providers.NAME.headers", in: houses, set: "providers.house.headers: {X-House: mine}", with: `main header X-House: mine`},
		{key: "providers.NAME.protocol", in: houses, also: "providers.house.base_url: {{noted}}/v1\nagent.api_max_retries: 1", set: "providers.house.protocol: anthropic", with: `noted POST /v1/messages`},

		{key: "fallback_providers.N.provider", in: refused, set: "fallback_providers: [{model: small, provider: house}]", with: `other request`},
		{key: "fallback_providers.N.model", in: refused, also: "fallback_providers: [{model: m, provider: house}]", set: "fallback_providers: [{model: small, provider: house}]", with: `other request .*"model":"small"`},
		{key: "fallback_providers.N.base_url", in: refused, set: "fallback_providers: [{model: small, base_url: '{{other}}'}]", with: `other request`},
		{key: "fallback_providers.N.api_key", in: refused, also: "fallback_providers: [{model: m, provider: house}]", set: "fallback_providers: [{model: m, provider: house, api_key: key-of-file-0123456789}]", with: `other header Authorization: Bearer key-of-file-0123456789`},
		{key: "fallback_providers.N.key_env", in: refused, also: "fallback_providers: [{model: m, provider: house}]", set: "fallback_providers: [{model: m, provider: house, key_env: MODEL_KEY}]", with: `other header Authorization: Bearer key-of-env-0123456789`},
		{key: "fallback_providers.N.extra_body", in: refused, also: "fallback_providers: [{model: m, provider: house}]", set: "fallback_providers: [{model: m, provider: house, extra_body: {top_k: 7}}]", with: `other request .*"top_k":7`},
		{key: "credential_pool_strategies", in: pool, set: "{house: round_robin}", with: `Bearer second-key-0123456789`},

		{key: "agent.api_max_retries", in: shaky, set: "1", with: `event turn.finished .*failed`},
		{key: "agent.reasoning_effort", in: router, set: "high", with: `"effort":"high"`},
		{key: "network.request_timeout_s", in: slow, set: "1", with: `event turn.finished .*did not answer in time`},
		{key: "network.stream_read_timeout_s", in: slow, set: "1", with: `event turn.finished .*failed`},
		{key: "network.stream_stale_timeout_s", in: lively, set: "1", with: `event turn.finished .*failed`},

		{key: "prompt_caching.cache_ttl", in: router, set: "1h", with: `"ttl":"1h"`},
		{key: "openrouter.response_cache", in: router, set: "false", without: `main header X-Openrouter-Cache: true`},
		{key: "openrouter.response_cache_ttl", in: router, set: "77", with: `main header X-Openrouter-Cache-Ttl: 77`},
		{key: "openrouter.min_coding_score", in: router, also: "model.default: openrouter/pareto-code", set: "0.9", with: `main request .*min_coding_score":0.9`},
		{key: "provider_routing.only", in: router, set: "[alpha]", with: `"only":\["alpha"\]`},
		{key: "provider_routing.ignore", in: router, set: "[alpha]", with: `"ignore":\["alpha"\]`},
		{key: "provider_routing.order", in: router, set: "[alpha]", with: `"order":\["alpha"\]`},
		{key: "provider_routing.sort", in: router, set: "price", with: `"sort":"price"`},
		{key: "provider_routing.require_parameters", in: router, set: "true", with: `"require_parameters":true`},
		{key: "provider_routing.data_collection", in: router, set: "deny", with: `"data_collection":"deny"`},

		{key: "bedrock.region", in: amazon, set: "eu-central-1", with: `noted POST .*Credential=AKIDPLAIN/\d+/eu-central-1/`},
		{key: "bedrock.profile", in: profiled, set: "no-such-profile", with: `turn_finished .*no-such-profile`},
		{key: "bedrock.guardrail.guardrail_identifier", in: amazon, also: "bedrock.guardrail.guardrail_version: DRAFT", set: "gr-1", with: `"guardrailIdentifier":"gr-1"`},
		{key: "bedrock.guardrail.guardrail_version", in: amazon, also: "bedrock.guardrail.guardrail_identifier: gr-1\nbedrock.guardrail.guardrail_version: DRAFT", set: "'7'", with: `"guardrailVersion":"7"`},
		{key: "bedrock.guardrail.stream_processing_mode", in: amazon, also: "bedrock.guardrail.guardrail_identifier: gr-1\nbedrock.guardrail.guardrail_version: DRAFT", set: "sync", with: `"streamProcessingMode":"sync"`},
		{key: "bedrock.guardrail.trace", in: amazon, also: "bedrock.guardrail.guardrail_identifier: gr-1\nbedrock.guardrail.guardrail_version: DRAFT", set: "enabled", with: `"trace":"enabled"`},

		{key: "pricing.N.model", in: priced, also: "pricing: [{model: other, input: 3, output: 15}]", set: "pricing: [{model: m, input: 3, output: 15}]", with: `event usage.updated .*"cost":[1-9]`},
		{key: "pricing.N.provider", in: priced, also: "pricing: [{model: m, input: 3, output: 15}]", set: "pricing: [{model: m, provider: openrouter, input: 3, output: 15}]", without: `event usage.updated .*"cost":[1-9]`},
		{key: "pricing.N.input", in: priced, also: "pricing: [{model: m, input: 0, output: 1}]", set: "pricing: [{model: m, input: 5, output: 1}]", with: `"cost":16000000000`},
		{key: "pricing.N.output", in: priced, also: "pricing: [{model: m, input: 1, output: 0}]", set: "pricing: [{model: m, input: 1, output: 5}]", with: `"cost":8000000000`},
		{key: "pricing.N.cache_read", in: priced, also: "pricing: [{model: m, input: 1, output: 0}]", set: "pricing: [{model: m, input: 1, output: 0, cache_read: 9}]", with: `"cost":11000000000`},
		{key: "pricing.N.cache_write", in: priced, also: "pricing: [{model: m, input: 1, output: 0}]", set: "pricing: [{model: m, input: 1, output: 0, cache_write: 9}]", with: `"cost":11000000000`},
	}
}

// used is what a model says it has used: prompt, cache read and written, answer.
var used = script.Usage{Usage: providers.Usage{Input: 1000, CacheRead: 1000, CacheWrite: 1000, Output: 1000}}
