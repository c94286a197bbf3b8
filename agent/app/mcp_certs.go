package app

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hermes-tui/tools/mcp"
)

// certificates are the settings of a server about them.
func (a *App) certificates(c mcp.Config) (*tls.Config, error) {
	set := &tls.Config{MinVersion: tls.VersionTLS12}
	switch strings.ToLower(c.Verify) {
	case "", "true", "yes", "on":
	case "false", "no", "off":
		set.InsecureSkipVerify = true //nolint:gosec // the user's own setting says so
	default:
		pem, err := os.ReadFile(a.userPath(c.Verify))
		if err != nil {
			return nil, fmt.Errorf("ssl_verify: %w", err)
		}
		if set.RootCAs = x509.NewCertPool(); !set.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("ssl_verify: %s holds no certificate", c.Verify)
		}
	}
	if c.Cert != "" {
		key := c.Key
		if key == "" {
			key = c.Cert
		}
		pair, err := tls.LoadX509KeyPair(a.userPath(c.Cert), a.userPath(key))
		if err != nil && locked(a.userPath(key)) {
			err = fmt.Errorf("the key in %s has a password: store it without one (openssl pkey -in KEY -out NEW), for you alone to read", key)
		}
		if err != nil {
			return nil, fmt.Errorf("client_cert: %w", err)
		}
		set.Certificates = []tls.Certificate{pair}
	}
	return set, nil
}

// locked reports whether a file holds a key that takes a password.
func locked(name string) bool {
	data, err := os.ReadFile(name)
	return err == nil && (bytes.Contains(data, []byte("BEGIN ENCRYPTED PRIVATE KEY")) || bytes.Contains(data, []byte("\nProc-Type: 4,ENCRYPTED")))
}

// userPath resolves a leading ~/ and a path in the folder that the program was started in.
func (a *App) userPath(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(a.place.Info().Home, rest)
	}
	if !filepath.IsAbs(name) {
		return filepath.Join(a.o.Dir, name)
	}
	return name
}
