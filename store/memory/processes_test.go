package memory

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestProcesses lets eight processes write, each of which is killed and replaced again
// and again: everything that one of them said was stored is in its file, in the archive
// or among the changes that wait, and no file is torn. MEMORY_LONG is how long that goes on, as "60s".
func TestProcesses(t *testing.T) {
	var until time.Time
	if long := os.Getenv("MEMORY_LONG"); long != "" {
		d, err := time.ParseDuration(long)
		if err != nil {
			t.Fatal(err)
		}
		until = time.Now().Add(d)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var mu sync.Mutex
	var stored []string
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for life := 0; life < 3 || time.Now().Before(until); life++ {
				said, err := live(exe, dir, fmt.Sprintf("%c%d", 'a'+n, life))
				mu.Lock()
				stored = append(stored, said...)
				mu.Unlock()
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	s := open(dir, 400)
	have := map[string]bool{}
	for _, target := range Targets {
		text, err := read(s.Path(target))
		if err != nil || !readable(text, split(text), 400) || size(split(text)) > 400 {
			t.Errorf("%s is torn or too long: %v", target, err)
		}
		for _, e := range split(text) {
			have[e] = true
		}
	}
	waiting, err := s.Staged()
	if err != nil || len(waiting) == 0 {
		t.Errorf("%d changes wait, %v", len(waiting), err)
	}
	for _, w := range waiting {
		have[w.Change.Operations[0].Content] = true
	}
	archived, err := tail(s.archiveFile(), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range allArchived(t, archived) {
		have[e] = true
	}
	lost := slices.DeleteFunc(stored, func(e string) bool { return have[e] })
	if len(have) < 8*3 || len(lost) > 0 {
		t.Errorf("%d entries are there, lost: %q", len(have), lost)
	}
	t.Logf("%d entries", len(have))
	mustApply(t, s, adding(Notes, "after all"))
}

// live runs one process until it has stored some entries, and kills it in the middle of
// the next. It gives what the process said it has stored.
func live(exe, dir, name string) (said []string, err error) {
	cmd := exec.Command(exe, name)
	cmd.Env = append(os.Environ(), helperEnv+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	out, e := cmd.StdoutPipe()
	if err = errors.Join(err, e); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for len(said) < 4 && lines.Scan() {
		said = append(said, lines.Text())
	}
	err = cmd.Process.Kill()
	for lines.Scan() {
		said = append(said, lines.Text())
	}
	_ = in.Close()
	_ = cmd.Wait() // it was killed
	return said, err
}

// allArchived are the entries in the lines of an archive. A line that a killed process
// left half written is none.
func allArchived(t *testing.T, lines [][]byte) (list []string) {
	t.Helper()
	for _, line := range lines {
		var a Archived
		if json.Unmarshal(line, &a) == nil {
			list = append(list, a.Text)
		}
	}
	return list
}
