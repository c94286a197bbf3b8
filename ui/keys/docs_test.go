package keys_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"hermes-tui/internal/docstest"
	"hermes-tui/ui/keys"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/keys.md again")

// TestDocs holds the keys in docs/keys.md to the table of bindings.
func TestDocs(t *testing.T) {
	m, problems := keys.New(nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var b strings.Builder
	for _, c := range keys.Contexts() {
		fmt.Fprintf(&b, "### %s\n\n| key | does | action |\n|---|---|---|\n", c)
		for _, k := range keys.Fixed() {
			if k.Context == c {
				fmt.Fprintf(&b, "| %s | %s | |\n", docstest.Cell(k.Keys), docstest.Cell(k.Help))
			}
		}
		for _, k := range m.Bindings {
			if k.Context == c && k.Help != "" {
				fmt.Fprintf(&b, "| %s | %s | `%s` |\n", docstest.Cell(strings.Join(k.Keys, ", ")), docstest.Cell(k.Help), k.Action)
			}
		}
		b.WriteString("\n")
	}
	docstest.Section(t, "docs/keys.md", "keys", b.String(), *updateDocs)
}
