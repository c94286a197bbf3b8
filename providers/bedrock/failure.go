package bedrock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/redact"
	"hermes-tui/providers/transport"
)

// exceptions are the errors that the service names, in small letters, with the
// status that each has as a response, and what the user can do about it. Within a
// stream there is only the name.
var exceptions = map[string]struct {
	status int
	// credentials tells that it may help to look for credentials again.
	credentials bool
	hint        string
}{
	"accessdeniedexception":         {status: 403, credentials: true, hint: "the AWS identity needs the permission bedrock:InvokeModelWithResponseStream and access to the model in this region"},
	"expiredtoken":                  {status: 403, credentials: true, hint: "get new AWS credentials; for a login with SSO: aws sso login"},
	"expiredtokenexception":         {status: 403, credentials: true, hint: "get new AWS credentials; for a login with SSO: aws sso login"},
	"incompletesignatureexception":  {status: 403, credentials: true, hint: "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
	"invalidclienttokenid":          {status: 403, credentials: true, hint: "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN"},
	"invalidsignatureexception":     {status: 403, credentials: true, hint: "check AWS_SECRET_ACCESS_KEY, the region, and the clock of this machine"},
	"missingauthenticationtoken":    {status: 403, credentials: true, hint: "check the AWS credentials"},
	"notauthorized":                 {status: 400, credentials: true},
	"optinrequired":                 {status: 403, hint: "the AWS account must subscribe to the service first"},
	"requesttimetooskewed":          {status: 403, hint: "check the clock of this machine"},
	"signaturedoesnotmatch":         {status: 403, credentials: true, hint: "check AWS_SECRET_ACCESS_KEY, the region, and the clock of this machine"},
	"unrecognizedclientexception":   {status: 403, credentials: true, hint: "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the API key"},
	"conflictexception":             {status: 400},
	"internalfailure":               {status: 500},
	"internalserverexception":       {status: 500},
	"modelerrorexception":           {status: 424},
	"modelnotreadyexception":        {status: 429},
	"modelstreamerrorexception":     {}, // a failure of the model, which may name a status of its own
	"modeltimeoutexception":         {status: 408},
	"requestexpired":                {status: 400, hint: "check the clock of this machine"},
	"resourcenotfoundexception":     {status: 404, hint: "check the id of the model, and whether this region offers it"},
	"servicequotaexceededexception": {status: 400},
	"serviceunavailable":            {status: 503},
	"serviceunavailableexception":   {status: 503},
	"throttlingexception":           {status: 429},
	"validationerror":               {status: 400},
	"validationexception":           {status: 400},
}

// unsent is a request that could not be made. Without an account it is not known
// where it would have gone.
func (c *Client) unsent(a *account, message string, cause error) error {
	e := &providers.Error{Kind: providers.ErrorRequest, Message: message, Cause: cause, Endpoint: "Amazon Bedrock"}
	switch {
	case a != nil && a.endpoint != "":
		e.Endpoint = a.endpoint
	case c.override != "":
		e.Endpoint = c.override
	}
	return e
}

// refused judges an error of the SDK, which wraps those of the transport.
func (c *Client) refused(ctx context.Context, a *account, err error) error {
	var e *providers.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !errors.As(err, &e):
		return c.unsent(a, "the request cannot be made: "+redact.Text(innermost(err)), err)
	case e.Kind != providers.ErrorStatus:
		return e
	}
	read(e)
	known := exceptions[strings.ToLower(e.Type)]
	if known.credentials || e.Status == http.StatusUnauthorized {
		c.forget(a)
	}
	if known.hint != "" && known.status == e.Status {
		e.Message = strings.TrimPrefix(strings.TrimSuffix(e.Message, ".")+"; "+known.hint+" ("+a.region+")", "; ")
	}
	return e
}

// innermost is the text of the error below all wrappings of the SDK.
func innermost(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// failureBody is what an error of AWS says.
type failureBody struct {
	Type           string `json:"__type"`
	Code           string `json:"code"`
	Message        string `json:"message"` // or Message, which json takes as well
	Original       string `json:"originalMessage"`
	OriginalStatus int    `json:"originalStatusCode"`
}

// read takes type and message of an error response from where AWS puts them.
func read(e *providers.Error) {
	var b failureBody
	if json.Unmarshal(e.Body, &b) != nil {
		b = failureBody{}
	}
	for _, name := range []string{e.Header.Get("X-Amzn-Errortype"), b.Type, b.Code} {
		if name = bare(name); name != "" {
			e.Type = name
			break
		}
	}
	if message := b.text(); message != "" {
		e.Message = message
	}
}

// text is the message of an error, with that of the model behind it.
func (b failureBody) text() string {
	text := strings.TrimSpace(b.Message)
	if original := strings.TrimSpace(b.Original); original != "" && !strings.Contains(text, original) {
		if text != "" {
			text += ": "
		}
		text += original
	}
	return text
}

// bare is the name of an error without its namespace and address, with a capital
// letter, as it is in responses.
func bare(name string) string {
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimSpace(name[strings.LastIndexByte(name, '#')+1:])
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// streamError makes the error that a frame states.
func streamError(f frame) error {
	var b failureBody
	if json.Unmarshal(f.payload, &b) != nil {
		b = failureBody{}
	}
	e := &providers.Error{
		Kind: providers.ErrorStream, Type: bare(f.name), Body: transport.Clip(f.payload), Message: b.text(),
		Status: exceptions[strings.ToLower(f.name)].status,
	}
	if b.OriginalStatus >= 400 && b.OriginalStatus <= 599 {
		e.Status = b.OriginalStatus
	}
	if e.Message == "" {
		e.Message = f.message
	}
	if e.Message == "" {
		e.Message = "the service reported an error without saying more than " + strconv.Quote(f.name)
	}
	return e
}

// providerFailed makes the error of a reason to stop that is a failure.
func providerFailed(reason string) error {
	return &providers.Error{
		Kind: providers.ErrorStream, Code: reason,
		Message: fmt.Sprintf("the model wrote something that Amazon Bedrock could not read (%s)", reason),
	}
}
