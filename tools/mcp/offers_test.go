//go:build unix

package mcp_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"hermes-tui/tools/mcp"
)

func all(mcp.Config) bool { return true }

// TestOffers lists and reads the prompts and resources of servers.
func TestOffers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	off := entry("good")
	off.Name, off.NoPrompts, off.NoResources = "off", true, true
	b.begin(entry("good"), off)
	b.until("they are listed", func(mcp.Status) bool { return len(b.Prompts(all)) == 2 && len(b.Resources(all)) == 2 })
	save := func(context.Context, string, []byte) (string, error) { return "/kept", nil }
	list := b.Prompts(all)
	if list[1].Name != "mcp__good__greet" || list[1].Usage() != "[who]" || list[0].Name != "mcp__good__review_it" || list[0].Usage() != "what [how]" || strings.ContainsAny(list[0].Description, "\x1b\n") {
		t.Errorf("%+v", list)
	}
	if r := b.Resources(all); r[0].Server != "good" || r[1].URI != "note://one" || r[0].Description != "blob" {
		t.Errorf("%+v", r)
	}
	if len(b.Prompts(func(c mcp.Config) bool { return c.Name == "off" }))+len(b.Resources(func(c mcp.Config) bool { return c.Name == "off" })) != 0 {
		t.Error("those of a server that offers none")
	}
	for _, c := range []struct {
		i          int
		args, want string
	}{
		{1, "Anna and Bo", "Greet Anna and Bo"}, {1, "", "Greet"}, {0, `"this code" with great care`, "user: Review this code with great care\n\nassistant: [image, image/png, 4 bytes, kept in /kept]"},
	} {
		args, err := list[c.i].Fill(c.args)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := b.ReadPrompt(t.Context(), list[c.i], args, save); err != nil || strings.TrimSpace(got) != c.want {
			t.Errorf("%s: %q, %v", c.args, got, err)
		}
	}
	if _, err := list[0].Fill(" "); err == nil || err.Error() != "/mcp__good__review_it needs these arguments: what [how]; what is the thing" {
		t.Errorf("%v", err)
	}
	if got, err := b.ReadResource(t.Context(), "good", "note://one", save); err != nil || got != "the first note" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := b.ReadResource(t.Context(), "good", "note://blob", save); err != nil || got != "[file note://blob, application/zip, 3 bytes, kept in /kept]" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := b.ReadResource(t.Context(), "good", "note://none", save); err == nil || !strings.Contains(err.Error(), "the MCP server good: ") {
		t.Errorf("%v", err)
	}
	b.wants("more", `{}`, "", "")
	b.until("the new prompt is listed", func(mcp.Status) bool { return len(b.Prompts(all)) == 3 })
}

// TestAsk calls tools for the program itself: with what they take, and without a question.
func TestAsk(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.begin(entry("good"))
	for _, c := range []struct{ server, tool, want, fails string }{
		{"good", "echo", "echo hello", ""},
		{"good", "picture", "[image, image/png, 4 bytes: it could not be kept: only texts are taken here]\na hidden word", ""},
		{"good", "fail", "", "the tool fail of the MCP server good failed: it does not work"},
		{"good", "ask", "decline null", ""},
		{"good", "none", "", "the MCP server good has no tool none"},
		{"none", "echo", "", "there is no MCP server none that is in use"},
	} {
		text, err := b.Ask(t.Context(), c.server, c.tool, map[string]any{"text": "hello", "chars": 7})
		if text != c.want || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s %s: %q, %v", c.server, c.tool, text, err)
		}
	}
}

func FuzzFill(f *testing.F) {
	for _, s := range []string{"", "a b", `"a b" c`, `"`, `""`, "a\nb c"} {
		f.Add(s)
	}
	p := mcp.Prompt{Name: "p", Arguments: []mcp.Argument{{Name: "one", Required: true}, {Name: "two"}}}
	f.Fuzz(func(t *testing.T, s string) {
		args, err := p.Fill(s)
		if err == nil && args["one"] == "" || err != nil && args != nil {
			t.Errorf("%q: %v, %v", s, maps.Clone(args), err)
		}
	})
}
