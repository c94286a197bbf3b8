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

// position says where JSON is damaged, without quoting it.
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

// section is an object of the top level, nil if there is none.
func (d *document) section(name string) (*object, error) {
	return d.objectIn(d.top, name, name)
}

func (d *document) objectIn(o *object, name, path string) (*object, error) {
	raw := o.get(name)
	if raw == nil {
		return nil, nil
	}
	section, err := parseObject(raw)
	if err != nil {
		return nil, d.shape(path, "no object")
	}
	return section, nil
}

// shape is the error of a member that is not of its form.
func (d *document) shape(path, what string) error {
	return &FileError{File: d.file, Problem: ProblemCorrupt, Detail: path + " is " + what}
}

// rows are the entries of a pool, those that cannot be understood included.
func (d *document) rows(provider string) ([]*row, error) {
	pools, err := d.section(topPools)
	if err != nil || pools == nil {
		return nil, err
	}
	raw := pools.get(provider)
	if raw == nil {
		return nil, nil
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
	pools, err := d.section(topPools)
	if err != nil {
		return err
	}
	if pools == nil {
		pools = &object{}
	}
	var values []json.RawMessage
	for _, r := range rows {
		if r.object != nil {
			r.raw = r.encode()
		}
		values = append(values, r.raw)
	}
	list := encodeList(values)
	if old := pools.get(provider); old != nil && same(old, list) || old == nil && len(rows) == 0 {
		return nil
	}
	pools.set(provider, list)
	d.top.set(topPools, pools.encode())
	return nil
}

// state is what the file keeps of a login of our own, nil if there is none.
func (d *document) state(provider string) *object {
	logins, err := d.section(topProviders)
	if err != nil || logins == nil {
		return nil
	}
	state, err := parseObject(logins.get(provider))
	if err != nil {
		return nil
	}
	return state
}

// setState replaces it.
func (d *document) setState(provider string, state *object) error {
	logins, err := d.section(topProviders)
	if err != nil {
		return err
	}
	if logins == nil {
		logins = &object{}
	}
	logins.set(provider, state.encode())
	d.top.set(topProviders, logins.encode())
	return nil
}

// suppressed are the sources that a user does not want to be used.
func (d *document) suppressed(provider string) []string {
	section, err := d.section(topSuppressed)
	if err != nil || section == nil {
		return nil
	}
	var values []json.RawMessage
	if json.Unmarshal(section.get(provider), &values) != nil {
		return nil
	}
	var out []string
	for _, v := range values {
		out = append(out, text(v))
	}
	return out
}

// setSuppressed replaces them.
func (d *document) setSuppressed(provider string, sources []string) error {
	section, err := d.section(topSuppressed)
	if err != nil {
		return err
	}
	if section == nil {
		section = &object{}
	}
	var values []json.RawMessage
	for _, s := range sources {
		values = append(values, quoted(s))
	}
	section.set(provider, encodeList(values))
	if len(values) == 0 {
		section.remove(provider)
	}
	d.top.set(topSuppressed, section.encode())
	return nil
}

// providers are the names of the pools that have entries.
func (d *document) providers() []string {
	pools, err := d.section(topPools)
	if err != nil || pools == nil {
		return nil
	}
	var names []string
	for _, m := range pools.members {
		if rows, err := d.rows(m.name); err == nil && len(rows) > 0 {
			names = append(names, m.name)
		}
	}
	return names
}

// secrets are the tokens and keys of all pools and logins.
func (d *document) secrets() []string {
	holders := d.serverLogins()
	for _, name := range d.providers() {
		rows, err := d.rows(name)
		for _, r := range rows {
			if err == nil && r.object != nil {
				holders = append(holders, r.object)
			}
		}
	}
	logins, err := d.section(topProviders)
	if err == nil && logins != nil {
		for _, m := range logins.members {
			if l := loginOf(d, m.name); l != nil {
				holders = append(holders, l.state, l.tokens)
			}
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
