package credentials

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// The top level of the file.
const (
	formatVersion   = 1
	topVersion      = "version"
	topProviders    = "providers"
	topPools        = "credential_pool"
	topSuppressed   = "suppressed_sources"
	topUpdated      = "updated_at"
	topLegacy       = "systems" // of the form before version 1
	longestFile     = 16 << 20
	byteOrderMark   = "\xef\xbb\xbf"
	indentationUnit = "  "
)

// document is a file of credentials. What is read from it is not shared with it:
// changes take effect by the methods that begin with set.
type document struct {
	file   string
	top    *object
	before json.RawMessage // top when it was read
}

// changed reports whether the file has to be written.
func (d *document) changed() bool { return !bytes.Equal(d.before, d.top.encode()) }

// emptyDocument is a file that does not exist yet.
func emptyDocument(file string) *document {
	top := &object{}
	top.set(topVersion, json.RawMessage(strconv.Itoa(formatVersion)))
	top.set(topProviders, json.RawMessage("{}"))
	return &document{file: file, top: top, before: top.encode()}
}

// parseDocument reads a file. Its errors are of type [*FileError].
func parseDocument(file string, data []byte) (*document, error) {
	corrupt := func(detail string) error {
		return &FileError{File: file, Problem: ProblemCorrupt, Detail: detail}
	}
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, corrupt("it is empty")
	}
	if !utf8.Valid(data) {
		return nil, corrupt("it is not UTF-8")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, corrupt(position(data, err))
	}
	top, err := parseObject(data)
	if err != nil {
		return nil, corrupt("it is no JSON object")
	}
	d := &document{file: file, top: top, before: top.encode()}
	if n, err := strconv.ParseFloat(string(top.get(topVersion)), 64); err == nil && n > formatVersion {
		return nil, &FileError{File: file, Problem: ProblemNewer, Detail: "version " + string(top.get(topVersion))}
	}
	providers, err := d.section(topProviders)
	if err != nil {
		return nil, err
	}
	pools, err := d.section(topPools)
	if err != nil {
		return nil, err
	}
	if providers == nil && pools == nil && top.get(topLegacy) != nil {
		return nil, &FileError{File: file, Problem: ProblemLegacy}
	}
	return d, nil
}

// position returns where JSON is damaged, without quoting it.
func position(data []byte, err error) string {
	at := len(data)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		at = min(int(syntax.Offset), at)
	}
	before := data[:at]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := max(utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]), 1)
	return fmt.Sprintf("not valid JSON at line %d, column %d", line, column)
}

// section returns an object of the top level, nil if there is none.
func (d *document) section(name string) (*object, error) {
	raw := d.top.get(name)
	if raw == nil {
		return nil, nil
	}
	section, err := parseObject(raw)
	if err != nil {
		return nil, d.shape(name, "no object")
	}
	return section, nil
}

// get returns a member of a section, nil if there is none.
func (d *document) get(section, name string) (json.RawMessage, error) {
	o, err := d.section(section)
	if err != nil || o == nil {
		return nil, err
	}
	return o.get(name), nil
}

// put changes a member of a section; nil removes it. A value that stands there already
// stays as it is written.
func (d *document) put(section, name string, value json.RawMessage) error {
	o, err := d.section(section)
	if err != nil {
		return err
	}
	if o == nil {
		o = &object{}
	}
	switch old := o.get(name); {
	case value == nil && !o.has(name), value != nil && old != nil && same(old, value):
		return nil
	case value == nil:
		o.remove(name)
	default:
		o.set(name, value)
	}
	d.top.set(section, o.encode())
	return nil
}

// members returns the members of a section that can be read.
func (d *document) members(section string) []member {
	o, err := d.section(section)
	if err != nil || o == nil {
		return nil
	}
	return o.members
}

// shape returns the error of a member that does not have its form.
func (d *document) shape(path, what string) error {
	return &FileError{File: d.file, Problem: ProblemCorrupt, Detail: path + " is " + what}
}

// rows returns the entries of a pool, those that cannot be understood included.
func (d *document) rows(provider string) ([]*row, error) {
	raw, err := d.get(topPools, provider)
	if err != nil || raw == nil {
		return nil, err
	}
	var values []json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return nil, d.shape(topPools+"."+provider, "no list")
	}
	rows := make([]*row, len(values))
	for i, v := range values {
		rows[i] = &row{raw: v}
		if o, err := parseObject(v); err == nil {
			rows[i].object = o
		}
	}
	return rows, nil
}

// setRows replaces a pool.
func (d *document) setRows(provider string, rows []*row) error {
	var values []json.RawMessage
	for _, r := range rows {
		if r.object != nil {
			r.raw = r.encode()
		}
		values = append(values, r.raw)
	}
	if old, err := d.get(topPools, provider); err != nil || old == nil && len(rows) == 0 {
		return err
	}
	return d.put(topPools, provider, encodeList(values))
}

// state returns what the file keeps of a login of our own, nil if there is none.
func (d *document) state(provider string) *object {
	raw, _ := d.get(topProviders, provider) // a section that cannot be read has none
	if state, err := parseObject(raw); err == nil {
		return state
	}
	return nil
}

// suppressed returns the sources that a user does not want to be used.
func (d *document) suppressed(provider string) (sources []string) {
	var values []json.RawMessage
	if raw, err := d.get(topSuppressed, provider); err != nil || json.Unmarshal(raw, &values) != nil {
		return nil
	}
	for _, v := range values {
		sources = append(sources, text(v))
	}
	return sources
}

// setSuppressed replaces them.
func (d *document) setSuppressed(provider string, sources []string) error {
	if len(sources) == 0 {
		return d.put(topSuppressed, provider, nil)
	}
	var values []json.RawMessage
	for _, s := range sources {
		values = append(values, quoted(s))
	}
	return d.put(topSuppressed, provider, encodeList(values))
}

// providers returns the names of the pools that have entries.
func (d *document) providers() (names []string) {
	for _, m := range d.members(topPools) {
		if rows, err := d.rows(m.name); err == nil && len(rows) > 0 {
			names = append(names, m.name)
		}
	}
	return names
}

// secrets returns the tokens and keys of all pools and logins.
func (d *document) secrets() []string {
	var holders []*object
	for _, m := range d.members(topServers) {
		if o, err := parseObject(m.value); err == nil {
			holders = append(holders, o)
		}
	}
	for _, name := range d.providers() {
		rows, err := d.rows(name)
		for _, r := range rows {
			if err == nil && r.object != nil {
				holders = append(holders, r.object)
			}
		}
	}
	for _, m := range d.members(topProviders) {
		if l := loginOf(d, m.name); l != nil {
			holders = append(holders, l.state, l.tokens)
		}
	}
	var out []string
	for _, o := range holders {
		for _, m := range o.members {
			if s := text(m.value); s != "" && secretField(m.name) {
				out = append(out, s)
			}
		}
	}
	return out
}

// encode writes the file as it is to stand from now on.
func (d *document) encode(now time.Time) ([]byte, error) {
	if !d.top.has(topVersion) {
		d.top.set(topVersion, json.RawMessage(strconv.Itoa(formatVersion)))
	}
	d.top.set(topUpdated, stamp(now))
	var b bytes.Buffer
	if err := json.Indent(&b, d.top.encode(), "", indentationUnit); err != nil {
		return nil, fmt.Errorf("encode %s: %w", d.file, err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
