package failure

import "strings"

// The phrase families, in small letters. A code that means the same counts as a
// phrase where it stands in the text.
var (
	transientPhrases = []string{
		"try again", "retry", "resets at", "reset in", "wait", "requests remaining", "periodic", "window",
	}
	usagePhrases = []string{"usage limit", "quota"}

	billingPhrases = []string{
		"insufficient credits", "insufficient quota", "insufficient balance", "credit balance",
		"credits have been exhausted", "credits exhausted", "no usable credits", "top up your credits", "payment required",
		"billing hard limit", "exceeded your current quota", "account is deactivated", "plan does not include",
		"out of funds", "not available on the free tier", "not available on free tier", "free-tier not available",
		"requires more credits", "can only afford", "purchase credits", "negative balance",
	}
	billingCodes = []string{
		"insufficient_quota", "billing_not_active", "payment_required", "insufficient_credits", "no_usable_credits",
		"balance_depleted", "model_not_supported_on_free_tier", "usage_not_included", "deactivated_workspace",
	}

	ratePhrases = []string{
		"rate limit", "rate_limit", "too many requests", "throttled", "requests per minute", "tokens per minute",
		"requests per day", "try again in", "please retry after", "resource_exhausted", "rate increased too quickly",
		"throttlingexception", "too many concurrent requests", "servicequotaexceededexception",
	}
	rateCodes = []string{"resource_exhausted", "throttled", "rate_limit_exceeded"}

	overflowPhrases = []string{
		"context length", "context size", "context window", "maximum context", "token limit", "too many tokens",
		"reduce the length", "prompt is too long", "prompt exceeds max length", "maximum number of tokens",
		"max_model_len", "prompt length", "input is too long", "maximum model length", "truncating input",
		"slot context", "n_ctx_slot", "超过最大长度", "上下文长度", "input token", "exceeds the maximum number of input tokens",
		"context limit", "n_ctx", "n_keep", "max context", "`max_new_tokens` must be", "range of input length", "maximum input length",
		"`inputs` must have", "inputs too long", "tokens to keep from the initial prompt", "exceed context",
	}
	overflowCodes = []string{"context_length_exceeded", "max_tokens_exceeded"}

	modelPhrases = []string{
		"is not a valid model", "invalid model", "unsupported model", "unknown model", "model not found",
		"does not exist", "no such model",
	}
	modelCodes = []string{"model_not_found", "model_not_available", "invalid_model"}

	encryptedCodes = []string{"invalid_encrypted_content"}

	authPhrases = []string{
		"invalid api key", "authentication", "unauthorized", "forbidden", "invalid token", "token expired",
		"token revoked", "access denied", "token has expired", "session has expired", "token is expired",
	}
	timeoutPhrases = []string{"timed out", "timeout", "deadline exceeded"}

	safetyPhrases = []string{
		"flagged by", "content_filter", "responsibleaipolicyviolation", "cybersecurity risk", "trusted access for cyber",
		"content filtering policy", "content management policy", "our content filter", "our safety system",
		"limited access to this content for safety", "requires moderation", "input was flagged", "violates usage guidelines",
		"content exists risk", "inappropriate content", "unsafe or sensitive content", "不安全或敏感内容", "new_sensitive",
		"prohibited_content", "blocked due to safety", "guardrail_intervened", "guardrail intervened", "blocked by guardrail",
		"blocked by the guardrail",
	}
	safetyCodes = []string{
		"content_policy_violation", "moderation_blocked", "cyber_policy_violation", "data_inspection_failed", "datainspectionfailed",
		"safety_violation",
	}
	grammarPhrases     = []string{"json-schema-to-grammar", "error parsing grammar"}
	imagePhrases       = []string{"image exceeds", "image_too_large", "image size exceeds", "image dimensions exceed"}
	toolContentPhrases = []string{"content must be a string", "expected string, got array", "text is not set"}
	payloadPhrases     = []string{"payload too large", "request entity too large", "request_too_large"}

	tlsPhrases = []string{
		"bad record mac", "bad_record_mac", "tls alert", "tls: ", "ssl alert", "[ssl", "ssl:", "sslv3", "tlsv1", "handshake failure",
		"handshake failed", "tls handshake", "ssl handshake", "x509: ",
	}
	disconnectPhrases = []string{
		"server disconnected", "peer closed", "reset by peer", "connection was closed", "network connection lost",
		"unexpected eof", "incomplete chunked read",
	}
)

func (e *evidence) isBilling() bool {
	return e.has(billingPhrases...) || e.has(billingCodes...)
}

func (e *evidence) isRate() bool { return e.has(ratePhrases...) }

// isUsage tells phrases about a used-up allowance, which may be one of money or
// one of time. A limit of the rate or the context is named by its own phrases.
func (e *evidence) isUsage() bool {
	if e.has(usagePhrases...) {
		return true
	}
	const phrase = "limit exceeded"
	for rest := e.text; ; {
		i := strings.Index(rest, phrase)
		if i < 0 {
			return false
		}
		before := rest[:i]
		if !strings.HasSuffix(before, "rate ") && !strings.HasSuffix(before, "context ") && !strings.HasSuffix(before, "token ") {
			return true
		}
		rest = rest[i+len(phrase):]
	}
}

// isAllowance tells that what a subscription allows for some hours or days is used up.
func (e *evidence) isAllowance() bool { return e.coded([]string{"usage_limit_reached"}) }

// isOverflow tells a prompt that does not fit. Two phrases count only in a text
// that is about the prompt.
func (e *evidence) isOverflow() bool {
	if e.has(overflowPhrases...) || e.has(overflowCodes...) {
		return true
	}
	for _, p := range e.parts {
		aboutPrompt := strings.Contains(p, "context") || strings.Contains(p, "prompt") || strings.Contains(p, "input")
		if strings.Contains(p, "max_tokens") && aboutPrompt && answerCap(p) == 0 {
			return true
		}
		if strings.Contains(p, "exceeds the limit") && (aboutPrompt || hasWord(p, "token") || hasWord(p, "tokens")) {
			return true
		}
	}
	return false
}

// hasWord reports whether w stands in s on its own; an underscore joins words.
func hasWord(s, w string) bool {
	joined := func(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
	for from := 0; ; {
		i := strings.Index(s[from:], w)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(w)
		if (i == 0 || !joined(s[i-1])) && (end == len(s) || !joined(s[end])) {
			return true
		}
		from = end
	}
}

func (e *evidence) isModel() bool {
	if e.has(modelPhrases...) || e.has(modelCodes...) {
		return true
	}
	for _, p := range e.parts {
		if quotedModel.MatchString(p) {
			return true
		}
	}
	return false
}

func (e *evidence) isSafety() bool {
	return e.has(safetyPhrases...) || e.coded(safetyCodes) || e.has("usage polic", "usage-polic") && e.has("violat")
}

// isAccountPolicy tells that the account's settings leave no endpoint over.
func (e *evidence) isAccountPolicy() bool {
	return e.has("data policy", "data-policy") || e.hasAll("guardrail", "endpoint")
}

func (e *evidence) isEncrypted() bool {
	if e.has(encryptedCodes...) {
		return true
	}
	return e.has("encrypted content", "encrypted_content") && e.has("could not be verified", "could not be decrypted", "invalid")
}

// isRequest tells that the request itself is refused for what it contains.
func (e *evidence) isRequest() bool {
	for _, p := range e.parts {
		if badParameter.MatchString(p) {
			return true
		}
	}
	return false
}
