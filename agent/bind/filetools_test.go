package bind_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent/bind"
	"hermes-tui/internal/corpustest"
	"hermes-tui/store/config"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
	"hermes-tui/tools/process"
	"hermes-tui/tools/shellrisk"
)

// attack is a case of the family red that is a call of a file tool.
type attack struct {
	ID       string          `json:"id"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args"`
	Setup    string          `json:"setup"`
	Expected string          `json:"expected"`
}

func fileAttacks(t *testing.T) []attack {
	t.Helper()
	all := corpustest.CasesIn[attack](t, corpustest.Dir(filepath.Join("..", "..", "tools", "approval")), "red")
	list := slices.DeleteFunc(all, func(a attack) bool {
		return !slices.Contains([]string{"read_file", "search_files", "write_file", "patch"}, a.Tool)
	})
	if len(list) == 0 {
		t.Fatal("the family has no cases of file tools")
	}
	return list
}

// canary stands in every file with keys.
const canary = "CANARY"

// desk is a user's home and a workspace, with the real tools and the real gate.
type desk struct {
	t    *testing.T
	base string
	box  *bind.Tools
	gate *approval.Gate
	// asked are the questions so far; yes answers them.
	asked []*tools.Approval
	yes   bool
	tools.Host
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t}
	var err error
	if d.base, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"home/.ssh/id_rsa": canary, "home/.aws/credentials": canary, "home/.netrc": canary, "home/.kube/config": canary,
		"home/.npmrc": canary, "home/.gnupg/private-keys-v1.d/x.key": canary, "home/.hermes/auth.json": canary,
		"home/.hermes/config.yaml": "model: {}\n", "home/.bashrc": "true\n", "home/.ssh/known_hosts": "host\n",
		"outside/precious.txt": "PRECIOUS\n", "ws/.env": canary, "ws/a.txt": "a\n", "ws/b.txt": "one\n", "ws/src/m.go": "package m\n",
		"ws/.git/HEAD": "ref: refs/heads/main\n", "ws/.git/config": "[core]\n\tbare = false\n",
	} {
		file := filepath.Join(d.base, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home, ws := filepath.Join(d.base, "home"), filepath.Join(d.base, "ws")
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	here, err := place.NewLocal(place.Options{Home: home, Temp: filepath.Join(d.base, "home"), Env: env})
	if err != nil {
		t.Fatal(err)
	}
	ids := ticking()
	jobs := process.New(process.Options{Place: here, Now: ids.Now})
	d.box, _, err = bind.Toolbox(bind.ToolOptions{
		Settings: config.Config{Toolsets: []string{"hermes-cli"}}, Place: here, Root: ws, Private: filepath.Join(home, ".hermes"), Jobs: jobs,
		Env: env, Now: ids.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(jobs.Close(context.Background(), false), d.box.Close()); err != nil {
			t.Error(err)
		}
	})
	d.gate = approval.New(approval.Options{Place: here, Home: home, HermesHome: filepath.Join(home, ".hermes"), Workspace: ws})
	return d
}

// Ask implements [tools.Host].
func (d *desk) Ask(_ context.Context, q tools.Question) (tools.Answer, error) {
	d.asked = append(d.asked, q.Approval)
	if d.yes {
		return tools.Answer{Choice: tools.ChoiceOnce}, nil
	}
	return tools.Answer{Choice: tools.ChoiceDeny}, nil
}

// call takes a call through the gate as the agent does. done is false when the gate
// refused it.
func (d *desk) call(name string, args json.RawMessage) (r tools.Result, done bool) {
	d.t.Helper()
	tool, ok := d.box.Lookup(name)
	if !ok {
		d.t.Fatalf("there is no tool %s", name)
	}
	c := tools.Call{ID: "1", Name: name, Args: args}
	action, err := tool.Action(args)
	if err != nil {
		return tools.Failure(tools.View{}, err.Error()), false
	}
	req := approval.Request{Tool: name, Action: action, Mode: approval.ModeGuarded, Host: d, ReadsOnly: tool.ReadsOnly}
	if action.Kind == "" {
		err = d.gate.PassTool(d.t.Context(), req)
	} else {
		c.Permit, err = d.gate.Decide(d.t.Context(), req)
	}
	var denied *approval.Denied
	if errors.As(err, &denied) {
		return tools.Failure(tools.View{}, denied.Message), false
	}
	if err != nil {
		d.t.Fatal(err)
	}
	if r, err = tool.Run(d.t.Context(), c, d, io.Discard); err != nil {
		d.t.Fatal(err)
	}
	return r, true
}

// tree is what lies below the base: files with their contents, folders, links.
func (d *desk) tree() map[string]string {
	d.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(d.base, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		all[path] = e.Type().String()
		if e.Type().IsRegular() {
			data, err := os.ReadFile(path)
			all[path] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// TestFileToolsUnderAttack makes every call of a file tool in the family red for
// real: what should be asked about shows no key and changes nothing unasked, and
// what should be allowed is not asked about.
func TestFileToolsUnderAttack(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: bash is not installed")
	}
	for _, a := range fileAttacks(t) {
		t.Run(a.ID, func(t *testing.T) {
			d := newDesk(t)
			if a.Setup != "" {
				c := exec.Command(bash, "-c", strings.ReplaceAll(a.Setup, "/srv/red", d.base))
				c.Dir, c.Env = filepath.Join(d.base, "ws"), []string{"HOME=" + d.base + "/home", "PATH=" + os.Getenv("PATH")}
				if out, err := c.CombinedOutput(); err != nil {
					t.Fatalf("setup: %v\n%s", err, out)
				}
			}
			before := d.tree()
			r, done := d.call(a.Tool, json.RawMessage(strings.ReplaceAll(string(a.Args), "/srv/red", d.base)))
			changed := !maps.Equal(before, d.tree())
			switch {
			case a.Expected == "allow" && (len(d.asked) > 0 || !done):
				t.Errorf("%s %s is asked about or refused: %s", a.Tool, a.Args, r.Content)
			case a.Expected != "allow" && (changed || strings.Contains(r.Content+r.View.Body, canary)):
				t.Errorf("%s %s took effect unasked: %s", a.Tool, a.Args, r.Content)
			case a.Expected != "allow" && done && len(d.asked) == 0 && r.Status == "" && a.Tool != "search_files":
				t.Errorf("%s %s went through without a question: %s", a.Tool, a.Args, r.Content)
			}
		})
	}
}

// TestConsentToReadKeys asks with the panel of commands, shows the file once the
// user has agreed, and only that file.
func TestConsentToReadKeys(t *testing.T) {
	d := newDesk(t)
	d.yes = true
	link := filepath.Join(d.base, "ws", "notes.txt")
	if err := os.Symlink(filepath.Join(d.base, "home", ".netrc"), link); err != nil {
		t.Fatal(err)
	}
	r, done := d.call("read_file", json.RawMessage(`{"path":"notes.txt"}`))
	if !done || !strings.Contains(r.Content, canary) || len(d.asked) != 1 {
		t.Fatalf("after consent: %v, %d questions, %s", done, len(d.asked), r.Content)
	}
	q := d.asked[0]
	if q.Verb != "read" || !strings.Contains(q.Text, ".netrc") || q.Reasons[0].Category != string(shellrisk.CatSensitiveFile) ||
		q.Because() != "reads a file with keys or passwords" || q.Rule != "" || q.Editable {
		t.Errorf("the question is %+v", q)
	}
	if r, _ := d.call("search_files", json.RawMessage(`{"pattern":"CANARY","path":"~/.ssh"}`)); !strings.Contains(r.Content, canary) || len(d.asked) != 2 {
		t.Errorf("search after consent: %d questions, %s", len(d.asked), r.Content)
	}
	// Consent is for the file that was shown: a link that leads elsewhere by then shows nothing.
	tool, _ := d.box.Lookup("read_file")
	action, err := tool.Action(json.RawMessage(`{"path":"notes.txt"}`))
	if err != nil {
		t.Fatal(err)
	}
	permit, err := d.gate.Decide(t.Context(), approval.Request{Tool: "read_file", Action: action, Mode: approval.ModeManual, Host: d})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(link), os.Symlink(filepath.Join(d.base, "home", ".ssh", "id_rsa"), link)); err != nil {
		t.Fatal(err)
	}
	r, err = tool.Run(t.Context(), tools.Call{Name: "read_file", Args: json.RawMessage(`{"path":"notes.txt"}`), Permit: permit}, d, io.Discard)
	if err != nil || strings.Contains(r.Content, canary) || r.Status != tools.StatusDenied {
		t.Errorf("a link that was changed after the question: %v, %s", err, r.Content)
	}
}

// TestSearchLeavesKeysOut searches a folder with keys among other files.
func TestSearchLeavesKeysOut(t *testing.T) {
	d := newDesk(t)
	if err := os.WriteFile(filepath.Join(d.base, "home", ".notes"), []byte(canary+" bird\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, done := d.call("search_files", json.RawMessage(`{"pattern":"CANARY","path":"~","file_glob":".*"}`))
	var a struct {
		Total  int `json:"total_count"`
		Secret int `json:"left_out_with_secrets"`
	}
	if err := json.Unmarshal([]byte(r.Content), &a); err != nil {
		t.Fatal(err)
	}
	if !done || len(d.asked) > 0 || a.Total != 1 || a.Secret != 2 || !strings.Contains(r.View.Summary, "with keys left out") {
		t.Errorf("%d questions: %s, %s", len(d.asked), r.Content, r.View.Summary)
	}
}

// TestPlanModeAsksForKeys reads no key unasked where nothing may be changed.
func TestPlanModeAsksForKeys(t *testing.T) {
	d := newDesk(t)
	tool, _ := d.box.Lookup("read_file")
	action, err := tool.Action(json.RawMessage(`{"path":"~/.netrc"}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.gate.Decide(t.Context(), approval.Request{Tool: "read_file", Action: action, Mode: approval.ModePlan, Host: d})
	var denied *approval.Denied
	if !errors.As(err, &denied) || denied.By != approval.ByUser || len(d.asked) != 1 {
		t.Errorf("%v after %d questions", err, len(d.asked))
	}
}
