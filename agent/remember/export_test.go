package remember

// Ended reports whether the process of a provider has ended.
func (c *Command) Ended() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}
