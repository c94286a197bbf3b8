package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/store"
	"hermes-tui/store/config"
	"hermes-tui/store/learnings"
	"hermes-tui/store/memory"
	"hermes-tui/store/skills"
)

// homeEnv makes the test binary act as a program that writes what a home keeps: its value
// is the home and the name of the program.
const homeEnv = "APP_HOME_WRITER"

// writeHome writes memory, learnings and skills of a home and says each thing that is
// stored, until it is killed.
func writeHome(task string) error {
	dir, name, _ := strings.Cut(task, "|")
	home, err := store.Find(store.Where{Dir: dir})
	if err != nil {
		return err
	}
	env := func(string) (string, bool) { return "", false }
	c, _, err := config.Load(config.Options{File: home.Config(), Env: env})
	if err != nil {
		return err
	}
	ctx := context.Background()
	a, err := Open(ctx, Options{Version: "test", Home: home, Config: c, Env: env, Dir: dir, IDs: event.SystemSource(), Unattended: true})
	if err != nil {
		return err
	}
	curator := a.curator()
	index := func() *skills.Index { return a.skills.Index() }
	for i := 0; ; i++ {
		fact := fmt.Sprintf("fact %s_%d %s.", name, i, strings.Repeat(name, i%20))
		if _, err := a.memory.Apply(ctx, memory.Change{Target: memory.Targets[i%2], Operations: []memory.Operation{{Action: memory.Add, Content: fact}}}); err != nil {
			return err
		}
		fmt.Println("memory " + fact)
		e, _, err := a.learnings.Add(ctx, learnings.Entry{Pattern: fmt.Sprintf("call%s_%d fails%s_%d", name, i, name, i), Fix: fmt.Sprintf("fix%s_%d do%s_%d", name, i, name, i)})
		if err != nil {
			return err
		}
		fmt.Println("learning " + e.ID)
		edit := skills.Edit{Action: skills.Rewrite, Name: name, Content: fmt.Sprintf("---\nname: %s\ndescription: Text %d.\n---\n\n%s", name, i, strings.Repeat(fmt.Sprintf("line of %d\n", i), 300))}
		if i == 0 {
			edit.Action = skills.Create
		}
		if _, err := curator.Apply(ctx, index, edit, nil); err != nil {
			return err
		}
		fmt.Printf("skill %s %d\n", name, i)
		if _, err := curator.Run(ctx, index, true); err != nil {
			return err
		}
	}
}

// killHome runs one such program until it has stored some things, and kills it in the
// middle of the next.
func killHome(dir, name string, things int) (said []string, err error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), homeEnv+"="+dir+"|"+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err = errors.Join(err, cmd.Start()); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for len(said) < things && lines.Scan() {
		said = append(said, lines.Text())
	}
	err = cmd.Process.Kill()
	for lines.Scan() {
		said = append(said, lines.Text())
	}
	_ = cmd.Wait() // it was killed
	if len(said) < things {
		err = errors.Join(err, fmt.Errorf("%s ended after %q", name, said))
	}
	return said, err
}

// TestHomeOfEight lets eight programs write memory, learnings and skills of one home, each
// of which is killed and replaced again and again: what one of them said was stored is
// there, and nothing is torn. HERMES_LONG has that go on for a minute.
func TestHomeOfEight(t *testing.T) {
	b := newBox(t)
	b.config("probe:\n  local_servers: false\nlearnings:\n  max_entries: 10000\n")
	end := time.Now()
	if os.Getenv("HERMES_LONG") != "" {
		end = end.Add(time.Minute)
	}
	var mu sync.Mutex
	var said []string
	kills := 0
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for life := 0; life < 2 || time.Now().Before(end); life++ {
				got, err := killHome(b.home.Dir(), fmt.Sprintf("w%d-%d", n, life), 3+n+life%7)
				mu.Lock()
				said, kills = append(said, got...), kills+1
				mu.Unlock()
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.holds(said)
	t.Logf("%d things stored, %d programs killed", len(said), kills)
}

// holds checks that a home has what was said to be stored, whole.
func (b *box) holds(said []string) {
	t := b.t
	t.Helper()
	a := b.open()
	have := map[string]bool{}
	for _, target := range memory.Targets {
		list, used, err := a.memory.List(target)
		if err != nil || used.Used > used.Limit {
			t.Errorf("%s: %+v, %v", target, used, err)
		}
		for _, e := range list {
			have["memory "+e.Text] = true
		}
	}
	archive, err := os.ReadFile(filepath.Join(b.home.Memories(), "ARCHIVE.jsonl"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for line := range bytes.Lines(archive) {
		var one memory.Archived
		if json.Unmarshal(line, &one) == nil { // a killed program may have left half a line
			have["memory "+one.Text] = true
		}
	}
	learnt, unread, err := a.Learnings()
	if err != nil || unread > 0 {
		t.Errorf("%d lines of learnings cannot be read, %v", unread, err)
	}
	for _, l := range learnt {
		have["learning "+l.ID] = true
	}
	ix := a.skills.Index()
	ledger, err := skills.Ledger(b.home.Skills())
	if err != nil || len(ix.Problems) > 0 {
		t.Errorf("%v, %v", ix.Problems, err)
	}
	entered := map[string]bool{}
	for _, ch := range ledger {
		entered[ch.Name] = entered[ch.Name] || ch.Holds
	}
	used, err := skills.Usage(b.home.Skills())
	if err != nil {
		t.Error(err)
	}
	counts := map[string]int{}
	for _, thing := range said {
		var name string
		var last, at int
		if n, _ := fmt.Sscanf(thing, "skill %s %d", &name, &last); n == 2 {
			k, _, found := ix.Find(name)
			text, err := k.Raw()
			_, e := fmt.Sscanf(k.Description, "Text %d.", &at)
			counts[name]++
			if !found || err != nil || e != nil || at < last || strings.Count(text, fmt.Sprintf("line of %d\n", at)) != 300 || !entered[name] || used[name].Patches+1 < counts[name] {
				t.Errorf("%s: %q, %+v, entered %v, %v, %v", thing, k.Description, used[name], entered[name], err, e)
			}
		} else if !have[thing] {
			t.Errorf("lost: %s", thing)
		}
	}
	if len(counts) == 0 || len(learnt) == 0 {
		t.Errorf("%d skills, %d learnings", len(counts), len(learnt))
	}
}
