package app

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"hermes-tui/tools/mcp"
	"os"
	"path/filepath"
	"strings"
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
		if err != nil {
			return nil, fmt.Errorf("client_cert: %w", err)
		}
		set.Certificates = []tls.Certificate{pair}
	}
	return set, nil
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
