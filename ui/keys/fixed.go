package keys

// FixedKey is a key of a context that cannot be given to another action, because it is
// also what is typed there.
type FixedKey struct {
	Context    Context
	Keys, Help string
}

// Fixed are these keys, for the help.
func Fixed() []FixedKey {
	return []FixedKey{
		{InComposer, "/", "at the start: give a command"},
		{InComposer, "@", "name a file"},
		{InComposer, "!", "at the start: run a command of yours; !! keeps its output from the agent"},
		{InPrompt, "1-9", "take the row with that number"},
		{InPrompt, "y n a e", "allow once, deny, allow always, edit"},
		{InPrompt, "space", "take a choice or give it back, where there may be several"},
		{InSidebar, "1-9", "fold or unfold a part of the details"},
	}
}
