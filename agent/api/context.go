package api

import (
	"context"
	"fmt"
	"strings"

	"hermes-tui/agent/event"
)

// Context is the topic of what the model gets of a conversation.
type Context interface {
	// Tools returns all tools that there are, offered to the model or not.
	Tools(ctx context.Context) []ToolOffer
	// PromptTokens returns about how many tokens the system prompt of a new session here has.
	PromptTokens(ctx context.Context) (int, error)
	// RenewPrompt lets the next turn begin with a system prompt of what is remembered, and of
	// all else in it, as it is then. What a provider has cached is lost.
	RenewPrompt()
	// Compress shortens what the model gets, between turns. focus is what is kept above all
	// else. It returns false when there is nothing to shorten. PlanCompress returns what it
	// would do; Uncompress takes the last one back and returns how many tokens the model gets
	// then.
	Compress(ctx context.Context, focus string) (bool, error)
	PlanCompress(ctx context.Context) (CompressPlan, error)
	Uncompress(ctx context.Context) (tokens int, err error)
	// Layers maps what the model gets, and its cost.
	Layers(ctx context.Context) Layers
	// Drop leaves pieces of [Layers] out of what the model gets, from the next request on,
	// DropPrice returns the effect of that on it, Undrop brings back what was dropped. Pin keeps
	// compressions from changing pieces, or lets them. All but DropPrice wait while a turn runs.
	Drop(ctx context.Context, ids ...string) error
	DropPrice(ctx context.Context, ids ...string) Change
	Undrop(ctx context.Context, ids ...string) error
	Pin(ctx context.Context, on bool, ids ...string) error
	// Leave excludes layers of [Layers] for the rest of the session, tools, servers and parts of
	// the prompt, or brings them back; LeavePrice returns the effect of that.
	Leave(ctx context.Context, out bool, ids ...string) error
	LeavePrice(ctx context.Context, ids ...string) Change
}

// Instructions is the topic of files that instruct the agent.
type Instructions interface {
	// Trust decides whether the folder of the conversation is trusted, for all conversations in
	// it: from the next command on for commands, and from the next new session on for
	// instruction files, whose names it returns.
	Trust(ctx context.Context, yes bool) (root string, instructions []string, err error)
	// HeldInstructions returns the instruction files that were left out because they read like an
	// attack. TakeInstructions lets one count as it is now, from the next turn on; a change of it
	// asks again.
	HeldInstructions() []HeldInstructions
	TakeInstructions(ctx context.Context, h HeldInstructions) error
}

// Review is the topic of looking back at a conversation.
type Review interface {
	// Refine looks back and keeps what later sessions should know; focus is what to look at
	// above all, empty for nothing. StopRefine ends that, and returns false when none runs.
	Refine(ctx context.Context, focus string) (Kept, error)
	StopRefine() bool
}

// PieceKind says what a piece of a history is.
type PieceKind string

// The kinds of pieces.
const (
	PieceTurn         PieceKind = "turn"
	PieceResult       PieceKind = "result"
	PieceAttached     PieceKind = "attached"
	PieceImages       PieceKind = "images"
	PieceInstructions PieceKind = "instructions"
)

// Piece is a part of a history that can be dropped or pinned.
type Piece struct {
	// ID names it in its history, Message is that in which it is or with which it begins.
	ID      string    `json:"id"`
	Message string    `json:"-"`
	Kind    PieceKind `json:"kind"`
	Name    string    `json:"name"`
	// Tool is that of a result.
	Tool   string `json:"tool,omitempty"`
	Tokens int    `json:"tokens"`
	// Pinned is one that no compression changes, Dropped one that does not travel.
	Pinned  bool   `json:"pinned,omitempty"`
	Dropped bool   `json:"dropped,omitempty"`
	Text    string `json:"-"`
}

// LayerKind says where in a request a layer stands.
type LayerKind string

// The kinds of layers, in the order in which a map lists them.
const (
	LayerSystem  LayerKind = "system"
	LayerTool    LayerKind = "tool"
	LayerHistory LayerKind = "history"
	LayerReserve LayerKind = "reserve"
)

// Layer is a part of what a model gets.
type Layer struct {
	Kind LayerKind `json:"kind"`
	// ID names it for [Context.Leave]; Fixed is why it cannot be left out, empty if it
	// can, Left says that it is. Server is the program that a tool is of, empty for this one.
	ID     string `json:"id,omitempty"`
	Fixed  string `json:"fixed,omitempty"`
	Left   bool   `json:"left,omitempty"`
	Server string `json:"server,omitempty"`
	// Name is that of the part of the prompt or of the tool, or the kind of messages.
	Name string `json:"name"`
	// Items is how many messages it stands for, 0 for a text.
	Items int `json:"items,omitempty"`
	// Tokens are estimated, corrected by what the service counted.
	Tokens int `json:"tokens"`
	// Cost is its share of what sending it once more costs now, in trillionths of a
	// dollar; 0 if unknown.
	Cost event.Money `json:"cost,omitempty"`
	// Room is how many tokens it may take by the setting of that name, 0 for as many as
	// there are.
	Room    int    `json:"room,omitempty"`
	Setting string `json:"setting,omitempty"`
	// Text is what is sent of it.
	Text string `json:"text,omitempty"`
}

// Layers is what the root's next request holds.
type Layers struct {
	Model string `json:"model"`
	// Window is the room of the model in tokens, 0 if unknown.
	Window int `json:"window,omitempty"`
	// Tokens are those of all layers but the reserve; from Room on, the history is
	// shortened, 0 for never.
	Tokens int `json:"tokens"`
	Room   int `json:"room,omitempty"`
	// Warm is how many of them the provider's cache should still hold.
	Warm int `json:"warm"`
	// Cost is what the request costs now without its answer, in trillionths of a
	// dollar; Priced reports whether a price is known.
	Cost   event.Money `json:"cost,omitempty"`
	Priced bool        `json:"priced"`
	List   []Layer     `json:"layers"`
	// Servers sum up the tools of other programs, Left are the layers that the user has left
	// out.
	Servers []Server `json:"servers,omitempty"`
	Left    []Layer  `json:"left,omitempty"`
	// Pieces are what of the history can be dropped or pinned, and what was dropped.
	Pieces []Piece `json:"pieces,omitempty"`
}

// Sentence returns in one line what was kept.
func (k Kept) Sentence() string {
	if len(k.Changes) == 0 {
		return "Looked back: there was nothing to keep" + k.Price() + "."
	}
	return "Looked back: " + strings.Join(k.Changes, "; ") + k.Price() + ". See /memory and /skills, where it can be taken back."
}

// Price returns the cost in brackets, the tokens where no price is known.
func (k Kept) Price() string {
	switch n := k.Usage.Prompt() + k.Usage.Output; {
	case k.Usage.Cost == 0 && n == 0:
		return ""
	case k.Usage.Cost == 0:
		return fmt.Sprintf(" (%d tokens)", n)
	}
	return fmt.Sprintf(" ($%.4f)", float64(k.Usage.Cost)/float64(event.Dollar))
}

// Server sums up the tools of another program in [Layers].
type Server struct {
	// ID leaves all of them out, see [Context.Leave].
	ID     string      `json:"id"`
	Name   string      `json:"name"`
	Tools  int         `json:"tools"`
	Tokens int         `json:"tokens"`
	Cost   event.Money `json:"cost,omitempty"`
}

// CompressPlan is what [Context.Compress] would do now.
type CompressPlan struct {
	// Before and After are the sizes of the next request in tokens, estimated; After
	// counts the record that takes the place of what is left out as full.
	Before, After int
	// Results and Calls count tool results and arguments that would be shortened.
	Results, Calls int
	// Gone are the user's texts of the turns that would be left out, Messages counts what
	// is in these; Kept counts the messages that stay.
	Gone           []string
	Messages, Kept int
	// First is what the next request would cost without its answer, with nothing of it
	// in the cache; Each and EachNow what one costs afterwards and now, with all of it
	// there. Priced reports whether a price is known.
	First, Each, EachNow event.Money
	Priced               bool
}

// Kept is what came of looking back.
type Kept struct {
	// Changes say in one line each what was kept, or waits for the user.
	Changes []string
	Usage   event.Usage
}

// Change says what a change of the context does to the next requests.
type Change struct {
	// Tokens are those that the model gets less, Cold those of the next request that a
	// prompt cache cannot give because they stand behind the change.
	Tokens, Cold int
	// Now and Next are what the next request costs without and with the change, Later
	// what each one saves that follows, while it is cached. Priced reports whether a price
	// is known.
	Now, Next, Later event.Money
	Priced           bool
}

// HeldInstructions is a file that was left out of the instructions because it reads like an attack, or the
// user has not seen it.
type HeldInstructions struct {
	// File is its real path, Name how it is shown.
	File, Name string
	// Why says what was found, to follow "it".
	Why string
	// Hash names the content, Text is it.
	Hash, Text string
}
