package api

import (
	"context"
	"time"
)

// Servers is the topic of MCP servers in a conversation.
type Servers interface {
	// MCPServers returns all servers as they are for this session: one that is switched off in
	// its project is off. problems say what of their files cannot be read.
	MCPServers() (list []MCPServer, problems []string)
	// SwitchMCP switches a server off, or on again, in the project, for all sessions that work
	// there.
	SwitchMCP(ctx context.Context, name string, off bool) error
	// MCPPrompts returns the prompts of servers, as they are known now; MCPPrompt asks for one
	// with arguments in the form of a text.
	MCPPrompts(ctx context.Context) []MCPPrompt
	MCPPrompt(ctx context.Context, name, args string) (string, error)
}

// MCPServer is a server of the Model Context Protocol as the user sees it.
type MCPServer struct {
	Name string `json:"name"`
	// Origin is the file that names it, or "plugin NAME"; Runs what is started or connected
	// to, In the folder in which, Gets the variables and headers that go with it: all as they
	// are written, without what looks like a key.
	Origin string   `json:"origin"`
	Runs   string   `json:"runs"`
	In     string   `json:"in,omitempty"`
	Gets   []string `json:"gets,omitempty"`
	// Wants are variables of the user that one of a project or a plugin names.
	Wants []MCPVariable `json:"wants,omitempty"`
	// State is off, held, connecting, ready, needs login, parked or failed; Why explains
	// it and Next says what to do, both empty for nothing.
	State string    `json:"state"`
	Why   string    `json:"why,omitempty"`
	Next  string    `json:"next,omitempty"`
	Says  string    `json:"says,omitempty"`
	Tools []MCPTool `json:"tools,omitempty"`
	// Held are tools that wait for the user, Left says why others cannot be used.
	Held []MCPChange `json:"held,omitempty"`
	Left []string    `json:"left,omitempty"`
	// Junk says in a sentence that it sends what is no message, empty if it does not.
	Junk string `json:"junk,omitempty"`
	// Trusted says that its tools are called without a question.
	Trusted bool `json:"trusted,omitempty"`
	// Rests says of a parked one that a call starts it again.
	Rests bool `json:"rests,omitempty"`
	// OffHere says that it is switched off in the project of the session.
	OffHere bool   `json:"off_here,omitempty"`
	Log     string `json:"log"`
	// Files are those that one that is held runs or loads from where agents can write.
	Files []string `json:"files,omitempty"`

	// Seen is what was looked at, for the implementation alone.
	Seen any `json:"-"`
}

// MCPTool is a tool of a server.
type MCPTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Tokens is about what telling models of it costs.
	Tokens int  `json:"tokens"`
	Reads  bool `json:"reads,omitempty"`
}

// MCPChange is a tool that is held back.
type MCPChange struct {
	Name     string   `json:"name"`
	Diff     string   `json:"diff"`
	Findings []string `json:"findings,omitempty"`
}

// Tokens is about what telling models of all its tools costs.
func (s MCPServer) Tokens() (n int) {
	for _, t := range s.Tools {
		n += t.Tokens
	}
	return n
}

// MCPVariable is a variable of the user that an entry of a project or a plugin names.
type MCPVariable struct {
	Name string `json:"name"`
	// Set says that it has a value, Given that the entry gets it.
	Set   bool `json:"set"`
	Given bool `json:"given"`
}

// MCPPrompt is a text of an MCP server that the user can ask for.
type MCPPrompt struct {
	// Name is what it is called by, Arguments names what it takes.
	Name, Arguments, Description string
}

// LoginCode is what a user needs to log in on another device.
type LoginCode struct {
	// Code is to be entered at Page. Direct is an address that has the code in it, empty if
	// there is none.
	Code, Page, Direct string
	Expires            time.Time
}

// LoginWay is how a user logs in. Ways that are nil are not there.
type LoginWay struct {
	// Browser shows an address to open in a browser on this machine, Code a page and a code
	// for any device.
	Browser func(address string)
	Code    func(LoginCode)
}

// AllServers is the topic of MCP servers in the whole program.
type AllServers interface {
	// MCPNews returns a channel that is closed when something about a server changes.
	MCPNews() <-chan struct{}
	// AllowMCP agrees to a held server, or to the held tools of another, as they were seen.
	AllowMCP(ctx context.Context, s MCPServer) error
	// GiveMCP sets which variables of the user a server gets.
	GiveMCP(ctx context.Context, s MCPServer, names []string) error
	// SwitchMCP switches a server off or on until the program ends.
	SwitchMCP(name string, off bool) error
	// TryMCP connects to a server again and waits for the result.
	TryMCP(ctx context.Context, name string) (MCPServer, error)
	// LoginMCP logs in at a server and connects to it.
	LoginMCP(ctx context.Context, name string, way LoginWay) (MCPServer, error)
	// MCPLog returns the end of the log of a server.
	MCPLog(s MCPServer) (string, error)
}
