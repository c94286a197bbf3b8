package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestBothHalvesOfAnAnswer tells a model what only one of text and structured content says,
// once, and no base64.
func TestBothHalvesOfAnAnswer(t *testing.T) {
	picture := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{1, 77, 200, 9, 120}, 4000)...)
	code := base64.StdEncoding.EncodeToString(picture)
	hits := map[string]any{"hits": []any{map[string]any{"id": 7.0, "title": "x"}}}
	text := func(s string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: s}} }
	for name, c := range map[string]struct {
		in   sdk.CallToolResult
		want string
	}{
		"beside a summary": {sdk.CallToolResult{Content: text("3 hits; details are in structured content."), StructuredContent: hits},
			"3 hits; details are in structured content.\n\n[structured content]\n" + `{"hits":[{"id":7,"title":"x"}]}`},
		"alone":          {sdk.CallToolResult{StructuredContent: hits}, `{"hits":[{"id":7,"title":"x"}]}`},
		"equal":          {sdk.CallToolResult{Content: text(`{"hits": [{"id": 7, "title": "x"}]}`), StructuredContent: hits}, `{"hits": [{"id": 7, "title": "x"}]}`},
		"text alone":     {sdk.CallToolResult{Content: text("a")}, "a"},
		"base64 in text": {sdk.CallToolResult{Content: text(`{"content":[{"type":"image","data":"` + code + `"}]}`)}, `{"content":[{"type":"image","data":"[image, image/png, 20008 bytes, kept in /f]"}]}`},
		"a long word":    {sdk.CallToolResult{Content: text(strings.Repeat("abc", 900))}, strings.Repeat("abc", 900)},
	} {
		t.Run(name, func(t *testing.T) {
			got := textOf(context.Background(), &c.in, func(_ context.Context, _ string, data []byte) (string, error) {
				if !bytes.Equal(data, picture) {
					t.Errorf("%d bytes were kept", len(data))
				}
				return "/f", nil
			})
			if got != c.want {
				t.Errorf("got %.300s", got)
			}
		})
	}
}
