package hunks

import (
	"strings"

	"hermes-tui/tools/shorten"
)

// Report tells a model what the user has decided about the pieces of an edit. It is encoded
// as JSON.
type Report struct {
	// Note says in a sentence what happened.
	Note string `json:"note"`
	// Accepted counts the pieces that stand as they were proposed.
	Accepted int `json:"accepted"`
	Rejected int `json:"rejected,omitempty"`
	// Rewritten counts those in whose place a text of the user's stands.
	Rewritten int `json:"rewritten,omitempty"`
	// Hunks are those that were not just accepted, in order.
	Hunks []Told `json:"hunks,omitempty"`
}

// Told is one piece of a [Report].
type Told struct {
	File string `json:"file"`
	// Line is where it begins in the file as it is now, 0 where it has no lines.
	Line    int    `json:"line,omitempty"`
	Verdict string `json:"verdict"`
	// Proposed is the piece, its lines behind - and +, or in words what was to happen to the
	// file.
	Proposed string `json:"proposed"`
	// Now is what the user has written in its place.
	Now     string `json:"now,omitempty"`
	Comment string `json:"comment,omitempty"`
}

// maxTold is how many bytes of a piece or of a text of the user's a report has.
const maxTold = 4000

// Rewritten is the word of a report for what the user has written otherwise.
const Rewritten = "rewritten by the user"

// verdicts are the words for decisions.
var verdicts = map[Verdict]string{Accept: "accepted", Reject: "rejected", Replace: Rewritten}

// Tell reports a review of some files, nil for one that only accepts.
func (r *Review) Tell(files []*Pieces) *Report {
	t := &Report{}
	for n, p := range files {
		decisions := r.Of(n, p)
		lines := p.Lines(decisions)
		for i, d := range decisions {
			switch d.Verdict {
			case Accept:
				t.Accepted++
			case Reject:
				t.Rejected++
			case Replace:
				t.Rewritten++
			}
			if d.Verdict == Accept && d.Comment == "" {
				continue
			}
			told := Told{File: p.File.Name, Verdict: verdicts[d.Verdict], Proposed: clip(p.proposed(i)), Comment: d.Comment}
			if at := p.List[i]; !at.Whole || p.File.Op == Create && d.Verdict != Reject {
				told.Line = lines[i]
			}
			if d.Verdict == Replace {
				told.Now = clip(d.Text)
			}
			t.Hunks = append(t.Hunks, told)
		}
	}
	if len(t.Hunks) == 0 {
		return nil
	}
	return t
}

// proposed is a piece for a report.
func (p *Pieces) proposed(piece int) string {
	at, f := p.List[piece], p.File
	switch {
	case at.Whole && f.Op == Move:
		return "move the file to " + f.To
	case at.Whole && f.Op == Delete:
		return "delete the file"
	case at.Whole && f.Op == Create:
		return "make the file"
	case at.Whole:
		return "change the file"
	}
	var b strings.Builder
	signed(&b, '-', p.Old[at.Old.From:at.Old.To])
	signed(&b, '+', p.New[at.New.From:at.New.To])
	return b.String()
}

// clip cuts a text that is too long for a report.
func clip(text string) string {
	if len(text) <= maxTold {
		return text
	}
	return shorten.Bytes(text, maxTold) + "\n[…]"
}
