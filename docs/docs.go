// Package docs holds the documentation for users, as it is read in the repository and,
// under the same names, in the program itself. The folder dev is for contributors.
//
// A page is a file of Markdown whose first line is its title. Its name without ".md" is
// the topic that it is about.
package docs

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"hermes-tui/tools/lazyregexp"
)

//go:embed *.md
var files embed.FS

// Topic is a page by its name, such as "start", with its title.
type Topic struct{ Name, Title string }

// Topics are all pages, by their names. The caller may change the result.
func Topics() []Topic { return slices.Clone(topics()) }

// topics are read once: the commands name them, and are asked for with every key.
var topics = sync.OnceValue(func() (list []Topic) {
	entries, _ := files.ReadDir(".") // is there: a folder that is embedded
	for _, e := range entries {
		text, _ := files.ReadFile(e.Name())
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		list = append(list, Topic{strings.TrimSuffix(e.Name(), ".md"), title})
	}
	return list
})

// Page is the Markdown of a topic as the program shows it, and whether there is one. help
// is what leads to another page there, such as "/help".
func Page(topic, help string) (string, bool) {
	data, err := files.ReadFile(topic + ".md")
	if err != nil {
		return "", false
	}
	text := comment.ReplaceAllString(string(data), "")
	text = fence.ReplaceAllString(text, "$1")
	return page.ReplaceAllString(text, "`"+help+" $1`"), true
}

var (
	// What is made from the code stands between comments.
	comment = lazyregexp.New(`(?s)<!--.*?-->\n`)
	// A word behind the language of a block is for tests.
	fence = lazyregexp.New("(?m)^(```[a-z]+) .*$")
	page  = lazyregexp.New("`docs/([a-z-]+)\\.md`")
)
