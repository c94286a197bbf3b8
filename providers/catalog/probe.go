package catalog

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// ProbeBudget is how long [Probe] looks for local servers where its context does not say.
const ProbeBudget = 300 * time.Millisecond

// mostModels bounds how many models of a server are kept.
const mostModels = 1000

// Found is a model server that answered.
type Found struct {
	// Server is its row of [Locals].
	Server Provider
	// BaseURL is where it answered, which may differ.
	BaseURL string
	// Models are the ids it offers, in its order.
	Models []string
	// Model is the preferred one.
	Model string
}

// Candidate is the server as an endpoint to use.
func (f Found) Candidate() Candidate {
	c := f.Server.candidate(f.BaseURL)
	c.Model = f.Model
	return c
}

// Probe looks for model servers on this machine and returns those of [Locals] that
// answer, in their order; with all unset, only the first of them. It asks all of them at
// the same time for their models, until the deadline of ctx or, without one, for
// [ProbeBudget]; for one alone it waits for a slower server only as long as none before it
// in the order has answered. Ollama is asked where OLLAMA_HOST says.
//
// get fetches a URL; it must fail for an HTTP status that is not success, bound
// what it reads, and return when its context ends. Probe returns only when every
// get has returned.
func Probe(ctx context.Context, all bool, get func(ctx context.Context, url string) ([]byte, error), env func(string) string) []Found {
	until, bounded := ctx.Deadline()
	if !bounded {
		until = time.Now().Add(ProbeBudget)
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	servers := Locals()
	answers := make([]chan Found, len(servers))
	for i, s := range servers {
		if s.ID == ollamaID {
			if u, err := cleanURL(ollamaURL(env(ollamaHost)), ollamaHost); err == nil {
				s.BaseURL = u
			}
		}
		answers[i] = make(chan Found, 1)
		go func() {
			defer close(answers[i])
			b, err := get(ctx, s.BaseURL+"/models")
			if err != nil {
				return
			}
			if ids := modelIDs(b); len(ids) > 0 {
				answers[i] <- Found{Server: s, BaseURL: s.BaseURL, Models: ids, Model: pick(s.Models, ids)}
			}
		}()
	}
	var found []Found
	for _, a := range answers {
		if f, answered := <-a; answered && (all || len(found) == 0) {
			found = append(found, f)
			if !all {
				cancel() // the others only have to end
			}
		}
	}
	return found
}

// modelIDs reads an answer of the form {"data":[{"id":"…"}]}. Anything else
// gives none.
func modelIDs(b []byte) []string {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(b, &list) != nil {
		return nil
	}
	var ids []string
	for _, m := range list.Data {
		if id := strings.TrimSpace(m.ID); id != "" && len(ids) < mostModels {
			ids = append(ids, id)
		}
	}
	return ids
}

// pick chooses a model, leaving out those that do not chat.
func pick(preferences, ids []string) string {
	chat := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		id = strings.ToLower(id)
		return strings.Contains(id, "embed") || strings.Contains(id, "rerank") || strings.Contains(id, "whisper")
	})
	if m := Match(preferences, chat); m != "" {
		return m
	}
	return append(chat, ids[0])[0]
}
