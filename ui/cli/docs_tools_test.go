//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/docstest"
	"hermes-tui/internal/uitest"
)

// TestToolsDoc holds the table of docs/tools.md to the tools that a session offers to a
// model.
func TestToolsDoc(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("SKIPPED: python3 is not here, and execute_code is not offered without")
	}
	d := uitest.Start(t, uitest.Options{Scenario: answering(), Timeout: time.Minute, Config: `auxiliary:
  vision: {provider: custom, base_url: "{{url}}", model: seeing}
web: {search_backend: searxng, search_url: "http://127.0.0.1:1"}
`})
	d.WaitIdle()
	d.Type("hi").Press("enter").WaitFor(uitest.Contains("It is as you said."))
	about := map[string]string{}
	for _, r := range d.Server().Requests() {
		var body struct {
			Tools []struct {
				Function struct{ Name, Description string }
			}
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		for _, tool := range body.Tools {
			first, _, _ := strings.Cut(docstest.Cell(tool.Function.Description), ". ")
			about[tool.Function.Name] = strings.TrimSuffix(first, ".")
		}
	}
	d.Quit().Wait()
	var b strings.Builder
	b.WriteString("| tool | what the model is told first |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(about)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, about[name])
	}
	docstest.Section(t, "docs/tools.md", "tools", b.String(), *updateDocs)
}
