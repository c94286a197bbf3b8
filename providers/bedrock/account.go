package bedrock

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/auth/bearer"
	"github.com/aws/smithy-go/logging"

	"hermes-tui/providers"
	"hermes-tui/providers/redact"
	"hermes-tui/providers/transport"
)

// account is access to Bedrock as the settings of AWS give it.
type account struct {
	sdk *bedrockruntime.Client
	// credentials sign requests; nil with a bearer token.
	credentials aws.CredentialsProvider
	region      string
	endpoint    string
	profile     string // for messages
}

// account gives the access that was found last, or looks for one. That reads files
// but asks no one.
func (c *Client) account(ctx context.Context) (*account, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open != nil {
		return c.open, nil
	}
	token := c.config.Key
	if token == "" {
		token = strings.TrimSpace(c.env("AWS_BEARER_TOKEN_BEDROCK"))
	}
	if !transport.IsHeader(token) {
		const message = "AWS authentication is not possible: AWS_BEARER_TOKEN_BEDROCK holds blanks, line breaks or letters that no key has; set it again"
		return nil, c.unsent(nil, message, nil)
	}
	loaded, err := c.load(ctx, token != "")
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		message := "AWS authentication is not possible: the AWS settings cannot be used: " + redact.Text(err.Error()) +
			"; correct ~/.aws/config, or AWS_PROFILE if it names another profile"
		return nil, c.unsent(nil, message, err)
	}
	a := &account{region: loaded.Region, profile: c.profile()}
	if token == "" {
		a.credentials = loaded.Credentials
	}
	a.sdk = bedrockruntime.NewFromConfig(loaded, func(o *bedrockruntime.Options) { c.prepare(o, token) })
	a.endpoint = endpointOf(ctx, a.sdk.Options())
	c.open = a
	return a, nil
}

// load reads the settings of AWS. A bundle of certificate authorities in them wants
// the SDK's own HTTP client for the requests that credentials take, so that a
// failure with ours is followed by an attempt with that.
func (c *Client) load(ctx context.Context, hasToken bool) (aws.Config, error) {
	options := []func(*config.LoadOptions) error{
		config.WithLogger(logging.Nop{}), // the default writes over the screen
		config.WithDefaultsMode(aws.DefaultsModeStandard),
		config.WithDefaultRegion(DefaultRegion),
		config.WithRetryer(patience),
	}
	if region := c.region(); region != "" {
		options = append(options, config.WithRegion(region))
	}
	key, secret := c.env("AWS_ACCESS_KEY_ID"), c.env("AWS_SECRET_ACCESS_KEY")
	switch {
	case hasToken:
		options = append(options, config.WithCredentialsProvider(aws.AnonymousCredentials{}))
	case c.config.Profile == "" && key != "" && secret != "":
		static := credentials.NewStaticCredentialsProvider(key, secret, c.env("AWS_SESSION_TOKEN"))
		options = append(options, config.WithCredentialsProvider(static))
	}
	if profile := c.profile(); profile != "" && !hasToken {
		options = append(options, config.WithSharedConfigProfile(profile))
	}
	ours, err := config.LoadDefaultConfig(ctx, append(options, config.WithHTTPClient(newFetcher(c.config.Transport)))...)
	if err == nil {
		return ours, nil
	}
	return config.LoadDefaultConfig(ctx, options...)
}

// patience is how often the SDK asks for credentials: once more after a failure, as
// most machines have no metadata service and would be asked in vain for long.
func patience() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff = 2, 300*time.Millisecond
	})
}

// profile is the profile to use, empty for what the SDK takes. A web identity goes
// before AWS_PROFILE, as in the SDK.
func (c *Client) profile() string {
	if c.config.Profile != "" || c.env("AWS_WEB_IDENTITY_TOKEN_FILE") != "" {
		return c.config.Profile
	}
	return c.env("AWS_PROFILE")
}

// region is the region that is named, empty for that of the profile.
func (c *Client) region() string {
	if u, err := url.Parse(c.override); err == nil {
		if region := regionOf(u.Hostname()); region != "" {
			return region
		}
	}
	for _, region := range []string{c.env("AWS_REGION"), c.env("AWS_DEFAULT_REGION"), c.config.Region} {
		if region = strings.TrimSpace(region); region != "" {
			return region
		}
	}
	return ""
}

// regionOf finds the region in the name of an endpoint of Bedrock.
func regionOf(host string) string {
	labels := strings.Split(strings.ToLower(host), ".")
	for i, l := range labels[:len(labels)-1] {
		if l == "bedrock-runtime" || l == "bedrock-runtime-fips" {
			return labels[i+1]
		}
	}
	return ""
}

// prepare completes the options of the SDK's client.
func (c *Client) prepare(o *bedrockruntime.Options, token string) {
	o.Retryer, o.RetryMaxAttempts = aws.NopRetryer{}, 0
	if c.override != "" {
		o.BaseEndpoint = aws.String(c.override)
	}
	o.AuthSchemePreference, o.BearerAuthTokenProvider = []string{"sigv4"}, nil
	if token != "" {
		o.Credentials = nil
		o.AuthSchemePreference = []string{"httpBearerAuth"}
		o.BearerAuthTokenProvider = bearer.StaticTokenProvider{Token: bearer.Token{Value: token}}
		o.BearerAuthSigner = tokenSigner{}
	}
}

// endpointOf is the address that is going to be asked.
func endpointOf(ctx context.Context, o bedrockruntime.Options) string {
	p := bedrockruntime.EndpointParameters{
		Region: aws.String(o.Region), Endpoint: o.BaseEndpoint,
		UseFIPS:      aws.Bool(o.EndpointOptions.UseFIPSEndpoint == aws.FIPSEndpointStateEnabled),
		UseDualStack: aws.Bool(o.EndpointOptions.UseDualStackEndpoint == aws.DualStackEndpointStateEnabled),
	}
	found, err := bedrockruntime.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx, p)
	if err != nil {
		return ""
	}
	return transport.Endpoint(&found.URI)
}

// errSlow is the cause of a search for credentials that took too long.
var errSlow = errors.New("nothing gave AWS credentials in time")

// authenticate sees to it that the credentials are there and valid.
func (c *Client) authenticate(ctx context.Context, a *account) error {
	if a.credentials == nil {
		return nil
	}
	within, cancel := context.WithTimeoutCause(alone{ctx}, credentialTime, errSlow)
	defer cancel()
	_, err := a.credentials.Retrieve(within)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	c.forget(a)
	var e *providers.Error
	if errors.As(err, &e) && e.Kind != providers.ErrorStatus {
		return &providers.Error{
			Kind: e.Kind, Endpoint: e.Endpoint, Message: "AWS credentials could not be fetched: " + e.Message, Cause: e,
		}
	}
	return c.unsent(a, withoutCredentials(within, a, err), err)
}

// withoutCredentials says what to do where there are no credentials.
func withoutCredentials(within context.Context, a *account, err error) string {
	var said smithy.APIError // what the service of the logins says
	login := "aws sso login"
	if a.profile != "" {
		login += " --profile " + a.profile
	}
	switch {
	case within.Err() != nil:
		return "AWS authentication failed: " + errSlow.Error() + " (" + credentialTime.String() + "); check what the AWS profile gets them from"
	case aws.IsCredentialsProvider(a.credentials, (*ec2rolecreds.Provider)(nil)):
		return "AWS authentication is not set up: no credentials were found; set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and " +
			"AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or log in with " + login
	case aws.IsCredentialsProvider(a.credentials, (*ssocreds.Provider)(nil)) && (!errors.As(err, &said) || said.ErrorCode() == "UnauthorizedException"):
		return "AWS authentication failed: there is no SSO login, or it has expired; run " + login
	}
	return "AWS authentication failed: the credentials could not be fetched: " + redact.Text(err.Error()) +
		"; check the AWS profile, for one with SSO run " + login + ", or set AWS_BEARER_TOKEN_BEDROCK"
}

// forget makes the next request look for settings and credentials again.
func (c *Client) forget(a *account) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == a {
		c.open = nil
	}
}

// alone is a context without its values: what a caller put there for its request
// to the model does not belong to the requests that get credentials.
type alone struct{ context.Context }

// Value implements context.Context.
func (alone) Value(any) any { return nil }
