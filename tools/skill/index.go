package skill

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Listed is a skill in the index of a system prompt.
type Listed struct {
	Entry
	// Rank orders the skills by use: of those with a lower one descriptions are shortened
	// first.
	Rank int64
}

const indexHead = `# Skills
Each is a text that says how a kind of work is done here. When one fits the task, even in part, read it with ` + ViewName + `(name) before you begin and follow it; read none that does not fit.`

// The lengths to which descriptions are cut, one after the other, in characters.
var cuts = []int{1024, 240, 120, 60, 0}

// Index writes the index for a system prompt within so many characters, empty for no
// skills. Where there is no room, descriptions become shorter, those used least first;
// the names stay, whatever room they take.
func Index(list []Listed, room int) string {
	if len(list) == 0 {
		return ""
	}
	limit := make([]int, len(list))
	for i := range limit {
		limit[i] = cuts[0]
	}
	size := utf8.RuneCountInString(indexHead)
	for i, l := range list {
		size += utf8.RuneCountInString(header(list, i) + line(l, limit[i]))
	}
	for _, next := range cuts[1:] {
		for _, i := range leastUsed(list) {
			if size <= room {
				break
			}
			size += utf8.RuneCountInString(line(list[i], next)) - utf8.RuneCountInString(line(list[i], limit[i]))
			limit[i] = next
		}
	}
	var b strings.Builder
	b.WriteString(indexHead)
	for i, l := range list {
		b.WriteString(header(list, i) + line(l, limit[i]))
	}
	return b.String()
}

// header is what stands above the first skill of a category.
func header(list []Listed, i int) string {
	if c := list[i].Category; c != "" && (i == 0 || c != list[i-1].Category) {
		return "\n" + c + ":"
	}
	return ""
}

func line(l Listed, limit int) string {
	text := strings.Join(strings.Fields(l.Description), " ")
	if r := []rune(text); len(r) > limit {
		if limit == 0 {
			text = ""
		} else {
			text = strings.TrimRight(string(r[:limit-1]), " ,.;:") + "…"
		}
	}
	if text == "" {
		return "\n- " + l.Name
	}
	return "\n- " + l.Name + ": " + text
}

// leastUsed are the places of the skills, the one used least first.
func leastUsed(list []Listed) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].Rank, list[b].Rank) })
	return order
}
