package chat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"hermes-tui/providers"
)

// The ports that servers for models use unless told otherwise.
const (
	ollamaPort   = "11434"
	lmStudioPort = "1234"
)

// LoadsModels implements [providers.Describer].
func (c *Client) LoadsModels() bool {
	return c.onOllama() || c.isLMStudio()
}

// TakesWindow implements [providers.Describer].
func (c *Client) TakesWindow() bool { return c.onOllama() }

// onOllama reports whether the endpoint is taken for Ollama.
func (c *Client) onOllama() bool { return slices.Contains(c.needs("").rows, rowOllama) }

// Describe asks the endpoint about one model. Where it does not know the model, or
// says nothing about it, only the id is set. Ollama and LM Studio tell more than
// their list: which context window the model is served with, and what it can do.
// From then on the client asks for no effort of reasoning that they do not list.
func (c *Client) Describe(ctx context.Context, model string) (providers.Model, error) {
	if c.onOllama() {
		return c.ollamaModel(ctx, model)
	}
	models, err := c.Models(ctx)
	if err != nil {
		return providers.Model{}, err
	}
	for _, m := range models {
		if m.ID == model {
			return m, nil
		}
	}
	return providers.Model{ID: model}, nil
}

// root is an address beside the base URL, where servers have what is their own.
func (c *Client) root(path string) string {
	return strings.TrimSuffix(c.base.String(), "/v1") + path
}

// ollamaModel asks Ollama about a model.
func (c *Client) ollamaModel(ctx context.Context, model string) (providers.Model, error) {
	body, err := json.Marshal(map[string]string{"model": model})
	if err != nil {
		return providers.Model{}, c.sendError(ctx, err)
	}
	req, data, err := c.fetch(ctx, http.MethodPost, c.root("/api/show"), body)
	if err != nil {
		return providers.Model{}, err
	}
	var w struct {
		Info         map[string]json.RawMessage `json:"model_info"`
		Parameters   text                       `json:"parameters"`
		Capabilities capabilities               `json:"capabilities"`
	}
	if err := json.Unmarshal(data, &w); err != nil {
		return providers.Model{}, notExpected(req, data, "Ollama does not describe the model "+strconv.Quote(model))
	}
	m := providers.Model{
		ID: model, ContextMax: c.ollamaContext(w.Info, string(w.Parameters)),
		Vision: w.Capabilities.says("vision"), Tools: w.Capabilities.says("tools"), Reasoning: w.Capabilities.says("thinking"),
	}
	return m, nil
}

// ollamaContext is the context window of a model: the one that is asked for, else the
// one that the model is set up with, else the one that it was trained for, which is
// also the most that there can be.
func (c *Client) ollamaContext(info map[string]json.RawMessage, parameters string) int {
	var trained, set number
	for k, v := range info {
		if strings.HasSuffix(k, ".context_length") {
			_ = json.Unmarshal(v, &trained) // anything but a number is 0
		}
	}
	for line := range strings.Lines(parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			_ = set.UnmarshalJSON([]byte(f[1])) // anything but a number is 0
		}
	}
	window := int(set)
	if c.config.Window > 0 {
		window = c.config.Window
	}
	if window == 0 || trained > 0 && int(trained) < window {
		window = int(trained)
	}
	return window
}

func (c *Client) isLMStudio() bool { return slices.Contains(c.needs("").rows, rowLMStudio) }

// lmStudioModels asks LM Studio for its own list: that of version 0.4, else that of
// the versions before. It is not ok if the server has neither.
func (c *Client) lmStudioModels(ctx context.Context) (models []providers.Model, ok bool, err error) {
	for _, path := range []string{"/api/v1/models", "/api/v0/models"} {
		_, data, err := c.fetch(ctx, http.MethodGet, c.root(path), nil)
		var e *providers.Error
		if errors.As(err, &e) && e.Kind == providers.ErrorStatus && e.Status != http.StatusUnauthorized {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		if models, efforts, ok := readLMStudio(data); ok {
			c.learn(efforts)
			return models, true, nil
		}
	}
	return nil, false, nil
}

// lmStudioModel is a model in a list of LM Studio of either version.
type lmStudioModel struct {
	ID         text   `json:"id"`
	Key        text   `json:"key"`
	Type       text   `json:"type"` // llm, vlm, embedding or embeddings
	Name       text   `json:"display_name"`
	MaxContext number `json:"max_context_length"`
	Loaded     number `json:"loaded_context_length"`
	Instances  []struct {
		Config struct {
			Context number `json:"context_length"`
		} `json:"config"`
	} `json:"loaded_instances"`
	Capabilities json.RawMessage `json:"capabilities"`
}

// readLMStudio reads a list of models that answer, and which levels of reasoning
// they take.
func readLMStudio(data []byte) (models []providers.Model, efforts map[string][]string, ok bool) {
	var list struct{ Data, Models *[]json.RawMessage }
	if json.Unmarshal(data, &list) != nil || list.Data == nil && list.Models == nil {
		return nil, nil, false
	}
	if list.Models == nil {
		list.Models = list.Data
	}
	efforts = map[string][]string{}
	for _, raw := range *list.Models {
		var w lmStudioModel
		if json.Unmarshal(raw, &w) != nil || strings.HasPrefix(string(w.Type), "embedding") {
			continue
		}
		m := w.model()
		if m.ID == "" {
			continue
		}
		if levels, known := w.efforts(); known {
			efforts[m.ID] = levels
			m.Reasoning = ableIf(len(levels) > 0)
		}
		models = append(models, m)
	}
	return models, efforts, true
}

func (w *lmStudioModel) model() providers.Model {
	m := providers.Model{ID: string(w.Key), Name: string(w.Name), ContextMax: int(w.Loaded)}
	if m.ID == "" {
		m.ID = string(w.ID)
	}
	if m.Name == m.ID {
		m.Name = ""
	}
	for _, i := range w.Instances {
		if m.ContextMax == 0 {
			m.ContextMax = int(i.Config.Context)
		}
	}
	if m.ContextMax == 0 {
		m.ContextMax = int(w.MaxContext)
	}
	var c capabilities
	if len(w.Capabilities) > 0 && json.Unmarshal(w.Capabilities, &c) == nil {
		m.Tools = c.says("tool_use", "trained_for_tool_use")
		if !c.complete {
			m.Vision = c.says("vision")
		}
	}
	if m.Vision == providers.Unknown && (w.Type == "vlm" || c.complete) {
		m.Vision = ableIf(w.Type == "vlm")
	}
	return m
}

// efforts are the levels of reasoning that a model takes; known reports whether the
// list is of the version that says so.
func (w *lmStudioModel) efforts() (levels []string, known bool) {
	var c struct {
		Reasoning struct {
			Options words `json:"allowed_options"`
		} `json:"reasoning"`
	}
	if len(w.Capabilities) == 0 || w.Capabilities[0] != '{' || json.Unmarshal(w.Capabilities, &c) != nil {
		return nil, false
	}
	return append([]string{}, c.Reasoning.Options...), true
}

// learn keeps the levels that a service lists.
func (c *Client) learn(efforts map[string][]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.efforts = efforts
}

// listed are the levels that a model is known to take, nil where no one knows.
func (c *Client) listed(model string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.efforts[model]
}
