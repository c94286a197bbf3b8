package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/logintest"
)

// device logs in on another device; at the nth question something happens.
func (r *rig) device(at int, do func(code string)) (Tokens, error) {
	r.t.Helper()
	var p Prompt
	r.clock.tick = func(n int) {
		if n == at {
			do(p.Code)
		}
	}
	return r.Device(r.t.Context(), func(got Prompt) {
		p = got
		if got.Code == "" || strings.Contains(fmt.Sprintf("%+v", got), logintest.Canary) || !strings.HasPrefix(got.Page, r.issuer.URL) {
			r.t.Errorf("shown %+v", got)
		}
	})
}

func TestDevice(t *testing.T) {
	for _, form := range []DeviceForm{DeviceStandard, DeviceCodes} {
		t.Run(string(form), func(t *testing.T) {
			make := func(t *testing.T) *rig {
				if r := newRig(t); form == DeviceCodes {
					return r
				}
				return newRig(t).standard()
			}
			t.Run("approved", func(t *testing.T) {
				r := make(t)
				got, err := r.device(3, func(code string) { r.issuer.Use(code, "approved") })
				works(t, got, err)
				if want := []time.Duration{5 * time.Second, 5 * time.Second, 5 * time.Second}; !slices.Equal(r.clock.waits, want) {
					t.Errorf("waited %v", r.clock.waits)
				}
			})
			t.Run("denied", func(t *testing.T) {
				r := make(t)
				_, err := r.device(2, func(code string) { r.issuer.Use(code, "denied") })
				fails(t, err, ProblemDenied, "did not allow")
			})
			t.Run("never used", func(t *testing.T) {
				r := make(t)
				_, err := r.device(0, nil)
				fails(t, err, ProblemLate, "--device")
				if late := r.clock.now().Sub(noon); late < 10*time.Minute || late > 15*time.Minute {
					t.Errorf("waited %v", late)
				}
			})
			t.Run("a server that fails for a while", func(t *testing.T) {
				r := make(t)
				path := "/oauth/token"
				if form == DeviceCodes {
					path = "/api/accounts/deviceauth/token"
				}
				r.issuer.Instead(path, func(w http.ResponseWriter, _ *http.Request) {
					if r.issuer.Asked(path) == 1 {
						w.WriteHeader(http.StatusServiceUnavailable)
						return
					}
					panic(http.ErrAbortHandler) // the connection breaks
				})
				got, err := r.device(3, func(code string) {
					r.issuer.Instead(path, nil)
					r.issuer.Use(code, "approved")
				})
				works(t, got, err)
				if want := []time.Duration{5 * time.Second, 10 * time.Second, 15 * time.Second}; !slices.Equal(r.clock.waits, want) {
					t.Errorf("waited %v", r.clock.waits)
				}
			})
			t.Run("interrupted", func(t *testing.T) {
				r := make(t)
				stop := errors.New("enough")
				ctx, cancel := context.WithCancelCause(t.Context())
				r.clock.tick = func(int) { cancel(stop) }
				if _, err := r.Device(ctx, func(Prompt) {}); !errors.Is(err, stop) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestDeviceSlowsDown(t *testing.T) {
	r := newRig(t).standard()
	var code string
	r.clock.tick = func(n int) {
		switch n {
		case 1, 2:
			r.issuer.Use(code, "slow")
		case 4:
			r.issuer.Use(code, "approved")
		}
	}
	got, err := r.Device(t.Context(), func(p Prompt) { code = p.Code })
	works(t, got, err)
	if want := []time.Duration{5 * time.Second, 10 * time.Second, 15 * time.Second, 15 * time.Second}; !slices.Equal(r.clock.waits, want) {
		t.Errorf("waited %v", r.clock.waits)
	}
}

func TestDeviceExpired(t *testing.T) {
	r := newRig(t).standard()
	_, err := r.device(2, func(code string) { r.issuer.Use(code, "expired") })
	fails(t, err, ProblemLate, "hermes-tui login openai-codex --device")
}

// What an issuer wants shown must be what it should be.
func TestDeviceLies(t *testing.T) {
	const good = `"device_code":"d-CANARY-1","user_code":"ABCD","verification_uri":"https://x.example/y"`
	for _, c := range []struct {
		name, body string
		ok         bool
	}{
		{"good", good, true},
		{"an interval of no time", good + `,"interval":-4,"expires_in":1e300`, true},
		{"a script", `"device_code":"d-CANARY-1","user_code":"ABCD","verification_uri":"javascript:alert(1)"`, false},
		{"a file", `"device_code":"d-CANARY-1","user_code":"ABCD","verification_uri":"file:///etc/passwd"`, false},
		{"in the clear", `"device_code":"d-CANARY-1","user_code":"ABCD","verification_uri":"http://x.example/y"`, false},
		{"escape codes", `"device_code":"d-CANARY-1","user_code":"AB\u001b[2JCD","verification_uri":"https://x.example/y"`, false},
		{"a code without end", `"device_code":"d-CANARY-1","user_code":"` + strings.Repeat("A", 100) + `","verification_uri":"https://x.example/y"`, false},
		{"no device code", `"user_code":"ABCD","verification_uri":"https://x.example/y"`, false},
		{"no page", `"device_code":"d-CANARY-1","user_code":"ABCD"`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t).standard()
			r.issuer.Instead("/oauth/device", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{"+c.body+"}") })
			r.issuer.Instead("/oauth/token", func(w http.ResponseWriter, _ *http.Request) {
				logintest.Refuse(w, http.StatusBadRequest, "access_denied", "d-CANARY-1")
			})
			shown := false
			_, err := r.Device(t.Context(), func(Prompt) { shown = true })
			if c.ok {
				fails(t, err, ProblemDenied)
			} else {
				fails(t, err, ProblemIssuer, "login.openai.issuer")
			}
			if shown != c.ok {
				t.Errorf("shown: %v", shown)
			}
			for _, w := range r.clock.waits {
				if w < time.Second {
					t.Errorf("waited %v", w)
				}
			}
		})
	}
	r := newRig(t)
	r.issuer.Instead("/api/accounts/deviceauth/usercode", http.NotFound)
	_, err := r.Device(t.Context(), func(Prompt) {})
	fails(t, err, ProblemIssuer, "without --device")
}
