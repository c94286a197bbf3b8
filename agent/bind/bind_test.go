package bind_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/providers/redact"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
)

// open opens a session database.
func open(t *testing.T, file string) *sessions.DB {
	t.Helper()
	ids := event.SystemSource()
	db, err := sessions.Open(t.Context(), file, sessions.Options{Clock: ids.Clock, Rand: ids.Random})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// ticking is a source whose clock goes on by a second with every look.
func ticking() event.Source {
	ids := event.SystemSource()
	now := time.Unix(1_700_000_000, 0)
	ids.Clock = func() time.Time { now = now.Add(time.Second); return now }
	return ids
}

// TestTrust decides on folders: the newest decision counts, holds for this
// folder only, and is found again by the next program.
func TestTrust(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.db")
	trust := bind.Trust(open(t, file), ticking(), seal(t, file))
	check := func(trust agent.Trust, root string, decided, trusted bool) {
		t.Helper()
		d, y, err := trust.Trusted(t.Context(), root)
		if err != nil || d != decided || y != trusted {
			t.Errorf("%s: decided %v, trusted %v, %v", root, d, y, err)
		}
	}
	check(trust, "/w", false, false)
	for _, yes := range []bool{true, false, true} {
		if err := trust.Decide(t.Context(), "/w", yes); err != nil {
			t.Fatal(err)
		}
		check(trust, "/w", true, yes)
	}
	for _, other := range []string{"/", "/w/sub", "/w2", "/W", ""} {
		check(trust, other, false, false)
	}
	check(bind.Trust(open(t, file), ticking(), seal(t, file)), "/w", true, true)
}

// TestGrants keeps permissions next to decisions on folders, which are none.
func TestGrants(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.db")
	db := open(t, file)
	grants := bind.Grants(db, ticking(), seal(t, file))
	if list, err := grants.List(t.Context()); err != nil || len(list) != 0 {
		t.Fatalf("a new database has %v, %v", list, err)
	}
	if err := bind.Trust(db, ticking(), seal(t, file)).Decide(t.Context(), "git push *", true); err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_700_000_000, 0)
	want := []approval.Grant{
		{Kind: tools.ActExec, Pattern: "git push *", Example: "git push origin main", At: at},
		{Kind: tools.ActWrite, Pattern: "/etc/hosts", Example: "/etc/hosts", At: at.Add(time.Second)},
	}
	for _, g := range want {
		if err := grants.Add(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	for name, g := range map[string]approval.Grants{"same": grants, "next": bind.Grants(open(t, file), ticking(), seal(t, file))} {
		list, err := g.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(list, want, func(a, b approval.Grant) bool {
			return a.Kind == b.Kind && a.Pattern == b.Pattern && a.Example == b.Example && a.At.Equal(b.At)
		}) {
			t.Errorf("%s program: %+v", name, list)
		}
	}
	if err := grants.Add(t.Context(), approval.Grant{Kind: tools.ActExec}); err == nil {
		t.Error("a permission for nothing was stored")
	}
}

// TestTheStoreFails has decisions that cannot be read or stored: nothing is
// trusted then.
func TestTheStoreFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.db")
	db := open(t, file)
	trust, grants := bind.Trust(db, ticking(), seal(t, file)), bind.Grants(db, ticking(), seal(t, file))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, yes, err := trust.Trusted(t.Context(), "/w"); err == nil || yes {
		t.Errorf("trusted %v, %v", yes, err)
	}
	if err := trust.Decide(t.Context(), "/w", true); err == nil {
		t.Error("a decision was lost in silence")
	}
	if list, err := grants.List(t.Context()); err == nil || len(list) > 0 {
		t.Errorf("permissions %v, %v", list, err)
	}
}

const (
	secret = "correct-horse-battery-staple"
	token  = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
)

// TestMasks compares the two ways of masking: all that looks like a secret, or
// those that are known only.
func TestMasks(t *testing.T) {
	secrets := redact.NewSecrets(secret)
	text := "the key is " + secret + ", a token is " + token + ".\n"
	for name, c := range map[string]struct {
		mask  agent.Masker
		token bool // stays
	}{"all": {bind.Mask(secrets), false}, "known": {bind.MaskKnown(secrets), true}} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			w := c.mask.Writer(&out)
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			for where, got := range map[string]string{"text": c.mask.Text(text), "code": c.mask.Code(text), "stream": out.String()} {
				if strings.Contains(got, secret) || strings.Contains(got, token) != c.token || !strings.HasPrefix(got, "the key is ") {
					t.Errorf("%s: %q", where, got)
				}
			}
		})
	}
	if got := bind.MaskKnown(nil).Text(text); got != text {
		t.Errorf("without secrets: %q", got)
	}
}

// TestMaskedStreams cuts a text at random places: whatever the cuts, what comes
// out is what masking the whole gives, and nothing of a secret is left.
func TestMaskedStreams(t *testing.T) {
	mask := bind.MaskKnown(redact.NewSecrets(secret))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		text := noise(random)
		var out strings.Builder
		w := mask.Writer(&out)
		for rest := text; rest != ""; {
			n := min(1+random.IntN(1+random.IntN(6000)), len(rest))
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != mask.Text(text) || strings.Contains(got, secret) {
			t.Fatalf("text %d of %d bytes: masked in pieces it differs", i, len(text))
		}
	}
}

// TestMaskedStreamsHoldASecretTogether ends a write in the middle of a secret, at
// every place, behind a line that is too long to be held back.
func TestMaskedStreamsHoldASecretTogether(t *testing.T) {
	mask := bind.MaskKnown(redact.NewSecrets(secret))
	for cut := range len(secret) {
		var out strings.Builder
		w := mask.Writer(&out)
		for _, part := range []string{strings.Repeat("x", 20_000) + secret[:cut], secret[cut:] + strings.Repeat("y", 20_000)} {
			if _, err := w.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Contains(got, secret) || strings.Contains(got, secret[:8]) {
			t.Fatalf("cut after %d bytes it was let through", cut)
		}
	}
}

// noise is a text with secrets in it, some lines of which are very long.
func noise(random *rand.Rand) string {
	var b strings.Builder
	for range 1 + random.IntN(60) {
		switch random.IntN(8) {
		case 0, 1:
			b.WriteString(secret)
		case 2:
			b.WriteString("\n")
		case 3:
			b.WriteString(strings.Repeat("long ", random.IntN(3000)))
		default:
			b.WriteString(strings.Repeat("x", random.IntN(40)))
		}
	}
	return b.String()
}

// TestMaskedStreamsAreBounded writes a line without an end: what is held back
// does not grow with it.
func TestMaskedStreamsAreBounded(t *testing.T) {
	var out strings.Builder
	w := bind.MaskKnown(redact.NewSecrets(secret)).Writer(&out)
	written := 0
	for range 1000 {
		n, err := w.Write([]byte(strings.Repeat("y", 1000)))
		if err != nil {
			t.Fatal(err)
		}
		if written += n; written-out.Len() > 16<<10 {
			t.Fatalf("%d bytes are held back", written-out.Len())
		}
	}
}

// failing is a writer that refuses.
type failing struct{}

var errRefused = errors.New("refused")

func (failing) Write([]byte) (int, error) { return 0, errRefused }

func TestMaskedStreamsReportFailures(t *testing.T) {
	w := bind.MaskKnown(nil).Writer(failing{})
	if _, err := w.Write([]byte("line\nrest")); !errors.Is(err, errRefused) {
		t.Errorf("write: %v", err)
	}
	if err := w.Flush(); !errors.Is(err, errRefused) {
		t.Errorf("flush: %v", err)
	}
}
