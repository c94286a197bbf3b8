package term

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"
)

// How the times between bytes are read. Whoever types leaves 30 ms between keys; a
// terminal that pastes leaves one, and a line of 1,200 bytes a second as well.
const (
	typingTime = 8 * time.Millisecond   // what comes sooner was not typed
	enterTime  = 10 * time.Millisecond  // an enter is held so long soon behind a character
	burstTime  = 50 * time.Millisecond  // the same, of one that was not typed; a paste ends behind so much silence
	fooledTime = 300 * time.Millisecond // and one in which an end mark ended nothing
	escTime    = 100 * time.Millisecond // an ESC alone is a key then
	slowTime   = 700 * time.Millisecond // the same, where reports are coming in
	recentTime = 2 * time.Second        // so long ago they still are
	seqTime    = time.Second            // more of a sequence is waited for
)

// NewInput returns a reader of what a terminal sends, in an order that its decoder can rely
// on:
//
//   - Text with line breaks that comes faster than anyone types is a paste, and gets the
//     marks of one. A line break alone at the end of such a text is a key, as programs
//     that type for the user send it, but not behind a text that begins with "!". One that
//     arrives alone, behind 50 ms of silence, is a key at once.
//   - The end mark of a paste ends it when nothing else follows at once. Another one is
//     text, whose ESC is the character that [Pasted] turns back.
//   - A sequence comes whole, however slowly it arrives. One that stays unfinished is
//     dropped, or comes as it is where it may have been typed. ESC is a key when nothing
//     follows for a tenth of a second, and for longer while reports are coming in; what
//     comes of a sequence behind it is a sequence all the same.
//
// Reports of the terminal keep their place between keys; those in a paste, or behind an
// enter that is not decided about, come behind it.
// The order of everything else is that of arrival. now and after are the clock.
// Bytes held when r ends come before its error. [Input.Close] ends the goroutine that
// reads from r, once its Read returns. A reader belongs to one goroutine.
func NewInput(r io.Reader, now func() time.Time, after func(time.Duration) <-chan time.Time) *Input {
	in := &Input{now: now, after: after, pieces: make(chan piece), done: make(chan struct{})}
	go in.pump(r)
	return in
}

// Input is what [NewInput] returns.
type Input struct {
	order  order
	now    func() time.Time
	after  func(time.Duration) <-chan time.Time
	pieces chan piece
	done   chan struct{}
	err    error
}

// piece is what one read has brought.
type piece struct {
	text []byte
	at   time.Time
	err  error
}

func (in *Input) pump(r io.Reader) {
	for {
		p := piece{text: make([]byte, 4096)}
		n, err := r.Read(p.text)
		p.text, p.at, p.err = p.text[:n], in.now(), err
		select {
		case in.pieces <- p:
		case <-in.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// Close ends reading.
func (in *Input) Close() { close(in.done) }

// Read implements [io.Reader].
func (in *Input) Read(p []byte) (int, error) {
	for len(in.order.out) == 0 {
		if in.err != nil {
			return 0, in.err
		}
		in.wait()
	}
	n := copy(p, in.order.out)
	in.order.out = in.order.out[:copy(in.order.out, in.order.out[n:])]
	return n, nil
}

// wait takes what comes next, or goes on when nothing comes in time.
func (in *Input) wait() {
	var late <-chan time.Time
	if due := in.order.due(); !due.IsZero() {
		late = in.after(due.Sub(in.now()))
	}
	select {
	case p := <-in.pieces:
		in.take(p)
	case <-late:
		select {
		case p := <-in.pieces: // it came in time, and was seen late
			in.take(p)
		default:
			in.order.late(in.now())
		}
	}
}

func (in *Input) take(p piece) {
	in.order.take(p.text, p.at)
	if p.err != nil {
		in.err = p.err
		in.order.end()
	}
}

// within is what the bytes are part of.
type within int

const (
	withKeys   within = iota
	withBurst         // a paste without marks
	withPaste         // a paste with marks
	withEnding        // the same, behind an end mark
)

// order is the state of an [Input].
type order struct {
	out []byte

	in     within
	held   []byte    // keys that an enter is among, or the text of a burst
	until  time.Time // then what is held or open is decided; zero for never
	aside  []byte    // reports that came behind an enter or in a paste
	fooled bool      // an end mark has ended nothing in this paste

	run  int       // how many characters came without the time to type them
	bang bool      // the first of them is "!"
	last time.Time // when the newest came

	seq      []byte // the beginning of a sequence
	seqUntil time.Time
	began    time.Time // when it did
	after    bool      // its ESC was a key already
	keyed    bool      // keys are sequences here, so that no ESC is one
	lone     time.Time // when an ESC was a key last
	reported time.Time // when the newest report came
}

// due is when something is to be decided without more bytes, zero for never.
func (o *order) due() time.Time {
	if o.until.IsZero() || !o.seqUntil.IsZero() && o.seqUntil.Before(o.until) {
		return o.seqUntil
	}
	return o.until
}

// take takes bytes that came together.
func (o *order) take(text []byte, at time.Time) {
	o.pass(at)
	for _, c := range text {
		o.byte(c, at)
	}
	o.pass(at)
	if o.in == withKeys && o.until.IsZero() {
		o.release()
	}
}

// pass decides what is due until then.
func (o *order) pass(at time.Time) {
	for due := o.due(); !due.IsZero() && !due.After(at); due = o.due() {
		o.late(due)
	}
}

// late decides what is due.
func (o *order) late(at time.Time) {
	if !o.seqUntil.IsZero() && !o.seqUntil.After(at) {
		o.giveUp(at)
	}
	if !o.until.IsZero() && !o.until.After(at) {
		o.decide()
	}
}

// end hands out all that is held.
func (o *order) end() {
	if len(o.seq) > 0 {
		o.giveUp(o.last)
	}
	o.decide()
	o.release()
}

// release hands out keys that wait for nothing any more.
func (o *order) release() {
	o.out = append(append(o.out, o.held...), o.aside...)
	o.held, o.aside, o.until = o.held[:0], o.aside[:0], time.Time{}
}

// decide ends what silence has followed.
func (o *order) decide() {
	o.until = time.Time{}
	switch o.in {
	case withKeys:
		if i := bytes.IndexByte(o.held, '\r'); i >= 0 && o.bang {
			if o.held[0] == '!' { // it came whole
				i = 0
			}
			o.out = append(o.out, o.held[:i]...)
			o.held = o.held[:copy(o.held, o.held[i:])]
			o.paste()
			return
		}
		o.run = 0
		o.release()
	case withBurst:
		o.paste()
	case withPaste, withEnding:
		o.out = append(append(o.out, pasteEnd...), o.aside...)
		o.in, o.fooled, o.aside, o.run = withKeys, false, o.aside[:0], 0
	}
}

// paste hands out what is held as a paste.
func (o *order) paste() {
	o.out = append(append(append(o.out, pasteStart...), o.held...), pasteEnd...)
	o.out = append(o.out, o.aside...)
	o.in, o.held, o.aside, o.run, o.bang = withKeys, o.held[:0], o.aside[:0], 0, false
}

// byte takes a byte.
func (o *order) byte(c byte, at time.Time) {
	switch {
	case len(o.seq) > 0:
		o.sequence(c, at)
	case c == esc:
		o.begin(c, at)
	case o.in != withKeys:
		o.text([]byte{c}, at)
	case o.resumes(c, at):
		o.seq, o.seqUntil, o.began, o.after = append(o.seq[:0], esc, c), at.Add(burstTime), at, true
	case c == '\r':
		o.enter(at)
	case c < ' ' && c != '\t' || c == 0x7f:
		o.key([]byte{c})
	default:
		o.char(c, at)
	}
}

// resumes reports whether a byte goes on with a sequence whose ESC was a key.
func (o *order) resumes(c byte, at time.Time) bool {
	return (c == '[' || c == ']' || c == 'O') && !o.lone.IsZero() && at.Sub(o.lone) < seqTime
}

// soon counts the characters that came too soon after each other to be typed.
func (o *order) soon(c byte, at time.Time) {
	fast := at.Sub(o.last) < typingTime
	if o.last = at; !fast {
		o.run = 0
	}
	if o.run == 0 {
		o.bang = c == '!'
	}
}

// char takes a byte of a character outside of pastes.
func (o *order) char(c byte, at time.Time) {
	o.lone = time.Time{}
	o.soon(c, at)
	o.run++
	o.held = append(o.held, c)
	if !o.until.IsZero() { // behind an enter
		o.in, o.until = withBurst, at.Add(burstTime)
	}
}

// enter takes a line break outside of pastes.
func (o *order) enter(at time.Time) {
	o.lone = time.Time{}
	silence := at.Sub(o.last)
	if o.soon('\r', at); o.run == 0 {
		o.bang = false
	}
	o.held = append(o.held, '\r')
	switch {
	case o.run == 0 && o.until.IsZero() && silence >= burstTime:
		o.until = at // what came with it decides
	case o.run == 0:
		o.until = at.Add(enterTime)
	case o.until.IsZero():
		o.until = at.Add(burstTime)
	default: // an empty line
		o.in, o.until = withBurst, at.Add(burstTime)
	}
}

// key takes a key that is no text outside of pastes.
func (o *order) key(seq []byte) {
	if !o.until.IsZero() {
		o.decide()
	}
	o.held = append(o.held, seq...)
	o.run, o.lone = 0, time.Time{}
}

// text takes bytes of a paste.
func (o *order) text(b []byte, at time.Time) {
	o.last = at
	b = bytes.ReplaceAll(b, []byte{esc}, []byte{standIn}) // what is left out between two texts makes no mark of them
	switch o.in {
	case withBurst:
		o.held, o.until = append(o.held, b...), at.Add(burstTime)
	case withEnding: // its end was text
		o.in, o.fooled = withPaste, true
		o.out = append(append(o.out, standIn), pasteEnd[1:]...)
		fallthrough
	case withPaste:
		o.out = append(o.out, b...)
		if o.fooled {
			o.until = at.Add(fooledTime)
		}
	}
}

// begin takes the ESC of a sequence.
func (o *order) begin(c byte, at time.Time) {
	o.seq, o.seqUntil, o.after = append(o.seq[:0], c), at.Add(escTime), false
	if o.keyed || !o.reported.IsZero() && at.Sub(o.reported) < recentTime {
		o.seqUntil = at.Add(slowTime)
	}
	if o.in == withPaste {
		o.seqUntil = time.Time{} // it may be the end mark, however late
	}
}

// sequence takes a byte of a sequence.
func (o *order) sequence(c byte, at time.Time) {
	if o.in == withPaste {
		o.mark(c, at)
		return
	}
	if c == esc && !inString(o.seq) {
		o.giveUp(at)
		o.begin(c, at)
		return
	}
	o.seq = append(o.seq, c)
	if o.seqUntil = at.Add(seqTime); o.after && !isReport(o.seq) {
		o.seqUntil = at.Add(burstTime) // what comes in one piece, at the most
	}
	switch whole, may := parse(o.seq); {
	case whole && o.after && !isReport(o.seq) && at.Sub(o.began) >= typingTime:
		o.giveUp(at) // it was typed
	case whole:
		seq := slices.Clone(o.seq)
		o.seq, o.seqUntil = o.seq[:0], time.Time{}
		o.whole(seq, at)
	case !may:
		o.giveUp(at)
	}
}

// mark takes a byte of what may be the end mark of a paste.
func (o *order) mark(c byte, at time.Time) {
	if len(o.seq) < len(pasteEnd) && c == pasteEnd[len(o.seq)] {
		if o.seq = append(o.seq, c); len(o.seq) == len(pasteEnd) {
			o.seq, o.in, o.until = o.seq[:0], withEnding, at.Add(burstTime)
		}
		return
	}
	seq := slices.Clone(o.seq)
	o.seq = o.seq[:0]
	o.text(seq, at)
	o.byte(c, at)
}

// whole takes a sequence that is complete.
func (o *order) whole(seq []byte, at time.Time) {
	report := isReport(seq)
	if report {
		o.reported = at
	}
	if seq[1] == '[' && seq[len(seq)-1] == 'u' && !report {
		o.keyed = true
	}
	switch {
	case report && o.in == withKeys && o.until.IsZero():
		o.held = append(o.held, seq...)
	case report:
		o.aside = append(o.aside, seq...)
	case string(seq) == pasteStart && o.in != withEnding:
		o.decide()
		o.release()
		o.out = append(o.out, seq...)
		o.in, o.run = withPaste, 0
	case o.in == withKeys:
		o.key(seq)
	default:
		o.text(seq, at)
	}
}

// giveUp ends a sequence that stays unfinished.
func (o *order) giveUp(at time.Time) {
	seq := slices.Clone(o.seq)
	o.seq, o.seqUntil = o.seq[:0], time.Time{}
	alone := len(seq) == 1
	switch {
	case o.in == withPaste || o.in == withBurst:
		o.text(seq, at)
	case alone && o.in == withEnding:
		o.decide()
		fallthrough
	case alone:
		o.key(seq)
		o.lone = at
	case isReport(seq), !o.after && len(seq) > 2: // as far as it came
	case o.after:
		for i, c := range seq[1:] {
			if i == 0 {
				o.char(c, at)
				continue
			}
			o.byte(c, at)
		}
	case o.in == withEnding:
		o.text(seq, at)
	default:
		o.key(seq)
	}
	if o.in == withKeys && o.until.IsZero() {
		o.release()
	}
}

// inString reports whether a sequence is a string that ends with a mark of its own.
func inString(seq []byte) bool {
	return len(seq) > 1 && strings.IndexByte("]P_^X", seq[1]) >= 0
}

// parse reports whether a sequence is complete, or may become it.
func parse(seq []byte) (whole, may bool) {
	last := seq[len(seq)-1]
	switch {
	case len(seq) == 2:
		return strings.IndexByte("[O]P_^X", last) < 0, true
	case inString(seq):
		return last == 0x07 || last == '\\' && seq[len(seq)-2] == esc, last >= ' ' || last == esc
	case seq[1] == 'O':
		return last >= '@' && last < 0x7f, last >= '0' && last <= '9'
	case len(seq) == 3 && last == '[': // the keys of a console
		return false, true
	case last >= '@' && last < 0x7f:
		return true, true
	}
	return false, last >= ' ' && last < '@'
}

// isReport reports whether a sequence, or the beginning of one, says what no key says:
// an answer of the terminal, the mouse, the focus.
func isReport(seq []byte) bool {
	if len(seq) < 3 {
		return false
	}
	if inString(seq) {
		return true
	}
	last := seq[len(seq)-1]
	return seq[1] == '[' && (strings.IndexByte("<?>", seq[2]) >= 0 || len(seq) == 3 && (last == 'I' || last == 'O') || last == 't' || last == 'n')
}
