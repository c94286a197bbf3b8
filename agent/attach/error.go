package attach

// Kind says why something is no image that can be sent.
type Kind int

// The kinds. A text that names something of kind NotImage may well be meant as a
// text.
const (
	NotImage Kind = iota
	Damaged
	TooLarge
)

// Error is why something cannot be attached: a sentence about the file that says
// what to do.
type Error struct {
	Kind Kind
	Name string
	What string
}

// Error implements error.
func (e *Error) Error() string { return "the file " + e.Name + " " + e.What }
