package app

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/export"
	"hermes-tui/store"
	"hermes-tui/store/config"
	"hermes-tui/store/sessions"

	_ "modernc.org/sqlite" // the driver, to look into the database from outside
)

// talkEnv makes the test binary act as a program that works on the sessions of a home:
// its value is the home, the name of the program and how often it was started before.
const talkEnv = "APP_SESSIONS_TALKER"

// talker is such a program.
type talker struct {
	*App
	ctx  context.Context
	name string
	life string
	said []string // the marks of this life
}

// talkSessions resumes, writes, searches, exports, imports and prunes sessions, and says
// each thing that is stored, until it is killed. It works in the home itself, where its
// tools and snapshots come upon the database.
func talkSessions(task string) error {
	parts := strings.Split(task, "|")
	home, err := store.Find(store.Where{Dir: parts[0]})
	if err != nil {
		return err
	}
	env := func(string) (string, bool) { return "", false }
	c, _, err := config.Load(config.Options{File: home.Config(), Env: env})
	if err != nil {
		return err
	}
	ctx := context.Background()
	a, err := Open(ctx, Options{Version: "test", Home: home, Config: c, Env: env, Dir: parts[0], IDs: event.SystemSource(), Unattended: true})
	if err != nil {
		return err
	}
	w := &talker{App: a, ctx: ctx, name: parts[1], life: parts[2]}
	for i := 0; ; i++ {
		if err := w.round(i); err != nil {
			return fmt.Errorf("round %d of %s: %w", i, task, err)
		}
	}
}

// round is one round of a program's work.
func (w *talker) round(i int) error {
	c, err := w.own()
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	for k := range 3 {
		mark := fmt.Sprintf("mark%sx%sx%dx%d", w.name, w.life, i, k)
		if err := w.say(c, w.name+" says "+mark); err != nil {
			return fmt.Errorf("say: %w", err)
		}
		fmt.Println("said", c.Session(), mark)
		w.said = append(w.said, mark)
	}
	if err := w.finds(w.said[rand.IntN(len(w.said))]); err != nil {
		return err
	}
	if i%2 == 0 {
		err = w.exports(string(c.Session()))
	} else {
		err = w.others()
	}
	if err == nil {
		err = c.Close(w.ctx)
	}
	if err == nil && i%3 == 2 {
		err = w.prunes()
	}
	return err
}

// own goes on with the session of this program, or begins it.
func (w *talker) own() (Conversation, error) {
	list, err := w.Sessions(w.ctx, w.name+" says", 1000, true)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if !strings.HasPrefix(s.Preview, w.name+" says") {
			continue
		}
		c, err := w.Resume(w.ctx, s.Session)
		for ends := time.Now().Add(patience); is[*HeldError](err) && time.Now().Before(ends); {
			time.Sleep(20 * time.Millisecond) // another program looks into it
			c, err = w.Resume(w.ctx, s.Session)
		}
		return c, err
	}
	return w.Start(w.ctx)
}

func (w *talker) say(c Conversation, text string) error {
	if _, err := c.Submit(text); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(w.ctx, 2*patience)
	defer cancel()
	for {
		events, err := c.Next(ctx)
		if err != nil {
			return err
		}
		for _, e := range events {
			if end, ok := e.(*event.TurnFinished); ok {
				if end.Outcome != event.TurnCompleted {
					return fmt.Errorf("the turn ended %s: %s", end.Outcome, end.Explain)
				}
				if prompted(c, end.Turn) == text { // else that of what a killed program had left in the queue
					return nil
				}
			}
		}
	}
}

// prompted is the text that a turn began with.
func prompted(c Conversation, turn event.TurnID) string {
	for _, b := range c.State().Root().Blocks {
		if b.Kind == event.BlockUser && b.Turn == turn {
			return b.Text.String()
		}
	}
	return ""
}

// finds looks for what was said, which is found once.
func (w *talker) finds(mark string) error {
	found, err := w.Search(w.ctx, mark, time.Now())
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	if len(found) != 1 || found[0].Total != 1 {
		return fmt.Errorf("searched for %s and found %+v", mark, found)
	}
	return nil
}

// exports writes a session, which holds what was said in it, and takes it in again as one
// of long ago, which any program may prune.
func (w *talker) exports(session string) error {
	var b bytes.Buffer
	if err := w.Export(w.ctx, session, string(export.JSON), true, &b); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	for _, mark := range w.said {
		if !strings.Contains(b.String(), mark) {
			return fmt.Errorf("%s is not in the export", mark)
		}
	}
	old := regexp.MustCompile(`"(at|started_at)": "20\d\d`).ReplaceAllString(b.String(), `"$1": "2019`)
	old = strings.ReplaceAll(strings.ReplaceAll(old, "mark", "copy"), w.name+" says", "long ago")
	id, err := w.Import(w.ctx, strings.NewReader(old))
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	fmt.Println("copied", id)
	return nil
}

// others reads the session of some other program, and resumes it where no one has it.
func (w *talker) others() error {
	list, err := w.Sessions(w.ctx, "", 1000, true)
	if err != nil || len(list) == 0 {
		return errors.Join(fmt.Errorf("%d sessions", len(list)), err)
	}
	s := list[rand.IntN(len(list))]
	gone := func(err error) bool { return is[*sessions.NotFoundError](err) }
	if _, err := w.Watch(w.ctx, s.Session); err != nil && !gone(err) {
		return fmt.Errorf("watch: %w", err)
	}
	c, err := w.Resume(w.ctx, s.Session)
	if is[*HeldError](err) || gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("resume another's: %w", err)
	}
	return c.Close(w.ctx)
}

// prunes deletes what is of long ago, and gives its space back.
func (w *talker) prunes() error {
	list, err := w.PlanPrune(w.ctx, api.PruneOptions{OlderThan: "2020-01-01"})
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	p, err := w.Prune(w.ctx, list)
	if err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	fmt.Println("pruned", p.Deleted)
	return nil
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// TestSessionsOfEight lets eight programs work on the sessions of one home, one of which is
// killed and replaced again and again: what one of them said was stored is there once, and
// the database is whole. HERMES_LONG has that go on for a minute, with a kill each second.
func TestSessionsOfEight(t *testing.T) {
	server := serve(t, "m")
	b := newBox(t)
	b.config("probe: {local_servers: false}\nmodel: {provider: custom, base_url: " + server.URL() + ", default: m}\nagent: {auto_title: false}\n")
	closed(t, b.open()) // the programs find the tables made
	lasts, between := 3*time.Second, 300*time.Millisecond
	if os.Getenv("HERMES_LONG") != "" {
		lasts, between = time.Minute, time.Second
	}
	var mu sync.Mutex
	var said []string
	procs := make([]*os.Process, 8)
	killed := map[*os.Process]bool{}
	kills := 0
	var all sync.WaitGroup
	ends := time.Now().Add(lasts)
	for n := range procs {
		all.Go(func() {
			for life := 0; life == 0 || time.Now().Before(ends); life++ {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|w%d|%d", talkEnv, b.home.Dir(), n, life))
				out, err := cmd.StdoutPipe()
				if err = errors.Join(err, cmd.Start()); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				procs[n] = cmd.Process
				mu.Unlock()
				for lines := bufio.NewScanner(out); lines.Scan(); {
					mu.Lock()
					said = append(said, lines.Text())
					mu.Unlock()
				}
				_ = cmd.Wait()
				mu.Lock()
				if !killed[cmd.Process] {
					t.Errorf("program %d ended by itself", n)
				}
				mu.Unlock()
			}
		})
	}
	kill := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		if p := procs[n]; p != nil && !killed[p] {
			killed[p] = true
			kills++
			if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Error(err)
			}
		}
	}
	for time.Now().Before(ends) {
		time.Sleep(between)
		kill(rand.IntN(len(procs)))
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for over := false; !over; {
		for n := range procs {
			kill(n)
		}
		select {
		case <-done:
			over = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	b.heldOnce(said)
	counts := map[string]int{}
	for _, line := range said {
		word, _, _ := strings.Cut(line, " ")
		counts[word]++
	}
	t.Logf("%v, %d programs killed", counts, kills)
	if counts["said"] == 0 {
		t.Error("nothing was said")
	}
}

// heldOnce checks that the database of a home is whole, and has what was said once, in the
// session where it was said.
func (b *box) heldOnce(said []string) {
	t := b.t
	t.Helper()
	a := b.open()
	if faults, _, err := a.db.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("the database: %q, %v", faults, err)
	}
	pool, err := sql.Open("sqlite", "file:"+filepath.ToSlash(b.home.StateDB())+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, index := range []string{"messages_fts", "messages_fts_trigram"} {
		if _, err := pool.Exec("INSERT INTO " + index + "(" + index + ") VALUES('integrity-check')"); err != nil {
			t.Errorf("%s: %v", index, err)
		}
	}
	for what, query := range map[string]string{
		"messages that are there twice": `SELECT COUNT(*) FROM (SELECT 1 FROM messages WHERE role = 'user' GROUP BY session_id, content HAVING COUNT(*) > 1)`,
		"messages without an entry":     `SELECT COUNT(*) FROM messages m WHERE NOT EXISTS (SELECT 1 FROM tui_messages o WHERE o.row = m.id)`,
		"entries without a message":     `SELECT COUNT(*) FROM tui_messages o WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = o.row)`,
		"messages that are not indexed": `SELECT COUNT(*) FROM messages WHERE id NOT IN (SELECT rowid FROM messages_fts)`,
		"sessions that miscount":        `SELECT COUNT(*) FROM sessions s WHERE message_count <> (SELECT COUNT(*) FROM messages m WHERE m.session_id = s.id)`,
		"rows that refer to nothing":    `SELECT COUNT(*) FROM pragma_foreign_key_check`,
	} {
		var n int
		if err := pool.QueryRow(query).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d, %v", what, n, err)
		}
	}
	texts := map[string][]string{} // what users said, by session
	shown := map[string]string{}   // and what is on the screen
	for _, line := range said {
		f := strings.Fields(line)
		if f[0] == "error:" {
			t.Error(line)
		}
		if f[0] != "said" {
			continue
		}
		session, mark := f[1], f[2]
		if texts[session] == nil {
			rows, err := a.db.Messages(t.Context(), session)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range rows {
				if m.Role == "user" && i+1 < len(rows) && rows[i+1].Role == "assistant" {
					texts[session] = append(texts[session], m.Content)
				}
			}
			c, err := a.Resume(t.Context(), session)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range c.State().Root().Blocks {
				shown[session] += block.Text.String() + "\n"
			}
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		n := 0
		for _, text := range texts[session] {
			if slices.Contains(strings.Fields(text), mark) {
				n++
			}
		}
		if n != 1 || strings.Count(shown[session], mark+"\n") != 1 {
			t.Errorf("%s is stored %d times with an answer, and shown %d times", mark, n, strings.Count(shown[session], mark+"\n"))
		}
	}
}
