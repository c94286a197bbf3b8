package process

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Limits of watching.
const (
	// watchEvery is how often at most a job reports a match.
	watchEvery = 15 * time.Second
	// watchStrikes is how many such spans in a row may have more matches than the
	// reported one, before watching is given up for this job.
	watchStrikes = 3
	// floodMany matches of all jobs within floodSpan silence all for floodRest.
	floodMany = 15
	floodSpan = 10 * time.Second
	floodRest = 30 * time.Second

	maxPatterns  = 20
	maxPattern   = 500     // bytes
	maxLine      = 4 << 10 // bytes of a line that are looked at
	maxMatchRows = 20      // of a notice
	maxMatchText = 2000    // characters of a notice
)

// watch looks for patterns in the output of one job. It is guarded by the job's
// lock.
type watch struct {
	now      func() time.Time
	patterns []pattern
	lines    tools.Lines
	matched  bool // the present, unfinished line has been reported

	last    time.Time // of the last notice
	struck  bool      // there was more since
	strikes int
	held    int // matches that were not reported
	off     bool
}

type pattern struct {
	text string
	re   *regexp.Regexp
}

// newWatch reads patterns; nil without any. notes tell the model what became of
// those that are no regular expressions.
func newWatch(list []string, now func() time.Time) (w *watch, notes []string) {
	w = &watch{now: now}
	for _, text := range list {
		if strings.TrimSpace(text) == "" {
			continue
		}
		if len(w.patterns) == maxPatterns || len(text) > maxPattern {
			notes = append(notes, "Only 20 watch_patterns of 500 bytes are looked for; the rest was left out.")
			break
		}
		re, err := regexp.Compile(text)
		if err != nil {
			re = regexp.MustCompile(regexp.QuoteMeta(text))
			notes = append(notes, "The watch pattern "+text+" is no regular expression (RE2), so it is looked for letter by letter.")
		}
		w.patterns = append(w.patterns, pattern{text, re})
	}
	if len(w.patterns) == 0 {
		return nil, notes
	}
	return w, notes
}

// look takes output and gives what is to be reported.
func (w *watch) look(j *job, b []byte) []Notice {
	if w.off {
		return nil
	}
	var rows []string
	found := ""
	count := 0
	check := func(line string) bool {
		p := w.match(line)
		if p == "" {
			return false
		}
		count++
		if found == "" {
			found = p
		}
		if len(rows) < maxMatchRows {
			rows = append(rows, line)
		}
		return true
	}
	text := string(w.lines.Text(b))
	for line := range strings.Lines(text) {
		if strings.HasSuffix(line, "\n") {
			if !w.matched {
				check(strings.TrimSuffix(line, "\n"))
			}
			w.matched = false
		}
	}
	if rest := w.lines.Rest(); rest != "" && !w.matched {
		w.matched = check(rest)
	}
	if count == 0 {
		return nil
	}
	return w.report(j, found, rows, count)
}

// match gives the first pattern that a line matches.
func (w *watch) match(line string) string {
	if len(line) > maxLine {
		line = line[:maxLine]
	}
	for _, p := range w.patterns {
		if p.re.MatchString(line) {
			return p.text
		}
	}
	return ""
}

// report decides whether a match is reported now.
func (w *watch) report(j *job, found string, rows []string, count int) []Notice {
	now := w.now()
	if !w.last.IsZero() && now.Sub(w.last) < watchEvery {
		w.held += count
		if !w.struck {
			w.struck = true
			w.strikes++
		}
		if w.strikes < watchStrikes {
			return nil
		}
		w.off, j.notify = true, true
		return []Notice{j.notice(WatchDisabled, "", "")}
	}
	if !w.struck {
		w.strikes = 0
	}
	allowed, more := j.all.flood.pass(j)
	if !allowed {
		w.held += count
		return more
	}
	n := j.notice(WatchMatch, found, shorten.Runes(strings.Join(rows, "\n"), maxMatchText))
	n.More = w.held + count - len(rows)
	w.last, w.struck, w.held = now, false, 0
	return append(more, n)
}

// flood bounds the notices of all jobs together. It is safe for concurrent use.
type flood struct {
	now func() time.Time

	mu    sync.Mutex
	sent  []time.Time
	until time.Time // no notice before
	held  int
}

// pass reports whether a notice may be sent. more says what else is to be told:
// that notices are being held back, or are no longer.
func (f *flood) pass(j *job) (ok bool, more []Notice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if now.Before(f.until) {
		f.held++
		return false, nil
	}
	if !f.until.IsZero() {
		n := j.notice(WatchReleased, "", "")
		n.More = f.held
		more = append(more, n)
		f.until, f.held, f.sent = time.Time{}, 0, nil
	}
	for len(f.sent) > 0 && now.Sub(f.sent[0]) >= floodSpan {
		f.sent = f.sent[1:]
	}
	if len(f.sent) >= floodMany {
		f.until, f.held = now.Add(floodRest), 1
		return false, append(more, j.notice(WatchTripped, "", ""))
	}
	f.sent = append(f.sent, now)
	return true, more
}
