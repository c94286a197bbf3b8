package agent_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/bind"
	"hermes-tui/providers/redact"
	"hermes-tui/providers/script"
)

// TestNoSecretsInTheStore reads files with secrets in every way there is. Neither
// the requests nor anything that is stored has one of them.
func TestNoSecretsInTheStore(t *testing.T) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	body := base64.StdEncoding.EncodeToString(der)
	const known = "kV3xa9QzbLmcp0drT5"
	secrets := []string{"hunter2horse", "wJalrXUtnFEMI7K7MDENGbPxRfiCYz4", "zq8Bearerless77", body, known, reversed(known)}
	r := newRig(t, rounds(
		steps(call("read_file", map[string]any{"path": "app.yaml"})),
		steps(call("search_files", map[string]any{"pattern": ".", "path": "app.yaml"})),
		steps(call("terminal", map[string]any{"command": "cat app.yaml; nl app.yaml"})),
		steps(script.Text{Text: "Done."}),
	), func(c *agent.Config) { c.Mask = bind.Mask(redact.NewSecrets(known)) })
	write(t, r.work, "app.yaml", strings.Join([]string{
		"user: ann", "password: " + secrets[0], "aws_secret_access_key = " + secrets[1], "Authorization: Bearer " + secrets[2],
		"key: " + body, "note: " + known, "back: " + reversed(known), "last: line", "",
	}, "\n"))
	r.submit("look at the settings")
	r.idle(1)
	for _, m := range r.messages()[1:] {
		if m.Role == "tool" && (!strings.Contains(m.Content, "ann") || !strings.Contains(m.Content, "line")) {
			t.Errorf("a result lacks what is no secret: %s", m.Content)
		}
	}
	check := func(what string, data []byte) {
		for i, s := range secrets {
			if bytes.Contains(data, []byte(s)) {
				t.Errorf("%s holds secret %d", what, i)
			}
		}
	}
	for _, rec := range r.server.Requests() {
		check("a request", rec.Body)
	}
	err = filepath.WalkDir(r.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		check(filepath.Base(path), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func reversed(s string) string {
	b := []byte(s)
	for i := range len(b) / 2 {
		b[i], b[len(b)-1-i] = b[len(b)-1-i], b[i]
	}
	return string(b)
}
