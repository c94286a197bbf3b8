package ui

// The widths at which the layout changes, in columns.
const (
	wideColumns   = 120 // the side panes stand beside the transcript
	mediumColumns = 80  // the side panes are a drawer
	minColumns    = 40
	minRows       = 10
)

// sideColumns is the width of the side panes without the line before them. With
// something to read in them they take two fifths of the screen, within bounds.
const (
	sideColumns = 32
	leastDetail = 40
	mostDetail  = 80
)

// leastBelow is the least height of the side panes where they stand below the
// transcript, with the rule above them.
const leastBelow = 4

// roomyRows is the height from which rules separate the regions.
const roomyRows = 16

// wants is what the regions ask for. Heights are rows.
type wants struct {
	side     bool // the side panes are wanted
	drawer   bool // the drawer was opened by hand or by something to see
	below    bool // on a narrow screen they were opened by hand
	detail   bool // there is something to read in them
	grid     bool // the whole body is taken
	summary  int  // one-line forms of the side panes, when those are not shown
	looking  int  // the row about a look back
	queue    int
	prompt   int
	menu     int
	composer int
}

// layout says where everything stands. It is a comparable value, made by one
// pure function.
type layout struct {
	w, h     int
	tooSmall bool

	title     bool
	topRule   bool
	body      int // rows of transcript and side panes
	main      int // columns of the transcript
	side      int // columns of the side panes, 0 when hidden
	below     int // rows of the body that they take, rule included; 0 when hidden
	lowerRule bool
	summary   int
	looking   int
	queue     int
	prompt    int
	menu      int
	inputRule bool
	composer  int
	status    bool
}

// tooSmall reports whether a screen of w columns and h rows shows nothing but that.
func tooSmall(w, h int) bool { return w < minColumns || h < minRows }

// arrange divides the screen. What the user is asked and what they write come
// first, the transcript gets what is left and never less than three rows, or one on a low
// screen on which something is asked.
func arrange(w, h int, want wants) layout {
	l := layout{w: w, h: h}
	if l.tooSmall = tooSmall(w, h); l.tooSmall {
		return l
	}
	l.title, l.status = true, true
	roomy := h >= roomyRows
	l.topRule, l.lowerRule = roomy, roomy
	beside := want.side && (w >= wideColumns || w >= mediumColumns && want.drawer)
	switch {
	case want.grid || !beside:
	case want.detail:
		l.side = min(max(w*2/5, leastDetail), mostDetail)
	default:
		l.side = sideColumns
	}
	l.main = w
	if l.side > 0 {
		l.main = w - l.side - 1
	}
	least := minBody
	if !roomy && want.prompt > minBody {
		least = 1 // what is asked is read in as few steps as can be
	}
	left := h - count(l.title, l.status, l.topRule, l.lowerRule) - least
	take := func(n, most int) int {
		n = max(min(n, most, left), 0)
		left -= n
		return n
	}
	l.composer = take(want.composer, max(1, h/3))
	l.prompt = take(want.prompt, h*3/5)
	l.menu = take(want.menu, h/3)
	l.queue = take(want.queue, 4)
	l.looking = take(want.looking, 1)
	under := want.below && w < mediumColumns && !want.grid && left >= leastBelow
	if l.side == 0 && !under && !want.grid {
		l.summary = take(want.summary, 2)
	}
	// A second rule is needed only when something stands between the two.
	between := l.prompt+l.queue+l.looking+l.summary > 0
	if l.inputRule = roomy && between && left > 0; l.inputRule {
		left--
	}
	l.body = left + least
	if under {
		l.below = max(l.body*3/5, leastBelow)
	}
	return l
}

// panes reports whether the side panes are shown.
func (l layout) panes() bool { return l.side > 0 || l.below > 0 }

// minBody is the least height of the transcript.
const minBody = 3

func count(flags ...bool) int {
	n := 0
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}

// mainTop is the row at which the transcript begins.
func (l layout) mainTop() int { return count(l.title, l.topRule) }

// composerTop is the row at which the composer begins.
func (l layout) composerTop() int { return l.h - count(l.status) - l.composer }

// promptTop is the row at which the question panel begins.
func (l layout) promptTop() int {
	return l.mainTop() + l.body + count(l.lowerRule) + l.summary + l.looking + l.queue
}
