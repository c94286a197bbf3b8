package approval

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// chore is a command of the day's work in testdata/workday.json, which says what its
// fields mean.
type chore struct {
	ID, Command, Want, Why, Needs string
	Hosts                         []string
	Times                         int
}

func loadWorkday(t testing.TB) []chore {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "workday.json"))
	if err != nil {
		t.Fatal(err)
	}
	var day struct{ Commands []chore }
	if err := json.Unmarshal(data, &day); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, c := range day.Commands {
		if seen[c.ID] || seen[c.Command] || c.Command == "" || (c.Want == "ask") != (c.Why != "") {
			t.Fatalf("%s: not well formed, or twice", c.ID)
		}
		seen[c.ID], seen[c.Command] = true, true
		day.Commands[i].Times = max(c.Times, 1)
	}
	if len(seen) < 2*250 {
		t.Fatalf("%d commands", len(seen)/2)
	}
	return day.Commands
}

// workplace is a scene with a real repository that the user trusts, in a place with
// the programs of the day.
func workplace(t *testing.T, day []chore) *scene {
	t.Helper()
	s := newScene(t)
	s.person.strict = true
	if out, err := exec.Command("git", "init", "-q", "-b", "main", s.dir).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: there is no git here: %v %s", err, out)
	}
	for name, text := range map[string]string{
		"main.go": "package main\n", "package.json": "{}\n", "README.md": "# app\n", "src/server.ts": "", "src/old.js": "",
		"scripts/build.sh": "go build ./...\n", "scripts/test.sh": "go test ./...\n", "data/sales.csv": "a,b\n", "data/items.json": "{}\n",
		".env": "KEY=x\n", "configure": "", "gradlew": "", "bin/app": "", "a.txt": "a\n", "b.txt": "b\n",
		"node_modules/.bin/prettier": "#!/bin/sh\n", ".venv/bin/activate": "PATH=$PWD/.venv/bin:$PATH\n",
	} {
		file := filepath.Join(s.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	names := map[string]bool{}
	for _, c := range day {
		for _, w := range strings.FieldsFunc(c.Command, func(r rune) bool { return strings.ContainsRune(" \n\t;|&()$'\"`<>", r) }) {
			names[w] = !strings.ContainsAny(w, "/.=*") && !shellrisk.Builtin(w) && len(w) < 30
		}
	}
	for name, is := range names {
		if is {
			s.programs(t, name)
		}
	}
	return s
}

// answer decides about a command and tells what became of it.
func (s *scene) answers(t *testing.T, c chore, mode Mode) (did string, asked []tools.Reason) {
	t.Helper()
	a := s.exec(c.Command)
	a.Env[1] = "PATH=" + filepath.Join(filepath.Dir(s.dir), "bin")
	s.person.asked = nil
	p, _ := s.pass(t, a, mode)
	switch {
	case len(s.person.asked) > 0:
		return "ask", s.person.asked[0].Reasons
	case p.p == nil:
		return "refused", nil
	case p.p.confined:
		return "confined", nil
	}
	return "run", nil
}

// TestWorkday puts a day's work to the gate in every mode, and holds what it does in
// guarded to what is written there. At most one command in twenty is asked about
// beforehand. Others are asked about while they run, which is counted as for a user
// who allows hosts and programs for the session: at the first command that connects
// to a host or has to run outside for a reason. With them it is one in twenty of what
// is typed in the day, and one in ten of what is different in it: the day has all
// ecosystems.
func TestWorkday(t *testing.T) {
	day := loadWorkday(t)
	s := workplace(t, day)
	for _, row := range []struct {
		name   string
		mode   Mode
		change func(*place.Info)
	}{
		{"guarded", ModeGuarded, func(i *place.Info) { i.Confines = true }},
		{"smart", ModeSmart, func(i *place.Info) { i.Confines = true }},
		{"manual", ModeManual, func(i *place.Info) { i.Confines = true }},
		{"plan", ModePlan, func(i *place.Info) { i.Confines = true }},
		{"off", ModeOff, func(i *place.Info) { i.Confines = true }},
		{"guarded, where nothing confines", ModeGuarded, func(*place.Info) {}},
		{"guarded, place sandbox", ModeGuarded, func(i *place.Info) { i.Name, i.Confined = "sandbox", true }},
	} {
		t.Run(row.name, func(t *testing.T) {
			info := s.place.Info()
			row.change(&info)
			s.gate.o.Place = &elsewhere{s.place, info}
			count, while, known := map[string]int{}, 0, map[string]bool{}
			typed, asks := 0, 0
			for _, c := range day {
				did, asked := s.answers(t, c, row.mode)
				count[did]++
				if typed += c.Times; did == "ask" {
					asks += c.Times
				}
				if row.name == "guarded" && did != c.Want {
					t.Errorf("%s: %s, want %s: %s\n\t%+v", c.ID, did, c.Want, c.Command, asked)
				}
				if did != "confined" {
					continue
				}
				fresh := false
				for _, what := range append(c.Hosts, c.Needs) {
					fresh = fresh || what != "" && !known[what]
					known[what] = true
				}
				if fresh {
					while++
				}
			}
			n := len(day)
			t.Logf("%d commands: %d asked about beforehand (%.1f %%), %d while they run (%.1f %%); %d run, %d confined, %d refused; typed %d times: %d questions (%.1f %%)",
				n, count["ask"], percent(count["ask"], n), while, percent(while, n), count["run"], count["confined"], count["refused"],
				typed, asks+while, percent(asks+while, typed))
			switch row.mode {
			case ModeGuarded, ModeSmart:
				if info.Confines && (count["ask"]*20 > n || (count["ask"]+while)*10 > n || (asks+while)*20 > typed) {
					t.Errorf("%d of %d commands are asked about, %d more while they run; %d of %d typed", count["ask"], n, while, asks+while, typed)
				}
			case ModeOff:
				if count["run"] != n {
					t.Errorf("%v", count)
				}
			case ModePlan:
				if count["refused"] != n {
					t.Errorf("%v", count)
				}
			}
		})
	}
}

func percent(part, all int) float64 { return 100 * float64(part) / float64(all) }
