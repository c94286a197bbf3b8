package skillguard

import "strings"

// Trust says whose a skill is.
type Trust string

// The levels of trust, in the words that Hermes Agent writes.
const (
	Builtin   Trust = "builtin"       // a part of the program
	Trusted   Trust = "trusted"       // of those who are known for their skills
	Community Trust = "community"     // of anyone
	Own       Trust = "local"         // on the user's disk before
	Agent     Trust = "agent-created" // written by an agent of the user
)

// Decision is what becomes of a skill.
type Decision int

// The decisions.
const (
	Take Decision = iota // it needs no more than the user's wish
	Ask                  // the user has to agree, having seen what was found
)

// Decide says what becomes of a skill.
func Decide(t Trust, v Verdict) Decision {
	if t != Builtin && (v == Dangerous || v == Caution && t == Community) {
		return Ask
	}
	return Take
}

// known are the owners of repositories whose skills are trusted, as "owner/name" on GitHub.
var known = []string{"openai/skills", "anthropics/skills", "huggingface/skills", "nvidia/skills"}

// OfRepository is how far the skills of a repository on GitHub, "owner/name", are trusted.
func OfRepository(name string) Trust {
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "/"), ".git"))
	for _, k := range known {
		if name == k {
			return Trusted
		}
	}
	return Community
}
