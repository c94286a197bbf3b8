package delegate

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"hermes-tui/tools"
)

// The lengths of goals in a row of the screen, in characters: of a single one, and
// of each of several. Of more than mostGoals the first are named.
const (
	longGoal  = 400
	shortGoal = 80
	mostGoals = 8
)

// preview shows a call before it runs. It accepts any arguments.
func preview(raw json.RawMessage) tools.View {
	v := tools.View{Kind: tools.KindAgent}
	var a arguments
	if json.Unmarshal(raw, &a) != nil {
		return v
	}
	list := a.list()
	if len(list) == 1 {
		v.Subject = line(list[0].Goal, longGoal)
		return v
	}
	if len(list) == 0 {
		return v
	}
	goals := make([]string, 0, mostGoals+1)
	for i, t := range list {
		if i == mostGoals {
			goals = append(goals, "…")
			break
		}
		goals = append(goals, line(t.Goal, shortGoal))
	}
	v.Subject = fmt.Sprintf("%d tasks: %s", len(list), strings.Join(goals, " | "))
	return v
}

// line brings a text into one line of at most n characters.
func line(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if cut := head(text, n); cut != text {
		return cut + "…"
	}
	return text
}

// tally counts how tasks ended.
type tally struct{ completed, failed, killed, interrupted, late int }

func count(reports []Report) tally {
	var n tally
	for _, r := range reports {
		switch {
		case r.Killed:
			n.killed++
		case r.Status == StatusCompleted:
			n.completed++
		case r.Status == StatusInterrupted:
			n.interrupted++
		case r.Status == StatusTimeout:
			n.late++
		default:
			n.failed++
		}
	}
	return n
}

// summary is the result of a call in a few words: "2 of 3 completed, 1 ended by you".
func (n tally) summary(reports []Report) string {
	text := fmt.Sprintf("%d of %d completed", n.completed, len(reports))
	for _, other := range []struct {
		count int
		word  string
	}{{n.failed, "failed"}, {n.killed, "ended by you"}, {n.interrupted, "interrupted"}, {n.late, "timed out"}} {
		if other.count > 0 {
			text += fmt.Sprintf(", %d %s", other.count, other.word)
		}
	}
	if len(reports) == 1 && n.failed == 1 {
		text += ": " + line(reports[0].Error, longGoal)
	}
	return text
}

// body lists tasks and reports for a reader.
func body(tasks []Task, reports []Report) string {
	var b strings.Builder
	for i, r := range reports {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s %d. %s\n  %s\n", mark(r), i+1, line(tasks[i].Goal, longGoal), state(r))
		if r.Error != "" {
			b.WriteString("  " + line(r.Error, maxError) + "\n")
		}
		if text := strings.TrimSpace(r.Summary); text != "" {
			b.WriteString("\n" + text + "\n")
		}
	}
	return b.String()
}

// mark is the glyph of how a task ended.
func mark(r Report) string {
	if r.Status == StatusCompleted {
		return "✓"
	}
	return "×"
}

// state says how a task ended and what it took: "completed · 12s · 8 model calls".
func state(r Report) string {
	word := string(r.Status)
	switch {
	case r.Killed:
		word = "ended by the user"
	case r.Status == StatusTimeout:
		word = "timed out"
	case r.Status == StatusError:
		word = "failed"
	case r.ExitReason == ExitMaxIterations:
		word += ", its budget ran out"
	}
	took := time.Duration(r.DurationSeconds * float64(time.Second)).Round(100 * time.Millisecond)
	text := fmt.Sprintf("%s · %v · %s · %s", word, took, number(r.APICalls, "model call"), number(len(r.ToolTrace)+r.LeftOut, "tool call"))
	if r.Model != "" {
		text += " · " + r.Model
	}
	return text
}

func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
