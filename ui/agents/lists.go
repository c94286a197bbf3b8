package agents

import (
	"slices"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
)

// call is the row of a tool call.
func (d *Detail) call(w int, k *callRow) string {
	sign, style, end := d.callSign(k)
	row := cells.NewRow(w).Skip(inset).Put(style, sign).Skip(1)
	right := 0
	if end != "" && row.Left()-margin-rows.Width(end)-1 >= nameCells {
		right = rows.Width(end) + 1
	}
	name := row.Left() - margin - right
	row.PutMax(d.st.Strong, k.name, name)
	if k.subject != "" {
		row.Skip(min(1, row.Left()-margin-right)).PutMax(d.st.Text, k.subject, row.Left()-margin-right)
	}
	if k.note != "" && k.note != end && row.Left()-margin-right >= nameCells+3 {
		row.Put(d.st.Faint, " · ").PutMax(style, k.note, row.Left()-margin-right)
	}
	if right > 0 {
		row.Until(right-1+margin).Put(d.st.Muted, end)
	}
	return row.String()
}

// callSign is the sign of a call, its style and what stands at the end of its row.
func (d *Detail) callSign(k *callRow) (string, rows.Style, string) {
	glyph, style, end := status.Call{Stage: k.stage, Outcome: k.outcome, Asked: k.asked}.Sign(d.st, d.frame)
	switch {
	case end == "✓" || end == "✗":
		return end, style, format.Duration(k.took)
	case k.stage == event.CallDrafting && end == "":
		end = format.Bytes(int64(k.bytes))
	case k.stage == event.CallRunning && end == "" && !d.now.IsZero() && !k.started.IsZero():
		end = format.Elapsed(d.now.Sub(k.started))
	}
	return glyph, style, end
}

// kid is the row of a subagent.
func (d *Detail) kid(w int, k *kid) string {
	sign, style := Glyph(d.st, k.state, d.frame)
	row := cells.NewRow(w).Skip(inset).Put(style, sign).Skip(1)
	end, _ := word(k.state, k.on)
	parts := []string{end}
	if row.Left() >= wideKid {
		parts = append(parts, countTools(k.tools), format.CostBrief(k.usage))
	}
	if k.state != event.AgentQueued && k.state != event.AgentRefused {
		parts = append(parts, format.Elapsed(k.watch.Elapsed(d.now)))
	}
	end = strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
	n := rows.Width(end)
	if row.Left()-margin-n-1 < nameCells {
		return row.PutMax(d.st.Text, k.name, row.Left()-margin).String()
	}
	row.PutMax(d.st.Text, k.name, row.Left()-margin-n-1)
	return row.Until(n+margin).Put(d.st.Muted, end).String()
}

// wideKid is from how many cells on the row of a subagent has all its figures.
const wideKid = 40
