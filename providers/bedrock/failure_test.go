package bedrock

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"hermes-tui/providers"
)

// TestStatuses are responses that are no success.
func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		name, kind, body string
		status           int
		typ, says        string
	}{
		{"throttling", "ThrottlingException", `{"message":"Too many requests"}`, 429, "ThrottlingException", "Too many requests"},
		{"validation", "ValidationException:http://x/", `{"message":"Input is too long for requested model."}`, 400, "ValidationException", "Input is too long for requested model."},
		{"capital", "", `{"__type":"com.amazon.coral.service#UnrecognizedClientException","Message":"The security token included in the request is invalid."}`, 403,
			"UnrecognizedClientException", "is invalid; check AWS_ACCESS_KEY_ID"},
		{"denied", "AccessDeniedException", `{"Message":"not authorized"}`, 403, "AccessDeniedException", "not authorized; the AWS identity needs"},
		{"not found", "ResourceNotFoundException", `{"message":"The provided model identifier is invalid."}`, 404, "ResourceNotFoundException", "whether this region offers it (us-east-1)"},
		{"model", "ModelErrorException", `{"message":"m","originalStatusCode":500,"originalMessage":"o","resourceName":"r"}`, 424, "ModelErrorException", "m: o"},
		{"no message", "AccessDeniedException", ``, 403, "AccessDeniedException", "the AWS identity needs"},
		{"the canonical request", "InvalidSignatureException", `{"message":"does not match. x-amz-security-token:` + sessionToken + `"}`, 403, "InvalidSignatureException", "the clock of this machine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if c.kind != "" {
					w.Header().Set("X-Amzn-ErrorType", c.kind)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := collect(t, newClient(t, s.url), hello())
			e := failure(t, err, providers.ErrorStatus, c.says)
			if e.Status != c.status || e.Type != c.typ || len(s.all()) != 1 {
				t.Errorf("got %+v after %d requests", e, len(s.all()))
			}
		})
	}
}

// TestSecretsStayOut sends every credential back in an error.
func TestSecretsStayOut(t *testing.T) {
	for name, change := range map[string]func(*Config){"signed": func(*Config) {}, "token": func(c *Config) { c.Key = bearerKey }} {
		echo := func(r *http.Request) string {
			return fmt.Sprintf("%s %s", r.Header.Get("Authorization"), r.Header.Get("X-Amz-Security-Token"))
		}
		for kind, answer := range map[string]http.HandlerFunc{
			"status": func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Echo", echo(r))
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"message":`+quote(echo(r))+`}`)
			},
			"exception": func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Echo", echo(r))
				w.Header().Set("Content-Type", eventType)
				_, _ = w.Write(exception("validationException", `{"message":`+quote(echo(r))+`}`))
			},
			"junk": func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", eventType)
				_, _ = w.Write(ev("messageStop", echo(r)))
			},
			"page": func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "<title>"+echo(r)+"</title>") },
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				_, err := collect(t, newClient(t, serve(t, answer).url, change), hello())
				var e *providers.Error
				if !errors.As(err, &e) {
					t.Fatal(err)
				}
				failure(t, err, e.Kind, "")
			})
		}
	}
}
