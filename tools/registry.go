package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// AvailabilityAge is how long the answer of [Tool.Available] is believed.
const AvailabilityAge = 30 * time.Second

// The reasons why [Registry.Add] refuses a tool.
var (
	// ErrDuplicate is a second tool of a name in the same toolset.
	ErrDuplicate = errors.New("tool name is taken")
	// ErrShadow is a tool that would hide one of another toolset.
	ErrShadow = errors.New("tool name belongs to another toolset")
	// ErrInvalid is a tool that a model or the dispatcher could not use.
	ErrInvalid = errors.New("tool definition is not valid")
)

// Definition is what a model is told about a tool. Its fields are those of a
// provider's tool definition, in the same order.
type Definition struct {
	Name        string
	Description string
	// Parameters is a JSON Schema object without insignificant white space.
	Parameters json.RawMessage
}

// Registry holds the tools of one agent. It is safe for concurrent use.
type Registry struct {
	now func() time.Time

	mu    sync.Mutex
	tools map[string]*entry
}

// entry is a tool and the last answer to whether it is available.
type entry struct {
	tool    Tool
	checked time.Time // zero: never asked
	err     error
}

// NewRegistry makes an empty registry. The clock dates the answers of
// [Tool.Available].
func NewRegistry(now func() time.Time) *Registry {
	return &Registry{now: now, tools: map[string]*entry{}}
}

// Add puts a tool into the registry. A name that is taken is refused, as is a
// tool without toolset, since only a toolset exposes tools. Errors wrap
// [ErrDuplicate], [ErrShadow] or [ErrInvalid].
func (r *Registry) Add(t Tool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	parameters, err := r.fits(t)
	if err != nil {
		return err
	}
	t.Parameters = parameters
	r.tools[t.Name] = &entry{tool: t}
	return nil
}

// Replace takes tools out of the registry and puts others into it. It returns why some of
// these were refused, as [Registry.Add] does.
func (r *Registry) Replace(names []string, list []Tool) (refused []error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		delete(r.tools, name)
	}
	for _, t := range list {
		parameters, err := r.fits(t)
		if err != nil {
			refused = append(refused, err)
			continue
		}
		t.Parameters = parameters
		r.tools[t.Name] = &entry{tool: t}
	}
	return refused
}

// Usable says why [Registry.Add] would refuse a tool.
func (r *Registry) Usable(t Tool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := r.fits(t)
	return err
}

// fits checks a tool and gives its schema in compact form. The caller holds the lock.
func (r *Registry) fits(t Tool) (json.RawMessage, error) {
	parameters, err := usable(t)
	if err != nil {
		return nil, fmt.Errorf("add tool %q: %w: %w", t.Name, ErrInvalid, err)
	}
	if old, taken := r.tools[t.Name]; taken {
		if old.tool.Toolset != t.Toolset {
			return nil, fmt.Errorf("add tool %q of toolset %q: %w %q", t.Name, t.Toolset, ErrShadow, old.tool.Toolset)
		}
		return nil, fmt.Errorf("add tool %q: %w", t.Name, ErrDuplicate)
	}
	return parameters, nil
}

// usable checks a tool and gives its schema in compact form.
func usable(t Tool) (json.RawMessage, error) {
	switch {
	case !validName(t.Name):
		return nil, errors.New("a name is 1 to 64 of a-z, A-Z, 0-9, _ and -")
	case t.Toolset == "":
		return nil, errors.New("it belongs to no toolset")
	case t.Description == "":
		return nil, errors.New("it has no description")
	case t.Run == nil:
		return nil, errors.New("it cannot run")
	}
	if err := validParameters(t.Parameters); err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, t.Parameters); err != nil {
		return nil, fmt.Errorf("compact the schema: %w", err)
	}
	return compact.Bytes(), nil
}

// validName reports whether every provider accepts a tool name.
func validName(name string) bool {
	for _, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// Lookup finds a tool by its exact name, available or not.
func (r *Registry) Lookup(name string) (Tool, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.tools[name]
	if !ok {
		return Tool{}, false
	}
	return e.tool, true
}

// Toolsets lists the names of the registered tools by toolset, sorted.
func (r *Registry) Toolsets() map[string][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	sets := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(r.tools)) {
		set := r.tools[name].tool.Toolset
		sets[set] = append(sets[set], name)
	}
	return sets
}

// Definitions gives the tools that the enabled toolsets expose, without those of
// the disabled ones and without those that are not available now, sorted by
// name. The same registry gives the same bytes every time, which keeps a
// provider's prompt cache warm. See [Resolve] for the names.
func (r *Registry) Definitions(ctx context.Context, enabled, disabled []string) []Definition {
	names, _ := Resolve(enabled, disabled, r.Toolsets())
	var defs []Definition
	for _, name := range names {
		t, ok := r.Lookup(name)
		if !ok || r.available(ctx, t) != nil {
			continue
		}
		defs = append(defs, Definition{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	return defs
}

// Available says why a tool of the registry cannot be used now, nil if it can.
func (r *Registry) Available(ctx context.Context, name string) error {
	t, ok := r.Lookup(name)
	if !ok {
		return fmt.Errorf("there is no tool %q", name)
	}
	return r.available(ctx, t)
}

// available asks a tool, or remembers what it said. The tool is asked without
// the lock, so that a slow one blocks no one else; an answer that came because
// ctx ended is not kept.
func (r *Registry) available(ctx context.Context, t Tool) error {
	if t.Available == nil {
		return nil
	}
	r.mu.Lock()
	e := r.tools[t.Name]
	age := r.now().Sub(e.checked)
	fresh := !e.checked.IsZero() && age >= 0 && age < AvailabilityAge
	err := e.err
	r.mu.Unlock()
	if fresh {
		return err
	}
	err = t.Available(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.mu.Lock()
	e.checked, e.err = r.now(), err
	r.mu.Unlock()
	return err
}
