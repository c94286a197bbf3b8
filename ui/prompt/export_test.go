package prompt

// Waiting is how many requests wait.
func (p *Panel) Waiting() int { return len(p.waiting) }

// Batch tells which question of a batch is on the screen, from 1 on, and how many
// there are. at is 0 when all answers are shown for a last look, of is 0 when the
// request on the screen asks only one thing.
func (p *Panel) Batch() (at, of int) {
	v := p.views[p.current]
	if v == nil || !v.batch() {
		return 0, 0
	}
	if v.page == review {
		return 0, len(v.items)
	}
	return v.at + 1, len(v.items)
}
