package credentials

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// viewOf is a pool of logins, put together from scratch.
func viewOf(t *testing.T) *view {
	t.Helper()
	d, err := parseDocument("auth.json", []byte(`{"version":1,"providers":{"nous":{"access_token":"at-a0","refresh_token":"rt-a0"}},"credential_pool":{"nous":[
		{"id":"a","priority":0,"source":"device_code","auth_type":"oauth","access_token":"at-a0","refresh_token":"rt-a0"},
		{"id":"b","priority":1,"source":"manual","access_token":"kb","request_count":7},
		{"id":"c","priority":1,"source":"manual","access_token":"kc","last_status":"dead","last_status_at":1781697000.0}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	v, err := assemble(documents{own: d}, "nous", []Seed{{Source: "env:K", Key: "kb"}, {Source: "env:L", Key: "kl"}}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *view) dump(t *testing.T) string {
	t.Helper()
	if err := v.store(); err != nil {
		t.Fatal(err)
	}
	for _, r := range v.entries() { // without what says nothing
		r.members = slices.DeleteFunc(r.members, func(m member) bool {
			return string(m.value) == "null" || string(m.value) == `"ok"` || m.name == fieldFingerprint
		})
	}
	if err := v.store(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(decoded(t, string(v.doc.top.encode()))) // in the order of the names
}

// randomOps is a history as it can happen: tokens follow each other, marks are
// about the secret of their moment.
func randomOps(r *rand.Rand, n int) []op {
	a, b, c, l := ref{"a", "device_code"}, ref{"b", "manual"}, ref{"c", "manual"}, ref{"?", "env:L"}
	keys := map[ref]string{a: "at-a0", b: "kb", c: "kc", l: "kl"}
	token := 0
	var ops []op
	for i := range n {
		to := []ref{a, b, c, l}[r.IntN(4)]
		at := noon.Add(time.Duration(i) * time.Second)
		switch r.IntN(6) {
		case 0:
			status := []Status{Exhausted, Exhausted, Dead}[r.IntN(3)]
			ops = append(ops, &markOp{to, fingerprintOf(keys[to]), status, at, Failure{Code: 400 + i}})
		case 1:
			ops = append(ops, &clearOp{to, fingerprintOf(keys[to]), at})
		case 2:
			ops = append(ops, &moveOp{to})
		case 3, 4:
			ops = append(ops, &usedOp{to})
		default:
			spent := fmt.Sprintf("rt-a%d", token)
			fresh := Refreshed{AccessToken: fmt.Sprintf("at-a%d", i+1)}
			if r.IntN(3) > 0 {
				token++
				fresh.RefreshToken = fmt.Sprintf("rt-a%d", token)
			}
			keys[a] = fresh.AccessToken
			ops = append(ops, &tokensOp{a, spent, fresh, at})
		}
	}
	return ops
}

func show(ops []op) string {
	s := ""
	for _, o := range ops {
		s += fmt.Sprintf("%T%+v ", o, o)
	}
	return s
}

// Uses and turns that cannot be written are counted up to a bound; what failed and tokens
// are all kept.
func TestQueuedOperations(t *testing.T) {
	var list []op
	for i := range 2 * mostOps {
		to := ref{fmt.Sprint(i), "manual"}
		for _, o := range []op{&usedOp{to}, &moveOp{to}} {
			list = queued(list, o)
		}
	}
	if len(list) != mostOps {
		t.Errorf("%d operations wait", len(list))
	}
	for _, o := range []op{&markOp{status: Dead}, &clearOp{}, &tokensOp{}} {
		if list = queued(list, o); list[len(list)-1] != o {
			t.Errorf("%T is lost", o)
		}
	}
}

// What was written already does no harm when it is applied again.
func TestOperationsApplyTwice(t *testing.T) {
	r := rand.New(rand.NewChaCha8([32]byte{8}))
	for range 200 {
		ops := slices.DeleteFunc(randomOps(r, 1+r.IntN(8)), func(o op) bool {
			_, counts := o.(*usedOp)
			return counts
		})
		list := ops
		once, twice := viewOf(t), viewOf(t)
		for _, o := range list {
			o.apply(once)
			o.apply(twice)
		}
		for _, o := range list {
			o.apply(twice)
		}
		if want, got := once.dump(t), twice.dump(t); got != want {
			t.Fatalf("%s\n%s\nwant\n%s", show(ops), got, want)
		}
	}
}

// Operations yield to what happened in the file since.
func TestOperationsYield(t *testing.T) {
	a, b := ref{"a", "device_code"}, ref{"b", "manual"}
	for name, c := range map[string]struct {
		since, late op
		field       string
		id          string
		want        string
	}{
		"newer login": {
			&tokensOp{a, "rt-a0", Refreshed{AccessToken: "theirs", RefreshToken: "rt-theirs"}, noon.Add(time.Minute)},
			&tokensOp{a, "rt-a0", Refreshed{AccessToken: "ours", RefreshToken: "rt-ours"}, noon}, fieldAccess, "a", "theirs",
		},
		"newer access token": {
			&tokensOp{a, "rt-a0", Refreshed{AccessToken: "theirs"}, noon.Add(time.Minute)},
			&tokensOp{a, "rt-a0", Refreshed{AccessToken: "ours"}, noon}, fieldAccess, "a", "theirs",
		},
		"newer mark": {
			&markOp{b, fingerprintOf("kb"), Exhausted, noon.Add(time.Minute), Failure{Reason: "theirs"}},
			&markOp{b, fingerprintOf("kb"), Exhausted, noon, Failure{Reason: "ours"}}, fieldReason, "b", "theirs",
		},
		"newer mark, older success": {
			&markOp{b, fingerprintOf("kb"), Exhausted, noon.Add(time.Minute), Failure{Reason: "theirs"}},
			&clearOp{b, fingerprintOf("kb"), noon}, fieldReason, "b", "theirs",
		},
		"dead": {
			&markOp{b, fingerprintOf("kb"), Dead, noon, Failure{Reason: "theirs"}},
			&markOp{b, fingerprintOf("kb"), Exhausted, noon.Add(time.Minute), Failure{Reason: "ours"}}, fieldReason, "b", "theirs",
		},
		"other secret": {
			&tokensOp{a, "rt-a0", Refreshed{AccessToken: "theirs"}, noon},
			&markOp{a, fingerprintOf("at-a0"), Dead, noon.Add(time.Minute), Failure{}}, fieldStatus, "a", "ok",
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := viewOf(t)
			c.since.apply(v)
			c.late.apply(v)
			if got := v.byID(c.id).text(c.field); got != c.want {
				t.Errorf("%s is %q, want %q", c.field, got, c.want)
			}
		})
	}
}
