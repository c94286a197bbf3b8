package guard

// visit is a call with its result.
type visit struct{ call, result digest }

const (
	// longestRound is how many calls a group has at most.
	longestRound = 4
	// trailLength is how many calls are looked back on.
	trailLength = 32
)

// trail is the newest calls of a turn, the oldest first.
type trail struct{ visits []visit }

// with adds a call.
func (t trail) with(v visit) trail {
	if len(t.visits) >= trailLength {
		t.visits = append([]visit(nil), t.visits[len(t.visits)-trailLength+1:]...)
	}
	t.visits = append(t.visits, v)
	return t
}

// rounds tells how often the calls at the end of the trail went through the same
// group of two to four calls with the same results, and which call would go on
// with it. A single call is no group.
func (t trail) rounds() (rounds int, next digest) {
	n := len(t.visits)
	for size := 2; size <= longestRound && 2*size <= n; size++ {
		same := 0
		for same < n-size && t.visits[n-1-same] == t.visits[n-1-same-size] {
			same++
		}
		if r := (same + size) / size; r > rounds && r >= 2 && t.mixed(size) {
			rounds, next = r, t.visits[n-size].call
		}
	}
	return rounds, next
}

// mixed reports whether the last calls are not all the same.
func (t trail) mixed(size int) bool {
	last := t.visits[len(t.visits)-size:]
	for _, v := range last[1:] {
		if v.call != last[0].call {
			return true
		}
	}
	return false
}
