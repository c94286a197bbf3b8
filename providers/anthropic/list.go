package anthropic

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

const (
	listLimit = 16 << 20 // bytes of a page
	listPages = 20       // a server may say for ever that there is more
)

// Models asks the endpoint which models it offers, in its own order. An answer
// that is no such list is a protocol error.
func (c *Client) Models(ctx context.Context) ([]providers.Model, error) {
	var all []providers.Model
	from := ""
	for range listPages {
		page, next, err := c.page(ctx, from)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if next == "" || next == from {
			break
		}
		from = next
	}
	return all, nil
}

// page asks for the models behind one of them. Next is empty at the end.
func (c *Client) page(ctx context.Context, from string) (models []providers.Model, next string, err error) {
	req, err := c.request(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return nil, "", err
	}
	query := req.URL.Query()
	query.Set("limit", "1000")
	if from != "" {
		query.Set("after_id", from)
	}
	req.URL.RawQuery = query.Encode()
	req.Header.Set("Accept", "application/json")
	c.setHeaders(req.Header)
	data, err := c.config.Transport.Fetch(req, listLimit)
	if err != nil {
		return nil, "", err
	}
	var list struct {
		Data *[]json.RawMessage `json:"data"`
		More bool               `json:"has_more"`
		Last text               `json:"last_id"`
	}
	if json.Unmarshal(data, &list) != nil || list.Data == nil {
		return nil, "", noList(req.URL, data, transport.SecretsOf(req).Text)
	}
	for _, raw := range *list.Data {
		if m, ok := readModel(raw); ok {
			models = append(models, m)
		}
	}
	if list.More {
		next = string(list.Last)
	}
	return models, next, nil
}

// readModel reads one entry; one that cannot be read or has no name is none.
func readModel(raw json.RawMessage) (providers.Model, bool) {
	var w struct {
		ID      text `json:"id"`
		Name    text `json:"display_name"`
		Context int  `json:"max_input_tokens"`
		Output  int  `json:"max_tokens"`
	}
	if json.Unmarshal(raw, &w) != nil || w.ID == "" {
		return providers.Model{}, false
	}
	m := providers.Model{ID: string(w.ID), Name: string(w.Name), ContextMax: max(0, w.Context), OutputMax: max(0, w.Output)}
	if m.Name == m.ID {
		m.Name = ""
	}
	return m, true
}

// noList is an answer that is no list of models.
func noList(at *url.URL, data []byte, mask func(string) string) error {
	what := "it says " + transport.FirstWords(data)
	if title, ok := transport.PageTitle(data); ok {
		what = "it answers with a web page: " + title
	}
	return &providers.Error{
		Kind: providers.ErrorProtocol, Endpoint: transport.Endpoint(at), Body: []byte(mask(string(transport.Clip(data)))),
		Message: mask("the endpoint gives no list of models; check the base URL; " + what),
	}
}
