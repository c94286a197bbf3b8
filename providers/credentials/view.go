package credentials

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// view is a pool put together: the rows of the file, the secrets that are kept
// elsewhere, and the operations that are not written yet.
type view struct {
	provider string
	doc      *document // whose rows these are
	// root: the pool is the root's, used by a profile that has none of its own.
	root  bool
	rows  []*row
	login *login
}

// documents are the files of a store: its own, and the root's when there is one.
type documents struct{ own, root *document }

// owner is the file that a pool lives in: the own one, unless only the root's has
// something for the provider.
func (d documents) owner(provider string) (doc *document, root bool, err error) {
	rows, err := d.own.rows(provider)
	if err != nil || d.root == nil || len(rows) > 0 || loginOf(d.own, provider) != nil {
		return d.own, false, err
	}
	rows, err = d.root.rows(provider)
	if err != nil {
		return nil, false, err
	}
	if len(rows) > 0 || loginSource(provider) != "" && loginOf(d.root, provider) != nil {
		return d.root, true, nil
	}
	return d.own, false, nil
}

// assemble puts a pool together. With own it is taken from the own file even if
// that has nothing for the provider.
func assemble(docs documents, provider string, seeds []Seed, ops []op, own bool) (*view, error) {
	doc, root, err := docs.owner(provider)
	if err != nil {
		return nil, err
	}
	if own {
		doc, root = docs.own, false
	}
	rows, err := doc.rows(provider)
	if err != nil {
		return nil, err
	}
	v := &view{provider: provider, doc: doc, root: root, rows: rows, login: loginOf(doc, provider)}
	for _, r := range v.entries() {
		if borrowedSource(r.source()) {
			r.strip()
		}
	}
	suppressed := docs.own.suppressed(provider)
	if root {
		suppressed = append(suppressed, doc.suppressed(provider)...)
	}
	v.adopt(slices.Contains(suppressed, loginSource(provider)))
	v.applySeeds(seeds, suppressed)
	for _, r := range v.entries() {
		s := r.secret(provider)
		if known := r.text(fieldFingerprint); r.seed == nil && known != "" && s.key() != "" && !s.bears(known) {
			if r.status() != OK {
				r.clear() // it was changed by hand
			}
			r.put(fieldFingerprint, s.fingerprint())
		}
	}
	for _, o := range ops {
		o.apply(v)
	}
	return v, nil
}

// entries returns the rows that can be understood.
func (v *view) entries() []*row {
	var out []*row
	for _, r := range v.rows {
		if r.object != nil {
			out = append(out, r)
		}
	}
	return out
}

// sorted returns the entries by priority, equal ones in the order of the file.
func (v *view) sorted() []*row {
	out := v.entries()
	slices.SortStableFunc(out, func(a, b *row) int { return a.int(fieldPriority) - b.int(fieldPriority) })
	return out
}

func (v *view) bySource(source string) *row {
	for _, r := range v.entries() {
		if r.source() == source {
			return r
		}
	}
	return nil
}

func (v *view) byID(id string) *row {
	for _, r := range v.entries() {
		if r.id() == id {
			return r
		}
	}
	return nil
}

// nextPriority comes after all others.
func (v *view) nextPriority() int {
	next := 0
	for _, r := range v.entries() {
		next = max(next, r.int(fieldPriority)+1)
	}
	return next
}

// freeID is an id for a row of a source, the same in every process.
func (v *view) freeID(source string) string {
	for n := 0; ; n++ {
		if id := derivedID(v.provider, source, strconv.Itoa(n)); v.byID(id) == nil {
			return id
		}
	}
}

// find is the row a reference means: by id, else by a source that only one row
// can have.
func (v *view) find(to ref) *row {
	if r := v.byID(to.id); r != nil {
		return r
	}
	if to.source == "" || to.source == sourceManual || strings.HasPrefix(to.source, sourceManual+":") {
		return nil
	}
	return v.bySource(to.source)
}

// credentials returns the entries as they stand at a time, by priority.
func (v *view) credentials(now time.Time) []Credential {
	living := map[string]bool{}
	for _, r := range v.entries() {
		if s := r.secret(v.provider); s.key() != "" && r.status() != Dead {
			living[s.key()] = true
		}
	}
	var out []Credential
	for _, r := range v.sorted() {
		out = append(out, r.credential(v.provider, now, len(living) <= 1))
	}
	return out
}

// secrets returns all secrets of the pool that are at hand.
func (v *view) secrets() []string {
	var out []string
	for _, r := range v.entries() {
		s := r.secret(v.provider)
		out = append(out, s.all()...)
	}
	return out
}

// store puts the pool back into its file. Rows that a profile has added to the
// root's pool stay out.
func (v *view) store() error {
	rows := v.rows
	if v.root {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.fresh })
	}
	for _, r := range rows {
		if r.object != nil && r.text(fieldID) == "" {
			r.put(fieldID, r.id())
		}
	}
	if v.login != nil && v.login.changed {
		if err := v.doc.put(topProviders, v.provider, v.login.state.encode()); err != nil {
			return err
		}
	}
	return v.doc.setRows(v.provider, rows)
}
