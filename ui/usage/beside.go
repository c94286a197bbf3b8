package usage

import (
	"fmt"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
)

// Beside writes what calls beside the conversation have used, by task, which link of its
// chain answered last, and why one failed last. It is empty without such calls.
func Beside(list []app.SideUse, w int, st *rows.Styles) string {
	if len(list) == 0 {
		return ""
	}
	s := newSheet(w, st)
	s.head("Beside the session, since the program began")
	for i := range list {
		u := &list[i]
		s.say(st.Text, 2, u.Task+" · "+format.Count(u.Calls, "call", "calls")+failures(u)+tokens(u))
		if u.By != "" {
			s.say(st.Muted, 4, fmt.Sprintf("answered last: %s, link %d of auxiliary.%s", u.By, u.Link, u.Task))
		}
		if u.Err != "" {
			s.say(st.Muted, 4, "failed last: "+u.Err)
		}
	}
	return "\n\n" + s.String()
}

func failures(u *app.SideUse) string {
	if u.Failed == 0 {
		return ""
	}
	return fmt.Sprintf(", %d without an answer", u.Failed)
}

func tokens(u *app.SideUse) string {
	if u.Usage.Prompt()+u.Usage.Output == 0 {
		return ""
	}
	text := fmt.Sprintf(" · %s in, %s out", format.Tokens(u.Usage.Prompt()), format.Tokens(u.Usage.Output))
	if u.Usage.Cost > 0 {
		text += " · ~" + format.Dollars(u.Usage.Cost)
	}
	return text
}
