package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestSecretsInEverySpelling(t *testing.T) {
	v := `p@ss/w"ör+d&<1>` + "\t" + `end of it`
	n := NewSecrets(v, "short", "  ", "another-secret")
	js, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(string(js))
	spellings := []string{
		v, string(js), plain, strings.ReplaceAll(plain, "/", `\/`),
		url.QueryEscape(v), url.PathEscape(v), lowerEscapes(url.QueryEscape(v)),
	}
	for shift := range 3 {
		b := append([]byte(strings.Repeat("u", shift)), v...)
		spellings = append(spellings,
			base64.StdEncoding.EncodeToString(append(b, " tail"...)), base64.URLEncoding.EncodeToString(b), base64.RawStdEncoding.EncodeToString(b))
	}
	for _, s := range spellings {
		got := n.Text("a " + s + " b")
		if !strings.Contains(got, "...") && !strings.Contains(got, "***") {
			t.Errorf("%q was left as %q", s, got)
		}
	}
	if got := n.Text("short another-secret"); got != "short ***" {
		t.Errorf("got %q", got)
	}
}

func TestSecretsOfSeveralLines(t *testing.T) {
	n := NewSecrets("first line of it\nsecond line\nx")
	if got, want := n.Text("a\nsecond line\nx"), "a\n***\nx"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSecretsPreferTheLongest(t *testing.T) {
	n := NewSecrets("abcdefgh", "abcdefghijklmnopqrstu")
	if got, want := n.Text("abcdefghijklmnopqrstu abcdefgh1"), "abcdef...rstu ***1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSecretsNeverPrintThemselves(t *testing.T) {
	n := NewSecrets("correct-horse")
	m := Masker{Secrets: n}
	for _, s := range []string{
		fmt.Sprint(n), fmt.Sprintf("%v %+v %#v %s %q", n, n, n, n, n), fmt.Sprintf("%v %+v %#v", m, m, m),
		fmt.Sprintf("%x", n), fmt.Sprintf("%v %+v %#v", *n, *n, *n),
	} {
		if strings.Contains(s, "correct") || strings.Contains(s, "636f7272656374") {
			t.Errorf("printed %q", s)
		}
	}
}

func TestMaskerDoesBoth(t *testing.T) {
	m := Masker{Secrets: NewSecrets("plainlooking")}
	if got, want := m.Text("plainlooking password=x1"), "*** password=***"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := m.Code("plainlooking password=x1"), "*** password=x1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (Masker{}).Text("password=x1"); got != "password=***" {
		t.Errorf("the zero Masker gave %q", got)
	}
	var none *Secrets
	if got := none.Text("x"); got != "x" || fmt.Sprint(none) == "" {
		t.Errorf("nil secrets gave %q", got)
	}
}
