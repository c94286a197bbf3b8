package composer

// History returns what is remembered, oldest first, in the form of
// [Composer.Draft]: a text without pastes is itself.
func (c *Composer) History() []string { return append([]string(nil), c.history.entries...) }
