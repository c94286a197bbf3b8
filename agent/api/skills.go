package api

import (
	"context"
	"time"
)

// Skills is the topic of skills.
type Skills interface {
	// Skills returns those that this conversation sees, sorted by category and name, and what
	// could not be read.
	Skills(ctx context.Context) ([]Skill, []SkillProblem, error)
	// ReadSkill returns the file of a skill, the other files of its folder, and what in it reads
	// like an attempt to take over the agent.
	ReadSkill(s Skill) (text string, files, findings []string, err error)
	// AllowSkill allows the content of a skill that is held back, as it is now.
	AllowSkill(ctx context.Context, s Skill) error
	// SkillChanges returns those that wait for the user, DecideSkillChange makes or drops one.
	SkillChanges() ([]SkillChange, error)
	DecideSkillChange(ctx context.Context, id string, yes bool) error
	// PinSkill keeps a skill from being deleted or archived by agents, DisableSkill from being
	// used. Both take effect at once and in all conversations; the list in a system prompt is
	// made when a session begins.
	PinSkill(ctx context.Context, name string, on bool) error
	DisableSkill(ctx context.Context, name string, off bool) error
}

// ArchivedSkill is a skill in the archive; see [CuratorRestore].
type ArchivedSkill struct {
	Name, Description string
	Path              string // of its folder
	At                time.Time
}

// Skill is a skill as the user sees it.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Category    string `json:"category,omitempty"`
	// Origin is project, home, personal, external, bundled, or bundle for a name of several
	// skills that are called together; State ready, held,
	// disabled, shadowed or unsupported, and Why explains any but the first.
	Origin    string   `json:"origin"`
	State     string   `json:"state"`
	Why       string   `json:"why,omitempty"`
	Path      string   `json:"path"`
	Arguments string   `json:"arguments,omitempty"` // a hint
	Problems  []string `json:"problems,omitempty"`
	Notes     []string `json:"notes,omitempty"`
	// Listed is what its line in the system prompt costs, Text what reading it does, in
	// tokens as estimated by length.
	Listed int `json:"listed_tokens"`
	Text   int `json:"text_tokens"`
	// Uses counts how often it was read or called.
	Uses   int  `json:"uses"`
	Pinned bool `json:"pinned"`
	// Installed says that it came from elsewhere.
	Installed bool `json:"installed"`
	// Callable says that the user can call it with a slash, Offered that the model is
	// told of it.
	Callable bool `json:"callable"`
	Offered  bool `json:"offered"`

	// Seen is what was looked at, for the implementation alone.
	Seen any `json:"-"`
}

// SkillProblem is something in a folder of skills that could not be read.
type SkillProblem struct{ Path, Text string }

// SkillChange is a change of a skill that an agent wanted when no one was there to be
// asked.
type SkillChange struct {
	ID, Name, Action, Path, Diff string
	At                           time.Time
}
