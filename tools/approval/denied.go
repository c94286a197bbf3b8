package approval

import (
	"strings"
	"time"

	"hermes-tui/tools/hunks"
	"hermes-tui/tools/shellrisk"
)

// Denied is the error of an action that may not run.
type Denied struct {
	// Blocked says that no answer and no mode would have changed it.
	Blocked bool
	// By says who or what refused it.
	By By
	// Reason says in a few words why, for the user.
	Reason string
	// Message is for the model: what happened, and what not to do now.
	Message string
	// Review is what the user has decided about the parts of an edit, nil for nothing.
	Review *hunks.Report
}

func (d *Denied) Error() string { return "denied: " + d.Reason }

// noRetry ends every message to the model.
const noRetry = " Do not try it again, and do not reach the same effect with other words, another tool or a script."

// Each of the following is told what was to be done: "run this".

func blocked(deed string, v shellrisk.Verdict) *Denied {
	return &Denied{
		Blocked: true, Reason: v.Reason,
		Message: "Blocked: to " + deed + " is never allowed, because it " + v.Reason + "." + noRetry +
			" If the task seems to need it, say so and stop.",
	}
}

func refusedInPlan() *Denied {
	return &Denied{
		Reason: "plan mode only reads",
		Message: "Not done: plan mode is on, and it allows reading only. Nothing was changed." + noRetry +
			" Finish the plan; the user can leave plan mode to have it carried out.",
	}
}

const youDenied = "you denied it"

func refusedByUser(deed, reason string) *Denied {
	d := &Denied{
		Reason: youDenied,
		Message: "The user was asked and did not allow you to " + deed + "." + noRetry +
			" Go on with something they would agree to, or ask what they want instead.",
	}
	if reason != "" {
		d.Reason = youDenied + ": " + reason
		d.Message = "The user was asked and did not allow you to " + deed + ". Their reason: " + sentence(reason) + noRetry +
			" Follow their reason, or ask what they want instead."
	}
	return d
}

func refusedByRule(deed string, p *shellrisk.Policy) *Denied {
	d := &Denied{
		Reason:  "the rule " + p.Text + " forbids it",
		Message: "Not done: the rule " + p.Text + " in the settings forbids to " + deed + ".",
	}
	if p.Reason != "" {
		d.Reason += ": " + p.Reason
		d.Message += " The reason given there: " + sentence(p.Reason)
	}
	d.Message += noRetry + " If the task needs it, say which rule stands in the way and stop."
	return d
}

func refusedByJudge(deed, reason, why string) *Denied {
	d := &Denied{
		Reason: "the judge of mode smart refused it, because it " + reason,
		Message: "Not done: in this mode a judge looks at risky actions before the user does. It did not allow you to " + deed +
			", since it " + reason + "." + noRetry + " Go on with something safer, and name this in your report: " +
			"the user can have it done by leaving mode smart (/mode manual).",
	}
	if why != "" {
		d.Reason += " (" + why + ")"
	}
	return d
}

func refusedByTimeout(deed, reason string, after time.Duration) *Denied {
	within := "no one answered within " + waited(after)
	return &Denied{
		Reason: within,
		Message: "Not done: to " + deed + " needs the user's consent, because it " + reason + ", and " + within + "." + noRetry +
			" Go on with what can be done without it, and name it in your report so that the user can decide later.",
	}
}

// byRule is how settings allow what a rule can name.
const byRule = "by a rule under approvals.allow"

// refusedUnattended is told how settings allow it, too.
func refusedUnattended(deed, reason, setting string) *Denied {
	return &Denied{
		Reason: "no one was there to ask",
		Message: "Not done: to " + deed + " needs the user's consent, because it " + reason +
			", and no one answered." + noRetry + " Finish what can be done without it and name it in your report. " +
			"The user can allow it by running this in a terminal and answering the question, by storing a permission " +
			"with \"always\" there, " + setting + ", or by turning questions off (approvals.mode: off).",
	}
}

// sentence ends a text as one ends.
func sentence(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

func unresolved(file string, err error) *Denied {
	return &Denied{
		Reason:  "the path leads nowhere",
		Message: "Not done: the path " + file + " cannot be followed (" + err.Error() + "). Check it and name an existing folder.",
	}
}
