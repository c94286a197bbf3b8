package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// Some services answer without a key where they are asked as an MCP server is: by one call of
// a tool, without a session.

// callsTool is a request that calls a tool.
func callsTool(ctx context.Context, at, name string, args any) (*http.Request, error) {
	r, err := post(ctx, at, map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": args}})
	if err == nil {
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	return r, err
}

// toolText is the first text of what a tool gave, as JSON or as an event.
func toolText(body []byte) (string, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		for line := range bytes.Lines(body) {
			if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && bytes.Contains(data, []byte("{")) {
				body = data
			}
		}
	}
	var a struct {
		Result struct {
			Content []struct{ Type, Text string }
			IsError bool `json:"isError"`
		}
		Error *struct{ Message string }
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return "", err
	}
	text := ""
	for _, c := range a.Result.Content {
		if c.Type == "text" {
			text = c.Text
			break
		}
	}
	switch {
	case a.Error != nil:
		text = a.Error.Message
	case !a.Result.IsError:
		return text, nil
	}
	for _, words := range []string{"rate limit", "rate-limit", "too many requests", "daily_cap_reached", "quota", "api key", "unauthorized"} {
		if strings.Contains(strings.ToLower(text), words) {
			return "", fmt.Errorf("%w (%.200s)", errThrottled, text)
		}
	}
	return "", fmt.Errorf("%.200s", text)
}

func asksExaFree(ctx context.Context, at, _, query string, n int) (*http.Request, error) {
	return callsTool(ctx, at, "web_search_exa", map[string]any{"query": query, "numResults": n})
}

// readExaFree reads blocks of lines "Title: …", "URL: …" and "Highlights: …".
func readExaFree(body []byte, _ string) ([]Hit, error) {
	text, err := toolText(body)
	if err != nil {
		return nil, err
	}
	var list []Hit
	for block := range strings.SplitSeq(text, "\n---\n") {
		var h Hit
		says := false
		for line := range strings.Lines(block) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			switch value = strings.TrimSpace(value); {
			case name == "Title":
				h.Title = value
			case name == "URL":
				h.URL = value
			case name == "Highlights":
				h.Description, says = value, true
			case says:
				h.Description += " " + strings.TrimSpace(line)
			}
		}
		list = append(list, h)
	}
	return list, nil
}

// parallelSession tells the searches of one run of the program apart from those of others.
var parallelSession = sync.OnceValue(rand.Text)

func asksParallelFree(ctx context.Context, at, _, query string, _ int) (*http.Request, error) {
	return callsTool(ctx, at, "web_search", map[string]any{"objective": query, "search_queries": []string{query}, "session_id": parallelSession()})
}

func readParallelFree(body []byte, at string) ([]Hit, error) {
	text, err := toolText(body)
	if err != nil {
		return nil, err
	}
	return readResults("excerpts")([]byte(text), at)
}

func asksKeenable(ctx context.Context, at, _, query string, n int) (*http.Request, error) {
	r, err := post(ctx, at, map[string]any{"query": query, "max_results": n})
	if err == nil {
		r.Header.Set("X-Keenable-Title", "hermes-tui")
	}
	return r, err
}

func asksParallel(ctx context.Context, at, key, query string, n int) (*http.Request, error) {
	r, err := post(ctx, at, map[string]any{"objective": query, "search_queries": []string{query}, "max_results": n})
	if err == nil {
		r.Header.Set("X-Api-Key", key)
	}
	return r, err
}

func asksFirecrawl(ctx context.Context, at, key, query string, n int) (*http.Request, error) {
	r, err := post(ctx, at, map[string]any{"query": query, "limit": n})
	if err == nil {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return r, err
}

// readFirecrawl reads a list of results: in data, in data.web, in web or in results, as its
// versions have it.
func readFirecrawl(body []byte, _ string) ([]Hit, error) {
	var a struct {
		Data         json.RawMessage
		Web, Results []Hit
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, err
	}
	var in struct{ Web []Hit }
	switch {
	case len(a.Web) > 0:
		return a.Web, nil
	case len(a.Results) > 0:
		return a.Results, nil
	case json.Unmarshal(a.Data, &in.Web) == nil, json.Unmarshal(a.Data, &in) == nil:
		return in.Web, nil
	}
	return nil, errors.New("there are no results in it")
}
