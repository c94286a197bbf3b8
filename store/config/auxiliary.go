package config

// Auxiliary says which models make the calls beside a conversation. Each task
// has its own; by default all take the model that answers.
type Auxiliary struct {
	Title    AuxiliaryTask `yaml:"title_generation" defaults:"timeout:30"`
	Approval AuxiliaryTask `yaml:"approval" defaults:"timeout:30"`
	// Compression sums up the turns that are left out of a long conversation.
	Compression AuxiliaryTask `yaml:"compression" defaults:"timeout:120"`
	// Embedding takes part only when it names a model.
	Embedding AuxiliaryTask `yaml:"embedding" defaults:"timeout:30"`
	// Review looks back at a session.
	Review AuxiliaryTask `yaml:"background_review" defaults:"timeout:300"`
	// Vision says what images show.
	Vision AuxiliaryTask `yaml:"vision" defaults:"timeout:120"`
	// MCP answers prompts of MCP servers.
	MCP AuxiliaryTask `yaml:"mcp" defaults:"timeout:60"`
}

// AuxiliaryTask is the model for one task.
type AuxiliaryTask struct {
	Provider string  `yaml:"provider" default:"auto" check:"word" class:"session" doc:"Provider of the model for this task: a known one, one of providers, or custom with a base_url; auto is where the model of the session is."`
	Model    string  `yaml:"model" class:"session" doc:"Name of the model, as the provider calls it; empty takes the provider's usual one, with provider auto the model of the session."`
	BaseURL  string  `yaml:"base_url" check:"url" class:"session" doc:"Address of the endpoint, for provider custom or to override a known one."`
	APIKey   Secret  `yaml:"api_key" class:"session" doc:"Key for the endpoint; better written as ${NAME}."`
	KeyEnv   string  `yaml:"key_env" check:"envname" class:"session" doc:"Environment variable that holds the key."`
	Timeout  Seconds `yaml:"timeout" range:"1..86400" class:"session" doc:"Seconds one model may take before the next one is asked."`
	// ExtraBody takes the place of what is set for the endpoint.
	ExtraBody string `yaml:"extra_body" check:"object" class:"session" doc:"Fields of every chat completions request for this task besides those of the protocol, as an object; they win, and null takes a field away."`
	// Fallbacks are asked in their order, before the model of the conversation.
	Fallbacks []Fallback `yaml:"fallback_chain" need:"model,provider|base_url"`
}

// Tasks gives the tasks by their key.
func (a Auxiliary) Tasks() map[string]AuxiliaryTask {
	return map[string]AuxiliaryTask{"title_generation": a.Title, "approval": a.Approval, "compression": a.Compression, "embedding": a.Embedding, "background_review": a.Review, "vision": a.Vision, "mcp": a.MCP}
}
