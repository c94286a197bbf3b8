package sessions

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// talk makes a conversation in a folder of which each line is a message, "role: text".
func talk(t testing.TB, d *DB, conv, folder string, lines ...string) {
	t.Helper()
	b := Batch{Conv: conv, Session: "s-" + conv, Create: &NewSession{Workspace: folder, Model: "m"}}
	for i, l := range lines {
		role, text, _ := strings.Cut(l, ": ")
		b.Messages = append(b.Messages, Message{ID: fmt.Sprintf("m-%s-%d", conv, i), Role: role, Content: text})
	}
	mustCommit(t, d, b)
}

// library is some conversations to look through.
func library(t testing.TB, d *DB) {
	t.Helper()
	talk(t, d, "parser", "/w/one", "user: why does the parser fail on tabs", "assistant: the parser takes a tab for a quote", "tool: parser.go:12: tab", "user: mend the tab")
	talk(t, d, "docs", "/w/one/docs", "user: write about the parser", "assistant: done, see chat-send.md")
	talk(t, d, "other", "/w/two", "user: 数据库连接失败", "assistant: 请检查配置。 The Database is down")
	talk(t, d, "gone", "/w/two", "user: parser of the archive")
	mustCommit(t, d, Batch{Conv: "parser", Session: "sub", Create: &NewSession{Parent: "s-parser", Why: WhySubagent, Agent: "a2"},
		Messages: []Message{{ID: "subm", Role: "user", Content: "parser for a subagent"}}})
	mustCommit(t, d, Batch{Conv: "parser", Session: "s2", Create: &NewSession{Parent: "s-parser", Why: WhyCompression},
		Messages: []Message{{ID: "sum", Role: "user", Content: "what was said: the parser and its tab"}}})
}

func TestSearch(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	library(t, d)
	raw(t, path, "UPDATE sessions SET archived = 1 WHERE id = 's-gone'", "UPDATE messages SET active = 0 WHERE content = 'mend the tab'")
	for name, c := range map[string]struct {
		s    Search
		want string // conversations with the number of messages in each
	}{
		"word":        {Search{Text: "parser", Sort: Newest}, "parser 3, docs 1"},
		"oldest":      {Search{Text: "parser", Sort: Oldest}, "parser 3, docs 1"},
		"best":        {Search{Text: "write about parser"}, "docs 1"},
		"taken back":  {Search{Text: "mend"}, ""},
		"tool":        {Search{Text: "parser.go", Roles: []string{"tool"}}, "parser 1"},
		"no tool":     {Search{Text: "parser.go"}, ""},
		"hyphen":      {Search{Text: "chat-send"}, "docs 1"},
		"prefix":      {Search{Text: "quot*"}, "parser 1"},
		"folder":      {Search{Text: "parser", Folder: "/w/one/docs"}, "docs 1"},
		"above":       {Search{Text: "parser", Folder: "/w/one/", Sort: Oldest}, "parser 3, docs 1"},
		"beside":      {Search{Text: "parser", Folder: "/w/on"}, ""},
		"except":      {Search{Text: "parser", Except: "s-parser"}, "docs 1"},
		"except tip":  {Search{Text: "parser", Except: "s2"}, "docs 1"},
		"limit":       {Search{Text: "parser", Limit: 1, Sort: Oldest}, "parser 3"},
		"not":         {Search{Text: "parser NOT tab"}, "docs 1, parser 1"},
		"trigrams":    {Search{Text: "数据库连接"}, "other 1"},
		"short":       {Search{Text: "配置"}, "other 1"},
		"both":        {Search{Text: "数据库 AND 失败"}, "other 1"},
		"nothing":     {Search{Text: " :( "}, ""},
		"broken":      {Search{Text: `parser" AND (`, Sort: Oldest}, "parser 3, docs 1"},
		"before":      {Search{Text: "parser", To: epoch}, ""},
		"after":       {Search{Text: "parser", From: epoch, Sort: Oldest}, "parser 3, docs 1"},
		"in the year": {Search{Text: "parser", From: epoch.AddDate(1, 0, 0)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := d.Search(t.Context(), c.s)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, fmt.Sprintf("%s %d", f.Conv, f.Total))
				for _, h := range f.Hits {
					if !strings.Contains(h.Snippet, MarkBegin) || !strings.Contains(h.Snippet, MarkEnd) {
						t.Errorf("no mark in %q", h.Snippet)
					}
				}
			}
			if c.s.Sort == Best {
				slices.Sort(got)
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSearchShowsTheWord(t *testing.T) {
	d := mustOpen(t, newPath(t))
	long := strings.Repeat("before ", 100) + "needle" + strings.Repeat(" after", 100)
	talk(t, d, "c", "/w", "user: "+long, "assistant: "+strings.Repeat("前", 300)+"配置"+strings.Repeat("后", 300))
	for text, want := range map[string]string{
		"needle": MarkBegin + "needle" + MarkEnd,
		"配置":     "前" + MarkBegin + "配置" + MarkEnd + "后",
	} {
		found, err := d.Search(t.Context(), Search{Text: text})
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %+v, %v", text, found, err)
		}
		snippet := found[0].Hits[0].Snippet
		if !strings.Contains(snippet, want) || len([]rune(snippet)) > 400 {
			t.Errorf("%s: %q", text, snippet)
		}
	}
}

func TestExcerpts(t *testing.T) {
	d := mustOpen(t, newPath(t))
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("user: text %d", i), "tool: result")
	}
	talk(t, d, "c", "/w", lines...)
	all, err := d.Messages(t.Context(), "s-c")
	if err != nil {
		t.Fatal(err)
	}
	show := func(e Excerpt) string {
		if len(e.Messages) == 0 {
			return "nothing"
		}
		return fmt.Sprintf("%d|%s to %s|%d", e.Before, e.Messages[0].Content, e.Messages[len(e.Messages)-1].Content, e.After)
	}
	for _, c := range []struct {
		row  int64
		n    int
		want string
	}{
		{all[20].Row, 2, "8|text 8 to text 12|27"},
		{all[21].Row, 2, "9|text 9 to text 12|27"}, // a tool's result: 9 and 10 before, 11 and 12 after
		{all[0].Row, 3, "0|text 0 to text 3|36"},
		{all[78].Row, 1, "38|text 38 to text 39|0"},
	} {
		e, err := d.Around(t.Context(), "s-c", c.row, c.n)
		if err != nil || show(e) != c.want {
			t.Errorf("around %d: %s, %v; want %s", c.row, show(e), err, c.want)
		}
	}
	if _, err := d.Around(t.Context(), "s-c", 1<<40, 1); !isNotFound(err) {
		t.Errorf("a row that is not there: %v", err)
	}
	for _, c := range []struct {
		first, last int
		head, tail  string
	}{
		{3, 2, "0|text 0 to text 2|37", "38|text 38 to text 39|0"},
		{30, 10, "0|text 0 to text 39|0", "nothing"},
		{30, 30, "0|text 0 to text 39|0", "nothing"},
		{50, 5, "0|text 0 to text 39|0", "nothing"},
	} {
		head, tail, err := d.Ends(t.Context(), "s-c", c.first, c.last)
		if err != nil || show(head) != c.head || show(tail) != c.tail {
			t.Errorf("%d and %d: %s, %s, %v", c.first, c.last, show(head), show(tail), err)
		}
	}
}

// TestSearchShowsCalls shows what a call says in words, not as it is written.
func TestSearchShowsCalls(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	b := say("c", 1)
	b.Messages[0].Role, b.Messages[0].Content = "assistant", ""
	b.Messages[0].ToolCalls = `[{"id":"x","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"git rebase origin/main\",\"timeout\":7}"}}]`
	mustCommit(t, d, b)
	for text, want := range map[string]string{
		"rebase":   "terminal git " + MarkBegin + "rebase" + MarkEnd + " origin/main 7",
		"terminal": MarkBegin + "terminal" + MarkEnd + " git rebase origin/main 7",
		"function": "terminal git rebase origin/main 7", // found in what is not shown
	} {
		found, err := d.Search(t.Context(), Search{Text: text})
		if err != nil || len(found) != 1 || found[0].Hits[0].Snippet != want {
			t.Errorf("%s: %+v, %v", text, found, err)
		}
	}
}

// TestSearchMarks finds words again as the index does.
func TestSearchMarks(t *testing.T) {
	d := mustOpen(t, newPath(t))
	talk(t, d, "c", "/w", "user: Das CAFÉ am Fluß; see chat-send.md and chatter. Then the parser, the old parser of tabs and the café.")
	for text, want := range map[string][]string{
		"cafe": {"CAFÉ", "café"}, "Café": {"CAFÉ", "café"}, "chat-send": {"chat-send"}, "chat*": {"chat", "chatter"}, `"the old"`: {"the old"},
		"parser NOT gone": {"parser", "parser"}, "old AND tabs": {"old", "tabs"}, "gone OR tabs": {"tabs"}, "fluß": {"Fluß"},
	} {
		found, err := d.Search(t.Context(), Search{Text: text})
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %+v, %v", text, found, err)
		}
		var got []string
		for part := range strings.SplitSeq(found[0].Hits[0].Snippet, MarkBegin) {
			if marked, _, ok := strings.Cut(part, MarkEnd); ok {
				got = append(got, marked)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: marked %q, want %q", text, got, want)
		}
	}
}

// TestSearchInALongText finds a word that a text holds tens of thousands of times.
func TestSearchInALongText(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	b := say("c", 1)
	b.Messages[0].Content = "In the beginning " + strings.Repeat("there was an error in line 12. ", 20_000)
	mustCommit(t, d, b)
	for _, text := range []string{"error", "missing OR error", `"an error"`} {
		found, err := d.Search(t.Context(), Search{Text: text})
		if err != nil || len(found) != 1 || !strings.Contains(found[0].Hits[0].Snippet, "there was an "+MarkBegin+"error") && !strings.Contains(found[0].Hits[0].Snippet, MarkBegin+"an") {
			t.Errorf("%s: %+v, %v", text, found, err)
		}
	}
}
