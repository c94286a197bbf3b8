package credentials

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/providers"
)

// helperEnv makes the test binary act as another process: its value names what
// to do.
const helperEnv = "CREDENTIALS_HELPER"

func TestMain(m *testing.M) {
	task := os.Getenv(helperEnv)
	if task == "" {
		os.Exit(m.Run())
	}
	if err := help(task, os.Args[1:]); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

// help does a task. Each says "ready" and waits for its standard input to end.
func help(task string, args []string) error {
	ctx := context.Background()
	s, err := Open(Options{File: args[0], Clock: func() time.Time { return noon }})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	switch task {
	case "add": // keys named after the process, and a mark for each
		err = addMany(ctx, s, args[1])
	case "renew":
		err = renewOver(ctx, s, args[1])
	case "churn": // write until killed
		err = churn(ctx, s)
	default:
		err = errors.New("no such task")
	}
	return errors.Join(err, s.Close(ctx))
}

const eachAdds = 6

func addMany(ctx context.Context, s *Store, name string) error {
	p, err := s.Pool("openrouter", PoolOptions{Strategy: LeastUsed})
	if err != nil {
		return err
	}
	for i := range eachAdds {
		label := fmt.Sprintf("%s-%d", name, i)
		if _, err := p.Add(ctx, New{Label: label, Key: "key-" + label}); err != nil {
			return err
		}
		c, err := p.Find(label)
		if err != nil {
			return err
		}
		if err := (&Lease{Credential: c, pool: p}).Failed(ctx, Failure{Code: 429}); err != nil {
			return err
		}
	}
	return nil
}

// renewOver renews the only login at a token endpoint.
func renewOver(ctx context.Context, s *Store, url string) error {
	p, err := s.Pool("svc", PoolOptions{Refresh: func(ctx context.Context, c Credential) (Refreshed, error) {
		return post(ctx, url, c.RefreshToken())
	}})
	if err != nil {
		return err
	}
	l, err := p.Pick(ctx, Want{})
	if err != nil {
		return err
	}
	fmt.Println(l.Key())
	return nil
}

func post(ctx context.Context, url, token string) (Refreshed, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(token))
	if err != nil {
		return Refreshed{}, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return Refreshed{}, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return Refreshed{}, err
	}
	if answer.StatusCode != http.StatusOK {
		return Refreshed{}, &providers.Error{Status: answer.StatusCode, Body: body}
	}
	access, refresh, _ := strings.Cut(string(body), " ")
	return Refreshed{AccessToken: access, RefreshToken: refresh, Expires: noon.Add(time.Hour)}, nil
}

func churn(ctx context.Context, s *Store) error {
	p, err := s.Pool("openrouter", PoolOptions{Strategy: RoundRobin})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		if _, err := p.Pick(ctx, Want{}); err != nil {
			return err
		}
		if _, err := p.Replace(ctx, "two", Refreshed{AccessToken: fmt.Sprintf("key-%d-%s", i, strings.Repeat("x", 5000+i%7))}); err != nil {
			return err
		}
		fmt.Println("wrote", i)
	}
}

// process is a helper that runs.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.Closer
	out *bufio.Reader
}

// start starts a helper and waits until it is ready.
func start(t *testing.T, task string, args ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), helperEnv+"="+task, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t, cmd, in, bufio.NewReader(out)}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if line := p.line(); line != "ready" {
		t.Fatalf("helper says %q", line)
	}
	return p
}

func (p *process) line() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil && line == "" {
		p.t.Fatalf("read from helper: %v", err)
	}
	return strings.TrimSpace(line)
}

// run lets the helper go to its end and gives what it says.
func (p *process) run() string {
	_ = p.in.Close()
	all, _ := io.ReadAll(p.out)
	if err := p.cmd.Wait(); err != nil {
		return fmt.Sprintf("%s (%v)", all, err)
	}
	return strings.TrimSpace(string(all))
}

// together runs helpers at the same time.
func together(list []*process) []string {
	said := make([]string, len(list))
	var wg sync.WaitGroup
	for i, p := range list {
		wg.Go(func() { said[i] = p.run() })
	}
	wg.Wait()
	return said
}

// Processes that write at the same time lose nothing of each other, nor of what
// none of them knows.
func TestProcessesWriteTogether(t *testing.T) {
	r := newRig(t, fixture(t))
	const n = 4
	var list []*process
	for i := range n {
		list = append(list, start(t, "add", r.file, fmt.Sprintf("p%d", i)))
	}
	for _, said := range together(list) {
		if said != "" {
			t.Errorf("helper says %q", said)
		}
	}
	rows := map[any]map[string]any{}
	ids, priorities := map[any]bool{}, map[any]bool{}
	for _, row := range r.rows("openrouter") {
		rows[row["label"]] = row
		ids[row["id"]], priorities[row["priority"]] = true, true
	}
	for i := range n * eachAdds {
		label := fmt.Sprintf("p%d-%d", i/eachAdds, i%eachAdds)
		if row := rows[label]; row["access_token"] != "key-"+label || row["last_status"] != "exhausted" || row["last_error_code"] != json.Number("429") {
			t.Errorf("%s is %v", label, row)
		}
	}
	if len(ids) != n*eachAdds+3 || len(priorities) != n*eachAdds+3 {
		t.Errorf("%d ids and %d priorities", len(ids), len(priorities))
	}
	wantSame(t, fixture(t), r.text(), "credential_pool")
	if _, err := os.Stat(filepath.Join(r.dir, "auth.lock")); err != nil {
		t.Error(err)
	}
}

// tokenServer gives one new pair for each refresh token, once.
func tokenServer(t *testing.T) (url string, counts func() (calls, reused int)) {
	t.Helper()
	var mu sync.Mutex
	next, calls, reused := 0, 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		calls++
		if string(token) != fmt.Sprintf("rt-%d", next) {
			reused++
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"refresh_token_reused"}`)
			return
		}
		next++
		fmt.Fprintf(w, "at-%d rt-%d", next, next)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() (int, int) {
		mu.Lock()
		defer mu.Unlock()
		return calls, reused
	}
}

// Of eight processes that find the same login ended, one renews it.
func TestProcessesRenewOnce(t *testing.T) {
	r := newRig(t, loginFile(noon))
	url, counts := tokenServer(t)
	var list []*process
	for range 8 {
		list = append(list, start(t, "renew", r.file, url))
	}
	for _, said := range together(list) {
		if said != "at-1" {
			t.Errorf("helper says %q", said)
		}
	}
	if calls, reused := counts(); calls != 1 || reused != 0 {
		t.Errorf("%d renewals, %d with a spent token", calls, reused)
	}
	if row := r.row("svc", "aaaaaa"); row["access_token"] != "at-1" || row["refresh_token"] != "rt-1" {
		t.Errorf("row %v", row)
	}
}

// Killed at any moment of writing, a process leaves a whole file and no lock.
func TestKilledWhileWriting(t *testing.T) {
	r := newRig(t, twoKeys)
	last := -1
	for round := range 12 {
		p := start(t, "churn", r.file)
		_ = p.in.Close()
		for i := 0; i <= round%4; i++ {
			if _, err := fmt.Sscanf(p.line(), "wrote %d", &last); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.cmd.Wait()
		rows := r.rows("openrouter")
		if len(rows) != 2 {
			t.Fatalf("rows %v", rows)
		}
		var n int
		for _, row := range rows {
			if key, _ := row["access_token"].(string); row["label"] == "two" {
				if _, err := fmt.Sscanf(key, "key-%d-", &n); err != nil || n < last || len(key) < 5000 {
					t.Fatalf("key %.20q of %d bytes after %d: %v", key, len(key), last, err)
				}
			}
		}
		if pick(t, r.pool("openrouter", PoolOptions{}), Want{}).Key() == "" {
			t.Fatal("no key")
		}
	}
	if _, err := r.pool("openrouter", PoolOptions{}).Add(t.Context(), New{Label: "after", Key: "key-after"}); err != nil {
		t.Errorf("the lock is still held: %v", err)
	}
}

// python changes the file the way the reference does: under the lock, by a
// rename, with its own spelling of JSON.
const python = `
import fcntl, json, os, sys
path = sys.argv[1]
print("ready", flush=True)
sys.stdin.read()
for i in range(20):
    with open(path[:-5] + ".lock", "a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open(path, encoding="utf-8") as f:
            store = json.load(f)
        row = store["credential_pool"]["openrouter"][0]
        row["request_count"] += 1
        with open(path + ".py", "w", encoding="utf-8") as f:
            json.dump(store, f, indent=2)
        os.replace(path + ".py", path)
`

// Another program that honours the lock loses nothing to this one, and this one
// nothing to it.
func TestBesideAnotherProgram(t *testing.T) {
	exe, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: no python3 here")
	}
	r := newRig(t, strings.ReplaceAll(fixture(t), `\ud800`, ""))
	cmd := exec.Command(exe, "-c", python, r.file)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	other := &process{t, cmd, in, bufio.NewReader(out)}
	if line := other.line(); line != "ready" {
		t.Skip("SKIPPED: python says", line)
	}
	list := []*process{other}
	for i := range 2 {
		list = append(list, start(t, "add", r.file, fmt.Sprintf("p%d", i)))
	}
	for _, said := range together(list) {
		if said != "" {
			t.Errorf("helper says %q", said)
		}
	}
	rows := r.rows("openrouter")
	if len(rows) != 3+2*eachAdds {
		t.Errorf("%d rows", len(rows))
	}
	if got := rows[0]["request_count"]; got != json.Number("23") {
		t.Errorf("the other program counted to %v, want 23", got)
	}
}
