package memory

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
)

// about holds the facts about an entry: date and project.
type about struct {
	At      time.Time `json:"at,omitzero"`
	Project string    `json:"project,omitempty"`
	// More are further entries with this text, each about a project of its own.
	More []about `json:"more,omitempty"`
}

// side is what is known of entries, by [keyOf].
type side map[string]about

// entries are those of the lines of a file. A line stands for all entries with its text.
func (s side) entries(t Target, lines []string) []Entry {
	list := make([]Entry, 0, len(lines))
	seen := map[string]bool{}
	for _, text := range lines {
		a := s[keyOf(t, text)]
		list = append(list, Entry{text, a.At, a.Project})
		for _, m := range a.More {
			if e := (Entry{text, m.At, m.Project}); !seen[text] && !has(list, e) {
				list = append(list, e)
			}
		}
		seen[text] = true
	}
	return list
}

// lines are the texts of entries as a file holds them: those of one text that are about
// different projects share a line.
func lines(entries []Entry) []string {
	list := make([]string, 0, len(entries))
	for i, e := range entries {
		other := func(o Entry) bool { return o.Text == e.Text && o.Project != e.Project }
		if !slices.ContainsFunc(entries[:i], other) {
			list = append(list, e.Text)
		}
	}
	return list
}

// ID names an entry as long as its text and its project stay.
func ID(t Target, e Entry) string {
	text := e.Text
	if e.Project != "" {
		text += "\x00" + e.Project
	}
	_, sum, _ := strings.Cut(keyOf(t, text), ":")
	return string(t[:1]) + sum[:8]
}

func keyOf(t Target, text string) string {
	sum := sha256.Sum256([]byte(text))
	return string(t) + ":" + hex.EncodeToString(sum[:12])
}

func (s *Store) sideFile() string { return filepath.Join(s.o.Dir, "entries.json") }

// side reads what is known of entries. A file that cannot be read says nothing: entries
// then count as old and as about no project.
func (s *Store) side() side {
	known := side{}
	text, err := read(s.sideFile())
	if err != nil || json.Unmarshal([]byte(text), &known) != nil || known == nil {
		return side{}
	}
	return known
}

// note writes what is known of the entries that a plan leaves. What was known of texts that
// it takes away stays until the next write, for a process that is killed before it is made.
func (s *Store) note(p Plan) error {
	t, next := p.Change.Target, side{}
	for key, a := range s.side() {
		if !strings.HasPrefix(key, string(t)+":") {
			next[key] = a
		}
	}
	left := slices.DeleteFunc(slices.Clone(p.Before), func(e Entry) bool {
		return slices.ContainsFunc(p.After, func(a Entry) bool { return a.Text == e.Text })
	})
	for _, e := range slices.Concat(p.After, left) {
		key, a := keyOf(t, e.Text), about{At: e.At, Project: e.Project}
		if known, ok := next[key]; !ok {
			next[key] = a
		} else if known.Project != a.Project && !slices.ContainsFunc(known.More, func(m about) bool { return m.Project == a.Project }) {
			known.More = append(known.More, a)
			next[key] = known
		}
	}
	for key, a := range next {
		if a.At.IsZero() && a.Project == "" && a.More == nil {
			delete(next, key) // nothing is known of it
		}
	}
	data, err := json.MarshalIndent(next, "", " ")
	if err != nil {
		return err
	}
	return write(s.sideFile(), append(data, '\n'))
}

// Archived is an entry that made room for others.
type Archived struct {
	Target  Target    `json:"target"`
	Text    string    `json:"content"`
	At      time.Time `json:"created_at,omitzero"` // when it was written
	Project string    `json:"project,omitempty"`
	// Moved is when it was archived, Reason why.
	Moved  time.Time `json:"archived_at"`
	Reason string    `json:"reason"`
}

// ID names it, as [ID] would name the entry.
func (a Archived) ID() string { return ID(a.Target, Entry{Text: a.Text, Project: a.Project}) }

func (s *Store) archiveFile() string { return filepath.Join(s.o.Dir, "ARCHIVE.jsonl") }

// archive keeps the entries that a plan moves out.
func (s *Store) archive(p Plan) error {
	if len(p.Evicted) == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, e := range p.Evicted {
		if err := lineTo(&b, Archived{p.Change.Target, e.Text, e.At, e.Project, s.o.Now().UTC(), "made room for newer entries"}); err != nil {
			return err
		}
	}
	return atomicfile.Append(s.archiveFile(), b.Bytes())
}

// maxRead bounds what is read of the archive and of the history, in bytes from the end.
const maxRead = 4 << 20

// Archive returns the archived entries, the newest first, each once, without those that are
// remembered again.
func (s *Store) Archive() ([]Archived, error) {
	lines, err := tail(s.archiveFile(), maxRead)
	if err != nil {
		return nil, err
	}
	type key struct {
		t             Target
		text, project string
	}
	seen := map[key]bool{}
	for _, t := range Targets {
		entries, _, err := s.List(t)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			seen[key{t, e.Text, e.Project}] = true
		}
	}
	var list []Archived
	for _, line := range slices.Backward(lines) {
		var a Archived
		if json.Unmarshal(line, &a) != nil || a.Text == "" {
			continue
		}
		if k := (key{a.Target, a.Text, a.Project}); !seen[k] {
			seen[k] = true
			list = append(list, a)
		}
	}
	return list, nil
}

// PutBack adds an archived entry again, with its date and its project.
func (s *Store) PutBack(ctx context.Context, a Archived, by string) (Plan, error) {
	op := Operation{Action: Add, Content: a.Text, Project: &a.Project, At: a.At}
	return s.Apply(ctx, Change{Target: a.Target, Operations: []Operation{op}, By: by})
}

// Written is a write that was made.
type Written struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	By     string    `json:"by,omitempty"`
	Target Target    `json:"target"`
	// Removed are the entries that it took away, Added those that it wrote.
	Removed []Place `json:"removed,omitempty"`
	Added   []Place `json:"added,omitempty"`
	// Undoes is the write that it takes back, empty for none.
	Undoes string `json:"undoes,omitempty"`
	// Undone reports whether a later write took it back.
	Undone bool `json:"-"`
}

// Place is an entry with its place in the file.
type Place struct {
	Index   int       `json:"index"`
	Text    string    `json:"content"`
	At      time.Time `json:"created_at,omitzero"`
	Project string    `json:"project,omitempty"`
}

func (s *Store) historyFile() string { return filepath.Join(s.o.Dir, "HISTORY.jsonl") }

// record notes a plan in the history.
func (s *Store) record(p Plan) error {
	return s.append(Written{
		ID: strings.ToLower(rand.Text()[:8]), At: s.o.Now().UTC(), By: p.Change.By, Target: p.Change.Target, Undoes: p.undoes,
		Removed: minus(p.Before, p.After), Added: minus(p.After, p.Before),
	})
}

// minus returns the entries of a list that it holds more often than another.
func minus(list, other []Entry) []Place {
	type key struct{ text, project string }
	left := map[key]int{}
	for _, e := range other {
		left[key{e.Text, e.Project}]++
	}
	var more []Place
	for i, e := range list {
		k := key{e.Text, e.Project}
		if left[k]--; left[k] < 0 {
			more = append(more, Place{i, e.Text, e.At, e.Project})
		}
	}
	return more
}

// The history is shortened to keepWrites when it is over maxHistory bytes.
const (
	maxHistory = 1 << 20
	keepWrites = 200
)

func (s *Store) append(w Written) error {
	var b bytes.Buffer
	if err := lineTo(&b, w); err != nil {
		return err
	}
	lines, err := tail(s.historyFile(), maxRead)
	if err != nil {
		return err
	}
	if total := bytes.Join(lines, []byte{'\n'}); len(total) > maxHistory {
		kept := append(bytes.Join(lines[max(len(lines)-keepWrites, 0):], []byte{'\n'}), b.Bytes()...)
		return write(s.historyFile(), kept)
	}
	return atomicfile.Append(s.historyFile(), b.Bytes())
}

// lineTo writes a value as one line of JSON.
func lineTo(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
