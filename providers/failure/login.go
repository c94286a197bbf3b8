package failure

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"hermes-tui/providers"
)

// loginCommand begins the command that makes a login. Where a sentence of this
// program holds it, the next step is said already.
const loginCommand = "hermes-tui login"

// awsUnsent begins the sentences of this program about credentials of AWS that it
// could not get.
const awsUnsent = "aws authentication "

// isOwnLogin tells an error of this program about a login or about credentials of AWS:
// the request was never sent, so no server can have written it.
func (e *evidence) isOwnLogin() bool {
	return e.kind == providers.ErrorRequest && (e.has(loginCommand) || e.has(awsUnsent))
}

// borrowedPhrases are what Anthropic says to a login of Claude Code that another
// program uses.
var borrowedPhrases = []string{"only authorized for use with claude code", "oauth authentication is currently not"}

// isBorrowedLogin tells that a login was refused because it belongs to another program.
func (e *evidence) isBorrowedLogin() bool {
	return (e.status == 400 || e.status == 401 || e.status == 403) && e.has(borrowedPhrases...)
}

// loginAt is the command for a login to the service at an endpoint, empty if it
// takes keys.
func loginAt(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || u.Hostname() != "chatgpt.com" {
		return ""
	}
	return loginCommand + " openai-codex"
}

// allowance explains that what a subscription allows is used up.
func (f Failure) allowance() string {
	a := f.about
	until := "wait until it begins again"
	if a.resets > 0 {
		until = "it begins again in " + span(a.resets)
	}
	return "the allowance of this account at " + a.provider + " is used up" + f.said() + ": " + until + ", or choose another model with /model"
}

// span writes a duration for people, in its two largest units.
func span(d time.Duration) string {
	d = max(d.Round(time.Minute), time.Minute)
	days, hours, minutes := int64(d/(24*time.Hour)), int64(d%(24*time.Hour)/time.Hour), int64(d%time.Hour/time.Minute)
	var parts []string
	add := func(n int64, unit string) {
		if n > 0 && len(parts) < 2 {
			parts = append(parts, strconv.FormatInt(n, 10)+" "+unit)
		}
	}
	add(days, "d")
	add(hours, "h")
	if days == 0 {
		add(minutes, "min")
	}
	return strings.Join(parts, " ")
}

// awsAuth explains credentials or permissions that AWS refused.
func (f Failure) awsAuth() string {
	a := f.about
	if a.expired {
		return "the AWS credentials for " + a.provider + " have expired" + f.status() + ": get new ones, for a login with SSO with aws sso login"
	}
	return a.provider + " refuses the AWS credentials" + f.status() + f.said() + ": check them and what they may do, or choose another model with /model"
}
