package catalog

// Providers returns the services on the network in the order in which their keys
// are tried.
func Providers() []Provider {
	return append(routers(), append(makers(), hosts()...)...)
}

// routers offer the models of many makers under one key.
func routers() []Provider {
	return []Provider{
		{
			ID: "openrouter", Name: "OpenRouter",
			KeyEnv: []string{"OPENROUTER_API_KEY"}, BaseEnv: "OPENROUTER_BASE_URL",
			BaseURL: "https://openrouter.ai/api/v1", Protocol: Chat,
			Models:  []string{"anthropic/claude-sonnet-4.6", "anthropic/claude-sonnet-*", "openrouter/auto"},
			KeyPage: "https://openrouter.ai/keys", Proof: "/key",
			Headers: map[string]string{"X-Title": "hermes-tui"},
		},
		{
			ID: "nous", Name: "Nous Portal", Aliases: []string{"nousresearch"},
			KeyEnv: []string{"NOUS_API_KEY"}, BaseEnv: "NOUS_BASE_URL",
			BaseURL: "https://inference-api.nousresearch.com/v1", Protocol: Chat,
			Models:  []string{"anthropic/claude-sonnet-4.6", "anthropic/claude-sonnet-*", "*hermes-4-405b"},
			KeyPage: "https://portal.nousresearch.com",
		},
	}
}

// makers offer their own models.
func makers() []Provider {
	return []Provider{
		{
			ID: "openai", Name: "OpenAI",
			KeyEnv: []string{"OPENAI_API_KEY"}, BaseEnv: openAIBase,
			BaseURL: "https://api.openai.com/v1", Protocol: Responses,
			Models:  []string{"gpt-6.2-sol", "gpt-6.*-sol", "gpt-6-sol", "gpt-5.*", "gpt-5", "gpt-4.1", "gpt-4o"},
			KeyPage: "https://platform.openai.com/api-keys",
		},
		{
			ID: "anthropic", Name: "Anthropic", Aliases: []string{"claude"},
			KeyEnv: []string{"ANTHROPIC_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY"}, BaseEnv: "ANTHROPIC_BASE_URL",
			BaseURL: "https://api.anthropic.com", Protocol: Anthropic,
			Models:  []string{"claude-sonnet-5-5", "claude-sonnet-5", "claude-sonnet-4-6", "claude-sonnet-*", "claude-opus-*"},
			KeyPage: "https://platform.claude.com/settings/keys",
		},
		{
			ID: "openai-codex", Name: "ChatGPT", Aliases: []string{"chatgpt", "codex"}, Auth: ByLogin,
			BaseURL: "https://chatgpt.com/backend-api/codex", Protocol: Responses,
			Models:  []string{"gpt-6.2-sol", "gpt-6-sol", "gpt-5.6", "gpt-5.5", "gpt-5.4", "gpt-5.3-codex", "gpt-5.3-codex-spark", "gpt-5.1-codex-mini"},
			KeyPage: "https://chatgpt.com",
		},
		{
			ID: "bedrock", Name: "Amazon Bedrock", Aliases: []string{"aws", "aws-bedrock", "amazon-bedrock"}, Auth: ByChain,
			KeyEnv:  []string{"AWS_BEARER_TOKEN_BEDROCK"},
			BaseURL: "https://bedrock-runtime.amazonaws.com", Protocol: Bedrock,
			Models:  []string{"global.anthropic.claude-sonnet-4-6", "global.anthropic.claude-opus-4-6-v1", "us.anthropic.claude-haiku-4-5-20251001-v1:0", "us.amazon.nova-2-lite-v1:0", "openai.gpt-oss-120b-1:0"},
			KeyPage: "https://console.aws.amazon.com/bedrock/home#/api-keys",
		},
		{
			ID: "gemini", Name: "Google Gemini", Aliases: []string{"google"},
			KeyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, BaseEnv: "GEMINI_BASE_URL",
			BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", Protocol: Chat,
			Models:  []string{"gemini-3.5-flash", "gemini-3.*-flash", "gemini-3*-pro*", "gemini-2.5-pro", "gemini-*-flash"},
			KeyPage: "https://aistudio.google.com/apikey",
		},
		{
			ID: "xai", Name: "xAI", Aliases: []string{"grok"},
			KeyEnv: []string{"XAI_API_KEY"}, BaseEnv: "XAI_BASE_URL",
			BaseURL: "https://api.x.ai/v1", Protocol: Responses,
			Models:  []string{"grok-4.5", "grok-4.*", "grok-4*", "grok-*"},
			KeyPage: "https://console.x.ai",
		},
		{
			ID: "deepseek", Name: "DeepSeek",
			KeyEnv: []string{"DEEPSEEK_API_KEY"}, BaseEnv: "DEEPSEEK_BASE_URL",
			BaseURL: "https://api.deepseek.com/v1", Protocol: Chat,
			Models:  []string{"deepseek-v4-pro", "deepseek-v*-pro", "deepseek-chat", "deepseek-*"},
			KeyPage: "https://platform.deepseek.com/api_keys",
		},
		{
			ID: "mistral", Name: "Mistral",
			KeyEnv:  []string{"MISTRAL_API_KEY"},
			BaseURL: "https://api.mistral.ai/v1", Protocol: Chat,
			Models:  []string{"mistral-medium-latest", "mistral-medium-*", "devstral-latest", "mistral-large-*"},
			KeyPage: "https://console.mistral.ai/api-keys",
		},
		{
			ID: "moonshot", Name: "Moonshot", Aliases: []string{"kimi", "moonshotai"},
			KeyEnv: []string{"MOONSHOT_API_KEY", "KIMI_API_KEY"}, BaseEnv: "KIMI_BASE_URL",
			BaseURL: "https://api.moonshot.ai/v1", Protocol: Chat,
			Models:  []string{"kimi-k3", "kimi-k2.*", "kimi-*"},
			KeyPage: "https://platform.moonshot.ai/console/api-keys",
		},
		{
			ID: "zai", Name: "Z.AI", Aliases: []string{"z-ai", "z.ai", "glm", "zhipu"},
			KeyEnv: []string{"GLM_API_KEY", "ZAI_API_KEY", "Z_AI_API_KEY"}, BaseEnv: "GLM_BASE_URL",
			BaseURL: "https://api.z.ai/api/paas/v4", Protocol: Chat,
			Models:  []string{"glm-5.2", "glm-5.*", "glm-5", "glm-4.*", "glm-*"},
			KeyPage: "https://z.ai/manage-apikey/apikey-list",
		},
		{
			ID: "minimax", Name: "MiniMax",
			KeyEnv: []string{"MINIMAX_API_KEY"}, BaseEnv: "MINIMAX_BASE_URL",
			BaseURL: "https://api.minimax.io/v1", Protocol: Chat,
			Models:  []string{"MiniMax-M3", "MiniMax-M*"},
			KeyPage: "https://platform.minimax.io",
		},
		{
			ID: "dashscope", Name: "Alibaba Cloud", Aliases: []string{"alibaba", "qwen"},
			KeyEnv: []string{"DASHSCOPE_API_KEY"}, BaseEnv: "DASHSCOPE_BASE_URL",
			BaseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", Protocol: Chat,
			Models:  []string{"qwen3.7-plus", "qwen3.*-plus", "qwen3-coder-plus", "qwen-plus"},
			KeyPage: "https://modelstudio.console.alibabacloud.com",
		},
		{
			ID: "nvidia", Name: "NVIDIA", Aliases: []string{"nim"},
			KeyEnv: []string{"NVIDIA_API_KEY"}, BaseEnv: "NVIDIA_BASE_URL",
			BaseURL: "https://integrate.api.nvidia.com/v1", Protocol: Chat,
			Models:  []string{"nvidia/nemotron-3-super-120b-a12b", "nvidia/nemotron-3-*", "openai/gpt-oss-120b"},
			KeyPage: "https://build.nvidia.com/settings/api-keys",
		},
	}
}

// hosts serve open models.
func hosts() []Provider {
	return []Provider{
		{
			ID: "groq", Name: "Groq",
			KeyEnv: []string{"GROQ_API_KEY"}, BaseEnv: "GROQ_BASE_URL",
			BaseURL: "https://api.groq.com/openai/v1", Protocol: Chat,
			Models:  []string{"openai/gpt-oss-120b", "moonshotai/kimi-k2*", "qwen/qwen3*"},
			KeyPage: "https://console.groq.com/keys",
		},
		{
			ID: "cerebras", Name: "Cerebras",
			KeyEnv:  []string{"CEREBRAS_API_KEY"},
			BaseURL: "https://api.cerebras.ai/v1", Protocol: Chat,
			Models:  []string{"gpt-oss-120b", "zai-glm-*", "qwen-3*"},
			KeyPage: "https://cloud.cerebras.ai",
		},
		{
			ID: "together", Name: "Together", Aliases: []string{"togetherai"},
			KeyEnv:  []string{"TOGETHER_API_KEY"},
			BaseURL: "https://api.together.xyz/v1", Protocol: Chat,
			Models:  []string{"openai/gpt-oss-120b", "moonshotai/Kimi-K*", "zai-org/GLM-*", "deepseek-ai/DeepSeek-V*"},
			KeyPage: "https://api.together.ai/settings/api-keys",
		},
		{
			ID: "fireworks", Name: "Fireworks", Aliases: []string{"fireworks-ai"},
			KeyEnv:  []string{"FIREWORKS_API_KEY"},
			BaseURL: "https://api.fireworks.ai/inference/v1", Protocol: Chat,
			Models:  []string{"accounts/fireworks/models/gpt-oss-120b", "accounts/fireworks/models/kimi-*", "accounts/fireworks/models/glm-*"},
			KeyPage: "https://app.fireworks.ai/settings/users/api-keys",
		},
		{
			ID: "huggingface", Name: "Hugging Face", Aliases: []string{"hf"},
			KeyEnv: []string{"HF_TOKEN"}, BaseEnv: "HF_BASE_URL",
			BaseURL: "https://router.huggingface.co/v1", Protocol: Chat,
			Models:  []string{"openai/gpt-oss-120b", "moonshotai/Kimi-K*", "zai-org/GLM-*"},
			KeyPage: "https://huggingface.co/settings/tokens",
		},
		{
			ID: "ollama-cloud", Name: "Ollama Cloud", Aliases: []string{"ollama_cloud"},
			KeyEnv:  []string{"OLLAMA_API_KEY"},
			BaseURL: "https://ollama.com/v1", Protocol: Chat,
			Models:  []string{"gpt-oss:120b", "glm-5*", "kimi-k*", "qwen3-coder*"},
			KeyPage: "https://ollama.com/settings/keys",
		},
	}
}

// Locals returns the model servers that may run on this machine, in the order in
// which they are preferred. They need no key, and which models they have is known
// only to them.
func Locals() []Provider {
	models := []string{"gpt-oss*", "*qwen3-coder*", "*qwen3*", "*glm-4*", "*devstral*", "*llama3*", "*llama-3*", "*mistral*"}
	return []Provider{
		{ID: ollamaID, Name: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Protocol: Chat, Models: models},
		{ID: "lmstudio", Name: "LM Studio", Aliases: []string{"lm-studio"}, BaseEnv: "LM_BASE_URL", BaseURL: "http://127.0.0.1:1234/v1", Protocol: Chat, Models: models},
		{ID: "llamacpp", Name: "llama.cpp", Aliases: []string{"llama.cpp", "llama-cpp"}, BaseURL: "http://127.0.0.1:8080/v1", Protocol: Chat, Models: models},
		{ID: "vllm", Name: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", Protocol: Chat, Models: models},
	}
}
