package status

import (
	"path"
	"path/filepath"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// Title is what the title row shows. It is comparable.
type Title struct {
	// Title names the conversation, empty while it has no name.
	Title string
	Model event.Model
	Mode  event.Mode
	Work  event.Workspace
}

// TitleOf takes the data of the title row from the state.
func TitleOf(s *event.State) Title {
	t := Title{Title: s.Title, Model: s.Model, Mode: s.Mode, Work: s.Work}
	if a := s.Root(); a != nil && a.Model != "" && a.Model != t.Model.Name {
		t.Model = event.Model{Name: a.Model} // it has fallen back to another service
	}
	return t
}

// brand is the program's name and sign.
const brand, sign = "hermes ☤", "☤"

// The longest forms of parts that others may crowd out, in cells.
const (
	pathCells   = 28
	branchCells = 24
	gapCells    = 3 // between two parts on the right
)

// TitleRow draws the title row: name and title on the left; model with effort,
// folder with branch, badge and mode on the right.
//
// When not all of it fits, parts yield in this order: what of the title is over
// 24 cells, the effort, the path of the folder, the folder, the title, the
// model. The mode and the badge stay; only a badge that would take the row for
// itself is cut.
func TitleRow(st *rows.Styles, w int, d Title) string {
	p := newTitleParts(st, d)
	p.fit(w)
	row := cells.NewRow(w)
	row.Skip(1).Put(st.Accent.With(rows.Bold), p.brand)
	if p.title != "" {
		row.Skip(2).Put(st.Strong, p.title)
	}
	row.Until(p.right() + 1)
	for i, s := range p.rightParts() {
		if i > 0 {
			row.Skip(gapCells)
		}
		row.Put(s.style, s.text)
		if s.more != "" {
			row.Put(st.Faint, " · ").Put(st.Muted, s.more)
		}
	}
	return row.String()
}

// titleParts are the parts of the title row at their present length.
type titleParts struct {
	st                 *rows.Styles
	brand, title       string
	model, effort, dir string
	dirShort           string
	badge, mode        string
	modeStyle          rows.Style
	wholeTitle, whole  string // of title and model
}

func newTitleParts(st *rows.Styles, d Title) *titleParts {
	p := &titleParts{
		st: st, brand: brand,
		title: term.Line(d.Title), model: term.Line(d.Model.Name), effort: term.Line(d.Model.Effort),
	}
	p.dir, p.dirShort = dirParts(d.Work)
	if badge := term.Line(d.Model.Badge); badge != "" {
		p.badge = " " + badge + " "
	}
	p.mode, p.modeStyle = modeBadge(st, d.Mode)
	if place := placeBadge(d.Work); place != "" {
		p.mode = place + " · " + p.mode
	}
	p.wholeTitle, p.whole = p.title, p.model
	return p
}

// dirParts writes the folder with its branch, in whole and by its last name.
func dirParts(work event.Workspace) (long, short string) {
	if work.Dir == "" {
		return "", ""
	}
	branch := func(n int) string {
		name := term.Line(work.Branch)
		if name == "" {
			return ""
		}
		if name = cells.Cut(name, n); work.Dirty {
			name += "*"
		}
		return " (" + name + ")"
	}
	dir := ShortDir(term.Line(work.Dir), term.Line(work.Home))
	return cells.CutStart(dir, pathCells) + branch(branchCells),
		cells.CutStart(path.Base(filepath.ToSlash(dir)), pathCells/2) + branch(branchCells/2)
}

// ShortDir writes ~ for the home folder at the start of a path. home may be
// empty.
func ShortDir(dir, home string) string {
	home = strings.TrimRight(home, `/\`)
	rest, ok := strings.CutPrefix(dir, home)
	if home == "" || !ok || rest != "" && rest[0] != '/' && rest[0] != '\\' {
		return dir
	}
	return "~" + rest
}

// placeCells is how many cells the name of a container or host takes at most.
const placeCells = 20

// placeBadge says where commands run; empty for this machine as it is.
func placeBadge(w event.Workspace) string {
	signs := map[string]string{"sandbox": "▣", "docker": "⬡", "podman": "⬡", "singularity": "⬡", "ssh": "⇄"}
	name := term.Line(w.Place)
	if name == "" || name == "local" {
		return ""
	}
	sign := signs[name]
	if sign == "" {
		sign = "⬡"
	}
	if target := term.Line(w.Target); target != "" {
		name += " " + cells.CutStart(target, placeCells)
	}
	return sign + " " + name
}

// modeBadge writes the approval mode. Every mode has a sign of its own, and the
// one that asks nothing stands out.
func modeBadge(st *rows.Styles, m event.Mode) (string, rows.Style) {
	switch m {
	case event.ModeGuarded:
		return "◆ guarded", st.Muted
	case event.ModeManual:
		return "◆ manual", st.Muted
	case event.ModeSmart:
		return "◈ smart", st.Info
	case event.ModePlan:
		return "◇ plan", st.Info
	case event.ModeOff:
		return " ⚠ approvals off ", st.BadgeBad
	case "":
		return "? mode", st.Warn
	}
	return "? " + cells.Cut(term.Line(string(m)), 10), st.Warn
}

// rightPart is a part on the right; more is its fainter second half.
type rightPart struct {
	text, more string
	style      rows.Style
}

func (p *titleParts) rightParts() []rightPart {
	list := make([]rightPart, 0, 4)
	if p.model != "" {
		list = append(list, rightPart{p.model, p.effort, p.st.Text})
	}
	if p.dir != "" {
		list = append(list, rightPart{p.dir, "", p.st.Muted})
	}
	if p.badge != "" {
		list = append(list, rightPart{p.badge, "", p.st.BadgeWarn})
	}
	return append(list, rightPart{p.mode, "", p.modeStyle})
}

// right is the width of the parts on the right.
func (p *titleParts) right() int {
	n := 0
	for i, s := range p.rightParts() {
		if i > 0 {
			n += gapCells
		}
		n += rows.Width(s.text)
		if s.more != "" {
			n += 3 + rows.Width(s.more)
		}
	}
	return n
}

// width is how many cells the row needs: a margin on both sides and two blanks
// between left and right.
func (p *titleParts) width() int {
	n := 1 + rows.Width(p.brand) + 2 + p.right() + 1
	if p.title != "" {
		n += 2 + rows.Width(p.title)
	}
	return n
}

// fit shortens the parts until they fit into w cells.
func (p *titleParts) fit(w int) {
	steps := []func(){
		func() { p.title = cells.Cut(p.title, 24) },
		func() { p.effort = "" },
		func() { p.dir = p.dirShort },
		func() { p.dir = "" },
		func() { p.title = cells.Cut(p.title, 10) },
		func() { p.title = "" },
		func() { p.model = cells.Cut(p.model, 16) },
		func() { p.brand = sign },
		func() { p.model = cells.Cut(p.model, 6) },
		func() { p.mode = strings.Replace(p.mode, "approvals off", "off", 1) },
		func() { p.model = "" },
		func() { p.badge = cells.Cut(p.badge, w-rows.Width(p.mode)-gapCells-5) },
	}
	for _, step := range steps {
		if p.width() <= w {
			break
		}
		step()
	}
	if p.title != "" {
		p.title = cells.Cut(p.wholeTitle, rows.Width(p.title)+max(w-p.width(), 0))
	}
	if p.model != "" {
		p.model = cells.Cut(p.whole, rows.Width(p.model)+max(w-p.width(), 0))
	}
}
