package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// modelsLimit bounds a list of models, in bytes.
const modelsLimit = 16 << 20

// Models asks the endpoint which models it offers, in its own order. An answer that
// is no such list is a protocol error. LM Studio is asked in its own way, as that
// says more.
func (c *Client) Models(ctx context.Context) ([]providers.Model, error) {
	if c.isLMStudio() {
		if models, ok, err := c.lmStudioModels(ctx); ok || err != nil {
			return models, err
		}
	}
	req, data, err := c.fetch(ctx, http.MethodGet, c.base.String()+"/models", nil)
	if err != nil {
		return nil, err
	}
	models, ok := readModels(data)
	if !ok {
		return nil, notExpected(req, data, "the endpoint gives no list of models")
	}
	return models, nil
}

// fetch asks the endpoint for something other than an answer.
func (c *Client) fetch(ctx context.Context, method, address string, body []byte) (*http.Request, []byte, error) {
	req, err := c.newRequest(ctx, method, address, body)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Accept", "application/json")
	n := c.needs("")
	c.setHeaders(req, n.extraHeaders(query{config: &c.config}))
	data, err := c.config.Transport.Fetch(req, modelsLimit)
	return req, data, err
}

// notExpected is an answer that is not what was asked for.
func notExpected(req *http.Request, data []byte, what string) error {
	says := "it says " + transport.FirstWords(data)
	if title, page := transport.PageTitle(data); page {
		says = "it answers with a web page: " + title
	}
	secrets := transport.SecretsOf(req)
	return &providers.Error{
		Kind: providers.ErrorProtocol, Endpoint: transport.Endpoint(req.URL),
		Body:    []byte(secrets.Text(string(transport.Clip(data)))),
		Message: secrets.Text(what + "; check the base URL; " + says),
	}
}

// wireModel is a model in a list. Providers put the limits in different places.
type wireModel struct {
	ID          text   `json:"id"`
	Model       text   `json:"model"`
	Name        text   `json:"name"`
	DisplayName text   `json:"display_name"`
	Context     number `json:"context_length"`
	Window      number `json:"context_window"`
	MaxContext  number `json:"max_context_length"`
	MaxModelLen number `json:"max_model_len"`
	MaxOutput   number `json:"max_completion_tokens"`
	OutputLimit number `json:"max_output_tokens"`
	Top         struct {
		Context   number `json:"context_length"`
		MaxOutput number `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Meta struct {
		Context number `json:"n_ctx"`
		Trained number `json:"n_ctx_train"`
	} `json:"meta"`
	wireAbilities
	Pricing wirePrice `json:"pricing"`
}

// number is a positive whole number, also as text; anything else is 0.
type number int

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(data []byte) error {
	v, err := strconv.Atoi(strings.Trim(string(data), `"`))
	if err != nil || v < 0 {
		v = 0
	}
	*n = number(v)
	return nil
}

// readModels reads {"data":[…]}, {"models":[…]} or a bare list. Entries that
// cannot be read or have no name are left out.
func readModels(data []byte) ([]providers.Model, bool) {
	var list []json.RawMessage
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '[' {
		if json.Unmarshal(data, &list) != nil {
			return nil, false
		}
	} else {
		var o struct{ Data, Models *[]json.RawMessage }
		if json.Unmarshal(data, &o) != nil || o.Data == nil && o.Models == nil {
			return nil, false
		}
		if o.Data == nil {
			o.Data = o.Models
		}
		list = *o.Data
	}
	models := make([]providers.Model, 0, len(list))
	for _, raw := range list {
		var w wireModel
		if json.Unmarshal(raw, &w) != nil {
			continue
		}
		if m := w.model(); m.ID != "" {
			models = append(models, m)
		}
	}
	return models, true
}

func (w *wireModel) model() providers.Model {
	m := providers.Model{ID: string(w.ID), Name: string(w.DisplayName)}
	if m.Name == "" {
		m.Name = string(w.Name)
	}
	for _, id := range []text{w.Model, w.Name} {
		if m.ID == "" {
			m.ID = string(id)
		}
	}
	if m.Name == m.ID {
		m.Name = ""
	}
	for _, n := range []number{w.Context, w.Window, w.MaxContext, w.MaxModelLen, w.Top.Context, w.Meta.Context, w.Meta.Trained} {
		if m.ContextMax == 0 {
			m.ContextMax = int(n)
		}
	}
	for _, n := range []number{w.Top.MaxOutput, w.MaxOutput, w.OutputLimit} {
		if m.OutputMax == 0 {
			m.OutputMax = int(n)
		}
	}
	m.Vision, m.Tools, m.Reasoning = w.vision(), w.tools(), w.reasoning()
	m.Price = w.Pricing.perToken()
	return m
}
