package approval

// List shows the rules, one text each: "deny terminal(git push *)".
func (r *Rules) List() []string {
	if r == nil {
		return nil
	}
	list := make([]string, 0, len(r.list))
	for _, p := range r.list {
		list = append(list, p.String())
	}
	return list
}
