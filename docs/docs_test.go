package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hermes-tui/docs"
)

// TestTopics has every page begin with its title, be named in the README, and lead only to
// pages that there are.
func TestTopics(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(readme), "\n"); n >= 200 {
		t.Errorf("the README has %d lines", n)
	}
	files, err := filepath.Glob("*.md")
	if err != nil || len(files) != len(docs.Topics()) {
		t.Errorf("%d topics of %d pages, %v", len(docs.Topics()), len(files), err)
	}
	leads := regexp.MustCompile("`/help ([a-z-]+)`")
	for _, topic := range docs.Topics() {
		text, ok := docs.Page(topic.Name, "/help")
		if !ok || topic.Title == "" || !strings.HasPrefix(text, "# "+topic.Title+"\n") {
			t.Errorf("%s begins with %.40q, titled %q", topic.Name, text, topic.Title)
		}
		if strings.Contains(text, "<!--") || strings.Contains(text, "norun") || strings.Contains(text, "`docs/") && topic.Name != "scripting" && topic.Name != "approvals" {
			t.Errorf("%s shows what is for the repository", topic.Name)
		}
		for _, m := range leads.FindAllStringSubmatch(text, -1) {
			if _, ok := docs.Page(m[1], ""); !ok {
				t.Errorf("%s leads to %s, which there is not", topic.Name, m[1])
			}
		}
		if !strings.Contains(string(readme), "`docs/"+topic.Name+".md`") {
			t.Errorf("the README does not name docs/%s.md", topic.Name)
		}
	}
	if _, ok := docs.Page("../README", ""); ok {
		t.Error("what is no topic is a page")
	}
}
