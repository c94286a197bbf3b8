package sessions

import (
	"fmt"
	"strings"
	"testing"
)

// benchText is about as long as an answer.
var benchText = strings.Repeat("some words of an answer that is read and searched ", 6)

func BenchmarkCommit(b *testing.B) {
	for _, own := range []string{"message+event", "event"} {
		b.Run(own, func(b *testing.B) {
			d := openWith(b, newPath(b), Options{})
			begin(b, d, "c")
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				batch := say("c", n)
				batch.Messages[0].Content = benchText
				batch.Events[0].Body = fmt.Appendf(nil, `{"n":%d,"text":%q}`, n, benchText)
				if own == "event" {
					batch.Messages = nil
				}
				mustCommit(b, d, batch)
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	path := newPath(b)
	mustClose(b, openWith(b, path, Options{}))
	b.ReportAllocs()
	for b.Loop() {
		d, err := Open(b.Context(), path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		mustClose(b, d)
		b.StartTimer()
	}
}

func BenchmarkCreate(b *testing.B) {
	dir := b.TempDir()
	n := 0
	for b.Loop() {
		n++
		d, err := Open(b.Context(), fmt.Sprintf("%s/%d.db", dir, n), Options{})
		if err != nil {
			b.Fatal(err)
		}
		mustClose(b, d)
	}
}

// longSession is a session of 50,000 messages with as many events.
func longSession(b *testing.B) *DB {
	b.Helper()
	const size = 50_000
	d := openWith(b, newPath(b), Options{})
	begin(b, d, "c")
	for n := 1; n <= size; {
		batch := Batch{Conv: "c", Session: "s-c"}
		for range 1000 {
			one := say("c", n)
			one.Messages[0].Content = benchText
			one.Events[0].Body = fmt.Appendf(nil, `{"n":%d,"text":%q}`, n, benchText)
			batch.Messages = append(batch.Messages, one.Messages...)
			batch.Events = append(batch.Events, one.Events...)
			n++
		}
		mustCommit(b, d, batch)
	}
	return d
}

func BenchmarkLongSession(b *testing.B) {
	d := longSession(b)
	b.Run("Messages", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if all, err := d.Messages(b.Context(), "s-c"); err != nil || len(all) != 50_000 {
				b.Fatal(len(all), err)
			}
		}
	})
	b.Run("EachPage", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			err := d.EachPage(b.Context(), "c", 0, func(page []Event) error { n += len(page); return nil })
			if err != nil || n != 50_000 {
				b.Fatal(n, err)
			}
		}
	})
	b.Run("Latest", func(b *testing.B) {
		for b.Loop() {
			if _, err := d.Latest(b.Context(), ""); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkListThousand(b *testing.B) {
	d := openWith(b, newPath(b), Options{})
	for i := range 1000 {
		conv := fmt.Sprintf("c%d", i)
		begin(b, d, conv)
		mustCommit(b, d, say(conv, 1))
	}
	for name, f := range map[string]Filter{"newest": {}, "search": {Query: "nothing like it"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := d.List(b.Context(), f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSanitizeQuery(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		SanitizeQuery(`TODO: fix "the bug" in my-app.config.ts AND 日本語 NOT`)
	}
}
