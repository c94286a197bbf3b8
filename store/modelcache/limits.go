package modelcache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	mostLimitBytes = 1 << 20
	// The range in which a number can be a context window, in tokens.
	leastWindow = 1_024
	mostWindow  = 10_000_000
	// limitSection is the section of the file that holds the windows.
	limitSection = "context_lengths"
)

// limitKey names a model at an endpoint; the address is in one spelling.
type limitKey struct{ model, base string }

// String is the key as it is written down.
func (k limitKey) String() string { return k.model + "@" + k.base }

// readKey reads a key. Both names and addresses may hold "@".
func readKey(s string) (limitKey, bool) {
	at := max(strings.LastIndex(s, "@http://"), strings.LastIndex(s, "@https://"))
	if at <= 0 {
		return limitKey{}, false
	}
	k := limitKey{s[:at], bareURL(s[at+1:])}
	return k, k.base != ""
}

// limits are the windows of the file. Of one that stands there in several spellings of
// its address, the smallest counts.
type limits map[limitKey]int

// parseLimits reads the file.
func parseLimits(data []byte) (limits, error) {
	l := limits{}
	doc, err := readDocument(data)
	if err != nil {
		return l, err
	}
	section, err := doc.section()
	if err != nil || section == nil {
		return l, err
	}
	for i := 0; i+1 < len(section.Content); i += 2 {
		k, ok := readKey(section.Content[i].Value)
		n := readWindow(section.Content[i+1])
		if old, had := l[k]; ok && n > 0 && (!had || n < old) {
			l[k] = n
		}
	}
	return l, nil
}

// readWindow reads a number of tokens; 0 if it is none.
func readWindow(n *yaml.Node) int {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
		return 0
	}
	tokens, err := strconv.Atoi(strings.ReplaceAll(n.Value, "_", ""))
	if err != nil || tokens < leastWindow || tokens > mostWindow {
		return 0
	}
	return tokens
}

// document is the file of windows with everything in it.
type document struct{ root yaml.Node }

// errShape is a file that holds something else than windows.
var errShape = errors.New("it holds no windows")

func readDocument(data []byte) (*document, error) {
	d := &document{}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	switch err := dec.Decode(&d.root); {
	case errors.Is(err, io.EOF):
		d.root = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode, Tag: "!!map"}}}
		return d, nil
	case err != nil:
		return nil, err
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errShape // several documents
	}
	if len(d.root.Content) != 1 {
		return nil, errShape
	}
	top := d.root.Content[0]
	if isNull(top) {
		top.Kind, top.Tag, top.Value = yaml.MappingNode, "!!map", ""
	}
	if top.Kind != yaml.MappingNode {
		return nil, errShape
	}
	return d, nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// section is the section of the windows, nil if there is none yet.
func (d *document) section() (*yaml.Node, error) {
	top := d.root.Content[0]
	var found *yaml.Node
	for i := 0; i+1 < len(top.Content); i += 2 {
		if top.Content[i].Value == limitSection {
			found = top.Content[i+1]
		}
	}
	if found == nil {
		return nil, nil
	}
	if isNull(found) {
		found.Kind, found.Tag, found.Value = yaml.MappingNode, "!!map", ""
	}
	if found.Kind != yaml.MappingNode {
		return nil, errShape
	}
	return found, nil
}

// set changes a window in every spelling of its address, or adds it.
func (d *document) set(k limitKey, tokens int) error {
	section, err := d.section()
	if err != nil {
		return err
	}
	if section == nil {
		section = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		top := d.root.Content[0]
		top.Content = append(top.Content, newText(limitSection), section)
	}
	done := false
	for i := 0; i+1 < len(section.Content); i += 2 {
		if have, ok := readKey(section.Content[i].Value); ok && have == k {
			v := section.Content[i+1]
			*v = yaml.Node{
				Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(tokens), Anchor: v.Anchor,
				HeadComment: v.HeadComment, LineComment: v.LineComment, FootComment: v.FootComment,
			}
			done = true
		}
	}
	if !done {
		section.Style = 0 // entries in a line could grow without end
		section.Content = append(section.Content, newText(k.String()), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(tokens)})
	}
	return nil
}

func newText(s string) *yaml.Node {
	n := new(yaml.Node)
	n.SetString(s)
	return n
}

// encode writes the file as the other program does.
func (d *document) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(&d.root), enc.Close()); err != nil {
		return nil, fmt.Errorf("write the context windows: %w", err)
	}
	if b.Len() > mostLimitBytes {
		return nil, errTooLarge
	}
	return b.Bytes(), nil
}

// Limit is the context window that was learnt for a model at an endpoint, in tokens.
func (c *Cache) Limit(model, base string) (tokens int, ok bool) {
	k := limitKey{model, bareURL(base)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limits.path == "" || k.base == "" {
		return 0, false
	}
	tokens, ok = c.limits.load()[k]
	return tokens, ok
}

// mostPending bounds what waits to be confirmed.
const mostPending = 256

// Learn takes note of a context window in tokens that an error stated. It is written
// down when it is confirmed: by this call, or by [Cache.Succeeded]. A window that
// cannot be one, or a model or address that cannot be named, is an [*Error] of
// [ProblemInvalid].
func (c *Cache) Learn(ctx context.Context, model, base string, tokens int, confirmed bool) error {
	k := limitKey{model, bareURL(base)}
	if err := k.check(); err != nil {
		return invalid(c.limits.path, "%w", err)
	}
	if tokens < leastWindow || tokens > mostWindow {
		return invalid(c.limits.path, "%d tokens are no context window", tokens)
	}
	c.mu.Lock()
	if _, waits := c.pending[k]; waits || len(c.pending) < mostPending {
		c.pending[k] = tokens
	}
	c.mu.Unlock()
	if !confirmed {
		return nil
	}
	return c.settle(ctx, k, tokens)
}

// Succeeded tells that a request whose prompt had so many tokens was answered. It
// confirms the window that an error had stated for the model, unless the prompt was
// larger, which proves it wrong.
func (c *Cache) Succeeded(ctx context.Context, model, base string, tokens int) error {
	window, confirmed := c.judge(model, base, tokens)
	if !confirmed {
		return nil
	}
	return c.settle(ctx, limitKey{model, bareURL(base)}, window)
}

// judge gives the window that waits for a model if a prompt of so many tokens confirms
// it, and forgets one that it proves wrong.
func (c *Cache) judge(model, base string, tokens int) (window int, confirmed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 || tokens <= 0 {
		return 0, false
	}
	k := limitKey{model, bareURL(base)}
	window, waits := c.pending[k]
	if waits && tokens > window {
		delete(c.pending, k)
	}
	return window, waits && tokens <= window
}

// settle writes a window down. What could not be written goes on waiting.
func (c *Cache) settle(ctx context.Context, k limitKey, tokens int) error {
	if known, _ := c.Limit(k.model, k.base); c.limits.path != "" && known != tokens {
		err := c.limits.change(ctx, func(data []byte) ([]byte, error) {
			out, err := withLimit(data, k, tokens)
			if err != nil {
				return nil, failed(c.limits.path, err)
			}
			return out, nil
		})
		if err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[k] == tokens {
		delete(c.pending, k)
	}
	return nil
}

// withLimit is the file with a window in it.
func withLimit(data []byte, k limitKey, tokens int) ([]byte, error) {
	d, err := readDocument(data)
	if err != nil {
		return nil, err
	}
	if err := d.set(k, tokens); err != nil {
		return nil, err
	}
	out, err := d.encode()
	if err != nil {
		return nil, err
	}
	// Nothing that cannot be read again may take the place of what can.
	if again, err := parseLimits(out); err != nil || again[k] != tokens {
		return nil, errShape
	}
	return out, nil
}

// check reports whether a key can be written down and read again.
func (k limitKey) check() error {
	const most = 300 // bytes, so that other readers of the format take the whole key
	switch {
	case k.base == "":
		return errors.New("the endpoint has no address that can be kept")
	case k.model == "" || len(k.model) > most || !utf8.ValidString(k.model) || strings.ContainsFunc(k.model, unicode.IsControl) || strings.TrimSpace(k.model) != k.model:
		return errors.New("the model has no name that can be kept")
	}
	if again, ok := readKey(k.String()); !ok || again != k {
		return errors.New("the names of the model and the endpoint cannot be told apart")
	}
	return nil
}
