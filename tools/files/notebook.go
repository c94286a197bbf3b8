package files

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxOutput is how much of one output of a notebook is shown, in bytes.
const maxOutput = 8 << 10

// extractNotebook takes the text out of a Jupyter notebook: its cells with their
// numbers and kinds, their source, and their outputs as far as those are text.
// Cells are read one by one.
func extractNotebook(ctx context.Context, r io.ReaderAt, size int64, out *extract) error {
	in := bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 64<<10)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\xEF\xBB\xBF" {
		_, _ = in.Discard(3)
	}
	n := notebook{ctx: ctx, dec: json.NewDecoder(in), out: out}
	found, err := n.object()
	switch {
	case errors.Is(err, errFull) || ctx.Err() != nil:
		return err
	case err != nil:
		return fmt.Errorf("%w (its JSON is damaged: %w)", errNoDocument, err)
	case !found:
		return fmt.Errorf("%w (it has no list of cells)", errNoDocument)
	}
	return nil
}

// notebook is a notebook that is being read.
type notebook struct {
	ctx   context.Context
	dec   *json.Decoder
	out   *extract
	cells int
}

// object reads an object that may have cells, and reports whether it had.
func (n *notebook) object() (found bool, err error) {
	if err := n.delim('{'); err != nil {
		return false, err
	}
	for n.dec.More() {
		key, err := n.dec.Token()
		if err != nil {
			return false, fmt.Errorf("read notebook: %w", err)
		}
		switch key {
		case "cells":
			found, err = true, n.list(n.cell)
		case "worksheets": // the third version of the format
			err = n.list(func() error {
				inner, err := n.object()
				found = found || inner
				return err
			})
		default:
			var skipped json.RawMessage
			err = n.dec.Decode(&skipped)
		}
		if err != nil {
			return false, err
		}
	}
	return found, n.delim('}')
}

// list reads a list, item by item.
func (n *notebook) list(item func() error) error {
	if err := n.delim('['); err != nil {
		return err
	}
	for n.dec.More() {
		if n.ctx.Err() != nil {
			return context.Cause(n.ctx)
		}
		if err := item(); err != nil {
			return err
		}
	}
	return n.delim(']')
}

func (n *notebook) delim(want json.Delim) error {
	tok, err := n.dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("read notebook: %w", err)
	}
	if tok != want {
		return fmt.Errorf("%q is missing where %v stands", want.String(), tok)
	}
	return nil
}

// notebookCell is a cell as it is stored, in any version of the format.
type notebookCell struct {
	Kind    string           `json:"cell_type"`
	Source  multiline        `json:"source"`
	Input   multiline        `json:"input"`
	Count   *float64         `json:"execution_count"`
	Outputs []notebookOutput `json:"outputs"`
}

type notebookOutput struct {
	Kind  string                     `json:"output_type"`
	Name  string                     `json:"name"`
	Text  multiline                  `json:"text"`
	Data  map[string]json.RawMessage `json:"data"`
	Error string                     `json:"ename"`
	Value string                     `json:"evalue"`
	Trace multiline                  `json:"traceback"`
	PNG   string                     `json:"png"`
	JPEG  string                     `json:"jpeg"`
}

// multiline is a text that is stored whole or as a list of lines.
type multiline string

// UnmarshalJSON takes either form; anything else is no text.
func (m *multiline) UnmarshalJSON(data []byte) error {
	var one string
	var many []string
	switch {
	case json.Unmarshal(data, &one) == nil:
		*m = multiline(one)
	case json.Unmarshal(data, &many) == nil:
		*m = multiline(strings.Join(many, ""))
	}
	return nil
}

// cell reads a cell and puts it out.
func (n *notebook) cell() error {
	var c notebookCell
	if err := n.dec.Decode(&c); err != nil {
		return fmt.Errorf("read cell %d: %w", n.cells+1, err)
	}
	n.cells++
	title := fmt.Sprintf("[cell %d: %s]", n.cells, oneLine(c.Kind))
	if c.Count != nil {
		title = fmt.Sprintf("[cell %d: %s, run %v]", n.cells, oneLine(c.Kind), *c.Count)
	}
	if n.cells > 1 {
		title = "\n" + title
	}
	source := c.Source
	if source == "" {
		source = c.Input
	}
	if err := n.put(title, string(source)); err != nil {
		return err
	}
	for _, o := range c.Outputs {
		if err := n.output(o); err != nil {
			return err
		}
	}
	return nil
}

// put adds a title and a text.
func (n *notebook) put(title, text string) error {
	if err := n.out.line(title); err != nil {
		return err
	}
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if text == "" {
		return nil
	}
	return n.out.line(text)
}

// output adds an output of a cell. Of several forms of one the plainest is shown;
// what is no text is named.
func (n *notebook) output(o notebookOutput) error {
	switch {
	case o.Kind == "error" || o.Kind == "pyerr":
		trace := string(o.Trace)
		if trace == "" {
			trace = o.Error + ": " + o.Value
		}
		return n.put("[error]", shortened(trace))
	case o.Text != "":
		return n.put(strings.TrimSpace("[output "+oneLine(o.Name))+"]", shortened(string(o.Text)))
	case o.PNG != "":
		return n.put(fmt.Sprintf("[image/png, %d bytes, not shown]", len(o.PNG)*3/4), "")
	case o.JPEG != "":
		return n.put(fmt.Sprintf("[image/jpeg, %d bytes, not shown]", len(o.JPEG)*3/4), "")
	}
	types := make([]string, 0, len(o.Data))
	for kind := range o.Data {
		types = append(types, kind)
	}
	slices.Sort(types)
	shown := ""
	for _, kind := range []string{"text/plain", "text/markdown", "text/latex"} {
		if slices.Contains(types, kind) {
			shown = kind
			break
		}
	}
	for _, kind := range types {
		if strings.HasPrefix(kind, "image/") || shown == "" {
			size := len(o.Data[kind])
			if strings.HasPrefix(kind, "image/") && kind != "image/svg+xml" {
				size = size * 3 / 4
			}
			if err := n.put(fmt.Sprintf("[%s, %d bytes, not shown]", oneLine(kind), size), ""); err != nil {
				return err
			}
		}
	}
	if shown == "" {
		return nil
	}
	var text multiline
	_ = text.UnmarshalJSON(o.Data[shown]) // never fails
	return n.put("[output]", shortened(string(text)))
}

// shortened cuts an output and takes the colours out of it.
func shortened(s string) string {
	s = plain(s)
	if len(s) <= maxOutput {
		return s
	}
	return strings.ToValidUTF8(s[:maxOutput], "") + fmt.Sprintf("\n[%d more bytes of this output are not shown]", len(s)-maxOutput)
}

// plain takes escape sequences out of a text.
func plain(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "\x1b")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if strings.HasPrefix(rest, "[") {
			end := strings.IndexFunc(rest[1:], func(c rune) bool { return c >= '@' && c <= '~' })
			if end < 0 {
				return b.String()
			}
			rest = rest[end+2:]
		}
		s = rest
	}
}
