package bedrock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// okServer answers everything with a small answer.
func okServer(t testing.TB) *server {
	t.Helper()
	return streams(t, text(0, "a"), stop("end_turn"), figures())
}

// settings writes ~/.aws/config, after newClient has made the machine bare.
func settings(t testing.TB, lines string) {
	t.Helper()
	if err := os.WriteFile(os.Getenv("AWS_CONFIG_FILE"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
}

// noEnv is an environment without anything.
func noEnv(string) string { return "" }

// environ looks variables up in a map.
func environ(m map[string]string) func(string) string { return func(k string) string { return m[k] } }

// TestSignature signs what the server got once more and compares.
func TestSignature(t *testing.T) {
	s := okServer(t)
	r := hello()
	r.Model = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
	c := newClient(t, s.url+"/gateway/?tenant=a+b", func(c *Config) {
		c.Region, c.Headers = "eu-west-1", map[string]string{"X-Team": "red"}
	})
	if _, err := collect(t, c, r); err != nil {
		t.Fatal(err)
	}
	got := s.last(t)
	if want := "/gateway/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Ainference-profile%2Feu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream?tenant=a%20b"; got.path != want {
		t.Errorf("path %s\nwant %s", got.path, want)
	}
	if agent := got.header.Get("User-Agent"); agent != "hermes-tui/test" {
		t.Errorf("user agent %s", agent)
	}
	if got.header.Get("X-Team") != "red" || got.header.Get("X-Amz-Security-Token") != sessionToken {
		t.Errorf("header %v", got.header)
	}
	auth := got.header.Get("Authorization")
	_, rest, _ := strings.Cut(auth, "SignedHeaders=")
	names, signature, _ := strings.Cut(rest, ", Signature=")
	u, err := url.Parse(s.url + got.path)
	if err != nil {
		t.Fatal(err)
	}
	again := &http.Request{Method: http.MethodPost, URL: u, Host: u.Host, Header: http.Header{}, ContentLength: int64(len(got.body))}
	for name := range strings.SplitSeq(names, ";") {
		if v := got.header.Get(name); v != "" && name != "content-length" {
			again.Header.Set(name, v)
		}
	}
	at, err := time.Parse("20060102T150405Z", got.header.Get("X-Amz-Date"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(got.body))
	creds := aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: secretKey, SessionToken: sessionToken}
	if err := v4.NewSigner().SignHTTP(t.Context(), creds, again, hex.EncodeToString(sum[:]), "bedrock", "eu-west-1", at); err != nil {
		t.Fatal(err)
	}
	if want := again.Header.Get("Authorization"); auth != want || len(signature) != 64 {
		t.Errorf("got  %s\nwant %s", auth, want)
	}
}

// TestRegions holds where the region comes from, which the signature names.
func TestRegions(t *testing.T) {
	for _, c := range []struct {
		name, base, config string
		env                map[string]string
		profile            string
		want               string
	}{
		{"default", "", "", nil, "", "us-east-1"},
		{"profile", "", "", nil, "[default]\nregion = eu-north-1\n", "eu-north-1"},
		{"config", "", "ap-south-1", nil, "[default]\nregion = eu-north-1\n", "ap-south-1"},
		{"AWS_DEFAULT_REGION", "", "ap-south-1", map[string]string{"AWS_DEFAULT_REGION": "sa-east-1"}, "", "sa-east-1"},
		{"AWS_REGION", "", "ap-south-1", map[string]string{"AWS_DEFAULT_REGION": "sa-east-1", "AWS_REGION": " ca-west-1 "}, "", "ca-west-1"},
		{"host", "https://bedrock-runtime.eu-west-3.amazonaws.com", "ap-south-1", map[string]string{"AWS_REGION": "ca-west-1"}, "", "eu-west-3"},
		{"private endpoint", "https://vpce-1.bedrock-runtime.eu-west-3.vpce.amazonaws.com/x", "", nil, "", "eu-west-3"},
		{"other host", "https://gateway.example/bedrock-runtime", "ap-south-1", nil, "", "ap-south-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := newClient(t, c.base, func(config *Config) {
				config.Region = c.config
				config.Env = func(k string) string {
					if v := c.env[k]; v != "" {
						return v
					}
					return keys(k)
				}
			})
			settings(t, c.profile)
			a, err := client.account(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := "https://bedrock-runtime." + c.want + ".amazonaws.com"
			if c.base != "" {
				want = c.base
			}
			if a.region != c.want || a.endpoint != want {
				t.Errorf("got %s, %s, want %s, %s", a.region, a.endpoint, c.want, want)
			}
		})
	}
}

// TestCredentials asks with every way to have credentials.
func TestCredentials(t *testing.T) {
	const static = "aws_access_key_id = AKIDPROFILE\naws_secret_access_key = " + secretKey + "\n"
	for _, c := range []struct {
		name     string
		config   func(c *Config)
		settings string
		process  map[string]string // the environment of the process
		auth     string            // what the Authorization header contains
	}{
		{"environment", nil, "", nil, "Credential=" + accessKey + "/"},
		{"environment of the process", func(c *Config) { c.Env = nil }, "", map[string]string{"AWS_ACCESS_KEY_ID": "AKIDPROCESS", "AWS_SECRET_ACCESS_KEY": secretKey}, "Credential=AKIDPROCESS/"},
		{"default profile", func(c *Config) { c.Env = noEnv }, "[default]\n" + static, nil, "Credential=AKIDPROFILE/"},
		{"AWS_PROFILE", func(c *Config) { c.Env = environ(map[string]string{"AWS_PROFILE": "work"}) }, "[profile work]\n" + static, nil, "Credential=AKIDPROFILE/"},
		{"named profile before the environment", func(c *Config) { c.Profile = "work" }, "[profile work]\n" + static, nil, "Credential=AKIDPROFILE/"},
		{"process", func(c *Config) { c.Env = noEnv }, "[default]\ncredential_process = echo '{\"Version\":1,\"AccessKeyId\":\"AKIDECHO\",\"SecretAccessKey\":\"" + secretKey + "\"}'\n", nil, "Credential=AKIDECHO/"},
		{"API key", func(c *Config) { c.Key = " " + bearerKey + "\n" }, "", nil, "Bearer " + bearerKey},
		{"API key in the environment", func(c *Config) { c.Env = environ(map[string]string{"AWS_BEARER_TOKEN_BEDROCK": bearerKey}) }, "", nil, "Bearer " + bearerKey},
		{"API key before that in the environment", func(c *Config) {
			c.Key, c.Env = bearerKey, environ(map[string]string{"AWS_BEARER_TOKEN_BEDROCK": "other"})
		}, "", map[string]string{"AWS_BEARER_TOKEN_BEDROCK": "third"}, "Bearer " + bearerKey},
		{"API key and an SSO profile", func(c *Config) { c.Key = bearerKey }, "[default]\nsso_session = s\nsso_account_id = 1\nsso_role_name = r\n[sso-session s]\nsso_region = us-east-1\nsso_start_url = https://sso.example\n", nil, "Bearer " + bearerKey},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := okServer(t)
			client := newClient(t, s.url, func(config *Config) {
				if c.config != nil {
					c.config(config)
				}
			})
			settings(t, c.settings)
			for k, v := range c.process {
				t.Setenv(k, v)
			}
			if _, err := collect(t, client, hello()); err != nil {
				t.Fatal(err)
			}
			if got := s.last(t).header.Get("Authorization"); !strings.Contains(got, c.auth) {
				t.Errorf("got %s, want %s", got, c.auth)
			}
		})
	}
}

// TestAuthorities finds credentials although AWS_CA_BUNDLE is set, which the SDK
// accepts only along with its own HTTP client.
func TestAuthorities(t *testing.T) {
	tlsServer := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tlsServer.Close)
	s := okServer(t)
	c := newClient(t, s.url)
	path := filepath.Join(t.TempDir(), "ca.pem")
	pem := "-----BEGIN CERTIFICATE-----\n" + pemOf(tlsServer.Certificate().Raw) + "-----END CERTIFICATE-----\n"
	if err := os.WriteFile(path, []byte(pem), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CA_BUNDLE", path)
	if _, err := collect(t, c, hello()); err != nil {
		t.Fatal(err)
	}
}

// TestNoCredentials says what to do when nothing gives credentials.
func TestNoCredentials(t *testing.T) {
	const sso = "[profile work]\nsso_session = s\nsso_account_id = 1\nsso_role_name = r\n[sso-session s]\nsso_region = us-east-1\nsso_start_url = https://sso.example\n"
	for _, c := range []struct {
		name     string
		profile  string
		env      map[string]string
		settings string
		says     string
	}{
		{"none", "", nil, "", "no credentials were found; set AWS_BEARER_TOKEN_BEDROCK"},
		{"SSO without login", "work", nil, sso, "aws sso login --profile work"},
		{"process that fails", "", nil, "[default]\ncredential_process = sh -c 'exit 3'\n", "the credentials could not be fetched"},
		{"no such profile", "missing", nil, "", "the AWS settings cannot be used"},
		{"broken settings", "", nil, "[default]\nrole_arn = r\nsource_profile = missing\n", "the AWS settings cannot be used"},
		{"broken key", "", map[string]string{"AWS_BEARER_TOKEN_BEDROCK": "two words"}, "", "AWS_BEARER_TOKEN_BEDROCK holds blanks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := okServer(t)
			client := newClient(t, s.url, func(config *Config) { config.Profile, config.Env = c.profile, environ(c.env) })
			settings(t, c.settings)
			_, err := collect(t, client, hello())
			e := failure(t, err, providers.ErrorRequest, c.says)
			if !strings.Contains(e.Message, "AWS authentication") || e.Endpoint != s.url || len(s.all()) != 0 {
				t.Errorf("got %+v after %d requests", e, len(s.all()))
			}
		})
	}
}

// TestRole takes a role at STS, with our transport.
func TestRole(t *testing.T) {
	const role = "[profile work]\nrole_arn = arn:aws:iam::123456789012:role/dev\nsource_profile = base\nregion = us-east-1\n" +
		"[profile base]\naws_access_key_id = AKIDBASE\naws_secret_access_key = " + secretKey + "\n"
	const granted = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>` +
		`<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>` + secretKey + `</SecretAccessKey><SessionToken>` + sessionToken + `</SessionToken>` +
		`<Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`
	const denied = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>AccessDenied</Code>` +
		`<Message>User base is not authorized to perform: sts:AssumeRole</Message></Error><RequestId>1</RequestId></ErrorResponse>`
	status, body := http.StatusForbidden, denied
	sts := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/xml")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
	s := okServer(t)
	c := newClient(t, s.url, func(c *Config) { c.Profile, c.Env = "work", noEnv })
	settings(t, role)
	t.Setenv("AWS_ENDPOINT_URL_STS", sts.url)

	_, err := collect(t, c, hello())
	failure(t, err, providers.ErrorRequest, "is not authorized to perform: sts:AssumeRole")

	status, body = http.StatusOK, granted // and what was wrong has been put right
	ctx := transport.WithCall(t.Context(), transport.Call{Headers: map[string]string{"X-For-The-Model": "1"}})
	stream, err := c.Stream(ctx, hello())
	if err != nil {
		t.Fatal(err)
	}
	stream.Close()
	if got := s.last(t).header; !strings.Contains(got.Get("Authorization"), "Credential=ASIAROLE/") || got.Get("X-For-The-Model") != "1" {
		t.Errorf("got %v", got)
	}
	if got := sts.last(t).header; got.Get("User-Agent") != "hermes-tui/test" || got.Get("X-For-The-Model") != "" {
		t.Errorf("STS got %v", got)
	}
	asked := len(sts.all())
	if _, err := collect(t, c, hello()); err != nil {
		t.Fatal(err)
	}
	if n := len(sts.all()); n != asked {
		t.Errorf("STS was asked again: %d requests", n)
	}
}

// TestRoleServerGone names the server that was not reached.
func TestRoleServerGone(t *testing.T) {
	sts := httptest.NewServer(http.NotFoundHandler())
	sts.Close()
	c := newClient(t, "", func(c *Config) { c.Profile, c.Env = "work", noEnv })
	settings(t, "[profile work]\nrole_arn = arn:aws:iam::123456789012:role/dev\nsource_profile = base\n[profile base]\naws_access_key_id = AKIDBASE\naws_secret_access_key = "+secretKey+"\n")
	t.Setenv("AWS_ENDPOINT_URL_STS", sts.URL)
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	_, err := collect(t, c, hello())
	if e := failure(t, err, providers.ErrorConnect, "AWS credentials could not be fetched: connection refused"); e.Endpoint != sts.URL+"/" {
		t.Errorf("endpoint %s", e.Endpoint)
	}
}

// TestCancelWhileCredentialsAreFetched ends a request before it is one.
func TestCancelWhileCredentialsAreFetched(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	release, asked := make(chan struct{}), make(chan struct{}, 10)
	metadata := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cancel(cause)
		<-release
		w.WriteHeader(http.StatusNotFound)
		if strings.Contains(r.URL.Path, "security-credentials") {
			asked <- struct{}{}
		}
	})
	c := newClient(t, "", func(c *Config) { c.Env = noEnv })
	t.Setenv("AWS_EC2_METADATA_DISABLED", "")
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.url)
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	_, err := c.Stream(ctx, hello())
	close(release)
	if !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	select { // the SDK goes on by itself: not into other tests
	case <-asked:
	case <-time.After(10 * time.Second):
		t.Error("it was not asked to the end")
	}
}

// TestRefusedCredentials looks for credentials again after they were refused.
func TestRefusedCredentials(t *testing.T) {
	body := string(text(0, "a")) + string(stop("end_turn")) + string(figures())
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Authorization"), "AKIDOLD") {
			w.Header().Set("X-Amzn-ErrorType", "ExpiredTokenException:http://internal.amazon.com/coral/com.amazon.coral.service/")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"message":"The security token included in the request is expired"}`)
			return
		}
		w.Header().Set("Content-Type", eventType)
		_, _ = io.WriteString(w, body)
	})
	c := newClient(t, s.url, func(c *Config) { c.Env = noEnv })
	settings(t, "[default]\naws_access_key_id = AKIDOLD\naws_secret_access_key = "+secretKey+"\n")
	_, err := collect(t, c, hello())
	e := failure(t, err, providers.ErrorStatus, "is expired; get new AWS credentials; for a login with SSO: aws sso login (us-east-1)")
	if e.Type != "ExpiredTokenException" || e.Status != 403 {
		t.Errorf("got %+v", e)
	}
	settings(t, "[default]\naws_access_key_id = AKIDNEW\naws_secret_access_key = "+secretKey+"\n")
	if _, err := collect(t, c, hello()); err != nil {
		t.Error(err)
	}
}

// TestNew refuses what cannot work, and makes nothing of the network.
func TestNew(t *testing.T) {
	tr := transport.New(transport.Options{})
	t.Cleanup(tr.CloseIdle)
	for _, c := range []struct {
		name   string
		config Config
		says   string
	}{
		{"no transport", Config{}, "no transport"},
		{"key", Config{Service: transport.Service{Endpoint: providers.Endpoint{Key: "a b"}, Transport: tr}}, "the API key holds blanks"},
		{"base", Config{Service: transport.Service{Endpoint: providers.Endpoint{BaseURL: "bedrock-runtime.us-east-1.amazonaws.com"}, Transport: tr}}, "https://bedrock-runtime."},
		{"scheme", Config{Service: transport.Service{Endpoint: providers.Endpoint{BaseURL: "ftp://user:" + secretKey + "@x"}, Transport: tr}}, "is not an address"},
		{"guardrail", Config{Service: transport.Service{Transport: tr}, Options: Options{Guardrail: Guardrail{ID: "g"}}}, "DRAFT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(c.config)
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), secretKey) {
				t.Errorf("got %v", err)
			}
		})
	}
	_, err := New(Config{Service: transport.Service{Transport: tr, Env: func(string) string { t.Error("New looks at the environment"); return "" }}})
	if err != nil {
		t.Error(err)
	}
}

// TestBadRegion is a region that cannot be a part of a name.
func TestBadRegion(t *testing.T) {
	_, err := collect(t, newClient(t, "", func(c *Config) { c.Region = "us east" }), hello())
	failure(t, err, providers.ErrorRequest, "the request cannot be made")
}

// TestMetadataHosts holds which requests for credentials never take a proxy.
func TestMetadataHosts(t *testing.T) {
	for host, want := range map[string]bool{
		"169.254.169.254": true, "fd00:ec2::254": true, "fe80::1": true,
		"127.0.0.1": false, "10.0.0.1": false, "sts.amazonaws.com": false, "": false,
	} {
		if got := isMetadata(host); got != want {
			t.Errorf("%s: got %v", host, got)
		}
	}
}
