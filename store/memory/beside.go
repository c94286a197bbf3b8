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
)

// about is what is known of an entry besides its text.
type about struct {
	At      time.Time `json:"at,omitzero"`
	Project string    `json:"project,omitempty"`
}

// side is what is known of entries, by [keyOf].
type side map[string]about

// ID names an entry as long as its text stays.
func ID(t Target, text string) string {
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

// note writes what is known of the entries that a plan leaves. The dates of those it
// takes away stay until the next write, for a process that is killed before it is made.
func (s *Store) note(p Plan, old side) error {
	t, now := p.Change.Target, s.o.Now().UTC().Truncate(time.Second)
	next := side{}
	for key, a := range old {
		if !strings.HasPrefix(key, string(t)+":") {
			next[key] = a
		}
	}
	for _, e := range slices.Concat(p.Before, p.After) {
		if a, ok := old[keyOf(t, e)]; ok {
			next[keyOf(t, e)] = a
		}
	}
	for _, op := range p.Change.Operations {
		e := strings.TrimSpace(op.Content)
		if op.Action == Remove || slices.Contains(p.Before, e) {
			continue
		}
		next[keyOf(t, e)] = about{op.At, op.Project}
		if op.At.IsZero() {
			next[keyOf(t, e)] = about{now, op.Project}
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

func (s *Store) archiveFile() string { return filepath.Join(s.o.Dir, "ARCHIVE.jsonl") }

// archive keeps the entries that a plan moves out.
func (s *Store) archive(p Plan, side side) error {
	if len(p.Evicted) == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, e := range p.Evicted {
		a := side[keyOf(p.Change.Target, e)]
		if err := lineTo(&b, Archived{p.Change.Target, e, a.At, a.Project, s.o.Now().UTC(), "made room for newer entries"}); err != nil {
			return err
		}
	}
	return appendLines(s.archiveFile(), b.Bytes())
}

// maxRead bounds what is read of the archive and of the history, in bytes from the end.
const maxRead = 4 << 20

// Archive gives the archived entries, the newest first, each once.
func (s *Store) Archive() ([]Archived, error) {
	lines, err := tail(s.archiveFile(), maxRead)
	if err != nil {
		return nil, err
	}
	var list []Archived
	seen := map[string]bool{}
	for _, line := range slices.Backward(lines) {
		var a Archived
		if json.Unmarshal(line, &a) == nil && a.Text != "" && !seen[keyOf(a.Target, a.Text)] {
			seen[keyOf(a.Target, a.Text)] = true
			list = append(list, a)
		}
	}
	return list, nil
}

// PutBack adds an archived entry again, with its date and its project.
func (s *Store) PutBack(ctx context.Context, a Archived, by string) (Plan, error) {
	op := Operation{Action: Add, Content: a.Text, Project: a.Project, At: a.At}
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
	// Undone says that a later write took it back.
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
func (s *Store) record(p Plan, side side) error {
	w := Written{ID: strings.ToLower(rand.Text()[:8]), At: s.o.Now().UTC(), By: p.Change.By, Target: p.Change.Target, Undoes: p.undoes}
	w.Removed, w.Added = minus(p.Before, p.After), minus(p.After, p.Before)
	for i := range w.Removed {
		a := side[keyOf(w.Target, w.Removed[i].Text)]
		w.Removed[i].At, w.Removed[i].Project = a.At, a.Project
	}
	return s.append(w)
}

// minus are the entries of a list that are more often in it than in another.
func minus(list, other []string) []Place {
	left := map[string]int{}
	for _, e := range other {
		left[e]++
	}
	var more []Place
	for i, e := range list {
		if left[e]--; left[e] < 0 {
			more = append(more, Place{Index: i, Text: e})
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
	return appendLines(s.historyFile(), b.Bytes())
}

// lineTo writes a value as one line of JSON.
func lineTo(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
