package composer

// Drafts are the texts of the history in the form of drafts, for tests: the oldest first.
func (c *Composer) Drafts() []string {
	var list []string
	for _, e := range c.history.entries {
		if e.value != "" {
			list = append(list, e.draft)
		}
	}
	return list
}
