package snapshots

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// happening is one change of a path as the model sees it.
type happening struct {
	turn          int // 0 for someone else
	before, after string
}

// model predicts what rewinds do. For each path it keeps the happenings that
// count: a rewind takes those that it undid, and what came after them, away.
type model struct {
	now  map[string]string // path to state
	past map[string][]happening
}

func (m *model) happen(turn int, path, state string) {
	if m.now[path] != state {
		m.past[path] = append(m.past[path], happening{turn, m.now[path], state})
		m.now[path] = state
	}
}

// predict tells what going back to the end of a turn does to a path.
func (m *model) predict(path string, after int) (target string, concerned, conflict bool, first int) {
	first = -1
	last := ""
	for i, h := range m.past[path] {
		if h.turn <= after {
			continue
		}
		switch {
		case first < 0:
			first, target = i, h.before
		case h.before == target:
			conflict = false
		case h.before != last:
			conflict = true
		}
		last = h.after
	}
	if first < 0 || m.now[path] == target {
		return target, false, false, first
	}
	return target, true, conflict || m.now[path] != last, first
}

// The states of a path are "", "file CONTENT MODE" and "link TARGET".

func realize(t *testing.T, path, state string) {
	t.Helper()
	err := os.Remove(path)
	if os.IsNotExist(err) {
		err = nil
	}
	kind, rest, _ := strings.Cut(state, " ")
	switch {
	case err != nil || state == "":
	case kind == "link":
		err = os.Symlink(rest, path)
	default:
		var content string
		var mode os.FileMode
		if _, err = fmt.Sscanf(rest, "%s %o", &content, &mode); err == nil {
			if err = os.WriteFile(path, []byte(content), 0o600); err == nil {
				err = os.Chmod(path, mode)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func stateAt(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Lstat(path)
	if os.IsNotExist(err) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, _ := os.Readlink(path)
		return "link " + target
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("file %s %o", data, info.Mode().Perm())
}

// modelRun is one random history.
type modelRun struct {
	t *testing.T
	*fixture
	r     *rand.Rand
	m     model
	paths []string
	turn  int
}

func (x *modelRun) some(n int) []string {
	list := slices.Clone(x.paths)
	x.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:1+x.r.IntN(n)]
}

func (x *modelRun) state() string {
	switch x.r.IntN(8) {
	case 0, 1:
		return ""
	case 2:
		return "link " + string(rune('x'+x.r.IntN(2)))
	}
	return fmt.Sprintf("file v%d %o", x.r.IntN(4), []int{0o644, 0o755}[x.r.IntN(2)])
}

func (x *modelRun) edit(turn int, paths []string) {
	for _, p := range paths {
		s := x.state()
		realize(x.t, p, s)
		x.m.happen(turn, p, s)
	}
}

func (x *modelRun) agentTurn() {
	x.turn++
	for range 1 + x.r.IntN(2) {
		paths := x.some(3)
		var named []string
		if x.r.IntN(2) == 0 {
			named = slices.Clone(paths)
		}
		// What a call does to a path counts from beginning to end.
		was := map[string]string{}
		for _, p := range paths {
			was[p] = x.m.now[p]
		}
		x.call(fmt.Sprint(x.turn), func() {
			for _, p := range paths {
				realize(x.t, p, x.state())
			}
		}, named...)
		for _, p := range paths {
			x.m.happen(x.turn, p, stateAt(x.t, p))
		}
	}
}

func (x *modelRun) check(what string) {
	x.t.Helper()
	for _, p := range x.paths {
		if got := stateAt(x.t, p); got != x.m.now[p] {
			x.t.Fatalf("%s: %s is %q, predicted %q", what, p, got, x.m.now[p])
		}
	}
}

// rewindTo goes back to the end of a turn, sometimes overwriting a conflict, and
// sometimes takes that back.
func (x *modelRun) rewindTo(after int) {
	var turns []string
	for i := after + 1; i <= x.turn; i++ {
		turns = append(turns, fmt.Sprint(i))
	}
	var restore, conflicts []string
	for _, p := range x.paths {
		if _, concerned, conflict, _ := x.m.predict(p, after); conflict {
			conflicts = append(conflicts, p)
		} else if concerned {
			restore = append(restore, p)
		}
	}
	plan := x.plan(turns...)
	paths := func(items []Item) string {
		var list []string
		for _, i := range items {
			list = append(list, i.Path)
		}
		return strings.Join(list, " ")
	}
	want(x.t, "restore", paths(plan.Restore), strings.Join(restore, " "))
	want(x.t, "conflicts", paths(plan.Conflicts), strings.Join(conflicts, " "))
	if len(plan.Impossible) > 0 {
		x.t.Error(describe(plan.Impossible))
	}
	choice := Choice{Paths: map[string]bool{}}
	for _, p := range conflicts {
		if x.r.IntN(3) == 0 {
			choice.Paths[p] = true
			restore = append(restore, p)
		}
	}
	saved := model{now: map[string]string{}, past: map[string][]happening{}}
	for _, p := range restore {
		target, _, _, first := x.m.predict(p, after)
		saved.now[p], saved.past[p] = x.m.now[p], slices.Clone(x.m.past[p])
		x.m.now[p], x.m.past[p] = target, x.m.past[p][:first:first]
	}
	r := x.apply(plan, choice)
	x.check("rewound")
	if r.ID == "" || x.r.IntN(3) > 0 {
		return
	}
	if left := x.undo(r.ID, Choice{}).Left; len(left) > 0 {
		x.t.Fatal(describe(left))
	}
	for p := range saved.now {
		x.m.now[p], x.m.past[p] = saved.now[p], saved.past[p]
	}
	x.check("undone")
}

func TestModel(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			x := &modelRun{t: t, fixture: newFixture(t), r: rand.New(rand.NewPCG(seed, 7)),
				m: model{now: map[string]string{}, past: map[string][]happening{}}}
			for _, n := range []string{"a", "b", "d/a", "d/b", "d/e/a", "d/e/b"} {
				x.paths = append(x.paths, filepath.Join(x.root, n))
				x.ok(os.MkdirAll(filepath.Dir(x.path(n)), 0o755))
			}
			x.ok(os.WriteFile(x.path("d/e/stays"), nil, 0o644))
			x.edit(0, x.some(6))
			x.m.past = map[string][]happening{}
			for range 25 {
				switch x.r.IntN(6) {
				case 0:
					x.edit(0, x.some(2))
				case 1:
					x.reopen()
				case 2:
					x.rewindTo(x.r.IntN(x.turn + 1))
				default:
					x.agentTurn()
				}
				if t.Failed() {
					t.FailNow()
				}
			}
			x.rewindTo(0)
			if _, err := x.Diff(context.Background(), nil, DiffLimits{}); err != nil {
				t.Error(err)
			}
		})
	}
}
