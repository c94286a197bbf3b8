package sessions

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// benchText is about as long as an answer.
var benchText = strings.Repeat("some words of an answer that is read and searched ", 6)

// BenchmarkMany searches, lists and adds to a database of many messages in conversations
// of 500, 100,000 in short runs and a million otherwise.
func BenchmarkMany(b *testing.B) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	d := openWith(b, newPath(b), Options{})
	fillMany(b, d, n)
	day := time.Now().AddDate(0, 0, 1)
	for _, c := range []struct {
		name string
		s    Search
	}{
		{"rare", Search{Text: "rare77"}}, {"phrase", Search{Text: `"word5 of topic5"`}}, {"everywhere", Search{Text: "message"}}, {"two", Search{Text: "topic4 word4"}},
		{"either", Search{Text: "topic4 OR rare77"}}, {"prefix", Search{Text: "topic12*"}}, {"letter", Search{Text: "m*", Typed: true}}, {"letters", Search{Text: "rare7*", Typed: true}},
		{"folder", Search{Text: "message", Folder: "/w/3"}}, {"before", Search{Text: "message", To: day}}, {"page", Search{Text: "message", Limit: 20}}, {"hundred", Search{Text: "message", Limit: mostFound}},
	} {
		for _, sort := range []Sort{Best, Newest} {
			b.Run("search/"+c.name+"/"+string(sort), func(b *testing.B) {
				c.s.Sort = sort
				p50 := 20.0
				if c.name == "hundred" { // comes behind the first page
					p50 = 0
				}
				measure(b, p50, 50, func() error {
					found, err := d.Search(b.Context(), c.s)
					if err == nil && len(found) < min(c.s.Limit, n/500) || len(found) == 0 {
						err = fmt.Errorf("%d found: %w", len(found), err)
					}
					return err
				})
			})
		}
	}
	for name, f := range map[string]Filter{"newest": {Limit: 200}, "folder": {Workspace: "/w/3", Limit: 500}, "all": {Limit: n}, "typed": {Query: "nothing like it"}} {
		b.Run("list/"+name, func(b *testing.B) {
			measure(b, 30, 0, func() error {
				_, err := d.List(b.Context(), f)
				return err
			})
		})
	}
	written := 0
	b.Run("write", func(b *testing.B) {
		measure(b, 0, 2, func() error {
			written++
			batch := say("c0", written)
			batch.Messages[0].Content = fmt.Sprintf("another %d with word%d of topic%d and %s", written, written%50, written%1000, benchText[:120])
			return d.Commit(b.Context(), batch)
		})
	})
}

// measure reports how long something takes, half of the times and 99 of 100, beside what
// these should be, in milliseconds; 0 for no target. The processor time of the thread is free
// of whatever else the machine does, and of waiting for the disk.
func measure(b *testing.B, p50, p99 float64, do func() error) {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var took, cpu []time.Duration
	for b.Loop() {
		began, at := time.Now(), threadTime(b)
		if err := do(); err != nil {
			b.Fatal(err)
		}
		took, cpu = append(took, time.Since(began)), append(cpu, threadTime(b)-at)
	}
	report := func(times []time.Duration, name string) {
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms/p50"+name)
		b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "ms/p99"+name)
	}
	report(took, "")
	report(cpu, "-cpu")
	for name, target := range map[string]float64{"target-p50": p50, "target-p99": p99} {
		if target > 0 {
			b.ReportMetric(target, name)
		}
	}
	b.ReportMetric(0, "ns/op")
}

func threadTime(b *testing.B) time.Duration {
	b.Helper()
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// fillMany writes n messages in conversations of 500 messages.
func fillMany(b *testing.B, d *DB, n int) {
	b.Helper()
	const each = 500
	for i := 0; i < n; i += each {
		conv := fmt.Sprint("c", i)
		batch := Batch{Conv: conv, Session: "s-" + conv, Create: &NewSession{Workspace: fmt.Sprint("/w/", i%7), Model: "m"}}
		for k := range each {
			at := i + k
			text := fmt.Sprintf("message %d with word%d of topic%d and %s", at, at%50, at%1000, benchText[:120])
			if at%9973 == 0 {
				text += " rare77"
			}
			batch.Messages = append(batch.Messages, Message{ID: fmt.Sprint("m", at), Role: []string{"user", "assistant", "tool", "tool"}[k%4], Content: text})
		}
		mustCommit(b, d, batch)
	}
}
