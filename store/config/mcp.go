package config

// MCPServer is a server of the Model Context Protocol: a command, or an address.
type MCPServer struct {
	Enabled        bool              `yaml:"enabled" default:"true" strict:"false" class:"live" doc:"Have this server run."`
	Command        string            `yaml:"command" late:"true" class:"live" doc:"Program that is the server, by its name in PATH or by a path. It runs with your rights, not confined."`
	Args           []string          `yaml:"args" late:"true" class:"live" doc:"Its arguments. ${workspaceFolder} is the folder that the program was started in, ${userHome} your home; so in env, url and headers."`
	Cwd            string            `yaml:"cwd" late:"true" class:"live" doc:"Folder that it works in; empty is the one that the program was started in."`
	Env            map[string]Secret `yaml:"env" check:"variable" class:"live" doc:"Variables it gets besides PATH, HOME and those of the locale."`
	URL            string            `yaml:"url" check:"url" late:"true" class:"live" doc:"Address of a server that is elsewhere, in place of a command."`
	Transport      string            `yaml:"transport" enum:"|http|sse" alias:"streamable-http:http,streamable_http:http" class:"live" doc:"How the address is spoken to: streamable HTTP (http, and empty) or the older sse."`
	Headers        map[string]Secret `yaml:"headers" check:"header" class:"live" doc:"HTTP headers sent to the address."`
	ConnectTimeout Seconds           `yaml:"connect_timeout" default:"30" range:"1..600" class:"live" doc:"Seconds it may take to answer for the first time."`
	Timeout        Seconds           `yaml:"timeout" default:"300" range:"1..86400" class:"live" doc:"Seconds a call may take."`
	Trust          string            `yaml:"trust" default:"untrusted" enum:"untrusted|full" class:"live" doc:"full calls its tools without asking, and believes it about which of them only read."`
	Parallel       bool              `yaml:"supports_parallel_tool_calls" default:"false" class:"live" doc:"Several of its tools may work at the same time."`
	Verify         string            `yaml:"ssl_verify" default:"true" check:"trusts" class:"live" doc:"Whom to trust about the address: true is those that the system trusts, a path the authorities of a PEM file, false anyone."`
	ClientCert     []string          `yaml:"client_cert" lone:"true" check:"pair" class:"live" doc:"PEM file with a certificate by which the program shows who it is, and with its key; or a list of two files, the certificate and the key, unless client_key names that. The key has no password."`
	ClientKey      string            `yaml:"client_key" class:"live" doc:"PEM file with the key of client_cert."`
	Auth           string            `yaml:"auth" default:"oauth" enum:"oauth|none" class:"live" doc:"oauth has you log in at the address when it asks for that and headers hold no key; none does not."`
	OAuth          MCPOAuth          `yaml:"oauth"`
	Keepalive      Seconds           `yaml:"keepalive_interval" default:"180" range:"0..86400" class:"live" doc:"Seconds after which it is asked whether it is still there, again and again. 0 is never."`
	Protocol       string            `yaml:"protocol" default:"auto" enum:"auto|legacy|stateless" class:"live" doc:"Form of the protocol: legacy has sessions that begin with initialize, stateless is that of 2026-07-28; auto finds out."`
	IdleTimeout    Seconds           `yaml:"idle_timeout_seconds" default:"0" range:"0..604800" class:"live" doc:"Seconds without a call after which the command is ended; the next call starts it again. 0 is never."`
	MaxLifetime    Seconds           `yaml:"max_lifetime_seconds" default:"0" range:"0..604800" class:"live" doc:"Seconds after which the command is ended when no call runs; the next call starts it again. 0 is never."`
	Identity       MCPIdentity       `yaml:"identity_header"`
	Tools          MCPTools          `yaml:"tools"`
	Elicitation    MCPElicitation    `yaml:"elicitation"`
	Sampling       MCPSampling       `yaml:"sampling"`
}

// MCPOAuth says how to log in at a server.
type MCPOAuth struct {
	ClientID     string  `yaml:"client_id" class:"live" doc:"Name that who gives the login has given to this program; empty has it register by itself."`
	ClientSecret Secret  `yaml:"client_secret" class:"live" doc:"Secret that came with client_id, if any."`
	Scope        string  `yaml:"scope" class:"live" doc:"Rights to ask for, with blanks between them; empty is what the server names."`
	RedirectPort int     `yaml:"redirect_port" default:"0" range:"0..65535" class:"live" doc:"Port of this machine at which the browser comes back; 0 is the first free one of 27890 to 27894."`
	ClientName   string  `yaml:"client_name" default:"hermes-tui" class:"live" doc:"Name under which this program registers, for people."`
	AuthMethod   string  `yaml:"token_endpoint_auth_method" default:"auto" enum:"auto|client_secret_basic|client_secret_post" class:"live" doc:"Where client_secret goes: into a header, into the form, or where the service says."`
	Flow         string  `yaml:"flow" default:"auto" enum:"auto|browser|device" class:"live" doc:"How to log in: in a browser on this machine, or with a code on any device; auto is the browser, where there is one."`
	Timeout      Seconds `yaml:"timeout" default:"300" range:"1..3600" class:"live" doc:"Seconds that a login may take."`
	RedirectHost string  `yaml:"redirect_host" default:"127.0.0.1" enum:"127.0.0.1|localhost" class:"live" doc:"How the address of this machine is written at which the browser comes back."`
	RedirectURI  string  `yaml:"redirect_uri" check:"url" class:"live" doc:"Whole address of this machine at which the browser comes back, such as http://localhost:27890/done, in place of redirect_host and redirect_port."`
	Document     string  `yaml:"client_metadata_url" check:"url" class:"live" doc:"Address of a document of yours that says what this program is (client ID metadata document); it is the client_id where who gives the login takes such addresses."`
	Documented   bool    `yaml:"cimd" default:"true" class:"live" doc:"Use client_metadata_url; false has the program register as if it were not there."`
	UserAgent    string  `yaml:"user_agent" class:"live" doc:"How the program calls itself to who gives the login; empty is as everywhere. Some refuse names they do not know."`
}

// MCPIdentity is a header that says who asks.
type MCPIdentity struct {
	Name  string `yaml:"name" class:"live" doc:"Name of an HTTP header sent to the address that says who asks; empty for none."`
	From  string `yaml:"value_from" default:"static" enum:"static|profile" class:"live" doc:"What it says: static is value, profile the name of the profile in use."`
	Value string `yaml:"value" class:"live" doc:"What it says with static."`
}

// MCPTools choose what of a server is offered to agents.
type MCPTools struct {
	Include   []string `yaml:"include" class:"live" doc:"Names of tools, as the server gives them, that agents get; * stands for any characters. Empty is all."`
	Exclude   []string `yaml:"exclude" class:"live" doc:"Names of tools that they do not get; it wins."`
	Resources bool     `yaml:"resources" default:"true" class:"live" doc:"Let agents list and read its resources."`
	Prompts   bool     `yaml:"prompts" default:"true" class:"live" doc:"Let agents list and read its prompts."`
}

// MCPElicitation says whether a server may ask.
type MCPElicitation struct {
	Enabled bool    `yaml:"enabled" default:"true" class:"live" doc:"Let it ask you for information while one of its tools works."`
	Timeout Seconds `yaml:"timeout" default:"0" range:"0..86400" class:"live" doc:"Seconds after which a question of it counts as not answered. 0 is never."`
}

// MCPSampling says whether a server may have a model answer.
type MCPSampling struct {
	Enabled   bool     `yaml:"enabled" default:"true" class:"live" doc:"Let it have the model of auxiliary.mcp, or of the session, answer prompts while one of its tools works; you are asked each time."`
	Model     string   `yaml:"model" class:"live" doc:"Model that answers, where auxiliary.mcp or the session has its own."`
	MaxTokens int      `yaml:"max_tokens_cap" default:"4096" range:"1..1048576" class:"live" doc:"Most tokens of an answer."`
	Timeout   Seconds  `yaml:"timeout" default:"0" range:"0..3600" class:"live" doc:"Seconds the model may take; 0 is those of auxiliary.mcp."`
	Models    []string `yaml:"allowed_models" class:"live" doc:"Models that may answer, by their names; empty is any."`
	MaxRPM    int      `yaml:"max_rpm" default:"10" range:"1..600" class:"live" doc:"How many such answers it may have in a minute."`
}
