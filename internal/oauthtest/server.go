// Package oauthtest is an MCP server for tests that wants a login, and the service that gives
// logins for it, on one loopback address. The two can be made to lie.
package oauthtest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server is both. Its fields are set before it is asked anything, those with a lock apart.
type Server struct {
	URL string // of the service; the MCP server is at /mcp below it

	// Issuer, Iss and Metadata are lies: the issuer that the server names, who brings the
	// browser back, and where the metadata is said to be.
	Issuer, Iss, Metadata string
	// Change changes what the service says about itself.
	Change func(map[string]any)
	// NoRegistration, NoDevice and NoRefresh leave those out; Secret gives clients one.
	NoRegistration, NoDevice, NoRefresh, Secret bool
	// Documents has the service take addresses of documents as ids of clients.
	Documents bool
	// Granted, if there is one, is called before a token is given, with the kind of grant.
	Granted func(grant string)
	// Lifetime is how long a token holds, in seconds; 0 says nothing about it.
	Lifetime int

	mu       sync.Mutex
	last     int
	clients  []string // ids, those of the user among them
	codes    map[string]url.Values
	access   map[string]bool
	refresh  map[string]bool
	approved bool
	log      []string
	more     bool // the server wants the right "write"
	scopes   map[string]string
}

// Start runs one until the test ends.
func Start(t testing.TB) *Server {
	s := &Server{codes: map[string]url.Values{}, access: map[string]bool{}, refresh: map[string]bool{}, scopes: map[string]string{}}
	server := httptest.NewServer(s.handler())
	s.URL = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return s
}

// MCP is the address of the MCP server, SSE that by the older transport.
func (s *Server) MCP() string { return s.URL + "/mcp" }

// SSE is described at [Server.MCP].
func (s *Server) SSE() string { return s.URL + "/sse" }

func (s *Server) serves(address string) bool { return address == s.MCP() || address == s.SSE() }

// Log is what was asked of the service: words with "=" between names and values.
func (s *Server) Log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Asked counts what begins so in the log.
func (s *Server) Asked(prefix string) (n int) {
	for _, line := range s.Log() {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

// Approve has waiting codes count as entered.
func (s *Server) Approve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.approved = true
}

// Forget ends all tokens: access tokens alone, or refresh tokens as well.
func (s *Server) Forget(all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.access)
	if all {
		clear(s.refresh)
	}
}

// WantMore has the server want the right "write".
func (s *Server) WantMore() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.more = true
}

// Know registers a client.
func (s *Server) Know(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients = append(s.clients, id)
}

// Visit plays a user who opens the address of a login and agrees.
func Visit(t testing.TB, address string) (status int, body string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	b := make([]byte, 4096)
	n, _ := resp.Body.Read(b)
	return resp.StatusCode, string(b[:n])
}

func (s *Server) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *Server) handler() http.Handler {
	m := http.NewServeMux()
	tools := sdk.NewServer(&sdk.Implementation{Name: "guarded", Version: "1"}, nil)
	type none struct{}
	sdk.AddTool(tools, &sdk.Tool{Name: "whoami", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}, func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "you are known"}}}, nil, nil
	})
	one := func(*http.Request) *sdk.Server { return tools }
	m.HandleFunc("/mcp", s.guard(sdk.NewStreamableHTTPHandler(one, &sdk.StreamableHTTPOptions{Stateless: true})))
	m.HandleFunc("/sse", s.guard(sdk.NewSSEHandler(one, nil)))
	m.HandleFunc("/.well-known/oauth-protected-resource/", func(w http.ResponseWriter, r *http.Request) {
		issuer := s.Issuer
		if issuer == "" {
			issuer = s.URL
		}
		reply(w, http.StatusOK, map[string]any{"resource": s.URL + "/" + path.Base(r.URL.Path), "authorization_servers": []string{issuer}})
	})
	m.HandleFunc("/.well-known/oauth-authorization-server", s.about)
	m.HandleFunc("/register", s.register)
	m.HandleFunc("/authorize", s.authorize)
	m.HandleFunc("/device", s.device)
	m.HandleFunc("/token", s.token)
	m.HandleFunc("/revoke", func(_ http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.note("revoke %s", r.FormValue("token_type_hint"))
		delete(s.refresh, r.FormValue("token"))
	})
	return m
}

// guard lets those in who are logged in.
func (s *Server) guard(served http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		known, enough := s.access[token], !s.more || strings.Contains(s.scopes[token], "write")
		where := s.Metadata
		s.mu.Unlock()
		if where == "" {
			where = s.URL + "/.well-known/oauth-protected-resource" + r.URL.Path
		}
		switch {
		case !known:
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+where+`", scope="read"`)
			w.WriteHeader(http.StatusUnauthorized)
		case !enough:
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="write"`)
			w.WriteHeader(http.StatusForbidden)
		default:
			served.ServeHTTP(w, r)
		}
	}
}

func (s *Server) about(w http.ResponseWriter, _ *http.Request) {
	about := map[string]any{
		"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token", "revocation_endpoint": s.URL + "/revoke",
		"code_challenge_methods_supported": []string{"S256"}, "authorization_response_iss_parameter_supported": true, "scopes_supported": []string{"read", "write", "offline_access"},
	}
	if !s.NoRegistration {
		about["registration_endpoint"] = s.URL + "/register"
	}
	if !s.NoDevice {
		about["device_authorization_endpoint"] = s.URL + "/device"
	}
	if s.Documents {
		about["client_id_metadata_document_supported"] = true
	}
	if s.Change != nil {
		s.Change(about)
	}
	reply(w, http.StatusOK, about)
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var m map[string]any
	if json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	id := "client-" + strconv.Itoa(s.last)
	s.clients = append(s.clients, id)
	s.note("agent %s", r.UserAgent())
	s.note("register %v %v", m["client_name"], m["token_endpoint_auth_method"])
	m["client_id"] = id
	if s.Secret {
		m["client_secret"], m["token_endpoint_auth_method"] = "secret-of-"+id, "client_secret_basic"
	}
	reply(w, http.StatusCreated, m)
}

// authorize agrees at once, and sends the browser back.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note("authorize client=%s scope=%s resource=%s", q.Get("client_id"), q.Get("scope"), q.Get("resource"))
	if !slices.Contains(s.clients, q.Get("client_id")) || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || !s.serves(q.Get("resource")) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.last++
	code := "code-" + strconv.Itoa(s.last)
	s.codes[code] = q
	iss := s.Iss
	if iss == "" {
		iss = s.URL
	}
	back := url.Values{"code": {code}, "state": {q.Get("state")}}
	if iss != "none" {
		back.Set("iss", iss)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (s *Server) device(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note("device client=%s scope=%s", r.FormValue("client_id"), r.FormValue("scope"))
	reply(w, http.StatusOK, map[string]any{"device_code": "device-1", "user_code": "ABCD-EFGH", "verification_uri": s.URL + "/enter", "interval": 1, "expires_in": 60})
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	grant, id, scope := r.FormValue("grant_type"), r.FormValue("client_id"), r.FormValue("scope")
	s.note("token grant=%s client=%s resource=%s", grant, id, r.FormValue("resource"))
	if r.PostFormValue("client_secret") != "" {
		s.note("with the secret in the form")
	}
	refuse := func(why string) { reply(w, http.StatusBadRequest, map[string]string{"error": why}) }
	if user, secret, _ := r.BasicAuth(); s.Secret && (user != id || secret != "secret-of-"+id) {
		refuse("invalid_client")
		return
	}
	if !slices.Contains(s.clients, id) || !s.serves(r.FormValue("resource")) {
		refuse("invalid_request")
		return
	}
	switch grant {
	case "authorization_code":
		q, known := s.codes[r.FormValue("code")]
		delete(s.codes, r.FormValue("code"))
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if !known || base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") || q.Get("redirect_uri") != r.FormValue("redirect_uri") {
			refuse("invalid_grant")
			return
		}
		scope = q.Get("scope")
	case "refresh_token":
		if !s.refresh[r.FormValue("refresh_token")] {
			refuse("invalid_grant")
			return
		}
		delete(s.refresh, r.FormValue("refresh_token")) // each counts once
	case "urn:ietf:params:oauth:grant-type:device_code":
		if !s.approved {
			refuse("authorization_pending")
			return
		}
	default:
		refuse("unsupported_grant_type")
		return
	}
	if s.Granted != nil {
		s.Granted(grant)
	}
	s.last++
	access, refresh := "access-token-"+strconv.Itoa(s.last), "refresh-token-"+strconv.Itoa(s.last)
	s.access[access], s.scopes[access] = true, scope
	answer := map[string]any{"access_token": access, "token_type": "Bearer", "scope": scope}
	if !s.NoRefresh {
		s.refresh[refresh], answer["refresh_token"] = true, refresh
	}
	if s.Lifetime > 0 {
		answer["expires_in"] = s.Lifetime
	}
	reply(w, http.StatusOK, answer)
}
