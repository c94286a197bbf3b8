package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverEnv turns the test program into an MCP server.
const serverEnv = "APP_TEST_MCP"

// testServer is a server that tells how it was started.
func testServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	type none struct{}
	say := func(text string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
	}
	sdk.AddTool(s, &sdk.Tool{Name: "about", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}, func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, any, error) {
		dir, _ := os.Getwd()
		return say(fmt.Sprintf("args %q in %s with %q", os.Args[1:], filepath.Base(dir), os.Getenv("EXTRA"))), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "slow"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, any, error) {
		select {
		case <-ctx.Done():
		case <-time.After(4 * time.Second):
		}
		return say("slept well"), nil, nil
	})
	var here atomic.Int32
	sdk.AddTool(s, &sdk.Tool{Name: "meet"}, func(context.Context, *sdk.CallToolRequest, struct {
		Who string `json:"who"`
	}) (*sdk.CallToolResult, any, error) {
		here.Add(1)
		defer here.Add(-1)
		for range 50 {
			if here.Load() > 1 {
				time.Sleep(100 * time.Millisecond) // for the other to see it as well
				return say("met"), nil, nil
			}
			time.Sleep(20 * time.Millisecond)
		}
		return say("nobody came"), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "ask"}, func(ctx context.Context, r *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, any, error) {
		a, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "really?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
		if err != nil {
			return nil, nil, err
		}
		return say("said " + a.Action), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "sample"}, func(ctx context.Context, r *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, any, error) {
		said := ""
		for range 2 {
			a, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{SystemPrompt: "Answer a server", MaxTokens: 9, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "hello"}}}}) //nolint:staticcheck // what the test is about
			if err != nil {
				return nil, nil, err
			}
			said += a.Content.(*sdk.TextContent).Text + " "
		}
		return say(said), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "remember"}, func(_ context.Context, _ *sdk.CallToolRequest, in struct {
		Query  string `json:"query,omitempty"`
		User   string `json:"user,omitempty"`
		Answer string `json:"answer,omitempty"`
		Target string `json:"target,omitempty"`
		Diff   string `json:"diff,omitempty"`
	}) (*sdk.CallToolResult, any, error) {
		f, err := os.OpenFile("remembered", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		_, err = fmt.Fprintf(f, "remembered query %q user %q answer %q target %q diff %q\n", in.Query, in.User, in.Answer, in.Target, in.Diff)
		return say("The server remembers " + in.Query), nil, err
	})
	s.AddResource(&sdk.Resource{URI: "note://one", Name: "one"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "greet"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{}, nil
	})
	return s
}
