package bind

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/store/learnings"
	"hermes-tui/store/memory"
	"hermes-tui/store/sessions"
)

// mind is a recall over stores of its own.
type mind struct {
	*Recall
	t      *testing.T
	db     *sessions.DB
	notes  *memory.Store
	learnt *learnings.Store
	sent   []string
	said   int
}

func newMind(t *testing.T) *mind {
	t.Helper()
	dir := t.TempDir()
	db, err := sessions.Open(t.Context(), filepath.Join(dir, "state.db"), sessions.Options{Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	none := func(string) []string { return nil }
	m := &mind{
		t: t, db: db,
		notes: memory.New(memory.Options{
			Dir: filepath.Join(dir, "memories"), Limits: map[memory.Target]int{memory.Notes: 60}, Archive: true, Scan: none, Now: time.Now,
		}),
		learnt: learnings.New(learnings.Options{Path: filepath.Join(dir, "learnings.jsonl"), Limit: 100, Mask: func(s string) string { return s }, Scan: none, Now: time.Now}),
	}
	m.Recall = NewRecall(RecallOptions{
		Path: filepath.Join(dir, "recall.db"), Sessions: db, Learnings: m.learnt, Memory: m.notes, Targets: []memory.Target{memory.Notes}, Now: time.Now,
	})
	t.Cleanup(func() { _, _ = m.Close(), db.Close() })
	return m
}

// say stores what was said in sessions of their own.
func (m *mind) say(texts ...string) {
	m.t.Helper()
	for _, text := range texts {
		m.said++
		name := fmt.Sprint(m.said)
		if err := m.db.Commit(m.t.Context(), sessions.Batch{Conv: "c" + name, Session: "s" + name, Create: &sessions.NewSession{Source: "cli"}, Messages: []sessions.Message{
			{ID: "m" + name, Role: "user", Content: text, At: time.Now()},
		}}); err != nil {
			m.t.Fatal(err)
		}
	}
}

func (m *mind) add(text, project string) {
	m.t.Helper()
	if _, err := m.notes.Apply(m.t.Context(), memory.Change{Target: memory.Notes, Operations: []memory.Operation{{Action: memory.Add, Content: text, Project: &project}}}); err != nil {
		m.t.Fatal(err)
	}
}

func (m *mind) recollect(text, project string) string {
	found := m.Recollect(m.t.Context(), Recollection{
		Text: text, Project: project,
		Embed: func(context.Context, []string) ([][]float32, string, error) { return nil, "", errors.New("no model") },
	})
	return m.Show(m.t.Context(), found, 1500, func(s string) bool { return strings.Contains(strings.Join(m.sent, "\n"), s) })
}

// TestRecollectByWords calls to mind what fits a message by its words: what has several of
// them, and of what was said that which has one that is rare.
func TestRecollectByWords(t *testing.T) {
	m := newMind(t)
	m.say("The cat Minou sleeps in the office", "在东京的服务器上运行数据库迁移")
	for i := range 20 {
		m.say(fmt.Sprintf("run the tests of package number %d again", i))
	}
	if _, _, err := m.learnt.Add(t.Context(), learnings.Entry{Pattern: "go test ./store", Fix: "set TMPDIR to a local disk"}); err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{
		"where does Minou sleep, in which office?": "past session",
		"Minou?":                              "",
		"the store test needs a local disk?":  "learning",
		"东京的数据库怎么样":                           "past session",
		"please run the tests of the package": "", // many messages have each of these words
		"who is it?":                          "",
		"the weather in Paris":                "",
	} {
		got := m.recollect(message, "/p")
		if !strings.HasPrefix(got, want) || (want == "") != (got == "") || strings.Count(got, "\n") > 1 {
			t.Errorf("%q calls to mind %q", message, got)
		}
	}
	m.sent = []string{"earlier sessions\npast session 2026-01-01: The cat Minou sleeps in the office\n"}
	if got := m.recollect("where does Minou sleep, in which office?", "/p"); got != "" {
		t.Errorf("what the model has already: %q", got)
	}
}

// TestRecollectOfProject calls to mind nothing that is about another project, and of memory
// only what is not before the model anyway.
func TestRecollectOfProject(t *testing.T) {
	m := newMind(t)
	m.add("the database port is 5433", "/a")
	if _, _, err := m.learnt.Add(t.Context(), learnings.Entry{Pattern: "psql fails with the database port", Fix: "use the socket", Project: "/b"}); err != nil {
		t.Fatal(err)
	}
	const asked = "which port has the database?"
	if got := m.recollect(asked, "/a"); got != "" {
		t.Errorf("an entry of memory: %q", got)
	}
	m.add(strings.Repeat("x", 55), "") // for which the other one has to make room
	for project, want := range map[string]string{"/a": "archived memory", "/b": "learning", "/c": ""} {
		if got := m.recollect(asked, project); !strings.HasPrefix(got, want) || (want == "") != (got == "") || strings.Count(got, "\n") > 1 {
			t.Errorf("in %s: %q", project, got)
		}
	}
	list, err := m.notes.Archive()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if _, err := m.notes.PutBack(t.Context(), list[0], ""); err != nil {
		t.Fatal(err)
	}
	if got := m.recollect(asked, "/a"); got != "" {
		t.Errorf("after it was put back: %q", got)
	}
	found, note, err := m.Find(t.Context(), "database port", "", 5, func(context.Context, []string) ([][]float32, string, error) { return nil, "", errors.New("no model") })
	if err != nil || len(found) != 2 || found[0].Project == "" || found[1].Project == "" || !strings.Contains(note, "words only") {
		t.Errorf("a search finds %+v, %q, %v", found, note, err)
	}
}

// TestKeepReachesBack gives messages of earlier times vectors too, a part in each run.
func TestKeepReachesBack(t *testing.T) {
	m := newMind(t)
	for i := range 700 {
		m.say(fmt.Sprintf("message number %d", i))
	}
	vectors := 0
	embed := func(_ context.Context, texts []string) ([][]float32, string, error) {
		vectors += len(texts)
		return make([][]float32, len(texts)), "m", nil
	}
	keep := func() (oldest, newest int64, count int) {
		t.Helper()
		if err := m.Keep(t.Context(), embed); err != nil {
			t.Fatal(err)
		}
		oldest, newest, count, err := m.index.Reach(t.Context(), FromMessages, "m")
		if err != nil {
			t.Fatal(err)
		}
		return oldest, newest, count
	}
	if oldest, newest, count := keep(); newest != 700 || count != embedMost || oldest != 700-embedMost+1 {
		t.Errorf("at first those from %d to %d, %d", oldest, newest, count)
	}
	m.say("a new one")
	if oldest, newest, count := keep(); newest != 701 || count != 701 || oldest != 1 {
		t.Errorf("then those from %d to %d, %d", oldest, newest, count)
	}
	before := vectors
	if keep(); vectors != before {
		t.Errorf("%d vectors are made again", vectors-before)
	}
	m.past = embedPast
	if said, err := m.unread(t.Context()); err != nil || len(said) != 0 {
		t.Errorf("beyond the bound: %d, %v", len(said), err)
	}
}
