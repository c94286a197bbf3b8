//go:build unix

package ui_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// The benchmarks of this file start the program as it is released in a real
// pseudo-terminal. Times end when the read from the terminal returns.

const (
	benchCols, benchRows = 120, 40
	longMessages         = 50_000
)

// recording is what a program wrote, piece by piece.
type recording struct {
	mu     sync.Mutex
	pieces []piece
	wait   *waiting
}

type piece struct {
	at   time.Time
	data []byte
}

// waiting looks for bytes in what is written from now on.
type waiting struct {
	want  []byte
	held  []byte // the end of what came, which may be the beginning of want
	found chan time.Time
}

// tap implements [Options.Tap].
func (r *recording) tap(p []byte, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pieces = append(r.pieces, piece{at, bytes.Clone(p)})
	w := r.wait
	if w == nil {
		return
	}
	w.held = append(w.held, p...)
	if bytes.Contains(w.held, w.want) {
		w.found <- at
		r.wait = nil
		return
	}
	w.held = w.held[max(0, len(w.held)-len(w.want)+1):]
}

// expect looks for text in what is written from now on.
func (r *recording) expect(text string) <-chan time.Time {
	w := &waiting{want: []byte(text), found: make(chan time.Time, 1)}
	r.mu.Lock()
	r.wait = w
	r.mu.Unlock()
	return w.found
}

// count counts bytes and frames between two times. A frame is what stands in
// synchronised output.
func (r *recording) count(from, to time.Time) (size, frames int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []byte
	for _, p := range r.pieces {
		if !p.at.Before(from) && !p.at.After(to) {
			all = append(all, p.data...)
		}
	}
	return len(all), bytes.Count(all, []byte("\x1b[?2026h"))
}

// firstTime finds the first moment at which the screen was as wanted.
func (r *recording) firstTime(b *testing.B, want ...Matcher) time.Time {
	b.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var all strings.Builder
	for _, p := range r.pieces {
		all.Write(p.data)
		if Explain(ParseScreen(benchCols, benchRows, all.String()), want...) == "" {
			return p.at
		}
	}
	b.Fatal("the screen never was as wanted")
	return time.Time{}
}

// within waits for a moment.
func within(b *testing.B, what string, found <-chan time.Time) time.Time {
	b.Helper()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	select {
	case at := <-found:
		return at
	case <-limit.C:
		b.Fatalf("waited in vain for %s", what)
		return time.Time{}
	}
}

// pause lets time go by, which is what some benchmarks measure.
func pause(d time.Duration) { <-time.After(d) }

// measured starts the released program with a recording of what it writes.
func measured(b *testing.B, o Options) (*Driver, *recording) {
	b.Helper()
	r := &recording{}
	o.Bin, o.Cols, o.Rows, o.Tap, o.Timeout = Release(b), benchCols, benchRows, r.tap, time.Minute
	return Start(b, o), r
}

// quantiles reports times in milliseconds, and their targets where there are any.
func quantiles(b *testing.B, name string, times []time.Duration, target50, target99 float64) {
	b.Helper()
	slices.Sort(times)
	for _, q := range []struct {
		name   string
		share  int // percent
		target float64
	}{{"p50", 50, target50}, {"p99", 99, target99}} {
		i := min(len(times)*q.share/100, len(times)-1)
		b.ReportMetric(float64(times[i].Microseconds())/1000, name+q.name+"-ms")
		if q.target > 0 {
			b.ReportMetric(q.target, "target-"+name+q.name+"-ms")
		}
	}
	b.ReportMetric(0, "ns/op")
}

// ready is what the first frame has: title, composer and status row.
var ready = []Matcher{Contains("hermes"), usualMode(), Contains("❯ "), Contains("? keys")}

// BenchmarkFirstFrame starts the program and waits for the first whole frame, and
// then for the first key: in a home that has never been used, in one that has, in one with
// 400 skills besides, and in one with ten MCP servers, the first answer with whose tools is
// waited for as well.
func BenchmarkFirstFrame(b *testing.B) {
	for _, name := range []string{"new", "known", "skills", "servers"} {
		known := name != "new"
		b.Run(name, func(b *testing.B) {
			var home string
			if known {
				home = filepath.Join(b.TempDir(), "home")
				for i := range 400 {
					if name == "skills" {
						writeSkill(b, filepath.Join(home, "skills"), fmt.Sprintf("c%d/skill-%03d", i%10, i), "What it does and when it is of use.", strings.Repeat("A line.\n", 200))
					}
				}
				config := ""
				if name == "servers" {
					config = tenServers(b)
				}
				d, _ := measured(b, Options{Scenario: answers(on("go", say("Answered."))), Home: home, Config: config})
				d.WaitIdle().Quit().Wait()
				home = d.Home()
			}
			var frame, usable, answer []time.Duration
			for b.Loop() {
				o := Options{Home: home}
				if !known {
					o.Scenario = answers()
				}
				d, r := measured(b, o)
				d.WaitFor(ready...)
				echo := r.expect("λ")
				d.Type("λ")
				usable = append(usable, within(b, "the echo of a key", echo).Sub(d.Started()))
				if name == "servers" {
					said, at := r.expect("Answered."), time.Now()
					d.Press("backspace").Type("go").Press("enter")
					answer = append(answer, within(b, "an answer", said).Sub(at))
				}
				d.WaitIdle().Kill9()
				frame = append(frame, r.firstTime(b, ready...).Sub(d.Started()))
			}
			quantiles(b, "", frame, 60, 0)
			quantiles(b, "usable-", usable, 71, 0)
			if name == "servers" {
				quantiles(b, "answer-", answer, 0, 0)
			}
		})
	}
}

// tenServers are settings with so many servers, each a program of its own.
func tenServers(b *testing.B) string {
	b.Helper()
	server := filepath.Join(b.TempDir(), "server")
	if err := os.WriteFile(server, []byte(roleServer), 0o700); err != nil {
		b.Fatal(err)
	}
	config := "mcp_servers:\n"
	for i := range 10 {
		config += fmt.Sprintf("  server%d: {command: %s, args: [good, /dev/null]}\n", i, server)
	}
	return config
}

// glyphs are characters that occur nowhere else on the screen.
var glyphs = strings.Split("αβγδεζηθικλμνξοπρστυφχψω", "")

// BenchmarkKeyToFrame types in a conversation of 50,000 messages, at rest and
// while an answer comes in at 100 deltas a second, and measures the time from
// writing a key to reading its glyph. Keys are 30 to 90 ms apart.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, c := range []struct {
		name     string
		rate     float64
		p50, p99 float64
	}{
		{"idle", 0, 0, 2.1},
		{"streaming", 100, 0, 3},
	} {
		b.Run(c.name, func(b *testing.B) {
			conv := SharedFixture(b, longMessages).Copy(b)
			s := answers(on("stream", say("The stream begins. "), script.Tokens{N: 200_000, Pace: script.Pace{Rate: c.rate}}))
			d, r := measured(b, Options{Home: conv.Home, Dir: conv.Dir, Args: []string{"--resume", string(conv.Session)}, Scenario: s})
			d.WaitFor(Contains(conv.Last))
			if c.rate > 0 {
				d.Type("stream").Press("enter").WaitFor(Contains("The stream begins."))
			} else {
				d.WaitIdle()
			}
			dice := rand.New(rand.NewPCG(1, 2))
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				if i%len(glyphs) == 0 {
					d.Press("ctrl+u").WaitSync()
				}
				pause(time.Duration(30+dice.IntN(60)) * time.Millisecond)
				glyph := glyphs[i%len(glyphs)]
				echo := r.expect(glyph)
				began := time.Now()
				d.Type(glyph)
				times = append(times, within(b, "the echo of a key", echo).Sub(began))
			}
			quantiles(b, "", times, c.p50, c.p99)
			d.Kill9()
		})
	}
}

// BenchmarkOpen50k opens a conversation of 50,000 messages and waits for the
// first frame, for the one with the end of the transcript, and for that from which on all of
// the conversation is there: a command that is typed at once begins then.
func BenchmarkOpen50k(b *testing.B) {
	conv := SharedFixture(b, longMessages)
	var frame, tail, whole []time.Duration
	var cpu time.Duration // until then, on all cores
	for b.Loop() {
		d, r := measured(b, Options{
			Home: conv.Home, Dir: conv.Dir, Args: []string{"--resume", string(conv.Session)}, Scenario: answers(),
		})
		d.WaitFor(Contains("❯ ")).Type("/tree").Press("enter").WaitFor(Contains("Branches of this session"))
		used, _ := d.CPU()
		cpu += used
		d.WaitIdle()
		frame = append(frame, r.firstTime(b, ready...).Sub(d.Started()))
		tail = append(tail, r.firstTime(b, Contains(conv.Last)).Sub(d.Started()))
		whole = append(whole, r.firstTime(b, Contains("Branches of this session")).Sub(d.Started()))
		d.Press("esc").WaitFor(NotContains("Branches of this session"))
		d.Quit().Wait()
	}
	quantiles(b, "frame-", frame, 60, 0)
	quantiles(b, "tail-", tail, 300, 0)
	quantiles(b, "whole-", whole, 0, 0)
	b.ReportMetric(cpu.Seconds()*1000/float64(len(whole)), "whole-cpu-ms")
}

// BenchmarkStreamProgram has the program show whole answers, at the rates the
// peers were measured at, and reports its processor time, what it writes to the
// terminal and when the end was on the screen.
func BenchmarkStreamProgram(b *testing.B) {
	for _, c := range []struct {
		name       string
		tokens     int
		rate       float64 // a second, 0 for as fast as possible
		cpu, bytes float64 // targets: seconds, and bytes a token
		total      float64 // target: ms from enter to the end
	}{
		{"2k at 200/s", 2000, 200, 1.03, 52, 0},
		{"20k at 2000/s", 20_000, 2000, 1.84, 0, 0},
		{"20k at once", 20_000, 0, 0.35, 0, 195},
	} {
		b.Run(c.name, func(b *testing.B) {
			const end = "FINANIF"
			pace := script.Pace{Rate: c.rate}
			if c.rate == 0 {
				pace.Rate = -1
			}
			s := answers(on("stream", script.Tokens{N: c.tokens, Pace: pace}, script.Text{Text: "\n\n" + end, Pace: script.Pace{Rate: -1}}))
			var cpu, took time.Duration
			var size, frames int
			n := 0
			for b.Loop() {
				n++
				d, r := measured(b, Options{Scenario: s})
				d.WaitIdle()
				before, ok := d.CPU()
				found := r.expect(end)
				began := time.Now()
				d.Type("stream").Press("enter")
				at := within(b, "the end of the stream", found)
				d.WaitIdle()
				after, _ := d.CPU()
				if ok {
					cpu += after - before
				}
				took += at.Sub(began)
				s, f := r.count(began, time.Now())
				size, frames = size+s, frames+f
				d.Quit().Wait()
			}
			runs := float64(n)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(took.Seconds()*1000/runs, "total-ms")
			b.ReportMetric(float64(frames)/took.Seconds(), "frames/s")
			b.ReportMetric(float64(size)/runs/float64(c.tokens), "bytes/token")
			if cpu > 0 {
				b.ReportMetric(cpu.Seconds()/runs, "cpu-s")
				b.ReportMetric(100*cpu.Seconds()/took.Seconds(), "cpu-%")
				b.ReportMetric(c.cpu, "target-cpu-s")
			}
			if c.bytes > 0 {
				b.ReportMetric(c.bytes, "target-bytes/token")
			}
			if c.total > 0 {
				b.ReportMetric(c.total, "target-total-ms")
			}
		})
	}
}

// BenchmarkIdle leaves the program alone for three seconds, in which it should
// write nothing and do next to nothing: in a new conversation, and in one of
// 50,000 messages.
func BenchmarkIdle(b *testing.B) {
	for _, long := range []bool{false, true} {
		name := "new"
		if long {
			name = "50k"
		}
		b.Run(name, func(b *testing.B) {
			const rest = 3 * time.Second
			o := Options{Scenario: answers()}
			if long {
				conv := SharedFixture(b, longMessages)
				o.Home, o.Dir, o.Args = conv.Home, conv.Dir, []string{"--resume", string(conv.Session)}
			}
			d, _ := measured(b, o)
			d.WaitIdle()
			pause(2 * time.Second) // what still ends after the start
			var cpu time.Duration
			var size int64
			n := 0
			for b.Loop() {
				n++
				before, ok := d.CPU()
				written := d.Bytes()
				pause(rest)
				after, _ := d.CPU()
				if ok {
					cpu += after - before
				}
				size += d.Bytes() - written
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(size)/float64(n), "bytes")
			b.ReportMetric(0, "target-bytes")
			if cpu > 0 {
				b.ReportMetric(100*cpu.Seconds()/(float64(n)*rest.Seconds()), "cpu-%")
				b.ReportMetric(0.02, "target-cpu-%")
			}
			d.Quit().Wait()
		})
	}
}
