package config

// Protocol is how an endpoint is spoken to. Empty goes by what is known of the
// service and the model.
type Protocol string

// The protocols.
const (
	ProtocolAuto      Protocol = ""
	ProtocolChat      Protocol = "chat"
	ProtocolResponses Protocol = "responses"
	ProtocolAnthropic Protocol = "anthropic"
	ProtocolBedrock   Protocol = "bedrock"
)

// PromptCaching governs the marks that tell a provider what of a prompt to keep.
type PromptCaching struct {
	TTL CacheTTL `yaml:"cache_ttl" default:"5m" enum:"5m|1h" class:"session" doc:"How long a provider that wants marks keeps a prompt: 5m, or 1h, which costs more to fill and pays when you think longer between messages."`
}

// CacheTTL is how long a marked prompt is kept.
type CacheTTL string

// The times.
const (
	CacheMinutes CacheTTL = "5m"
	CacheHour    CacheTTL = "1h"
)

// Bedrock governs Amazon Bedrock.
type Bedrock struct {
	Region    string    `yaml:"region" check:"word" class:"session" doc:"Region of AWS; AWS_REGION and AWS_DEFAULT_REGION come before it, that of the profile and us-east-1 after it."`
	Profile   string    `yaml:"profile" class:"session" doc:"Profile of the AWS configuration to sign with; empty goes by AWS_PROFILE."`
	Guardrail Guardrail `yaml:"guardrail"`
}

// Guardrail is one of Bedrock that every call goes through, if it has an identifier.
type Guardrail struct {
	ID      string `yaml:"guardrail_identifier" class:"session" doc:"Identifier or ARN of a guardrail for every call; empty is none."`
	Version string `yaml:"guardrail_version" class:"session" doc:"Version of the guardrail, a number or DRAFT."`
	Mode    string `yaml:"stream_processing_mode" default:"async" enum:"sync|async" class:"session" doc:"Whether text waits for the guardrail (sync) or may be seen before it has judged (async)."`
	Trace   string `yaml:"trace" default:"disabled" enum:"disabled|enabled|enabled_full" class:"session" doc:"How much Bedrock tells of what the guardrail found."`
}

// OpenRouter governs what OpenRouter does besides passing calls on.
type OpenRouter struct {
	ResponseCache    bool    `yaml:"response_cache" default:"true" class:"session" doc:"Let OpenRouter give the same answer again to exactly the same request."`
	ResponseCacheTTL Seconds `yaml:"response_cache_ttl" default:"300" range:"1..86400" class:"session" doc:"Seconds for which it keeps answers for that."`
	MinCodingScore   float64 `yaml:"min_coding_score" default:"0.65" range:"0..1" class:"session" doc:"How good at code a model must be that openrouter/pareto-code chooses, up to 1; 0 leaves it to OpenRouter."`
}

// Routing says where a service that has models of many hosts may send calls.
type Routing struct {
	Only              []string `yaml:"only" check:"word" class:"session" doc:"Hosts behind OpenRouter that calls may go to, by the names it gives them; empty is all."`
	Ignore            []string `yaml:"ignore" check:"word" class:"session" doc:"Hosts that calls may not go to."`
	Order             []string `yaml:"order" check:"word" class:"session" doc:"Hosts to try first, in this order."`
	Sort              string   `yaml:"sort" enum:"|price|throughput|latency" class:"session" doc:"What counts most among hosts; empty leaves it to OpenRouter."`
	RequireParameters bool     `yaml:"require_parameters" default:"false" class:"session" doc:"Take only hosts that understand every field of a request."`
	DataCollection    string   `yaml:"data_collection" enum:"|allow|deny" class:"session" doc:"Whether hosts may keep what they see; empty goes by your account."`
}

// Login governs logins to services that know accounts instead of keys.
type Login struct {
	OpenAI OpenAILogin `yaml:"openai"`
}

// OpenAILogin is how people log in to ChatGPT.
type OpenAILogin struct {
	Issuer    string   `yaml:"issuer" default:"https://auth.openai.com" check:"url" class:"start" doc:"Address of the service that logs people in to ChatGPT."`
	ClientID  string   `yaml:"client_id" check:"word" class:"start" doc:"Id that the service gave this program; without one there is no login to ChatGPT."`
	Redirects []string `yaml:"redirect_urls" default:"http://localhost:1455/auth/callback,http://localhost:1457/auth/callback" check:"url" class:"start" doc:"Loopback addresses at which the browser comes back from a login, in the order tried; port 0 is any free one."`
}
