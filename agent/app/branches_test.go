package app

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

// promptOf is the turn that began with a text.
func promptOf(t *testing.T, c Conversation, text string) event.TurnID {
	t.Helper()
	for _, b := range c.State().Root().Blocks {
		if b.Kind == event.BlockUser && b.Text.String() == text {
			return b.Turn
		}
	}
	t.Fatalf("there is no prompt %q", text)
	return ""
}

// TestWhatWasTakenBackIsABranch keeps what /undo took away when the session goes on: in the
// tree, for searches, exports and comparing, and as a session once it is gone to.
func TestWhatWasTakenBackIsABranch(t *testing.T) {
	server := summing(t, script.Text{Text: "## Goal\nKeep the lighthouse."})
	b := newBox(t)
	b.config("model: {provider: custom, base_url: " + server.URL() + ", default: m, context_length: 200000}\nagent: {auto_title: false}\n")
	a, c := b.begin()
	ctx := t.Context()
	for _, text := range []string{"one", "two about kettles", "three"} {
		say(t, c, text)
	}
	if _, err := c.Rewind(ctx, RewindOptions{To: promptOf(t, c, "two about kettles"), Conversation: true}); err != nil {
		t.Fatal(err)
	}
	say(t, c, "another two")
	session := string(c.Session())
	tree := func() (list []api.SessionInfo, said string) {
		t.Helper()
		list, err := a.Lineage(ctx, session)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range list {
			kind := map[bool]string{true: "left ", false: ""}[i.Left] + map[bool]string{true: "branch ", false: ""}[i.Branch] + map[bool]string{true: "point ", false: ""}[i.Point]
			said += strings.Repeat(">", i.Depth) + kind + i.Title + "/" + i.Preview + "\n"
		}
		return list, said
	}
	list, said := tree()
	if said != "/one\n>left /two about kettles\n" || list[1].Messages != 4 {
		t.Fatalf("the tree is\n%s", said)
	}
	left := list[1].Session
	if err := a.RenameSession(ctx, left, "the first try"); err != nil {
		t.Fatal(err)
	}
	if _, said := tree(); !strings.Contains(said, ">left the first try/") {
		t.Errorf("labelled, the tree is\n%s", said)
	}
	found, err := a.Search(ctx, "kettles", time.Now())
	if err != nil || len(found) != 1 || found[0].Hits[0].Way == "" {
		t.Fatalf("%+v, %v", found, err)
	}
	var out strings.Builder
	if err := a.Export(ctx, left, "md", false, &out); err != nil || !strings.Contains(out.String(), "## You\n\none") || !strings.Contains(out.String(), "three") || strings.Contains(out.String(), "another two") {
		t.Errorf("exported %v\n%s", err, out.String())
	}
	if text, err := a.Compare(ctx, session, left); err != nil || !strings.Contains(text, "-another two") || !strings.Contains(text, "+two about kettles") {
		t.Errorf("compared %v\n%s", err, text)
	}
	if g, err := a.Glance(ctx, left); err != nil || len(g.Said) != 2 || g.Said[0].Text != "three" {
		t.Errorf("%+v, %v", g, err)
	}
	if _, was, err := a.Said(ctx, left); err != nil || len(was) != 6 {
		t.Errorf("said %+v, %v", was, err)
	}

	branch, aim, err := a.Branch(ctx, found[0].Hits[0].Way, found[0].Hits[0].Message)
	if err != nil {
		t.Fatal(err)
	}
	limb, err := a.Resume(ctx, left)
	if err != nil || string(limb.Session()) != branch {
		t.Fatalf("%v: it went to %s, made was %s", err, limb.Session(), branch)
	}
	got, there := blocksOf(limb), false
	for _, b := range limb.State().Root().Blocks {
		there = there || string(b.Message) == aim && strings.Contains(b.Text.String(), "kettles")
	}
	if strings.Join(got, " ") != "one ok two about kettles ok three ok" || !there {
		t.Errorf("the branch holds %q, what was found is there: %v", got, there)
	}
	say(t, limb, "four")
	if sent := history(t, server); len(sent) != 7 || !strings.Contains(sent[2], "kettles") {
		t.Errorf("the model got %q", sent)
	}
	if _, said := tree(); said != "/one\n>branch /four\n" {
		t.Errorf("with the branch the tree is\n%s", said)
	}
	if list, err := a.db.List(ctx, sessions.Filter{}); err != nil || len(list) != 2 {
		t.Errorf("listed %+v, %v", list, err)
	}
	if err := limb.Close(ctx); err != nil {
		t.Error(err)
	}
	closed(t, a)
}

// TestPointsOfATree shows where a session was shortened, with the label that the user
// gives, until that is taken back.
func TestPointsOfATree(t *testing.T) {
	server := summing(t, script.Text{Text: "## Goal\nKeep the lighthouse."})
	b := newBox(t)
	b.config("model: {provider: custom, base_url: " + server.URL() + ", default: m, context_length: 20000}\nagent: {auto_title: false}\n")
	a, c := b.begin()
	ctx := t.Context()
	talk(t, c, 0, 9)
	if changed, err := c.Compress(ctx, ""); err != nil || !changed {
		t.Fatal(changed, err)
	}
	list, err := a.Lineage(ctx, string(c.Session()))
	if err != nil || len(list) != 2 || !list[1].Point || !strings.Contains(list[1].Preview, "messages left out") {
		t.Fatalf("%+v, %v", list, err)
	}
	session, block := PointOf(list[1].Session)
	if at := compactions(c); session != string(c.Session()) || len(at) != 1 || at[0].ID != block {
		t.Errorf("it leads to %s, %s", session, block)
	}
	if err := a.RenameSession(ctx, list[1].Session, "before the lamp"); err != nil {
		t.Fatal(err)
	}
	if list, err := a.Lineage(ctx, string(c.Session())); err != nil || list[1].Title != "before the lamp" {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := c.Uncompress(ctx); err != nil {
		t.Fatal(err)
	}
	if list, err := a.Lineage(ctx, string(c.Session())); err != nil || len(list) != 1 {
		t.Errorf("taken back: %+v, %v", list, err)
	}
}

// TestForkInATurn begins branches between the calls of a turn, which runs meanwhile: they
// hold what is stored and has its results.
func TestForkInATurn(t *testing.T) {
	b := newBox(t)
	server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{
		{Match: script.Match{Nth: 1}, Steps: []script.Step{script.Call{Name: "todo", Args: `{}`}}},
		{Match: script.Match{Nth: 2}, Steps: []script.Step{script.Text{Text: "Looking."}, script.Call{Name: "todo", Args: `{"todos":[]}`}}},
		{Steps: []script.Step{script.Text{Text: "Now"}, script.Stall{}}},
	}}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	b.config("model: {provider: custom, base_url: " + server.URL() + ", default: m, context_length: 200000}\nagent: {auto_title: false}\n")
	a, c := b.begin()
	if _, err := c.Submit("go"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for now := false; !now; {
		if _, err := c.Next(ctx); err != nil {
			t.Fatal(err)
		}
		blocks := c.State().Root().Blocks
		now = len(blocks) > 0 && strings.HasPrefix(blocks[len(blocks)-1].Text.String(), "Now")
	}
	var calls []string
	for _, b := range c.State().Root().Blocks {
		if b.Call != nil {
			calls = append(calls, string(b.Message))
		}
	}
	if len(calls) != 2 {
		t.Fatalf("%d calls", len(calls))
	}
	for message, want := range map[string]int{calls[0]: 3, calls[1]: 5, "": 5} {
		id, err := a.Fork(t.Context(), string(c.Session()), message)
		if err != nil {
			t.Fatal(err)
		}
		if all, err := a.db.Messages(t.Context(), id); err != nil || len(all) != want {
			t.Errorf("a branch holds %d messages, want %d: %v", len(all), want, err)
		}
	}
	if !c.State().Busy() {
		t.Error("the turn was stopped")
	}
	c.Interrupt(c.State().Root().ID, Self)
}

// TestBranchShowsCalls holds that calls look in a branch, and in a branch of it, as they do in
// the session that it began with: a branch copies messages, which do not tell that.
func TestBranchShowsCalls(t *testing.T) {
	none, all := 0, 2
	server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{
		{Match: script.Match{User: "^go$", Results: &none}, Steps: []script.Step{
			script.Call{Name: "write_file", Args: `{"path":"f.txt","content":"one\ntwo\n"}`}, script.Call{Name: "read_file", Args: `{"path":"none.txt"}`},
		}},
		{Match: script.Match{User: "^go$", Results: &all}, Steps: []script.Step{script.Text{Text: "done"}}},
		{Steps: []script.Step{script.Text{Text: "well"}}},
	}}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	b := newBox(t)
	b.config("probe:\n  local_servers: false\napprovals:\n  mode: \"off\"\nmodel:\n  provider: custom\n  default: script\n  base_url: " + server.URL() + "\n")
	a, c := b.begin()
	say(t, c, "go")
	shown := func(c Conversation) string {
		var list []string
		for _, b := range c.State().Root().Blocks {
			if b.Call != nil {
				list = append(list, fmt.Sprintf("%s %+v", b.Call.Outcome, b.Call.View))
			}
		}
		return strings.Join(list, "\n")
	}
	want := shown(c)
	if !strings.Contains(want, "+one") || strings.Count(want, "\n") < 1 {
		t.Fatalf("shown are %s", want)
	}
	of := string(c.Session())
	for _, name := range []string{"a branch", "a branch of it"} {
		id, err := a.Fork(t.Context(), of, "")
		if err != nil {
			t.Fatal(err)
		}
		branch, err := a.Resume(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(branch); got != want {
			t.Errorf("%s shows\n%s\nnot\n%s", name, got, want)
		}
		say(t, branch, "more")
		if err := branch.Close(t.Context()); err != nil {
			t.Error(err)
		}
		of = id
	}
}
