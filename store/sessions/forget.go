package sessions

import "fmt"

// What belongs to a session of the reference goes with it, whoever deletes it
// and whether or not that connection enforces foreign keys: triggers act for
// every program. They run before the delete, while the links to what has to go
// are still there.

// convTables are our tables whose rows belong to a conversation as a whole.
func convTables() []string {
	return []string{"tui_journal", "tui_calls", "tui_decisions", "tui_drafts", "tui_partials", "tui_grants"}
}

// rowTables are our tables whose rows belong to a message.
func rowTables() []string {
	return []string{"tui_choices", "tui_context", "tui_context_before", "tui_rewound", "tui_messages"}
}

const (
	// convOfOld is the conversation of a session that is being deleted.
	convOfOld = `(SELECT conv FROM tui_links WHERE session = old.id)`
	// alive holds for a conversation, named by a column, of which a session other
	// than one of a subagent is there. It ends in the middle of a condition.
	alive = `EXISTS (SELECT 1 FROM tui_links l JOIN sessions s ON s.id = l.session
		WHERE l.conv = %s AND COALESCE(l.why, '') <> 'subagent'`
)

// forgetting are the triggers that carry a delete over to our tables.
func forgetting() []trigger {
	ofMessage := "DELETE FROM tui_calls WHERE message = (SELECT id FROM tui_messages WHERE row = old.id); "
	for _, t := range rowTables() {
		ofMessage += "DELETE FROM " + t + " WHERE row = old.id; "
	}
	ofSession := ""
	for _, t := range []string{"tui_journal", "tui_calls"} {
		ofSession += "DELETE FROM " + t + " WHERE conv = " + convOfOld + " AND session = old.id; "
	}
	ofSession += "DELETE FROM tui_conversations WHERE id = " + convOfOld +
		" AND NOT " + fmt.Sprintf(alive, "tui_conversations.id") + " AND s.id <> old.id); " +
		"DELETE FROM tui_links WHERE session = old.id; DELETE FROM tui_ways WHERE session = old.id; DELETE FROM tui_points WHERE session = old.id; " +
		"DELETE FROM tui_prompts WHERE session = old.id; "
	ofConv := ""
	for _, t := range convTables() {
		ofConv += "DELETE FROM " + t + " WHERE conv = old.id; "
	}
	return []trigger{
		{"tui_forget_message", "BEFORE DELETE ON messages BEGIN " + ofMessage + "END"},
		{"tui_forget_session", "BEFORE DELETE ON sessions BEGIN " + ofSession + "END"},
		{"tui_forget_conversation", "BEFORE DELETE ON tui_conversations BEGIN " + ofConv + "END"},
	}
}

// sweep gives the SQL that removes what deletes have left behind while the
// triggers were not there. What belongs to no conversation but to the next one
// in a folder, and permissions that hold everywhere, stay.
func sweep() []string {
	todo := []string{
		"DELETE FROM tui_links WHERE session NOT IN (SELECT id FROM sessions)",
		"DELETE FROM tui_ways WHERE session NOT IN (SELECT id FROM sessions)",
		"DELETE FROM tui_points WHERE session NOT IN (SELECT id FROM sessions)",
		"DELETE FROM tui_prompts WHERE session NOT IN (SELECT id FROM sessions)",
		"DELETE FROM tui_calls WHERE message IN (SELECT id FROM tui_messages WHERE row NOT IN (SELECT id FROM messages))",
	}
	for _, t := range rowTables() {
		todo = append(todo, "DELETE FROM "+t+" WHERE row NOT IN (SELECT id FROM messages)")
	}
	todo = append(todo, "DELETE FROM tui_conversations WHERE NOT "+fmt.Sprintf(alive, "tui_conversations.id")+")")
	// A subagent that was refused has events and never had a session.
	const gone = " WHERE session IN (SELECT session FROM tui_journal WHERE type = 'message_committed' AND session NOT IN (SELECT id FROM sessions))"
	todo = append(todo, "DELETE FROM tui_calls"+gone, "DELETE FROM tui_journal"+gone)
	for _, t := range convTables() {
		todo = append(todo, "DELETE FROM "+t+" WHERE conv NOT IN (SELECT id FROM tui_conversations) AND conv NOT LIKE 'new:%'")
	}
	return todo
}

// planForgetting gives the SQL that makes the triggers which are missing or of an
// earlier version, and removes what was left behind without them.
func planForgetting(have *layout) []string {
	var todo []string
	for _, t := range forgetting() {
		made := "CREATE TRIGGER " + t.name + " " + t.sql
		is, ok := have.objects["trigger "+t.name]
		if is == made {
			continue
		}
		if ok {
			todo = append(todo, "DROP TRIGGER "+t.name)
		}
		todo = append(todo, made)
	}
	if len(todo) > 0 {
		todo = append(todo, sweep()...)
	}
	return todo
}
