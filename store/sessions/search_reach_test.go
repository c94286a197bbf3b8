package sessions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// shared is conversations that all say the same word in each message: a hundred of 30
// messages, ten of them at the same time, a day after the other. The first five work in
// another folder.
func sharing(t testing.TB, d *DB) {
	t.Helper()
	for block := range 10 {
		var open []Batch
		for k := range 10 {
			i := block*10 + k
			folder := "/new"
			if i < 5 {
				folder = "/old"
			}
			conv := fmt.Sprint("c", i)
			mustCommit(t, d, Batch{Conv: conv, Session: "s-" + conv, Create: &NewSession{Workspace: folder, Model: "m", At: epoch.AddDate(0, 0, i)}})
			open = append(open, Batch{Conv: conv, Session: "s-" + conv})
		}
		for n := range 30 {
			for k := range open {
				i := block*10 + k
				open[k].Messages = []Message{{
					ID: fmt.Sprint("m", i, "-", n), Role: []string{"user", "assistant", "tool"}[n%3],
					Content: fmt.Sprintf("parser step %d of %d", n, i), At: epoch.AddDate(0, 0, i).Add(time.Duration(n) * time.Minute),
				}}
				mustCommit(t, d, open[k])
			}
		}
	}
}

// TestSearchReaches finds all sessions that share a word, whatever narrows the search
// down, though the newest of them alone hold more matches than are told apart one by one.
func TestSearchReaches(t *testing.T) {
	d := mustOpen(t, newPath(t))
	sharing(t, d)
	all, newest, oldest := []int{}, []int{}, []int{}
	for i := range 100 {
		all, newest, oldest = append(all, i), append(newest, 99-i), append(oldest, i)
	}
	for name, c := range map[string]struct {
		s    Search
		want []int
	}{
		"best":         {Search{Text: "parser"}, all},
		"newest":       {Search{Text: "parser", Sort: Newest}, newest},
		"oldest":       {Search{Text: "parser", Sort: Oldest}, oldest},
		"two words":    {Search{Text: "parser step"}, all},
		"phrase":       {Search{Text: `"parser step"`}, all},
		"either":       {Search{Text: "step OR parser"}, all},
		"tools":        {Search{Text: "parser", Roles: []string{"tool"}}, all},
		"folder":       {Search{Text: "parser", Folder: "/old"}, all[:5]},
		"before":       {Search{Text: "parser", To: epoch.AddDate(0, 0, 7)}, all[:7]},
		"between":      {Search{Text: "parser", From: epoch.AddDate(0, 0, 30), To: epoch.AddDate(0, 0, 34), Sort: Oldest}, all[30:34]},
		"old, before":  {Search{Text: "parser", Folder: "/old", To: epoch.AddDate(0, 0, 3), Sort: Newest}, []int{2, 1, 0}},
		"after":        {Search{Text: "parser", From: epoch.AddDate(0, 0, 95), Sort: Newest}, newest[:5]},
		"typed":        {Search{Text: "p*", Typed: true}, all},
		"typed, old":   {Search{Text: "p*", Typed: true, Folder: "/old"}, all[:5]},
		"typed second": {Search{Text: "parser s*", Typed: true}, all},
		"typed rare":   {Search{Text: "parser 4*", Typed: true, Sort: Newest}, nil}, // in 30 messages of c4, c40 to c49, and in steps
		"ten":          {Search{Text: "parser", Limit: 10, Sort: Newest}, newest[:10]},
		"but one":      {Search{Text: "parser", Except: "s-c99", Sort: Newest}, newest[1:]},
	} {
		t.Run(name, func(t *testing.T) {
			if c.s.Limit == 0 {
				c.s.Limit = 100
			}
			found, err := d.Search(t.Context(), c.s)
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, f := range found {
				var i int
				if _, err := fmt.Sscanf(f.Conv, "c%d", &i); err != nil {
					t.Fatal(err)
				}
				if got = append(got, i); len(f.Hits) != hitsShown || f.Total < hitsShown {
					t.Errorf("c%d: %d of %d matches", i, len(f.Hits), f.Total)
				}
			}
			if c.s.Sort == Best {
				slices.Sort(got)
			}
			if !slices.Equal(got, c.want) && c.want != nil {
				t.Errorf("found %d, want %d", got, c.want)
			}
		})
	}
}

// TestSearchLooksWhereMessagesLie compares what is remembered of sessions with what the
// database says, while messages come and go.
func TestSearchLooksWhereMessagesLie(t *testing.T) {
	d := mustOpen(t, newPath(t))
	random := rand.New(rand.NewPCG(1, 2))
	count := map[string]int{}
	for range 200 {
		conv := fmt.Sprint("c", random.IntN(8))
		switch count[conv]++; {
		case count[conv] == 1:
			begin(t, d, conv)
		case random.IntN(20) == 0:
			if err := d.Delete(t.Context(), "s-"+conv); err != nil {
				t.Fatal(err)
			}
			delete(count, conv)
			continue
		}
		b := say(conv, count[conv])
		b.Messages[0].ID += fmt.Sprint("-", random.Uint64())
		b.Events = nil
		mustCommit(t, d, b)
		known, err := d.located(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		err = d.query(t.Context(), "look", "SELECT session_id, MIN(id), MAX(id), MIN(timestamp), MAX(timestamp) FROM messages GROUP BY 1", nil, func(scan scanFunc) error {
			var id string
			var from, to int64
			var first, last float64
			err := scan(&id, &from, &to, &first, &last)
			if at := known[id]; at.from > from || at.to < to || at.from == 0 || at.first > first+1e-3 || at.last < last-1e-3 || at.first == 0 {
				t.Errorf("%s lies from %d to %d, of %f to %f, known is %v", id, from, to, first, last, at)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
