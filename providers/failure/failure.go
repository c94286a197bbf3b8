// Package failure says what a failed model call means.
//
// [Classify] turns an error and what is known about the request into a [Failure]:
// a reason, four independent flags that say which recoveries make sense, and a
// sentence for the user. [Limits] reads token limits out of an error text and
// [RetryAfter] the delay a server asks for. What is done about a failure is
// decided elsewhere.
//
// Everything is pure, bounded by the size of the error (its body is at most
// 64 KB) and safe for concurrent use. No text that leaves the package holds a
// secret that providers/redact recognises.
package failure

import (
	"context"
	"errors"
)

// Reason is the class of a failure.
type Reason string

// The reasons.
const (
	// Auth: the credential was refused.
	Auth Reason = "auth"
	// Billing: credit or quota is used up; waiting does not help.
	Billing Reason = "billing"
	// RateLimit: too many requests or tokens in a period; waiting helps.
	RateLimit Reason = "rate_limit"
	// Overloaded: the service has no capacity at the moment.
	Overloaded Reason = "overloaded"
	// ServerError: the service failed.
	ServerError Reason = "server_error"
	// Timeout: no answer, none in time, or one that broke off.
	Timeout Reason = "timeout"
	// ContextOverflow: the prompt does not fit the model's context.
	ContextOverflow Reason = "context_overflow"
	// PayloadTooLarge: the request has too many bytes.
	PayloadTooLarge Reason = "payload_too_large"
	// ImageTooLarge: an image in the request is too large.
	ImageTooLarge Reason = "image_too_large"
	// ModelNotFound: the service does not have the model.
	ModelNotFound Reason = "model_not_found"
	// ProviderPolicyBlocked: the account's own settings exclude the model.
	ProviderPolicyBlocked Reason = "provider_policy_blocked"
	// ContentPolicyBlocked: a safety system refused the content.
	ContentPolicyBlocked Reason = "content_policy_blocked"
	// FormatError: the request is malformed for this service.
	FormatError Reason = "format_error"
	// InvalidEncryptedContent: reasoning replayed to the service is not its own.
	InvalidEncryptedContent Reason = "invalid_encrypted_content"
	// MultimodalToolContentUnsupported: tool results must be plain text.
	MultimodalToolContentUnsupported Reason = "multimodal_tool_content_unsupported"
	// ThinkingSignature: replayed thinking blocks were changed.
	ThinkingSignature Reason = "thinking_signature"
	// LongContextTier: the account has no access to the long context.
	LongContextTier Reason = "long_context_tier"
	// LongContextBetaForbidden: the account has no access to the long context
	// beta that was asked for.
	LongContextBetaForbidden Reason = "oauth_long_context_beta_forbidden"
	// GrammarPattern: a local server cannot turn the tool schemas into a grammar.
	GrammarPattern Reason = "llama_cpp_grammar_pattern"
	// Cancelled: the call was given up on our side.
	Cancelled Reason = "cancelled"
	// Unknown: none of the above.
	Unknown Reason = "unknown"
)

// Context is what is known about the request that failed. The zero value of a
// field means that it is not known.
type Context struct {
	// Provider is the service as a user knows it.
	Provider string
	// Model is the model asked for.
	Model string
	// Tokens is the estimated size of the prompt.
	Tokens int
	// ContextMax is the context window of the model in tokens.
	ContextMax int
	// Messages counts the messages sent.
	Messages int
	// KeyFrom says where the API key came from, such as "env OPENAI_API_KEY", for
	// the sentence only.
	KeyFrom string
	// KeyPage is the web page where keys are made, for the sentence only.
	KeyPage string
	// Login is the command that makes a new login, such as "hermes-tui login
	// openai-codex", where a login takes the place of a key. It serves only the
	// sentence.
	Login string
}

// Failure is a classified error. The four flags are independent of each other.
type Failure struct {
	Reason Reason
	// Retryable: the same call may succeed later.
	Retryable bool
	// Compress: shorten the history before calling again.
	Compress bool
	// Rotate: another credential of the same service may help.
	Rotate bool
	// Fallback: another service may help.
	Fallback bool
	// Status is the HTTP status, 0 if there was none.
	Status int
	// Message is what the server or the system said: one line of at most 500
	// characters, with secrets masked.
	Message string

	about about
}

// Classify says what err means. It understands [*providers.Error], the errors of
// context, net and TLS, and for anything else goes by the text. A nil error gives
// the zero Failure.
func Classify(err error, c Context) Failure {
	if err == nil {
		return Failure{}
	}
	e := read(err)
	f := Failure{Reason: Cancelled}
	if e.status != 0 || !errors.Is(err, context.Canceled) {
		f = e.classify(c)
	}
	f.Status = e.httpStatus
	f.Message = e.summary()
	f.about = e.about(c)
	return f
}

// Constructors of the combinations of flags in use.

// retry is a failure after which the same call, somehow mended, may succeed.
func retry(r Reason) Failure { return Failure{Reason: r, Retryable: true} }

// compress is a failure that a shorter history cures.
func compress(r Reason) Failure { return Failure{Reason: r, Retryable: true, Compress: true} }

// elsewhere is a failure that only another service cures.
func elsewhere(r Reason) Failure { return Failure{Reason: r, Fallback: true} }

// otherKey is a failure that another credential or service cures.
func otherKey(r Reason) Failure { return Failure{Reason: r, Rotate: true, Fallback: true} }

// limited is a rate limit: wait, or use another credential or service.
func limited() Failure {
	return Failure{Reason: RateLimit, Retryable: true, Rotate: true, Fallback: true}
}
