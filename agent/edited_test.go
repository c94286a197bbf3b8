package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
	"hermes-tui/tools/hunks"
)

// report is what a model gets of a reviewed edit.
type report struct {
	Error, Status string
	Review        *hunks.Report `json:"user_review"`
}

// editing is a rig whose model makes one edit and then says "done"; the question about it
// waits.
func editing(t *testing.T, files map[string]string, tool string, args map[string]any) (*rig, event.Request) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	one := 1
	r := newRig(t, &script.Scenario{Rules: []script.Rule{
		{Match: script.Match{Results: new(int)}, Steps: []script.Step{script.Call{Name: tool, Args: string(raw)}}},
		{Match: script.Match{Results: &one}, Steps: []script.Step{script.Text{Text: "done"}}},
	}})
	for name, text := range files {
		r.put(name, text)
	}
	r.submit("go")
	q := r.request()
	if q.Approval == nil || q.Approval.Edit == nil {
		t.Fatalf("asked without the edit: %+v", q)
	}
	return r, q
}

func (r *rig) put(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.work, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// holds checks what a file is now; empty: it is not there.
func (r *rig) holds(name, want string) {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.work, name))
	if want == "" && os.IsNotExist(err) {
		return
	}
	if err != nil || string(data) != want {
		r.t.Errorf("%s holds %q (%v), want %q", name, data, err, want)
	}
}

// told is what the model got of the edit.
func (r *rig) told() (out report) {
	r.t.Helper()
	for _, m := range r.messages() {
		if m.Role == "tool" {
			text, _, _ := strings.Cut(m.Content, "\n\n[")
			if err := json.Unmarshal([]byte(text), &out); err != nil {
				r.t.Fatalf("%v: %s", err, m.Content)
			}
		}
	}
	return out
}

// numbered are n lines that end alike, those in changed in capitals.
func numbered(n int, end string, changed ...int) string {
	var b strings.Builder
	for i := range n {
		line := fmt.Sprintf("line %d", i)
		for _, c := range changed {
			if c == i {
				line = strings.ToUpper(line)
			}
		}
		b.WriteString(line + end)
	}
	return b.String()
}

// TestReviewedWrite decides about the hunks of a write to a file with CRLF: one is accepted
// with a comment, one rejected, one written otherwise.
func TestReviewedWrite(t *testing.T) {
	r, q := editing(t, map[string]string{"a.txt": numbered(30, "\r\n")}, "write_file", map[string]any{"path": "a.txt", "content": numbered(30, "\n", 3, 12, 20)})
	f := q.Approval.Edit.Files[0]
	if f.Name != "a.txt" || f.Op != hunks.Change || f.Pieces != 3 || f.Added != 3 || strings.Contains(f.Diff, "\r") {
		t.Errorf("%+v", f)
	}
	r.answer(q, event.Answer{Choice: event.ChoiceReview, Review: &hunks.Review{Rest: hunks.Accept, List: []hunks.Decision{
		{Piece: 0, Verdict: hunks.Accept, Comment: "good"},
		{Piece: 1, Verdict: hunks.Reject, Comment: "keep it small"},
		{Piece: 2, Verdict: hunks.Replace, Text: "mine\nand mine"},
	}}})
	r.idle(1)
	want := strings.Replace(numbered(30, "\r\n", 3), "line 20\r\n", "mine\r\nand mine\r\n", 1)
	r.holds("a.txt", want)
	rep := r.told().Review
	if rep == nil || rep.Accepted != 1 || rep.Rejected != 1 || rep.Rewritten != 1 || len(rep.Hunks) != 3 {
		t.Fatalf("%+v", rep)
	}
	if h := rep.Hunks[1]; h.Verdict != "rejected" || h.Comment != "keep it small" || h.Line != 13 || h.Proposed != "-line 12\n+LINE 12\n" {
		t.Errorf("%+v", h)
	}
	if h := rep.Hunks[2]; h.Line != 21 || h.Now != "mine\nand mine\n" {
		t.Errorf("%+v", h)
	}
	r.wants("+3 −2, 1 rejected, 1 rewritten by you", "done")
}

// TestReviewedPatch decides about a patch that changes, makes, deletes and moves files.
func TestReviewedPatch(t *testing.T) {
	patch := "*** Begin Patch\n*** Update File: a.txt\n@@\n-line 1\n+LINE 1\n*** Add File: new.txt\n+hello\n*** Delete File: old.txt\n*** Move File: m.txt -> n.txt\n@@\n-line 2\n+LINE 2\n*** End Patch"
	files := map[string]string{"a.txt": numbered(5, "\n"), "old.txt": "old\n", "m.txt": numbered(5, "\n")}
	args := map[string]any{"mode": "patch", "patch": patch}
	no := func(file, piece int) hunks.Decision {
		return hunks.Decision{File: file, Piece: piece, Verdict: hunks.Reject}
	}
	for name, c := range map[string]struct {
		review hunks.Review
		want   map[string]string
	}{
		"all": {hunks.Review{Rest: hunks.Accept}, map[string]string{"a.txt": numbered(5, "\n", 1), "new.txt": "hello\n", "old.txt": "", "m.txt": "", "n.txt": numbered(5, "\n", 2)}},
		"not made, not deleted, not moved": {hunks.Review{Rest: hunks.Accept, List: []hunks.Decision{no(1, 0), no(2, 0), no(3, 0)}},
			map[string]string{"a.txt": numbered(5, "\n", 1), "new.txt": "", "old.txt": "old\n", "m.txt": numbered(5, "\n", 2), "n.txt": ""}},
		"moved only":  {hunks.Review{Rest: hunks.Reject, List: []hunks.Decision{{File: 3, Piece: 0, Verdict: hunks.Accept}}}, map[string]string{"a.txt": numbered(5, "\n"), "old.txt": "old\n", "m.txt": "", "n.txt": numbered(5, "\n")}},
		"other words": {hunks.Review{Rest: hunks.Reject, List: []hunks.Decision{{File: 1, Verdict: hunks.Replace, Text: "hi"}}}, map[string]string{"a.txt": numbered(5, "\n"), "new.txt": "hi\n", "m.txt": numbered(5, "\n"), "n.txt": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			r, q := editing(t, files, "patch", args)
			r.answer(q, event.Answer{Choice: event.ChoiceReview, Review: &c.review})
			r.idle(1)
			for name, text := range c.want {
				r.holds(name, text)
			}
			if told := r.told(); told.Error != "" || (told.Review == nil) != (len(c.review.List) == 0) {
				t.Errorf("%+v", told)
			}
		})
	}
}

// TestReviewedAway rejects all of an edit, with a comment; the turn goes on.
func TestReviewedAway(t *testing.T) {
	r, q := editing(t, map[string]string{"a.txt": "a\n"}, "write_file", map[string]any{"path": "a.txt", "content": "b\n"})
	r.answer(q, event.Answer{Choice: event.ChoiceReview, Review: &hunks.Review{Rest: hunks.Reject, List: []hunks.Decision{{Verdict: hunks.Reject, Comment: "not this file"}}}})
	r.idle(1)
	r.holds("a.txt", "a\n")
	told := r.told()
	if told.Status != "denied" || told.Review == nil || told.Review.Hunks[0].Comment != "not this file" || told.Review.Hunks[0].Proposed != "-a\n+b\n" {
		t.Errorf("%+v", told)
	}
	r.wants("you rejected all of it", "done")
}

// TestReviewedTooLate changes a file while the user looks at an edit of it: nothing is
// written, and what they said is told.
func TestReviewedTooLate(t *testing.T) {
	for tool, args := range map[string]map[string]any{
		"write_file": {"path": "a.txt", "content": "x\ny\n"},
		"patch":      {"path": "a.txt", "old_string": "b", "new_string": "y"},
	} {
		for name, ans := range map[string]event.Answer{
			"reviewed": {Choice: event.ChoiceReview, Review: &hunks.Review{Rest: hunks.Accept, List: []hunks.Decision{{Verdict: hunks.Accept, Comment: "fine"}}}},
			"allowed":  {Choice: event.ChoiceOnce},
		} {
			t.Run(tool+" "+name, func(t *testing.T) {
				r, q := editing(t, map[string]string{"a.txt": "a\nb\n"}, tool, args)
				r.put("a.txt", "a\nb\nby someone else\n")
				r.answer(q, ans)
				r.idle(1)
				r.holds("a.txt", "a\nb\nby someone else\n")
				told := r.told()
				if told.Error == "" || tool == "write_file" && !strings.Contains(told.Error, "was changed by someone else while the user looked at this edit") || (told.Review == nil) != (name == "allowed") {
					t.Errorf("%+v", told)
				}
			})
		}
	}
}

// TestReviewThatDoesNotFit holds that a review of other files than were shown allows nothing.
func TestReviewThatDoesNotFit(t *testing.T) {
	r, q := editing(t, map[string]string{"a.txt": "a\n"}, "write_file", map[string]any{"path": "a.txt", "content": "b\n"})
	r.answer(q, event.Answer{Choice: event.ChoiceReview, Review: &hunks.Review{Rest: hunks.Accept, List: []hunks.Decision{{File: 1, Verdict: hunks.Accept}}}})
	r.idle(1)
	r.holds("a.txt", "a\n")
	if told := r.told(); told.Status != "denied" {
		t.Errorf("%+v", told)
	}
}

// TestReviewOfNothing allows a write that changes nothing.
func TestReviewOfNothing(t *testing.T) {
	for _, ans := range []event.Answer{{Choice: event.ChoiceOnce}, {Choice: event.ChoiceReview, Review: &hunks.Review{Rest: hunks.Accept}}} {
		r, q := editing(t, map[string]string{"a.txt": "a\n"}, "write_file", map[string]any{"path": "a.txt", "content": "a\n"})
		r.answer(q, ans)
		r.idle(1)
		if told := r.told(); told.Error != "" {
			t.Errorf("%+v", told)
		}
	}
}
