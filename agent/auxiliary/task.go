package auxiliary

import "time"

// Task is what a call is for. Its text is the key in the settings, below
// auxiliary.
type Task string

// The tasks.
const (
	Title    Task = "title_generation"
	Approval Task = "approval"
	// Compression sums up what no longer fits before the model.
	Compression Task = "compression"
	// Embedding turns texts into vectors: only models that the settings name for it
	// are asked, never that of the conversation.
	Embedding Task = "embedding"
	// Review looks back at a session and keeps what later ones should know, in several
	// calls: see [Client.Each].
	Review Task = "background_review"
	// Vision says what an image shows, to models that see none.
	Vision Task = "vision"
	// MCP answers prompts of MCP servers.
	MCP Task = "mcp"
)

// bounds are the limits of a task.
type bounds struct {
	timeout time.Duration // of an attempt, unless the settings say otherwise
	tokens  int           // of an answer, reasoning included
	bytes   int           // of what is kept of it
}

// usual are the bounds of what is not in the table.
var usual = bounds{30 * time.Second, 4_000, 32 << 10}

// limits are the bounds of tasks. Short answers have room for the reasoning that
// some models cannot leave.
var limits = map[Task]bounds{
	Title:       {30 * time.Second, 1_000, 4 << 10},
	Approval:    {30 * time.Second, 1_000, 4 << 10},
	Compression: {120 * time.Second, 18_000, 96 << 10},
	Vision:      {120 * time.Second, 4_000, 16 << 10},
	MCP:         {60 * time.Second, 4_000, 64 << 10},
	Review:      {timeout: 300 * time.Second}, // of all its calls, which are bounded by who makes them
}

// boundsOf gives the bounds of a task.
func boundsOf(t Task) bounds {
	if b, ok := limits[t]; ok {
		return b
	}
	return usual
}
