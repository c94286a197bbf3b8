// Package prompt builds the system prompt of a session out of layers: who the
// agent is, how it works with the tools it has, where it works, and what the
// folder it works in asks of it.
//
// A prompt is built once per session and stored; a resumed session sends the
// stored bytes, so that a provider's cache stays warm. It holds a date and no
// time of day for the same reason. Text from files is capped and scanned before
// it gets in, and files of a folder are read only when the folder is trusted;
// nothing of an untrusted folder is run either.
package prompt

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
)

// Files reads the place where the agent works. Names are absolute.
type Files interface {
	// Read returns a regular file, at most limit bytes of it. A missing file is
	// fs.ErrNotExist.
	Read(name string, limit int64) ([]byte, error)
	// Dir lists the names in a directory, sorted.
	Dir(name string) ([]string, error)
	// IsDir reports whether name is a directory.
	IsDir(name string) bool
	// Resolve gives the real name behind links.
	Resolve(name string) (string, error)
	// Changed is when a file was changed last.
	Changed(name string) (time.Time, error)
}

// Run executes a program of the place in a directory and returns its standard
// output, cut at some kilobytes. It is used for fixed commands only.
type Run func(ctx context.Context, dir string, argv ...string) (string, error)

// System describes the machine the agent works on.
type System struct {
	Place string // "local"
	OS    string
	Arch  string
	Shell string
	Home  string
	// Target says which one of its kind the place is: a container, a host.
	Target string
	// Isolated says that nothing done here reaches the user's machine.
	Isolated bool
	// Confined says that files can be written below Roots only.
	Confined bool
	// Offline says that there is no network.
	Offline bool
	// Confines says that commands are confined to Roots one by one.
	Confines bool
	Roots    []string
}

// Builder builds prompts for one conversation. It is safe for concurrent use.
type Builder struct {
	Files  Files
	Run    Run
	System System
	// Dir is where the conversation works.
	Dir string
	// AlsoObeyed are files below the root, besides instructions, that the program
	// obeys in a trusted folder: rules of a project.
	AlsoObeyed []string
	// AlsoNamed returns what else of the root is named when the user is asked about it; nil
	// for nothing.
	AlsoNamed func(root string) []string
	// Soul returns the user's own description of the agent, empty for none.
	Soul func() (string, error)
	// Layers are further parts, in the order in which they stand between the
	// environment and the project's instructions.
	Layers []Layer
	// Guidance are the working rules of the loaded tools, sorted by tool.
	Guidance func() []string
	// Now tells the date.
	Now func() time.Time
	// MaxFile caps a file in characters.
	MaxFile int
	// Percent is the share of the model's window that the files of a project may take
	// together; 0 leaves each to MaxFile.
	Percent float64
	// Secret reports whether a file may hold secrets, which no file may import; nil is
	// never.
	Secret func(name string) bool
	// Began is when the conversation began: instructions of deeper folders that were
	// changed since, maybe by a command of the agent, do not count. Zero is no bound.
	Began time.Time
	// LeftOut hears in a sentence of each file that is left out; it may be nil.
	LeftOut func(sentence string)
	// Taken reports whether the user has said that a file counts with just this content
	// though it reads like an attack; nil is never.
	Taken func(file, hash string) bool
	// Fresh reports whether a file of a trusted folder is new or another one since the user
	// trusted it; nil is never.
	Fresh func(file, hash string) bool

	// Skip reports whether a layer is left out; nil leaves out none.
	Skip func(layer string) bool

	// Holding keeps what was left out and may be taken; nil keeps nothing.
	Holding *Holding

	renew uint32 // not 0: no stored prompt fits; by sync/atomic
}

// Layer is a part of a prompt that is written elsewhere, like the index of skills.
type Layer struct {
	// Name is what the user knows it by, in one word.
	Name string
	// Subagents says that it stands in the prompts of subagents, too.
	Subagents bool
	// Text writes it, for a subagent or not; empty is no such part. It runs once for each
	// prompt that is built, so that what changes meanwhile shows in the next session only.
	Text func(ctx context.Context, subagent bool, model event.Model) (string, error)
}

// more are the texts of the further layers, for a subagent or not.
func (b *Builder) more(ctx context.Context, subagent bool, model event.Model) ([]part, error) {
	var texts []part
	for _, l := range b.Layers {
		if subagent && !l.Subagents || b.Skip != nil && b.Skip(l.Name) {
			continue
		}
		text, err := l.Text(ctx, subagent, model)
		if err != nil {
			return nil, fmt.Errorf("%s for the prompt: %w", l.Name, err)
		}
		texts = append(texts, part{l.Name, text})
	}
	return texts, nil
}

// part is a named text of a prompt.
type part struct{ name, text string }

// Build makes the system prompt, and says of which parts.
func (b *Builder) Build(ctx context.Context, trusted bool, model event.Model, defs []providers.ToolDef) (string, []event.PromptPart, error) {
	atomic.StoreUint32(&b.renew, 0)
	identity, err := b.identity()
	if err != nil {
		return "", nil, err
	}
	parts := []part{{"identity", identity}, {"rules", rules(len(defs) > 0, model)}, b.guidance(defs)}
	more, err := b.more(ctx, false, model)
	if err != nil {
		return "", nil, err
	}
	parts = append(append(parts, part{"environment", b.environment(ctx, trusted)}), more...)
	if trusted {
		parts = append(parts, part{"instructions", b.project(model)})
	}
	text, list := join(append(parts, b.end(model)))
	return text, list, nil
}

// guidance is how to work with the tools.
func (b *Builder) guidance(defs []providers.ToolDef) part {
	g := b.Guidance()
	if len(defs) == 0 || len(g) == 0 {
		return part{}
	}
	return part{"guidance", "# Working with the tools\n- " + strings.Join(g, "\n- ")}
}

// end is what a prompt ends with.
func (b *Builder) end(model event.Model) part {
	return part{"date", "Date: " + b.Now().Format("Monday, 2 January 2006") + modelLines(model)}
}

// join makes a prompt of the parts that are not empty.
func join(parts []part) (string, []event.PromptPart) {
	var texts []string
	var list []event.PromptPart
	for _, p := range parts {
		if text := strings.TrimSpace(p.text); text != "" {
			texts, list = append(texts, text), append(list, event.PromptPart{Name: p.name, Bytes: len(text)})
		}
	}
	return strings.Join(texts, separator), list
}

// separator stands between two parts.
const separator = "\n\n"

// modelLines end a prompt and say for which model it was made.
func modelLines(m event.Model) string { return "\nModel: " + m.Name + "\nProvider: " + m.Provider }

// Renew lets no stored prompt fit until another one is built.
func (b *Builder) Renew() { atomic.StoreUint32(&b.renew, 1) }

// Fits reports whether a stored prompt was made for a model and is not to be renewed.
func (b *Builder) Fits(stored string, model event.Model) bool {
	return atomic.LoadUint32(&b.renew) == 0 && strings.HasSuffix(stored, modelLines(model))
}

// identity is SOUL.md, or who the agent is without one.
func (b *Builder) identity() (string, error) {
	soul, err := b.Soul()
	if err != nil {
		return "", fmt.Errorf("read SOUL.md: %w", err)
	}
	if soul = strings.TrimSpace(soul); soul == "" {
		return defaultIdentity, nil
	}
	return b.admit("SOUL.md", soul, b.MaxFile), nil
}

// admit lets the text of a file into the prompt: scanned as a whole, then cut.
func (b *Builder) admit(name, text string, limit int) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if why := b.findings(name, name, text, false); why != "" {
		return b.leaveOut(name, why)
	}
	cut, _ := Truncate(name, text, limit)
	return cut
}
