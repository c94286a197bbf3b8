// Package proxytest is the proxy of a company, for tests: it wants a name and a password,
// looks names up itself, and signs all TLS again with an authority of its own.
package proxytest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// Proxy forwards every request to one handler, which stands for all hosts. A tunnel to port
// 7 says "hello " and sends back what it gets; hosts that begin with "closed." are refused.
type Proxy struct {
	// URL has the name and the password.
	URL *url.URL
	// PEM is the authority.
	PEM []byte

	t       testing.TB
	handler http.Handler
	ca      *x509.Certificate
	key     *ecdsa.PrivateKey

	mu    sync.Mutex
	asked []string
}

// Start starts a proxy for the time of a test.
func Start(t testing.TB, handler http.HandlerFunc) *Proxy {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{t: t, handler: handler, key: key}
	p.ca = &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Company"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := p.sign(p.ca)
	if err != nil {
		t.Fatal(err)
	}
	if p.ca, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	p.PEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	if p.URL, err = url.Parse(srv.URL); err != nil {
		t.Fatal(err)
	}
	p.URL.User = url.UserPassword("me", "pa ss")
	return p
}

// TLS trusts the authority.
func (p *Proxy) TLS() *tls.Config {
	roots := x509.NewCertPool()
	roots.AddCert(p.ca)
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
}

// Asked are the requests since the last call, as METHOD HOST:PORT or METHOD URL, with "DENIED "
// before those without the password.
func (p *Proxy) Asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	return asked
}

func (p *Proxy) sign(cert *x509.Certificate) ([]byte, error) {
	return x509.CreateCertificate(rand.Reader, cert, p.ca, &p.key.PublicKey, p.key)
}

func (p *Proxy) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	der, err := p.sign(&x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{hello.ServerName}, NotAfter: time.Now().Add(time.Hour)})
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: p.key}, err
}

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
	may, what := user == "me" && password == "pa ss", r.Method+" "+r.RequestURI
	if !may {
		what = "DENIED " + what
	}
	p.mu.Lock()
	p.asked = append(p.asked, what)
	p.mu.Unlock()
	switch {
	case !may:
		w.Header().Set("Proxy-Authenticate", `Basic realm="company"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
	case r.Method != http.MethodConnect:
		p.handler.ServeHTTP(w, r)
	case strings.HasPrefix(r.RequestURI, "closed."):
		w.WriteHeader(http.StatusForbidden)
	default:
		p.tunnel(w, r)
	}
}

func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	if strings.HasSuffix(r.RequestURI, ":7") {
		_, _ = io.WriteString(conn, "hello ") // at once, as servers of mail do
		_, _ = io.Copy(conn, conn)
		return
	}
	secure := tls.Server(conn, &tls.Config{GetCertificate: p.certificate, MinVersion: tls.VersionTLS12})
	defer secure.Close()
	in := bufio.NewReader(secure)
	for {
		inner, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		answer := httptest.NewRecorder()
		p.handler.ServeHTTP(answer, inner)
		_, _ = io.Copy(io.Discard, inner.Body) // what the handler has left
		resp := answer.Result()
		resp.ContentLength = int64(answer.Body.Len())
		if resp.Write(secure) != nil {
			return
		}
	}
}
