package slash

import (
	"slices"
	"sort"
	"strings"

	"github.com/sahilm/fuzzy"
)

// Item completes what was typed.
type Item struct {
	// Label is what a list shows; Detail explains it.
	Label, Detail string
	// Insert takes the place of the last word of what was typed: a command with
	// its slash, with a blank behind it when arguments may follow, or an argument.
	Insert string
	// Match holds the offsets in bytes of the characters of Label that were
	// typed, in order.
	Match []int
}

// Complete returns what may complete a text that has the form of a command and
// ends at the cursor, the best first. A name that begins with what was typed
// comes before one that merely holds its letters; a command that is found by an
// alias shows it. Behind a name come the values of its first argument, when the
// table knows them. It returns nil when the text is no command, and when it is
// one in full, so that the next Enter runs it. more are commands besides those of the
// table.
func Complete(text string, more ...Command) []Item {
	name, args, ok := split(text)
	if !ok {
		return nil
	}
	if !strings.ContainsAny(text, blanks) {
		return completeName(name, more)
	}
	c, _, err := Parse(text, more...)
	if err != nil || args != "" && !strings.HasSuffix(text, args) || strings.ContainsAny(args, blanks) {
		return nil
	}
	return completeChoice(c, args)
}

// found is a command with how well it fits.
type found struct {
	item  Item
	rank  int // 0: begins so, 1: an alias begins so, 2: holds the letters
	score int
}

func completeName(typed string, more []Command) []Item {
	var list []found
	for _, c := range slices.Concat(Table(), more) {
		if slices.Contains(names(c), typed) {
			return nil
		}
		if f, ok := match(c, typed); ok {
			list = append(list, f)
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].rank != list[j].rank {
			return list[i].rank < list[j].rank
		}
		return list[i].rank == 2 && list[i].score > list[j].score
	})
	items := make([]Item, len(list))
	for i, f := range list {
		items[i] = f.item
	}
	return items
}

// match reports whether and how well a command fits what was typed.
func match(c Command, typed string) (found, bool) {
	f := found{item: Item{Label: c.Usage(), Detail: c.Help, Insert: "/" + string(c.Name)}}
	if c.Args != "" {
		f.item.Insert += " "
	}
	if strings.HasPrefix(string(c.Name), typed) {
		for i := range len(typed) {
			f.item.Match = append(f.item.Match, 1+i)
		}
		return f, true
	}
	for _, a := range c.Aliases {
		if strings.HasPrefix(a, typed) {
			f.rank = 1
			f.item.Detail = "/" + a + ": " + c.Help
			return f, true
		}
	}
	m := fuzzy.Find(typed, []string{string(c.Name)})
	if len(m) == 0 {
		return f, false
	}
	f.rank, f.score = 2, m[0].Score
	for _, i := range m[0].MatchedIndexes {
		f.item.Match = append(f.item.Match, 1+i)
	}
	return f, true
}

// completeChoice completes the first argument.
func completeChoice(c Command, typed string) []Item {
	typed = strings.ToLower(typed)
	var items []Item
	for _, choice := range c.Choices {
		if !strings.HasPrefix(choice, typed) || choice == typed {
			continue
		}
		it := Item{Label: choice, Detail: c.Usage(), Insert: choice}
		for i := range len(typed) {
			it.Match = append(it.Match, i)
		}
		items = append(items, it)
	}
	return items
}
