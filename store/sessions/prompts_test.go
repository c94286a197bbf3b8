package sessions

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestUserTexts reads what users wrote in all sessions, page by page, the newest first.
func TestUserTexts(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "a")
	begin(t, d, "b")
	mustCommit(t, d, Batch{Conv: "a", Session: "s-kid", Create: &NewSession{Workspace: "/w", Model: "m", Parent: "s-a", Why: WhySubagent}})
	n := map[string]int{}
	write := func(conv, session, role, text string, parts ...Part) {
		n[conv]++
		b := say(conv, n[conv])
		b.Session, b.Messages[0].Role, b.Messages[0].Content, b.Messages[0].Parts = session, role, text, parts
		mustCommit(t, d, b)
	}
	write("a", "s-a", "user", "first")
	write("b", "s-b", "user", "second")
	write("a", "s-a", "assistant", "an answer")
	write("a", "s-kid", "user", "a task")
	write("a", "s-a", "user", "")
	write("b", "s-b", "user", "look", Part{Text: "look"}, Part{MediaType: "image/png", Data: []byte{0}})
	write("a", "s-a", "user", strings.Repeat("漢", MaxUserText))
	write("a", "s-a", "user", "taken back")
	raw(t, path, "UPDATE messages SET active = 0 WHERE content = 'taken back'")

	want := []string{"taken back", strings.Repeat("漢", MaxUserText/3), "look\n[image]", "second", "first"}
	for _, size := range []int{1, 2, 5, 100} {
		var got []string
		for before, pages := int64(0), 0; ; pages++ {
			list, next, err := d.UserTexts(context.Background(), before, size)
			if err != nil || pages > 10 {
				t.Fatal(err, pages)
			}
			for _, u := range list {
				got = append(got, u.Text)
				if u.Session == "" || u.At.IsZero() || u.Row == 0 {
					t.Errorf("%+v", u)
				}
			}
			if before = next; next == 0 {
				break
			}
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			for i := range got {
				got[i] = fmt.Sprintf("%d bytes: %.20q", len(got[i]), got[i])
			}
			t.Errorf("%d at a time: %s", size, got)
		}
	}
}
