package themes

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/themes.md again")

// TestDocs holds the part of docs/themes.md that is made from the code to it.
func TestDocs(t *testing.T) {
	const file, end = "../docs/themes.md", "<!-- The end of what is made from the code. -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begun := strings.Cut(string(text), "-update-docs -->\n")
	_, tail, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatal("the marks are gone")
	}
	want := head + "-update-docs -->\n\n" + tables() + "\n" + end + tail
	if *updateDocs {
		if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Error("docs/themes.md is not what the themes are; write it again with: go test ./themes -run TestDocs -update-docs")
	}
}

// tables are the themes, what skins may set, and what of Hermes Agent's means what.
func tables() string {
	var b strings.Builder
	b.WriteString("| theme | made for | looks |\n|---|---|---|\n| `auto` | any terminal that tells its background | `dark` or `light` |\n")
	for _, s := range Builtin() {
		place := "any terminal"
		if s.Background != "" {
			place = map[bool]string{true: "dark", false: "light"}[s.Dark] + " ones, such as `" + string(s.Background) + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, place, s.About)
	}
	b.WriteString("\nThese are the colours by meaning:\n\n| colour | what has it |\n|---|---|\n")
	for _, m := range Meanings() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", m.Name, m.Doc)
	}
	b.WriteString("\nIn the file of a skin the names of Hermes Agent mean what they are nearest to here; where several mean the same, the last of this table counts.\n\n| colour of Hermes Agent | here |\n|---|---|\n")
	for _, f := range Foreigns() {
		as := "no effect"
		if len(f.As) > 0 {
			as = "`" + strings.Join(f.As, "` `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.Name, as)
	}
	return b.String()
}
