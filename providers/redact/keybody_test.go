package redact

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"
)

// lines breaks base64 as PEM does.
func lines(data []byte, width int) string {
	text := base64.StdEncoding.EncodeToString(data)
	var b strings.Builder
	for ; len(text) > width; text = text[width:] {
		b.WriteString(text[:width] + "\n")
	}
	return b.String() + text + "\n"
}

// keys makes private keys of all common kinds in their binary forms.
func keys(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	must := func(data []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	plus := x509.MarshalPKCS1PrivateKey(rsaKey)
	plus[47] |= 62
	plus[47] &^= 1
	all["rsa with a line that ends with a plus"] = plus
	all["rsa"], all["rsa pkcs8"] = x509.MarshalPKCS1PrivateKey(rsaKey), must(x509.MarshalPKCS8PrivateKey(rsaKey))
	for _, c := range []elliptic.Curve{elliptic.P224(), elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		k, err := ecdsa.GenerateKey(c, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		all[c.Params().Name] = must(x509.MarshalECPrivateKey(k))
		if c != elliptic.P224() {
			all[c.Params().Name+" pkcs8"] = must(x509.MarshalPKCS8PrivateKey(k))
		}
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	all["ed25519"] = must(x509.MarshalPKCS8PrivateKey(ed))
	all["openssh"] = append([]byte("openssh-key-v1\x00\x00\x00\x00\x04none\x00\x00\x00\x04none"), ed...)
	return all
}

// TestKeysWithoutFirstLine masks the bodies of private keys, on lines and in one
// piece, with line numbers and in program text; and as a stream does.
func TestKeysWithoutFirstLine(t *testing.T) {
	for name, der := range keys(t) {
		for _, width := range []int{64, 70, 1 << 20} {
			body := lines(der, width)
			tail := strings.TrimSpace(body[len(body)/2:])
			for _, text := range []string{
				"before\n" + body + "after\n", "key: " + body + "after\n", `{"key": "` + strings.ReplaceAll(strings.TrimSpace(body), "\n", `\n`) + `"}` + "\n",
				"before\n" + numbers(body) + "9999|after\n",
			} {
				for what, got := range map[string]string{"Text": Text(text), "Code": plain.Code(text), "stream": inPieces(t, text)} {
					if !strings.Contains(got, keyMark) || strings.Contains(got, tail[:16]) || strings.Contains(text, "after") && !strings.Contains(got, "after") {
						t.Errorf("%s at %d, %s:\n%s\nbecomes\n%s", name, width, what, text, got)
					}
				}
				if Text(text) != inPieces(t, text) {
					t.Errorf("%s at %d: a stream gives\n%s\nnot\n%s", name, width, inPieces(t, text), Text(text))
				}
			}
		}
	}
}

// numbers puts line numbers before lines.
func numbers(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(string(rune('1'+i%9)) + "|" + line + "\n")
	}
	return b.String()
}

// inPieces masks a text that comes in small pieces.
func inPieces(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	w := NewWriter(&out, Masker{})
	for i := 0; i < len(text); i += 50 {
		if _, err := w.Write([]byte(text[i:min(len(text), i+50)])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestPublicBodiesStay leaves the base64 of what is no secret alone.
func TestPublicBodiesStay(t *testing.T) {
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "x"}, NotAfter: time.Unix(2e9, 0)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, pub, priv)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&rsaKey.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 3000)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	for name, der := range map[string][]byte{
		"certificate": cert, "public key": public, "public key of RSA": x509.MarshalPKCS1PublicKey(&rsaKey.PublicKey), "noise": noise[1:],
	} {
		text := "x\n" + lines(der, 64)
		if got := Text(text); got != text {
			t.Errorf("%s becomes\n%s", name, got)
		}
	}
}

// TestSecretsInOtherSpellings masks known values turned around, in hexadecimal and
// escaped for a URL.
func TestSecretsInOtherSpellings(t *testing.T) {
	const secret = "kV3x_9Qz-Lm/p0+rT=5"
	m := NewSecrets(secret)
	digits := hex.EncodeToString([]byte(secret))
	all := ""
	for i := range len(secret) {
		all += "%" + digits[2*i:2*i+2]
	}
	for _, spelled := range []string{
		secret, reversed(secret), digits, strings.ToUpper(digits), url.QueryEscape(secret), all, strings.ToUpper(all),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte("x" + secret)),
	} {
		if got := m.Text("a " + spelled + " b"); strings.Contains(got, spelled) || !strings.HasPrefix(got, "a ") || !strings.HasSuffix(got, " b") {
			t.Errorf("%s becomes %s", spelled, got)
		}
	}
}

// TestNamedInCode masks in program text what is named as secret and certainly
// random, and nothing else.
// plain masks without knowing secrets.
var plain Masker

func TestNamedInCode(t *testing.T) {
	const random = "wJalrXUtnFEMI7K7MDENGbPx" + "RfiCYzEXAMPLEKEY4"
	for _, text := range []string{
		"aws_secret_access_key = " + random, `aws_secret_access_key = "` + random + `"`, `const apiKey = "` + random + `";`,
		"curl -H 'Authorization: Bearer " + random + "'", "password: " + random, `{"token": "` + random + `"}`,
	} {
		if got := plain.Code(text); strings.Contains(got, random) {
			t.Errorf("%s becomes %s", text, got)
		}
	}
	for _, text := range []string{
		`password := "hunter2"`, "password: string", "token = parser.nextTokenAfter(Base64Header1)", `tokenPath = "/api/v2/OAuth2/accessToken1"`,
		`const passwordResetTokenHeaderName = "XPasswordResetToken"`, "secret = hmac.New(sha256.New, key)", `tokenURL: "https://login.example/oauth2/v2.0/token"`,
		`"Authorization": "Bearer " + token`, "password=$1", `fingerprint_token = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"`,
	} {
		if got := plain.Code(text); got != text {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}

// TestJSON masks the strings of a JSON text as they are without escapes.
func TestJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"content":"1|user: ann\n2|password: hunter2\n3|aws_secret_access_key = abcdefgh12345678ijkl","n":3}`: `{"content":"1|user: ann\n2|password: ***\n3|aws_secret_access_key = abcdef...ijkl","n":3}`,
		`{"output":"Authorization: Bearer abc\n","exit_code":0}`:                                               `{"output":"Authorization: Bearer ***\n","exit_code":0}`,
		`{"password": "pw", "user" : "ann", "a": ["token", "b"]}`:                                              `{"password": "***", "user" : "ann", "a": ["token", "b"]}`,
		`{"a":"<b> & \u00e9\/"}`:                             `{"a":"<b> & \u00e9\/"}`,
		"password: hunter2":                                  "password: ***",
		`{"broken": "password=pw`:                            `{"broken": "password=***`,
		`{"a":"{\"apiKey\": \"EQ7wjJJibaZUPgHV7iB3m03n\"}"}`: `{"a":"{\"apiKey\": \"EQ7wjJ...m03n\"}"}`,
	} {
		if got := JSON(in, Text); got != want {
			t.Errorf("%s\nbecomes %s\nnot     %s", in, got, want)
		}
	}
}
