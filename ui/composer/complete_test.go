package composer

import (
	"strings"
	"testing"
)

func TestQuery(t *testing.T) {
	for _, c := range []struct {
		draft string
		want  Query // without Gen
		none  bool
	}{
		{draft: "/|", want: Query{Kind: SlashQuery, Text: "/"}},
		{draft: "/mod|", want: Query{Kind: SlashQuery, Text: "/mod"}},
		{draft: "/mo|del", want: Query{Kind: SlashQuery, Text: "/mo"}},
		{draft: "/model |", want: Query{Kind: SlashQuery, Command: "/model"}},
		{draft: "/model op us|", want: Query{Kind: SlashQuery, Command: "/model", Text: "op us"}},
		{draft: "/title a/b|", want: Query{Kind: SlashQuery, Command: "/title", Text: "a/b"}},
		{draft: "|/mod", none: true},
		{draft: " /mod|", none: true},
		{draft: "/etc/hosts is|", none: true},
		{draft: "/etc/ho|", none: true},
		{draft: "/mod\nmore|", none: true},
		{draft: "plain|", none: true},
		{draft: "@|", want: Query{Kind: FileQuery}},
		{draft: "see @main.g|", want: Query{Kind: FileQuery, Text: "main.g"}},
		{draft: "see @ui/ma|in.go and", want: Query{Kind: FileQuery, Text: "ui/ma"}},
		{draft: "see (@main|", want: Query{Kind: FileQuery, Text: "main"}},
		{draft: "看@main|", want: Query{Kind: FileQuery, Text: "main"}},
		{draft: "one\n@x|", want: Query{Kind: FileQuery, Text: "x"}},
		{draft: `@"my fi|le" x`, want: Query{Kind: FileQuery, Text: "my fi"}},
		{draft: `@"a \"b\" \\c|`, want: Query{Kind: FileQuery, Text: `a "b" \c`}},
		{draft: `@"my file"|`, none: true},
		{draft: "me@example.com|", none: true},
		{draft: "@main |", none: true},
		{draft: "|@main", none: true},
		{draft: "/etc/hosts and @ma|", want: Query{Kind: FileQuery, Text: "ma"}},
	} {
		e := at(t, c.draft)
		got, ok := e.Completion()
		got.Gen = 0
		if ok == c.none || got != c.want {
			t.Errorf("%q: %+v (%v)", c.draft, got, ok)
		}
	}
}

// offer offers entries for the query at the cursor.
func offer(t *testing.T, c *Composer, inserts ...string) Query {
	t.Helper()
	q, ok := c.Completion()
	if !ok {
		t.Fatal("there is nothing to complete")
	}
	items := make([]Item, len(inserts))
	for i, s := range inserts {
		items[i] = Item{Label: s, Insert: s}
	}
	c.Offer(q.Gen, items)
	return q
}

func TestAccept(t *testing.T) {
	for _, c := range []struct{ name, draft, insert, want string }{
		{"command", "/mo|", "/model ", "/model |"},
		{"command over its rest", "/mo|dus", "/model", "/model|"},
		{"command before an argument", "/mo| x", "/model", "/model| x"},
		{"argument", "/model op| old", "opus", "/model opus|"},
		{"file", "see @ma|", "main.go", "see @main.go |"},
		{"file over its rest", "see @ma|in.c now", "main.go", "see @main.go |now"},
		{"file before a blank", "see @ma| now", "main.go", "see @main.go |now"},
		{"file with blanks", "@my|", "my file.txt", `@"my file.txt" |`},
		{"file with a quote", "@my|", `a"b\c d`, `@"a\"b\\c d" |`},
		{"file over a quoted word", `@"my| x`, "my file.txt", `@"my file.txt" |x`},
		{"file over a closed word", `@"my|old" x`, "main.go", `@main.go |x`},
		{"folder", "@u|", "ui/", "@ui/|"},
		{"folder with blanks", "@m|", "my dir/", `@"my dir/|`},
		{"file behind a paste", "@m|", "main.go", "@main.go |"},
		{"hostile name", "@m|", "a\x1b[2Jb\nc\x01\x1d", `@"ab c" |`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := at(t, c.draft)
			offer(t, e, "first", c.insert)
			e.MenuDown()
			if !e.MenuOpen() || !e.MenuAccept() {
				t.Fatal("nothing was taken")
			}
			wantState(t, e, c.want)
			if e.MenuOpen() || e.MenuAccept() {
				t.Error("the menu is still open")
			}
			e.Do(Undo)
			if got := e.Value(); got != strings.Replace(c.draft, "|", "", 1) {
				t.Errorf("undo gives %q", got)
			}
		})
	}
}

func TestAcceptGoesOnOrStops(t *testing.T) {
	c := at(t, "@u|")
	offer(t, c, "ui/")
	c.MenuAccept()
	if q, ok := c.Completion(); !ok || q.Text != "ui/" {
		t.Errorf("behind a folder: %+v (%v)", q, ok)
	}
	c = at(t, "/mo|")
	offer(t, c, "/model ")
	c.MenuAccept()
	if q, ok := c.Completion(); !ok || q.Command != "/model" || q.Text != "" {
		t.Errorf("behind a command: %+v (%v)", q, ok)
	}
	c = at(t, "/he|")
	offer(t, c, "/help")
	c.MenuAccept()
	if q, ok := c.Completion(); ok {
		t.Errorf("behind a whole command: %+v", q)
	}
	c.Insert("x")
	if _, ok := c.Completion(); !ok {
		t.Error("the word changed")
	}
}

func TestStaleOffers(t *testing.T) {
	c := at(t, "@m|")
	old, _ := c.Completion()
	c.Insert("a")
	c.Offer(old.Gen, []Item{{Label: "stale", Insert: "stale"}})
	if c.MenuOpen() {
		t.Fatal("a stale offer opened the menu")
	}
	offer(t, c, "main.go")
	c.Insert("i")
	if !c.MenuOpen() {
		t.Error("the entries go while the next ones are on their way")
	}
	if c.MenuAccept() || c.Value() != "@mai" {
		t.Errorf("an entry of another word was taken: %q", c.Value())
	}
	offer(t, c)
	if c.MenuOpen() {
		t.Error("no entries keep the menu open")
	}
	offer(t, c, "main.go")
	c.Insert(" ")
	if c.MenuOpen() {
		t.Error("the menu outlives its word")
	}
	c.Do(Backspace)
	if c.MenuOpen() {
		t.Error("entries came back with the word")
	}
}

func TestMenuClose(t *testing.T) {
	c := at(t, "see @ma|")
	offer(t, c, "main.go")
	c.MenuClose()
	if c.MenuOpen() {
		t.Error("still open")
	}
	c.Do(Left)
	c.Do(Right)
	if _, ok := c.Completion(); ok {
		t.Error("moving in the word opens the menu again")
	}
	c.Insert("i")
	if _, ok := c.Completion(); !ok {
		t.Error("the word changed")
	}
	offer(t, c, "main.go")
	if !c.MenuOpen() {
		t.Error("not open")
	}
}

func TestMenuMoves(t *testing.T) {
	c := at(t, "@|")
	offer(t, c, "a", "b", "c")
	c.MenuUp()
	c.MenuUp()
	c.MenuAccept()
	wantState(t, c, "@b |")
	c.MenuUp()
	c.MenuDown()
	c.MenuClose()
	wantState(t, c, "@b |")
	c = at(t, "@|")
	offer(t, c, "a", "b", "c")
	for range 4 {
		c.MenuDown()
	}
	c.MenuAccept()
	wantState(t, c, "@b |")
}

// TestPathsInCommands completes names of files in commands of the user, once they are asked
// for, as a shell reads them.
func TestPathsInCommands(t *testing.T) {
	for _, c := range []struct{ draft, query, insert, want string }{
		{"!cat do|", "do", "docs/", "!cat docs/|"},
		{"!!cat m|", "m", "main.go", "!!cat main.go |"},
		{"!|", "", "main.go", "!main.go |"},
		{"!cat my\\ f|", "my f", "my file.txt", "!cat my\\ file.txt |"},
		{"!cat x|y", "x", "x$(z).go", "!cat x\\$\\(z\\).go |y"},
		{"!a|b>o|", "o", "out", "!a|b>out |"},
		{"!a\n  sub/|", "sub/", "sub/deep/", "!a\n  sub/deep/|"},
	} {
		e := atLast(t, c.draft)
		if _, ok := e.Completion(); ok {
			t.Errorf("%q: completed unasked", c.draft)
		}
		if !e.AskPath() {
			t.Fatalf("%q: not asked", c.draft)
		}
		q := offer(t, e, c.insert)
		if q.Kind != PathQuery || q.Text != c.query {
			t.Errorf("%q: %+v", c.draft, q)
		}
		if !e.MenuAccept() {
			t.Errorf("%q: not accepted", c.draft)
		}
		wantState(t, e, c.want)
		if _, goesOn := e.Completion(); goesOn != strings.HasSuffix(c.insert, "/") {
			t.Errorf("%q: it goes on: %v", c.draft, goesOn)
		}
	}
	for _, draft := range []string{"cat x|", " !x|", "/x|", "see @x|"} {
		if at(t, draft).AskPath() {
			t.Errorf("%q is no command", draft)
		}
	}
	e := at(t, "!git log @{u|}")
	if _, ok := e.Completion(); ok {
		t.Error("an @ in a command names a file")
	}
	e.AskPath()
	offer(t, e, "x")
	e.MenuClose()
	if e.Insert("y"); e.MenuOpen() {
		t.Error("the menu comes back by itself")
	}
}

// atLast is at for a draft that may hold the mark of the cursor as text: the last is it.
func atLast(t *testing.T, draft string) *Composer {
	t.Helper()
	i := strings.LastIndexByte(draft, '|')
	c := newTest()
	c.Insert(draft[:i] + draft[i+1:])
	for range len([]rune(draft[i+1:])) {
		c.Do(Left)
	}
	return c
}

// TestFolderTwice takes a folder that is in the draft already: that closes its menu, and the
// next enter sends.
func TestFolderTwice(t *testing.T) {
	c := at(t, "@s|")
	offer(t, c, "src/")
	c.MenuAccept()
	offer(t, c, "src/", "src/a.go")
	if c.MenuAccept(); c.MenuOpen() || c.Value() != "@src/" {
		t.Errorf("%q, open: %v", c.Value(), c.MenuOpen())
	}
	if _, ok := c.Completion(); ok {
		t.Error("it is completed still")
	}
}
