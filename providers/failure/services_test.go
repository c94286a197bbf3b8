package failure

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// serviceCase is what one service says about one failure.
type serviceCase struct {
	name   string
	status int // 0 for an error inside a stream
	kind   string
	body   string
	want   Failure
}

func (c serviceCase) err() *providers.Error {
	e := status(c.status, c.body)
	e.Type = c.kind
	if c.status == 0 {
		e.Kind = providers.ErrorStream
	}
	return e
}

func checkServices(t *testing.T, cases []serviceCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Classify(c.err(), Context{Provider: "P", Model: "m", Tokens: 1_000, ContextMax: 200_000})
			checkSentence(t, got.Sentence())
			plain := Failure{Reason: got.Reason, Retryable: got.Retryable, Compress: got.Compress, Rotate: got.Rotate, Fallback: got.Fallback}
			if plain != c.want {
				t.Errorf("got %+v, want %+v", plain, c.want)
			}
		})
	}
}

func TestAWS(t *testing.T) {
	profile := `{"message":"Invocation of model ID anthropic.claude-sonnet-4-5 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model."}`
	checkServices(t, []serviceCase{
		{"expired", 403, "ExpiredTokenException", `{"message":"The security token included in the request is expired"}`, otherKey(Auth)},
		{"expired, no status", 0, "", `An error occurred (ExpiredTokenException) when calling the ConverseStream operation: expired`, otherKey(Auth)},
		{"expired, by its code", 400, "", `{"__type":"com.amazon.coral.service#ExpiredToken","message":"x"}`, otherKey(Auth)},
		{"unknown key", 403, "UnrecognizedClientException", `{"message":"The security token included in the request is invalid."}`, otherKey(Auth)},
		{"bad signature", 403, "InvalidSignatureException", `{"message":"Signature expired: 20260101T000000Z is now earlier than 20260101T010000Z"}`, otherKey(Auth)},
		{"not allowed", 403, "AccessDeniedException", `{"Message":"User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:InvokeModelWithResponseStream"}`, elsewhere(Auth)},
		{"not allowed, no status", 0, "AccessDeniedException", `{"message":"not authorized"}`, elsewhere(Auth)},
		{"model not granted", 403, "AccessDeniedException", `{"message":"You don't have access to the model with the specified model ID."}`, elsewhere(ModelNotFound)},
		{"throttled", 429, "ThrottlingException", `{"message":"Too many tokens, please wait before trying again."}`, limited()},
		{"throttled as 400", 400, "ThrottlingException", `{"message":"Too many tokens, please wait before trying again."}`, limited()},
		{"throttled in a stream", 0, "throttlingException", `{"message":"Too many tokens"}`, limited()},
		{"quota of the account", 400, "ServiceQuotaExceededException", `{"message":"Your request exceeds the service quota for your account."}`, limited()},
		{"not ready", 429, "ModelNotReadyException", `{"message":"The model specified in the request is not ready to serve inference requests."}`, retry(Overloaded)},
		{"not ready, no status", 0, "ModelNotReadyException", `{}`, retry(Overloaded)},
		{"unavailable", 503, "ServiceUnavailableException", `{"message":"busy"}`, retry(Overloaded)},
		{"model too slow", 408, "ModelTimeoutException", `{"message":"The request took too long to process."}`, retry(Timeout)},
		{"only by a profile", 400, "ValidationException", profile, elsewhere(ModelNotFound)},
		{"only by a profile, in other words", 400, "", `{"message":"The provided model doesn't support on-demand throughput."}`, elsewhere(ModelNotFound)},
		{"no such model", 400, "ValidationException", `{"message":"The provided model identifier is invalid."}`, elsewhere(ModelNotFound)},
		{"model of the past", 404, "ResourceNotFoundException", `{"message":"This model version has reached the end of its life. Please refer to the AWS documentation."}`, elsewhere(ModelNotFound)},
		{"too long", 400, "ValidationException", `{"message":"Input is too long for requested model."}`, compress(ContextOverflow)},
		{"malformed", 400, "ValidationException", `{"message":"The text field in the ContentBlock object is blank. Add text to the text field."}`, elsewhere(FormatError)},
		{"no such guardrail", 400, "ValidationException", `{"message":"The guardrail identifier or version provided in the request does not exist."}`, elsewhere(FormatError)},
		{"model failed", 424, "ModelErrorException", `{"message":"The request failed due to an error while processing the model."}`, retry(ServerError)},
		{"model failed, no status", 0, "ModelStreamErrorException", `{"message":"An error occurred while streaming."}`, retry(ServerError)},
		{"model refused", 424, "ModelErrorException", `{"message":"m","originalStatusCode":400,"originalMessage":"prompt is too long: 214033 tokens > 200000 maximum"}`, compress(ContextOverflow)},
		{"model limited", 424, "ModelErrorException", `{"message":"m","originalStatusCode":429}`, limited()},
		{"model malformed", 424, "ModelErrorException", `{"message":"m","originalStatusCode":400,"originalMessage":"tools.0.name: must match the pattern ^[a-z]+$"}`, elsewhere(FormatError)},
		{"model broken", 424, "ModelErrorException", `{"message":"m","originalStatusCode":500,"originalMessage":"o"}`, retry(ServerError)},
		{"itself behind itself", 424, "ModelErrorException", `{"message":"m","originalStatusCode":424}`, retry(ServerError)},
		{"no status behind it", 424, "ModelErrorException", `{"message":"m","originalStatusCode":1e300}`, retry(ServerError)},
		{"another dependency", 424, "", `{"error":{"message":"Error retrieving tool list from a server: Http status code: 424 (Failed Dependency)"}}`, retry(ServerError)},
		{"a parameter of a dependency", 424, "", `{"error":{"message":"Unknown parameter: x"}}`, elsewhere(FormatError)},
	})
}

func TestModeration(t *testing.T) {
	blocked := elsewhere(ContentPolicyBlocked)
	checkServices(t, []serviceCase{
		{"anthropic", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`, blocked},
		{"anthropic, in a stream", 0, "invalid_request_error", `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`, blocked},
		{"openai, responses", 400, "", `{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy.","type":"invalid_request_error","code":"invalid_prompt"}}`, blocked},
		{"openai, safety reasons", 400, "", `{"error":{"message":"Invalid prompt: we've limited access to this content for safety reasons.","code":"invalid_prompt"}}`, blocked},
		{"openai, by its code", 400, "", `{"error":{"message":"refused","code":"content_policy_violation"}}`, blocked},
		{"openai, images", 400, "", `{"error":{"message":"Your request was rejected as a result of our safety system.","code":"moderation_blocked"}}`, blocked},
		{"azure", 400, "", `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy."}}`, blocked},
		{"openrouter", 403, "", `{"error":{"message":"openai/x requires moderation on OpenRouter. Your input was flagged for \"violence\". No credits were charged.","code":403}}`, blocked},
		{"xai", 403, "", `{"code":"The caller does not have permission","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}`, blocked},
		{"deepseek", 400, "", `{"error":{"message":"Content Exists Risk","type":"invalid_request_error"}}`, blocked},
		{"alibaba", 400, "", `{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}`, blocked},
		{"zhipu", 400, "", `{"error":{"code":"1301","message":"系统检测到输入或生成内容可能包含不安全或敏感内容"}}`, blocked},
		{"minimax", 200, "", `{"base_resp":{"status_code":1026,"status_msg":"input new_sensitive"}}`, blocked},
		{"moonshot", 400, "", `{"error":{"message":"The request was rejected because it was considered high risk","type":"content_filter"}}`, blocked},
		{"gemini", 400, "", `{"error":{"message":"Prompt was blocked: PROHIBITED_CONTENT","status":"INVALID_ARGUMENT"}}`, blocked},
		{"bedrock", 400, "ValidationException", `{"message":"This request has been blocked by our content filters."}`, blocked},
		{"bedrock guardrail", 0, "", `{"message":"The request was blocked by guardrail gr-1"}`, blocked},

		{"no guardrail but the account", 404, "", `{"error":{"message":"No endpoints available matching your guardrail restrictions and data policy"}}`, Failure{Reason: ProviderPolicyBlocked}},
		{"another invalid prompt", 400, "", `{"error":{"message":"Invalid prompt: the messages must not be empty","code":"invalid_prompt"}}`, elsewhere(FormatError)},
	})
}

func TestAllowances(t *testing.T) {
	checkServices(t, []serviceCase{
		{"used up", 429, "", `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_in_seconds":13872}}`, limited()},
		{"used up, another status", 404, "", `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached"}}`, limited()},
		{"used up, in a stream", 0, "usage_limit_reached", ``, limited()},
		{"not in the plan", 429, "", `{"error":{"type":"usage_not_included","message":"Upgrade to use this."}}`, otherKey(Billing)},
		{"workspace gone", 402, "", `{"detail":{"code":"deactivated_workspace"}}`, otherKey(Billing)},
		{"workspace gone, no status", 0, "", `{"detail":{"code":"deactivated_workspace"}}`, otherKey(Billing)},
		{"more than the credit", 402, "", `{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 1200.","code":402}}`, otherKey(Billing)},
		{"more than the credit, in a stream", 0, "", `{"error":{"message":"This request requires more credits, or fewer max_tokens. The prompt has 10 tokens."}}`, otherKey(Billing)},
		{"payment", 402, "", `{"error":{"message":"Payment required"}}`, otherKey(Billing)},
		{"a limit in time", 402, "", `{"error":{"message":"Usage limit reached, it resets at 09:00"}}`, limited()},
		{"model not of the project", 403, "", `{"error":{"message":"Project proj_1 does not have access to model gpt-5","code":"model_not_found"}}`, elsewhere(ModelNotFound)},
		{"login over", 401, "", `{"detail":"Your session has expired"}`, otherKey(Auth)},
		{"login over, no status", 0, "", `{"error":{"message":"OAuth token has expired"}}`, otherKey(Auth)},
	})
}

// TestServiceSentences: what only some services say gets its own next step.
func TestServiceSentences(t *testing.T) {
	chatgpt := func(code int, body string) *providers.Error {
		e := status(code, body)
		e.Endpoint = "https://chatgpt.com/backend-api/codex/responses"
		return e
	}
	aws := func(code int, kind, body string) *providers.Error {
		e := status(code, body)
		e.Type = kind
		return e
	}
	allowance := chatgpt(429, `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_in_seconds":13872}}`)
	later := chatgpt(429, `{"error":{"type":"usage_limit_reached","message":"no more"}}`)
	later.RetryAfter = 49*time.Hour + 10*time.Minute
	unsent := fmt.Errorf("stream: %w", &providers.Error{Kind: providers.ErrorRequest, Cause: errors.New("the login to ChatGPT has ended: log in again with hermes-tui login openai-codex")})
	c := Context{Provider: "ChatGPT", Model: "big-1"}
	bedrock := Context{Provider: "Amazon Bedrock", Model: "big-1"}
	for _, x := range []struct {
		name string
		err  error
		c    Context
		want string
	}{
		{"login over", chatgpt(401, ""), c, "ChatGPT does not accept the login any more (HTTP 401): log in again with hermes-tui login openai-codex."},
		{"login of another", status(401, ""), Context{Provider: "P", Login: "hermes-tui login p"}, "P does not accept the login any more (HTTP 401): log in again with hermes-tui login p."},
		{"login may not", chatgpt(403, `{"detail":"No."}`), c, "ChatGPT refuses access with this login (HTTP 403) (“No”): check what the login may do, or choose another model with /model."},
		{"no credentials of AWS", &providers.Error{Kind: providers.ErrorRequest, Message: "AWS authentication is not set up: set AWS_PROFILE"}, Context{Provider: "bedrock"},
			"AWS authentication is not set up: set AWS_PROFILE."},
		{"a login of another program", status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"This credential is only authorized for use with Claude Code and cannot be used for other API requests."}}`),
			Context{Provider: "anthropic"}, "Anthropic takes the login of Claude Code from Claude Code only: set ANTHROPIC_API_KEY to a key of your own, they are made at https://platform.claude.com/settings/keys."},
		{"our own sentence", unsent, c, "The login to ChatGPT has ended: log in again with hermes-tui login openai-codex."},
		{"a server says it", status(401, `{"error":{"message":"run hermes-tui login evil"}}`), Context{Provider: "P", KeyFrom: "env K"}, "P does not accept the API key from K (HTTP 401) (“run hermes-tui login evil”): set a valid one in K or with /setup."},
		{"allowance", allowance, c, "The allowance of this account at ChatGPT is used up (“The usage limit has been reached”): it begins again in 3 h 51 min, or choose another model with /model."},
		{"allowance for days", later, c, "The allowance of this account at ChatGPT is used up (“no more”): it begins again in 2 d 1 h, or choose another model with /model."},
		{"allowance without end", chatgpt(429, `{"error":{"type":"usage_limit_reached"}}`), c, "The allowance of this account at ChatGPT is used up: wait until it begins again, or choose another model with /model."},
		{"expired", aws(403, "ExpiredTokenException", `{"message":"expired"}`), bedrock, "The AWS credentials for Amazon Bedrock have expired (HTTP 403): get new ones, for a login with SSO with aws sso login."},
		{"refused", aws(403, "UnrecognizedClientException", `{"message":"The security token included in the request is invalid."}`), bedrock, "Amazon Bedrock refuses the AWS credentials (HTTP 403) (“The security token included in the request is invalid”): check them and what they may do, or choose another model with /model."},
		{"not granted", aws(403, "AccessDeniedException", `{"message":"You don't have access to the model with the specified model ID."}`), bedrock, "This AWS account has no access to big-1 (“You don't have access to the model with the specified model ID”): ask for it in the Bedrock console under model access, or choose another model with /model."},
		{"profile", aws(400, "ValidationException", `{"message":"Invocation of model ID big-1 with on-demand throughput isn't supported."}`), bedrock, "Amazon Bedrock offers big-1 only through an inference profile: choose it by the id of one, which begins with us., eu., apac. or global., with /model."},
	} {
		t.Run(x.name, func(t *testing.T) {
			got := Classify(x.err, x.c).Sentence()
			checkSentence(t, got)
			if got != x.want {
				t.Errorf("got  %q\nwant %q", got, x.want)
			}
		})
	}
}

func TestResets(t *testing.T) {
	now := time.Unix(1_777_935_600, 0)
	for _, c := range []struct {
		name, body string
		want       time.Duration // -1: none
	}{
		{"in seconds", `{"error":{"resets_in_seconds":13872,"resets_at":1}}`, 13_872 * time.Second},
		{"at", `{"error":{"resets_at":1777936568}}`, 968 * time.Second},
		{"at a time of the past", `{"error":{"resets_at":5}}`, 0},
		{"at no time", `{"error":{"resets_at":1e300}}`, -1},
		{"not at all", `{"error":{"resets_in_seconds":0}}`, -1},
		{"no number", `{"error":{"resets_in_seconds":"9"}}`, -1},
		{"beyond all bounds", `{"error":{"resets_in_seconds":1e300}}`, 1<<63 - 1},
		{"before words", `{"error":{"resets_in_seconds":9,"message":"try again in 3s"}}`, 9 * time.Second},
	} {
		got, ok := RetryAfter(nil, []byte(c.body), now)
		if !ok {
			got = -1
		}
		if got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	if d, _ := RetryAfter(http.Header{"Retry-After": {"2"}}, []byte(`{"error":{"resets_in_seconds":9}}`), now); d != 2*time.Second {
		t.Errorf("the header does not come first: %v", d)
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Second: "1 min", 90 * time.Second: "2 min", time.Hour: "1 h", 61 * time.Minute: "1 h 1 min", 24 * time.Hour: "1 d",
		24*time.Hour + 5*time.Minute: "1 d", 1<<63 - 1: "106751 d 23 h",
	} {
		if got := span(d); got != want || strings.Contains(got, "-") {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

// TestSteeringRefused has changes of the effort refused, each in the words of a service.
func TestSteeringRefused(t *testing.T) {
	for _, said := range []string{
		"The 'configuration_update' item type is not supported with pro or tournament models.",
		"Unexpected value(s) `mid-conversation-output-config-2026-07-01` for the `anthropic-beta` header.",
		"role 'system' is not supported on this model",
	} {
		err := &providers.Error{Kind: providers.ErrorStatus, Status: 400, Message: said}
		if got := Naming(err, nil); got.Part != PartForeign {
			t.Errorf("%s: %+v", said, got)
		}
	}
}
