package deferred_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/deferred"
)

// host calls what it is told to and remembers it.
type host struct {
	tools.Host
	called []tools.Call
}

func (h *host) Invoke(_ context.Context, c tools.Call) tools.Result {
	h.called = append(h.called, c)
	if strings.HasSuffix(c.Name, "delete_page") {
		return tools.Failure(tools.View{}, "not allowed")
	}
	return tools.Result{Content: "did " + c.Name + string(c.Args), Untrusted: "the MCP server wiki"}
}

func some() []tools.Tool {
	var list []tools.Tool
	for name, about := range map[string]string{
		"mcp__wiki__search_pages": "Searches the pages of the wiki.", "mcp__wiki__createPage": "Makes a new page.", "mcp__wiki__delete_page": "Removes a page for good.",
		"mcp__mail__send_message": "Sends a mail to someone.", "mcp__mail__listFolders": "Lists the folders of a mailbox.",
	} {
		list = append(list, tools.Tool{Name: name, Description: about, Deferred: strings.Split(name, "__")[1], Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return list
}

// TestFindReadCall finds tools by words, reads what they take and calls them as what they
// are.
func TestFindReadCall(t *testing.T) {
	h := &host{}
	all := deferred.New(deferred.Options{Tools: some, Limit: 2})
	run := func(name, args string) tools.Result {
		for _, tool := range all {
			if tool.Name == name {
				r, err := tool.Run(t.Context(), tools.Call{Args: json.RawMessage(args)}, h, nil)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
		}
		t.Fatal(name)
		return tools.Result{}
	}
	for _, c := range []struct {
		tool, args, want string
		failed           bool
	}{
		{"tool_search", `{"queries":["searching a page"],"limit":1}`, `"matches":[{"name":"mcp__wiki__search_pages"`, false},
		{"tool_search", `{"queries":["list folder"],"limit":1}`, `mcp__mail__listFolders`, false},
		{"tool_search", `{"queries":["sends mails"],"limit":1}`, `mcp__mail__send_message`, false},
		{"tool_search", `{"queries":["zebra"]}`, `"matches":[]`, false},
		{"tool_search", `{"queries":[]}`, `queries is empty`, true},
		{"tool_search", `{"queries":5}`, `array`, true},
		{"tool_describe", `{"names":["mcp__wiki__createPage","mcp__none"]}`, `"parameters":{"type":"object"}`, false},
		{"tool_describe", `{"names":["mcp__wiki__create_page"]}`, `near it are mcp__wiki__createPage`, true},
		{"tool_describe", `{"names":[]}`, `names is empty`, true},
		{"tool_call", `{"calls":[{"name":"mcp__wiki__createPage","arguments":{"title":"x"}}]}`, `did mcp__wiki__createPage{"title":"x"}`, false},
		{"tool_call", `{"calls":[{"name":"mcp__wiki__createPage"},{"name":"mcp__wiki__delete_page","arguments":null}]}`, `not allowed`, true},
		{"tool_call", `{"calls":[{"name":"terminal","arguments":{"command":"id"}}]}`, `there is no tool`, true},
		{"tool_call", `{"calls":[]}`, `between 1 and 5`, true},
	} {
		r := run(c.tool, c.args)
		if !strings.Contains(r.Content, c.want) || (r.Status != tools.StatusOK) != c.failed {
			t.Errorf("%s %s: %s %s", c.tool, c.args, r.Content, r.Status)
		}
		if c.tool == "tool_call" && strings.Contains(r.Content, "did ") && r.Untrusted != "the MCP server wiki" {
			t.Errorf("%s: from %q", c.args, r.Untrusted)
		}
	}
	if len(h.called) != 3 || string(h.called[1].Args) != "{}" || string(h.called[2].Args) != "{}" {
		t.Errorf("called %+v", h.called)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped"))
	if _, err := all[2].Run(ctx, tools.Call{Args: json.RawMessage(`{"calls":[{"name":"mcp__wiki__createPage"}]}`)}, h, nil); err == nil || err.Error() != "stopped" {
		t.Errorf("stopped: %v", err)
	}
}

// TestCatalogue says less of the group that takes most room until all fits.
func TestCatalogue(t *testing.T) {
	var list []tools.Tool
	for i := range 100 {
		list = append(list, tools.Tool{Name: fmt.Sprint("mcp__big__tool", i), Description: strings.Repeat("words ", 30), Deferred: "big"})
	}
	list = append(list, tools.Tool{Name: "mcp__small__one", Description: "Does one thing.", Deferred: "small"})
	for room, want := range map[int]string{
		100_000: "- mcp__big__tool99: words words", 3_000: "big: mcp__big__tool0, mcp__big__tool1", 200: "big: 100 tools\nsmall:\n- mcp__small__one: Does one thing.", 30: "big: 100 tools\nsmall: 1 tool", 5: "big:",
	} {
		got := deferred.Catalogue(list, room)
		if !strings.Contains(got, want) || len(got) > room {
			t.Errorf("%d: %d characters: %.300s", room, len(got), got)
		}
	}
}

// fiveThousand are as many tools of fifty servers.
func fiveThousand() (list []tools.Tool) {
	for i := range 5000 {
		list = append(list, tools.Tool{Name: fmt.Sprintf("mcp__server%d__do_thing_%d", i%50, i), Description: fmt.Sprintf("Does thing number %d with the files, pages and messages of a folder.", i), Deferred: fmt.Sprint("server", i%50)})
	}
	return list
}

// BenchmarkSearch looks through 5,000 tools.
func BenchmarkSearch(b *testing.B) {
	list := fiveThousand()
	search := deferred.New(deferred.Options{Tools: func() []tools.Tool { return list }, Limit: 5})[0]
	args := json.RawMessage(`{"queries":["messages of a folder number 4711"]}`)
	for b.Loop() {
		if r, err := search.Run(b.Context(), tools.Call{Args: args}, nil, nil); err != nil || r.Status != tools.StatusOK {
			b.Fatal(r, err)
		}
	}
	b.ReportMetric(5, "target-ms")
}

// BenchmarkCatalogue lists 5,000 tools within the room that a prompt has for them.
func BenchmarkCatalogue(b *testing.B) {
	list, n := fiveThousand(), 0
	for b.Loop() {
		n = len(deferred.Catalogue(list, 16_000))
	}
	b.ReportMetric(float64(n), "characters")
	b.ReportMetric(16_000, "target-characters")
}
