package transcript

import "hermes-tui/agent/event"

// Section is a kind of blocks that are folded together.
type Section int

// The sections.
const (
	Thoughts Section = iota
	Calls            // but for those that show what has changed in files
	Diffs
	Texts // long texts of the user, and what the program has told the model
	sections
)

// fold says how blocks are shown that were not folded or opened by hand.
type fold int

const (
	asEver fold = iota
	folded
	unfolded
)

// sectionOf is the section of a block.
func sectionOf(b *event.Block) Section {
	switch {
	case b.Kind == event.BlockReasoning:
		return Thoughts
	case b.Kind == event.BlockTool && b.Call.View.Kind == event.ViewWrite:
		return Diffs
	case b.Kind == event.BlockTool:
		return Calls
	}
	return Texts
}

// sectionFold is how the blocks of a section are shown.
func (v *View) sectionFold(s Section) fold {
	switch {
	case v.sections[s] != asEver:
		return v.sections[s]
	case v.allFolded:
		return folded
	}
	return unfolded
}

// SectionFolded reports whether the blocks of a section are folded that were not opened by
// hand.
func (v *View) SectionFolded(s Section) bool {
	if s == Diffs && v.sections[s] == asEver {
		return false // see [shown]
	}
	return v.sectionFold(s) == folded
}

// FoldSection folds or opens all blocks of a section, now and to come.
func (v *View) FoldSection(s Section, fold bool) {
	if v.sections[s] = unfolded; fold {
		v.sections[s] = folded
	}
	for _, b := range v.blocks {
		if sectionOf(b) == s {
			delete(v.folds, b.ID)
			v.unaim(b.ID)
		}
	}
	if s == Calls {
		clear(v.groups)
	}
	v.resized = true // the first row stays, and what is above it may be higher now
	v.recount(0)
	v.changed()
	v.revealMark()
}

// FoldAlike folds or opens all blocks of the kind that the cursor is on: as that one is
// not. It reports which kind that is, and whether there is one.
func (v *View) FoldAlike() (s Section, fold, ok bool) {
	i, on := v.selected()
	if !on {
		return 0, false, false
	}
	it := v.itemAt(i)
	b := v.blocks[it.from]
	if s = sectionOf(b); it.closed() {
		fold = false
	} else if fold = !v.folded(b); !fold && !foldable(b) {
		return s, false, false
	}
	v.FoldSection(s, fold)
	return s, fold, true
}
