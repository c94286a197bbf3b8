package failure

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"hermes-tui/providers"
	"hermes-tui/tools/shorten"
)

// about is what a sentence needs to know beyond the class.
type about struct {
	provider, model, endpoint string
	keyFrom, keyPage, login   string
	kind                      providers.ErrorKind
	// page says that the body is a web page, the next ones what went wrong with the
	// connection.
	page, certificate, late, lost bool
	// tooLarge says that the answer was more than is read.
	tooLarge bool
	// own says that the message is a sentence of this program about a login.
	own bool
	// borrowed says that a login was refused because it belongs to another program.
	borrowed bool
	// allowance says that what a subscription allows is used up, for as long as resets.
	allowance bool
	resets    time.Duration
	// expired, aws, ungranted and profile tell what AWS refused: credentials of the
	// past, anything by its name, a model that was not granted, and one that has
	// another name.
	expired, aws, ungranted, profile bool
}

// about collects it.
func (e *evidence) about(c Context) about {
	a := about{
		provider: safe(c.Provider, 80), model: safe(c.Model, 120), endpoint: bareURL(e.endpoint),
		keyFrom: safe(c.KeyFrom, 120), keyPage: safe(c.KeyPage, 200), kind: e.kind, page: e.isPage(),
	}
	var cert *tls.CertificateVerificationError
	a.certificate = errors.As(e.err, &cert) || e.has("x509: ", "certificate")
	var n net.Error
	a.late = errors.As(e.err, &n) && n.Timeout() || e.has(timeoutPhrases...)
	a.lost, a.tooLarge = e.isDisconnect(), e.coded([]string{providers.CodeTooLarge})
	a.login = safe(c.Login, 120)
	if a.login == "" {
		a.login = loginAt(e.endpoint)
	}
	a.own, a.borrowed, a.allowance, a.resets = e.isOwnLogin(), e.isBorrowedLogin(), e.isAllowance(), e.resets
	a.expired, a.ungranted, a.profile = e.named(awsExpired), e.has(awsUngranted...), e.has(awsProfile...)
	a.aws = a.expired || e.named(awsRefused) || e.named(awsDenied)
	if u, err := url.Parse(a.endpoint); err == nil && u.Host != "" && a.provider == "custom" { // it has no name but its address
		a.provider = u.Host
	}
	if a.provider == "" {
		a.provider = a.endpoint
	}
	if a.provider == "" {
		a.provider = "the model service"
	}
	if a.model == "" {
		a.model = "the model"
	}
	return a
}

// bareURL removes whatever could be a credential from a URL.
func bareURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return ""
	}
	return safe((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), 200)
}

// Sentence tells a user in one sentence what happened and what to do next. It
// repeats at most a short piece of what the server said.
func (f Failure) Sentence() string {
	a := f.about
	var s string
	switch f.Reason {
	case "":
		return ""
	case Auth:
		s = f.auth()
	case Billing:
		s = a.provider + " says that credit or quota is used up" + f.said() + ": top up the account, or choose another model with /model"
	case RateLimit:
		if a.allowance {
			s = f.allowance()
			break
		}
		when := "wait a moment and try again"
		if a.resets >= time.Minute {
			when = "try again in " + span(a.resets)
		}
		s = a.provider + " limits the rate of requests" + f.said() + ": " + when + ", or choose another model with /model"
	case Overloaded:
		s = a.provider + " is overloaded at the moment: try again shortly, or choose another model with /model"
	case ServerError:
		s = a.provider + " failed" + f.status() + f.said() + ": try again, and if it stays so, look at the status page of the service"
	case Timeout:
		s = f.timeout()
	case Unknown:
		s = f.unknown()
	case Cancelled:
		s = "the request was cancelled: send it again when you are ready"
	default:
		s = f.request()
	}
	return capital(s) + "."
}

// capital begins a sentence with a capital, unless it begins with a name or an
// address.
func capital(s string) string {
	for _, own := range []string{"the ", "an ", "a ", "your ", "this "} {
		if strings.HasPrefix(s, own) {
			return strings.ToUpper(s[:1]) + s[1:]
		}
	}
	return s
}

// auth explains a refused credential.
func (f Failure) auth() string {
	a := f.about
	switch {
	case a.own:
		return strings.TrimRight(f.Message, ".!: ")
	case a.borrowed:
		return "Anthropic takes the login of Claude Code from Claude Code only: set ANTHROPIC_API_KEY to a key of your own, they are made at https://platform.claude.com/settings/keys"
	case a.aws:
		return f.awsAuth()
	case a.login != "" && f.Status != 403:
		return a.provider + " does not accept the login any more" + f.status() + ": log in again with " + a.login
	}
	if f.Status == 403 {
		what := "key"
		if a.login != "" {
			what = "login"
		}
		return a.provider + " refuses access with this " + strings.Replace(what, "key", "API key", 1) + " (HTTP 403)" + f.said() +
			": check what the " + what + " may do, or choose another model with /model"
	}
	key, where := "the API key", "in the environment or in config.yaml"
	if from, ok := strings.CutPrefix(a.keyFrom, "env "); ok {
		key, where = "the API key from "+from, "in "+from
	} else if a.keyFrom != "" {
		key, where = "the API key from "+a.keyFrom, "in "+a.keyFrom
	}
	s := a.provider + " does not accept " + key + f.status() + f.said() + ": set a valid one " + where + " or with /setup"
	if a.keyPage != "" {
		s += ", keys are made at " + a.keyPage
	}
	return s
}

// timeout explains a connection that failed or an answer that did not come.
func (f Failure) timeout() string {
	a := f.about
	place := a.endpoint
	if place == "" {
		place = a.provider
	}
	switch {
	case a.certificate:
		return "the TLS certificate of " + place + " was not accepted: check the base URL, the clock and the proxy"
	case a.late, f.Status == http.StatusRequestTimeout:
		return a.provider + " did not answer in time: try again, or choose another model with /model"
	case a.kind == providers.ErrorConnect && !a.lost:
		return place + " cannot be reached" + f.said() + ": check that the server runs and that the base URL is right"
	}
	return "the connection to " + a.provider + " broke off: try again"
}

// unknown explains what has no class.
func (f Failure) unknown() string {
	a := f.about
	place := a.endpoint
	if place == "" {
		place = a.provider
	}
	switch {
	case a.tooLarge:
		return "the answer of " + a.model + " is too large to be read" + f.said() + ": ask for less at a time, such as a long file in several parts"
	case a.page:
		return place + " answered with a web page" + f.said() + ": check that the base URL is right, it usually ends in /v1"
	case f.Status >= 300 && f.Status < 400 && a.kind == providers.ErrorProtocol: // a sentence of this program
		return strings.TrimRight(f.Message, ".!: ")
	case f.Status >= 300 && f.Status < 400:
		return place + " answers with a redirect" + f.status() + f.said() + ": check that the base URL is right"
	case f.Status == 404:
		return place + " does not exist (HTTP 404)" + f.said() + ": check that the base URL is right, it usually ends in /v1"
	}
	return "the request to " + a.provider + " failed" + f.status() + f.said() + ": try again, or choose another model with /model"
}

// request explains what is wrong with the request.
func (f Failure) request() string {
	a := f.about
	switch f.Reason {
	case ContextOverflow:
		return "the session is too long for " + a.model + ": shorten it with /compress, or choose a model with a larger context with /model"
	case PayloadTooLarge:
		return "the request is too large for " + a.provider + ": shorten the session with /compress, or attach less"
	case ImageTooLarge:
		return "an image is too large for " + a.provider + f.said() + ": attach a smaller one"
	case ModelNotFound:
		switch {
		case a.ungranted:
			return "this AWS account has no access to " + a.model + f.said() + ": ask for it in the Bedrock console under model access, or choose another model with /model"
		case a.profile:
			return a.provider + " offers " + a.model + " only through an inference profile: choose it by the id of one, which begins with us., eu., apac. or global., with /model"
		}
		return a.provider + " does not have " + a.model + f.said() + ": choose another model with /model"
	case ProviderPolicyBlocked:
		return "your settings at " + a.provider + " leave no endpoint for " + a.model + f.said() + ": change its data policy there, or choose another model with /model"
	case ContentPolicyBlocked:
		return "a safety system of " + a.provider + " refused the request" + f.said() + ": put it differently, or choose another model with /model"
	case InvalidEncryptedContent, ThinkingSignature:
		return a.provider + " does not accept earlier reasoning of this session" + f.said() + ": send the message again to go on without it"
	case MultimodalToolContentUnsupported:
		return a.provider + " takes only text as the result of a tool: send the message again to go on without images"
	case LongContextTier, LongContextBetaForbidden:
		return "the long context of " + a.model + " is not enabled for this account: shorten the session with /compress, or enable it at " + a.provider
	case GrammarPattern:
		return a.provider + " cannot use the description of a tool" + f.said() + ": update the server, or choose another model with /model"
	}
	return a.provider + " does not accept the request" + f.status() + f.said() + ": send the message again, or choose another model with /model"
}

// status names the HTTP status in brackets.
func (f Failure) status() string {
	if f.Status == 0 {
		return ""
	}
	return fmt.Sprintf(" (HTTP %d)", f.Status)
}

// said quotes the beginning of the message in brackets.
func (f Failure) said() string {
	m := strings.TrimRight(f.Message, ".!: ")
	if m == "" || strings.HasPrefix(m, "{") || strings.HasPrefix(m, "[") {
		return ""
	}
	if short := shorten.Runes(m, longestQuote); short != m {
		m = strings.TrimRight(short, " ") + "…"
	}
	return " (“" + m + "”)"
}
