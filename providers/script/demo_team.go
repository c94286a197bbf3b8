package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hermes-tui/tools/lazyregexp"
)

// The goals that the tour gives to subagents. A request that holds one is theirs.
// They begin with a few words that stand for the whole where there is little room.
const (
	goalSurvey  = "Survey the files: folders and kinds of them, and what the most telling ones say."
	goalMarks   = "Find loose ends: lines marked TODO or FIXME, and the code around them."
	goalHistory = "Look into the past: the newest commits, or the folder where there are none."
	// goalWords begins the goal to search for the words that follow.
	goalWords = "Look for: "
)

// errands are the goals that the tour gives away, no more than one call may have.
func (v *view) errands() []string {
	all := []string{goalSurvey, goalMarks, goalHistory}
	return all[:min(len(all), v.places())]
}

var atMostRE = lazyregexp.New(`\bat most (\d+)`)

// places is how many subagents one call may have, as far as the offer of the tool
// says it.
func (v *view) places() int {
	for _, t := range v.request.Tools {
		if t.Name != "delegate_task" {
			continue
		}
		var schema struct {
			Properties struct {
				Tasks struct {
					Description string `json:"description"`
				} `json:"tasks"`
			} `json:"properties"`
		}
		if json.Unmarshal(t.Parameters, &schema) != nil {
			break
		}
		if m := atMostRE.FindStringSubmatch(schema.Properties.Tasks.Description); m != nil {
			n, err := strconv.Atoi(m[1])
			if err == nil {
				return max(n, 1)
			}
		}
	}
	return 3
}

// send gives goals to subagents.
func (v *view) send(goals []string) delegateArgs {
	context := "The user asked: " + clip(oneLine(v.prompt), 200)
	var out delegateArgs
	for _, g := range goals {
		out.Tasks = append(out.Tasks, delegateTask{g, context})
	}
	return out
}

func (t *tour) delegate() move {
	goals := t.errands()
	return move{
		think: "The rest can be looked into side by side, each question by a subagent with a context of its own. " +
			"They are scripts as well, but their tools are real.",
		say: fmt.Sprintf("I'm sending out %s. The list of agents shows what each one does; their reports come back to me as one result.",
			plural(len(goals), "subagent")),
		args: t.send(goals),
	}
}

// sendRE knows a prompt that asks for subagents, rather than about them.
var sendRE = lazyregexp.New(`(?i)\b(send|use|spawn|start|try)\b.{0,20}\bsub-?agents?\b|\bsub-?agents?(\s*:|\s+(for|to|again)\b)|\bdelegate\b`)

// dispatch sends one subagent for each word of a prompt that asks for some, and
// reports. It is false where there is nothing to send or no tool to send it with.
func (v *view) dispatch() (move, bool) {
	words := keywords(sendRE.ReplaceAllString(v.prompt, " "))
	if !v.offers["delegate_task"] || !sendRE.MatchString(v.prompt) || len(words) == 0 {
		return move{}, false
	}
	words = words[:min(len(words), v.places())]
	var team *use
	m, ok := v.follow([]stage{{"delegate_task", &team, func() move {
		var goals []string
		for _, w := range words {
			goals = append(goals, goalWords+w)
		}
		return move{
			think: "I can have each word searched for by a subagent of its own.",
			say:   "I'm sending out " + plural(len(goals), "subagent") + ".",
			args:  v.send(goals),
		}
	}}})
	if !ok {
		m = move{
			think: "The reports are in.",
			say:   v.greeting() + aboutTeam(team) + ".\n\n" + v.summaries(team) + v.notes() + hint,
		}
	}
	return m, true
}

// member is what came of a subagent, in the words of the result.
type member struct {
	goal, status, summary string
	calls                 int
	took                  float64 // seconds, 0 if unknown
}

// members reads the result of a delegation.
func (u *use) members() []member {
	if u == nil {
		return nil
	}
	tasks := parseResult(u.call.Arguments).list("tasks")
	var out []member
	for i, item := range u.result.list("results") {
		fields, _ := item.(map[string]any)
		r := result{fields: fields}
		m := member{status: firstOf(r.str("status"), "unknown"), summary: firstOf(r.str("summary"), r.str("error")), calls: len(r.list("tool_trace"))}
		if n, ok := r.num("task_index"); ok {
			i = n
		}
		if i >= 0 && i < len(tasks) {
			task, _ := tasks[i].(map[string]any)
			m.goal = result{fields: task}.str("goal")
		}
		if s, ok := fields["duration_seconds"].(float64); ok && s > 0 && s < maxInt {
			m.took = s
		}
		out = append(out, m)
	}
	return out
}

// name is the beginning of the goal that says what it is about.
func (m member) name(i int) string {
	name, rest, ok := strings.Cut(m.goal, ": ")
	if ok && m.goal == goalWords+rest {
		name = m.goal
	}
	return firstOf(plain(name, 60), fmt.Sprintf("Subagent %d", i+1))
}

// facts say how the subagent ended.
func (m member) facts() string {
	out := plain(m.status, 40)
	if m.calls > 0 {
		out += ", " + plural(m.calls, "call")
	}
	if m.took > 0 {
		out += fmt.Sprintf(", %.1f s", m.took)
	}
	return out
}

// aboutTeam says in one line what came of the subagents.
func aboutTeam(team *use) string {
	if team == nil {
		return ""
	}
	members := team.members()
	if why, _ := team.trouble(); why != "" && len(members) == 0 {
		return "**Subagents:** they could not be sent: " + plain(why, 160)
	}
	if len(members) == 0 {
		return "**Subagents:** the result names none"
	}
	var states []string
	for _, m := range members {
		states = append(states, plain(m.status, 40))
	}
	out := fmt.Sprintf("**Subagents:** %s: %s", plural(len(states), "result"), strings.Join(states, ", "))
	if s, ok := team.result.fields["total_duration_seconds"].(float64); ok && s > 0 && s < maxInt {
		out += fmt.Sprintf("; they worked side by side for %.1f s", s)
	}
	return out
}

// summaries quotes what the subagents reported.
func (v *view) summaries(team *use) string {
	var b strings.Builder
	for i, m := range team.members() {
		if m.summary != "" {
			fmt.Fprintf(&b, "**%s** (%s):\n\n%s\n", m.name(i), m.facts(), quoteBlock(m.summary, 18))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "## From the subagents\n\n" + b.String()
}

// tryNext says what can be done with subagents from here.
func (t *tour) tryNext() string {
	if !t.offers["delegate_task"] {
		return ""
	}
	words := t.names()
	return "## Try next\n\n" +
		"- Send subagents again, for example with the prompt: `subagents for " + strings.Join(words, " and ") + "`\n" +
		"- On the screen, `/agents` goes to them: enter shows one in detail, `s` says something to it, `p` holds it, `x` ends it\n" +
		"- `/wall` shows all at once, `/replay` who worked when\n\n"
}

// names are two words that a search in the files finds: the first of the file that was
// read that look like names, those of its headings before others.
func (t *tour) names() []string {
	p := t.read.page()
	text := strings.ToLower(strings.Join(append(p.headings(), p.lines...), " "))
	var out []string
	for _, w := range append(wordRE.FindAllString(clip(text, 2000), -1), "license", "error") {
		if n := utf8.RuneCountInString(w); len(out) < 2 && n >= 5 && n <= 12 && len(keywords(w)) == 1 && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
