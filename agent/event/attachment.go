package event

// Attachment is an image that goes with a text. Its bytes are in the store: with the
// message, and until there is one under its id.
type Attachment struct {
	// ID is made from the bytes: the same image has the same id everywhere.
	ID string `json:"id"`
	// Name is the name of its file, without a path.
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Width     int    `json:"width"` // pixels
	Height    int    `json:"height"`
	Bytes     int    `json:"bytes"`
}

// Mark is what stands for the image in the text that it goes with.
func (a Attachment) Mark() string { return "[image: " + a.Name + "]" }
