package failure

import (
	"strings"
	"unicode/utf8"

	"hermes-tui/providers"
	"hermes-tui/tools/lazyregexp"
)

var (
	badParameter = lazyregexp.New(`(?:unknown|unsupported|unrecognized)[ _]+(?:parameter|request[ _]+argument)`)
	quotedModel  = lazyregexp.New("model\\s+(?:'[^']{1,200}'|\"[^\"]{1,200}\"|`[^`]{1,200}`)\\s+(?:was |is |could )?not (?:be )?found")
	namedModel   = lazyregexp.New(`\bmodel\b`)
)

// midWindow is the largest context for which a fixed number of tokens or
// messages counts as a large request. Windows that are not known are taken to be
// of this size.
const midWindow = 256_000

// classify goes through the stages: signatures, status, code, message, transport.
func (e *evidence) classify(c Context) Failure {
	if f, ok := e.bySignature(); ok {
		return f
	}
	if f, ok := e.byAWS(c); ok {
		return f
	}
	if e.status != 0 {
		return e.byStatus(c)
	}
	if e.redirected() || e.coded([]string{providers.CodeTooLarge}) {
		return elsewhere(Unknown)
	}
	if f, ok := e.byCode(); ok {
		return f
	}
	if f, ok := e.byMessage(); ok {
		return f
	}
	return e.byTransport(c)
}

// bySignature knows failures that their status alone would misplace.
func (e *evidence) bySignature() (Failure, bool) {
	switch {
	case e.isOwnLogin(), e.isBorrowedLogin():
		return otherKey(Auth), true
	case e.isSafety():
		return elsewhere(ContentPolicyBlocked), true
	case e.isAllowance():
		return limited(), true
	case e.status == 400 && e.has("thinking") && e.has("signature", "cannot be modified", "must remain as they were"):
		return retry(ThinkingSignature), true
	case e.status == 429 && e.hasAll("extra usage", "long context"):
		return compress(LongContextTier), true
	case e.status == 400 && e.hasAll("long context beta", "not yet available"):
		return retry(LongContextBetaForbidden), true
	case e.status == 400 && (e.has(grammarPhrases...) || e.hasAll("unable to generate parser", "template")):
		return retry(GrammarPattern), true
	case e.has("active grok subscription") || e.hasAll("grok", "no active subscription"):
		return elsewhere(Auth), true
	}
	return Failure{}, false
}

// byStatus goes by the HTTP status, and by the text where a status is used for
// several things.
func (e *evidence) byStatus(c Context) Failure {
	switch e.status {
	case 400:
		return e.badRequest(c)
	case 401:
		return otherKey(Auth)
	case 402:
		if (e.isUsage() || e.has("limit exceeded")) && e.has(transientPhrases...) {
			return limited()
		}
		return otherKey(Billing)
	case 403:
		if e.has("key limit exceeded", "spending limit") || e.isBilling() {
			return otherKey(Billing)
		}
		if e.coded(modelCodes) || e.has("does not have access to model") {
			return elsewhere(ModelNotFound)
		}
		return elsewhere(Auth)
	case 404:
		return e.notFound()
	case 408:
		return retry(Timeout)
	case 413:
		return compress(PayloadTooLarge)
	case 429:
		if e.has("insufficient_quota") || e.coded(billingCodes) {
			return otherKey(Billing)
		}
		return limited()
	case 422:
		if e.isOverflow() && !e.isRequest() {
			return compress(ContextOverflow)
		}
		return elsewhere(FormatError)
	case 500, 502:
		if e.has("n_ctx", "context size", "context length", "context window") {
			return compress(ContextOverflow)
		}
		if e.isRequest() || e.has("invalid_request_error") {
			return elsewhere(FormatError)
		}
		return retry(ServerError)
	case 503, 529:
		return retry(Overloaded)
	}
	if e.status < 500 {
		return elsewhere(FormatError)
	}
	return retry(ServerError)
}

// notFound tells apart what 404 is used for.
func (e *evidence) notFound() Failure {
	switch {
	case e.isBilling():
		return otherKey(Billing)
	case e.isAccountPolicy():
		return Failure{Reason: ProviderPolicyBlocked}
	case e.isModel(), e.has("not_found_error") && namedModel.MatchString(strings.ToLower(e.stated)):
		return elsewhere(ModelNotFound)
	}
	return retry(Unknown)
}

// badRequest tells apart what 400 is used for.
func (e *evidence) badRequest(c Context) Failure {
	switch {
	case e.has(toolContentPhrases...):
		return retry(MultimodalToolContentUnsupported)
	case e.has(imagePhrases...):
		return retry(ImageTooLarge)
	case e.isEncrypted():
		return retry(InvalidEncryptedContent)
	case e.isRequest(), e.has("guardrail identifier"):
		return elsewhere(FormatError)
	case e.isOverflow():
		return compress(ContextOverflow)
	case e.isAccountPolicy():
		return Failure{Reason: ProviderPolicyBlocked}
	case e.isModel():
		return elsewhere(ModelNotFound)
	case e.isRate():
		return limited()
	case e.isBilling():
		return otherKey(Billing)
	case e.isGeneric() && c.large(0.4, 80_000, 80):
		return compress(ContextOverflow)
	}
	return elsewhere(FormatError)
}

// isGeneric tells a message that says nothing.
func (e *evidence) isGeneric() bool {
	const telling = 30
	return utf8.RuneCountInString(e.stated) < telling
}

// large reports whether a request is so large that its size may be what failed: it
// takes more than the share of the window or, in a window of at most midWindow,
// has more than the given tokens or messages.
func (c Context) large(share float64, tokens, messages int) bool {
	window := c.ContextMax
	if window <= 0 {
		window = midWindow
	}
	if float64(c.Tokens) > share*float64(window) {
		return true
	}
	return window <= midWindow && (c.Tokens > tokens || c.Messages > messages)
}

// byCode goes by the machine-readable code of an error without a status.
func (e *evidence) byCode() (Failure, bool) {
	switch {
	case e.coded(rateCodes):
		return limited(), true
	case e.coded(billingCodes):
		return otherKey(Billing), true
	case e.coded(modelCodes):
		return elsewhere(ModelNotFound), true
	case e.coded(overflowCodes):
		return compress(ContextOverflow), true
	case e.coded(encryptedCodes):
		return retry(InvalidEncryptedContent), true
	}
	return Failure{}, false
}

// byMessage goes by the text of an error without a status.
func (e *evidence) byMessage() (Failure, bool) {
	switch {
	case e.has(payloadPhrases...):
		return compress(PayloadTooLarge), true
	case e.has(toolContentPhrases...):
		return retry(MultimodalToolContentUnsupported), true
	case e.has(imagePhrases...):
		return retry(ImageTooLarge), true
	case e.isUsage():
		if e.has(transientPhrases...) {
			return limited(), true
		}
		return otherKey(Billing), true
	case e.isBilling():
		return otherKey(Billing), true
	case e.isRate():
		return limited(), true
	case e.isOverflow():
		return compress(ContextOverflow), true
	case e.has(authPhrases...):
		return otherKey(Auth), true
	case e.isAccountPolicy():
		return Failure{Reason: ProviderPolicyBlocked}, true
	case e.isModel():
		return elsewhere(ModelNotFound), true
	case e.has(timeoutPhrases...):
		return retry(Timeout), true
	}
	return Failure{}, false
}

// byTransport goes by where the call failed.
func (e *evidence) byTransport(c Context) Failure {
	switch {
	case e.isTLS():
		return retry(Timeout)
	case e.isDisconnect():
		if c.large(0.6, 120_000, 200) {
			return compress(ContextOverflow)
		}
		return retry(Timeout)
	case e.isTransport():
		return retry(Timeout)
	case e.kind == providers.ErrorRequest:
		return elsewhere(FormatError)
	}
	return retry(Unknown)
}
