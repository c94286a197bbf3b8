package chat

import (
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
)

func TestRichModelLists(t *testing.T) {
	const openRouterModel = `{"id":"a/b","name":"A: B","context_length":200000,
		"architecture":{"modality":"text+image->text","input_modalities":["text","image"],"output_modalities":["text"]},
		"pricing":{"prompt":"0.000003","completion":"0.000015","request":"0","image":"0.0048","input_cache_read":"0.0000003","input_cache_write":"0.00000375"},
		"top_provider":{"context_length":200000,"max_completion_tokens":64000},"supported_parameters":["max_tokens","reasoning","tools"]}`
	for _, c := range []struct {
		name, body string
		want       providers.Model
	}{
		{"OpenRouter", openRouterModel, providers.Model{
			ID: "a/b", Name: "A: B", ContextMax: 200_000, OutputMax: 64_000, Vision: providers.Yes, Tools: providers.Yes, Reasoning: providers.Yes,
			Price: &providers.ListPrice{Input: "0.000003", Output: "0.000015", CacheRead: "0.0000003", CacheWrite: "0.00000375"},
		}},
		{"able to little", `{"id":"a","architecture":{"input_modalities":["text"]},"supported_parameters":[],"pricing":{"prompt":"0","completion":"0"}}`, providers.Model{
			ID: "a", Vision: providers.No, Tools: providers.No, Reasoning: providers.No, Price: &providers.ListPrice{Input: "0", Output: "0"},
		}},
		{"a price that depends", `{"id":"a","pricing":{"prompt":"-1","completion":"-1"}}`, providers.Model{ID: "a"}},
		{"prices as numbers", `{"id":"a","pricing":{"prompt":3e-06,"completion":0.000015}}`, providers.Model{ID: "a", Price: &providers.ListPrice{Input: "3e-06", Output: "0.000015"}}},
		{"prices in another unit", `{"id":"a","pricing":{"input":0.2,"output":0.2,"hourly":0}}`, providers.Model{ID: "a"}},
		{"modality only", `{"id":"a","architecture":{"modality":"text+image->text"}}`, providers.Model{ID: "a", Vision: providers.Yes}},
		{"Mistral", `{"id":"a","capabilities":{"completion_chat":true,"function_calling":true,"vision":false}}`, providers.Model{ID: "a", Vision: providers.No, Tools: providers.Yes}},
		{"llama.cpp", `{"id":"a","capabilities":["completion","multimodal"]}`, providers.Model{ID: "a", Vision: providers.Yes, Tools: providers.No, Reasoning: providers.No}},
		{"odd", `{"id":"a","architecture":null,"pricing":"free","capabilities":7,"supported_parameters":{"tools":1},"input_modalities":"image"}`, providers.Model{ID: "a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, func(conn net.Conn) { write(conn, jsonHead, `{"data":[`+c.body+`]}`) })
			got, err := newClient(t, s.url).Models(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 || !reflect.DeepEqual(got[0], c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	s := serve(t, func(conn net.Conn) { write(conn, jsonHead, `{"data":[{"id":"a"},{"id":"b","context_length":7}]}`) })
	c := newClient(t, s.url)
	for model, want := range map[string]providers.Model{"b": {ID: "b", ContextMax: 7}, "c": {ID: "c"}} {
		if got, err := c.Describe(t.Context(), model); err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
}

func TestDescribeOnOllama(t *testing.T) {
	const show = `{"license":"x","parameters":"stop \"<|end|>\"\nnum_ctx                        16384\n","model_info":{"general.architecture":"qwen3","qwen3.context_length":40960},"capabilities":["completion","tools","thinking"]}`
	for _, c := range []struct {
		name, body string
		numCtx     int
		want       providers.Model
	}{
		{"set up", show, 0, providers.Model{ContextMax: 16_384, Vision: providers.No, Tools: providers.Yes, Reasoning: providers.Yes}},
		{"asked for", show, 32_768, providers.Model{ContextMax: 32_768, Vision: providers.No, Tools: providers.Yes, Reasoning: providers.Yes}},
		{"more than there can be", show, 65_536, providers.Model{ContextMax: 40_960, Vision: providers.No, Tools: providers.Yes, Reasoning: providers.Yes}},
		{"trained", `{"model_info":{"llama.context_length":131072}}`, 0, providers.Model{ContextMax: 131_072}},
		{"nothing", `{}`, 0, providers.Model{}},
		{"odd", `{"model_info":{"a.context_length":"many"},"parameters":7,"capabilities":null}`, 0, providers.Model{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, func(conn net.Conn) { write(conn, jsonHead, c.body) })
			client := newClient(t, s.url+"/v1", func(o *Config) { o.Provider, o.Window = "ollama", c.numCtx })
			got, err := client.Describe(t.Context(), "qwen3:8b")
			if c.want.ID = "qwen3:8b"; err != nil || got != c.want {
				t.Errorf("got %+v, %v, want %+v", got, err, c.want)
			}
			if a := s.asked(); a.path != "/api/show" || a.body != `{"model":"qwen3:8b"}` || a.header.Get("Content-Type") != "application/json" {
				t.Errorf("asked %+v", a)
			}
		})
	}
	t.Run("unknown", func(t *testing.T) {
		s := serve(t, func(conn net.Conn) {
			write(conn, "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n", `{"error":"model 'x' not found"}`)
		})
		_, err := newClient(t, s.url, func(o *Config) { o.Provider = "ollama" }).Describe(t.Context(), "x")
		failure(t, err, providers.ErrorStatus, "model 'x' not found")
	})
	t.Run("stranger", func(t *testing.T) {
		s := serve(t, func(conn net.Conn) { write(conn, htmlHead, "<title>Router</title>") })
		_, err := newClient(t, s.url, func(o *Config) { o.Provider = "ollama" }).Describe(t.Context(), "x")
		failure(t, err, providers.ErrorProtocol, "a web page: Router")
	})
}

// lists answers by path; what is not there is answered as LM Studio does.
func lists(t *testing.T, bodies map[string]string) *server {
	t.Helper()
	var s *server
	s = serve(t, func(conn net.Conn) {
		path, _, _ := strings.Cut(s.asked().path, "?")
		body, ok := bodies[path]
		if !ok {
			body = `{"error":"Unexpected endpoint or method. (GET ` + path + `)"}`
		}
		if path == "/v1/chat/completions" {
			write(conn, sseHead, sse(finish("stop")))
			return
		}
		write(conn, jsonHead, body)
	})
	return s
}

func TestModelsOfLMStudio(t *testing.T) {
	const (
		newer = `{"models":[
			{"type":"llm","key":"openai/gpt-oss-20b","display_name":"GPT-OSS","max_context_length":131072,"loaded_instances":[{"id":"x","config":{"context_length":32768}}],
			 "capabilities":{"vision":false,"trained_for_tool_use":true,"reasoning":{"allowed_options":["low","medium","high"],"default":"low"}}},
			{"type":"llm","key":"gemma","max_context_length":8192,"loaded_instances":[],"capabilities":{"vision":true,"trained_for_tool_use":false}},
			{"type":"embedding","key":"nomic","max_context_length":2048},null,{"key":7}]}`
		older = `{"object":"list","data":[
			{"id":"qwen-vl","type":"vlm","state":"loaded","max_context_length":32768,"loaded_context_length":4096,"capabilities":["tool_use"]},
			{"id":"llama","type":"llm","state":"not-loaded","max_context_length":8192,"capabilities":[]},
			{"id":"nomic","type":"embeddings","max_context_length":2048}]}`
		plain = `{"data":[{"id":"llama"}]}`
	)
	for _, c := range []struct {
		name   string
		bodies map[string]string
		want   []providers.Model
	}{
		{"0.4", map[string]string{"/api/v1/models": newer, "/api/v0/models": older, "/v1/models": plain}, []providers.Model{
			{ID: "openai/gpt-oss-20b", Name: "GPT-OSS", ContextMax: 32_768, Vision: providers.No, Tools: providers.Yes, Reasoning: providers.Yes},
			{ID: "gemma", ContextMax: 8192, Vision: providers.Yes, Tools: providers.No, Reasoning: providers.No},
		}},
		{"0.3", map[string]string{"/api/v0/models": older, "/v1/models": plain}, []providers.Model{
			{ID: "qwen-vl", ContextMax: 4096, Vision: providers.Yes, Tools: providers.Yes},
			{ID: "llama", ContextMax: 8192, Vision: providers.No, Tools: providers.No},
		}},
		{"another server", map[string]string{"/v1/models": plain}, []providers.Model{{ID: "llama"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := lists(t, c.bodies)
			got, err := newClient(t, s.url, func(o *Config) { o.Provider = "lmstudio" }).Models(t.Context())
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
	t.Run("efforts are kept", func(t *testing.T) {
		s := lists(t, map[string]string{"/api/v1/models": newer})
		client := newClient(t, s.url, func(o *Config) { o.Provider = "lmstudio" })
		for _, step := range []struct {
			model, want string
		}{{"openai/gpt-oss-20b", `"reasoning_effort":"high"`}, {"", ""}, {"openai/gpt-oss-20b", `"reasoning_effort":"high"`}, {"gemma", ""}} {
			if step.model == "" {
				if _, err := client.Models(t.Context()); err != nil {
					t.Fatal(err)
				}
				continue
			}
			r := hello()
			r.Model, r.Effort = step.model, "xhigh"
			if _, err := collect(t, client, r); err != nil {
				t.Fatal(err)
			}
			if body := s.asked().body; !strings.Contains(body, step.want) || step.want == "" && strings.Contains(body, "reasoning") {
				t.Errorf("%s: %s lacks %s", step.model, body, step.want)
			}
		}
	})
	t.Run("needs a key", func(t *testing.T) {
		s := serve(t, func(conn net.Conn) {
			write(conn, "HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n", `{"error":"no"}`)
		})
		_, err := newClient(t, s.url, func(o *Config) { o.Provider = "lmstudio" }).Models(t.Context())
		failure(t, err, providers.ErrorStatus, "no")
	})
}

func FuzzModelLists(f *testing.F) {
	f.Add(`{"data":[{"id":"a","pricing":{"prompt":"1e-6"},"capabilities":{"reasoning":{"allowed_options":["off"]}},"architecture":{"input_modalities":[null,"image"]}}]}`)
	f.Add(`{"models":[{"key":"a","loaded_instances":[null],"capabilities":[7]}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		models, _ := readModels([]byte(body))
		more, _, _ := readLMStudio([]byte(body))
		for _, m := range append(models, more...) {
			if m.ID == "" || m.ContextMax < 0 || m.OutputMax < 0 || m.Price != nil && strings.HasPrefix(m.Price.Input, "-") {
				t.Fatalf("got %+v", m)
			}
		}
	})
}
