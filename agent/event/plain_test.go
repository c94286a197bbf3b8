package event

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// TestPlain reads what Marshal writes without encoding/json, and other forms with it,
// to the same.
func TestPlain(t *testing.T) {
	s := newScript(t, 9)
	s.emit("a1", "", &AgentSpawned{Role: "root", Goal: "\"quoted\" <b>\u2028 \x01 ä 🙂 \\ line\nnext\ttab"})
	for range 20 {
		s.turn("a1")
	}
	for _, r := range registrations() {
		e := r.blank()
		Stamp(e)
		s.events = append(s.events, e)
		e = r.blank()
		fill(reflect.ValueOf(e).Elem(), 0)
		Stamp(e)
		s.events = append(s.events, e)
	}
	d := NewDecoder()
	for _, e := range s.events {
		raw, err := Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(raw, []byte(`"state":null`)) && !d.plain(raw, reflect.ValueOf(byName[TypeOf(e)].blank()).Elem()) {
			t.Errorf("left to encoding/json: %s", raw)
		}
		same(t, d, TypeOf(e), raw)
	}
	for _, raw := range []string{
		`{"type":"turn_started","v":1,"seq":2,"at":"2026-01-02T03:04:05Z","conv":"c","budget":3}`,
		`{"budget":3,"type":"turn_started"}`, `{"Budget":3}`, `{"budget":3,"budget":4}`, ` {"budget":3}`, `{"budget":3} `, `{"budget":3}x`, `{"budget":3,}`,
		`{"budget":null}`, `{"turn":null}`, `{"v":nul}`, `{"budget":1e2}`, `{"budget":1.0}`, `{"budget":-0}`, `{"budget":01}`, `{"budget":9223372036854775807}`, `{"budget":9223372036854775808}`,
		`{"seq":-1}`, `{"seq":18446744073709551615}`, `{"turn":"\ud83d\ude42"}`, `{"turn":"\ud83d"}`, `{"turn":"\u00E4\/"}`, `{"turn":"` + "\xff" + `"}`, `{"turn":"` + "\n" + `"}`,
		`{"turn":"\x"}`, `{"turn":"\`, `{"turn":"`, `{"at":"yesterday"}`, `{"later":true}`, `{"turn":3}`, `{`, ``, `null`, `[]`, `{}`,
	} {
		same(t, d, "turn_started", []byte(raw))
	}
	if a, b := d.again([]byte("ab")), d.again([]byte("ab")); a != b {
		t.Error(a, b)
	}
}

// same holds the decoder to encoding/json.
func same(t *testing.T, d *Decoder, as Type, raw []byte) {
	t.Helper()
	was := string(raw)
	want := byName[as].blank()
	wantErr := json.Unmarshal(raw, want)
	got, err := d.UnmarshalAs(as, raw)
	if (err != nil) != (wantErr != nil) || err == nil && !reflect.DeepEqual(got, want) || string(raw) != was {
		t.Fatalf("%s\ngot  %+v, %v\nwant %+v, %v", was, got, err, want, wantErr)
	}
}

func FuzzPlain(f *testing.F) {
	for _, r := range registrations() {
		e := r.blank()
		fill(reflect.ValueOf(e).Elem(), 0)
		Stamp(e)
		raw, err := Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(r.name), raw)
	}
	f.Add("turn_started", []byte(`{"turn":"\u00e4\ud83d"}`))
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		if byName[Type(name)] != nil {
			same(t, NewDecoder(), Type(name), raw)
		}
	})
}
