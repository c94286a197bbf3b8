package skills

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// The bounds of reading.
const (
	// MaxDepth is how deep below a root skills are looked for.
	MaxDepth = 6
	// MaxFolders is how many folders of a root are looked at.
	MaxFolders = 2000
	// MaxFile is how long a SKILL.md may be, in bytes.
	MaxFile = 1 << 20
	// MaxName and MaxDescription are what the open specification allows, in characters.
	MaxName        = 64
	MaxDescription = 1024
)

// File is the file that makes a folder a skill.
const File = "SKILL.md"

// Origin says where a skill comes from.
type Origin string

// The origins, in the order in which they count.
const (
	Project  Origin = "project"  // the workspace; needs to be trusted and allowed
	Home     Origin = "home"     // HERMES_HOME/skills
	Personal Origin = "personal" // .agents/skills and .claude/skills of the user
	External Origin = "external" // a folder of the settings
	Bundled  Origin = "bundled"  // part of the program
)

// State says whether a skill is offered.
type State string

// The states.
const (
	Ready       State = "ready"
	Held        State = "held"        // the user has to allow it, see Why
	Disabled    State = "disabled"    // by the settings
	Shadowed    State = "shadowed"    // an earlier one has its name
	Unsupported State = "unsupported" // made for another system
)

// Skill is one skill without its text.
type Skill struct {
	// Name is what it is called by: as the specification wants it, made so if need be.
	Name string `json:"name"`
	// Given is the name in the file where that is another one.
	Given       string `json:"given,omitempty"`
	Description string `json:"description"`
	// Category is the folders between the root and its own, empty for none.
	Category string `json:"category,omitempty"`
	Origin   Origin `json:"-"`
	// Dir is its absolute folder; of a bundled one the folder within the program.
	Dir string `json:"dir"`
	// Size is the length of the SKILL.md in bytes.
	Size int64 `json:"size"`
	Head Head  `json:"head"`
	// Problems are sentences about what is wrong with it, Notes about what in it has no
	// effect here.
	Problems []string `json:"problems,omitempty"`
	Notes    []string `json:"notes,omitempty"`

	State State `json:"-"`
	// Why explains a state other than ready.
	Why string `json:"-"`
	// Hash is that of its content where it has to be allowed, empty elsewhere.
	Hash string `json:"-"`
	// Plugin is the folder of the plugin that it belongs to, empty for none.
	Plugin string `json:"-"`

	single bool   // its file is all there is of it
	file   string // of its SKILL.md in dir
	bundle fs.FS  // of a bundled one, rooted at its folder
}

// Head is what a SKILL.md says of a skill besides name and description.
type Head struct {
	License       string   `json:"license,omitempty"`
	Version       string   `json:"version,omitempty"`
	Author        string   `json:"author,omitempty"`
	Compatibility string   `json:"compatibility,omitempty"`
	Tags          []string `json:"tags,omitempty"`
	Related       []string `json:"related,omitempty"`
	Platforms     []string `json:"platforms,omitempty"`
	// Environments are where it is of use; unknown ones say nothing.
	Environments []string `json:"environments,omitempty"`
	// Variables and Commands are what has to be set up.
	Variables []Variable `json:"variables,omitempty"`
	Commands  []string   `json:"commands,omitempty"`
	// Arguments hints at what follows its name as a command, empty for nothing; Names are
	// those by which the text refers to it, in order.
	Arguments string   `json:"arguments,omitempty"`
	Names     []string `json:"names,omitempty"`
	// NoModel says that only the user calls it, NoUser that only the model does.
	NoModel bool `json:"no_model,omitempty"`
	NoUser  bool `json:"no_user,omitempty"`
	// Needs are tools or toolsets without which it is of no use, Replaces those with
	// which it is of none.
	Needs    []string `json:"needs,omitempty"`
	Replaces []string `json:"replaces,omitempty"`
}

// Variable is an environment variable that a skill needs.
type Variable struct {
	Name string `json:"name"`
	Help string `json:"help,omitempty"`
}

// Path is its SKILL.md.
func (s Skill) Path() string { return filepath.Join(s.Dir, s.file) }

// Offered reports whether the model is told of it.
func (s Skill) Offered() bool { return s.State == Ready && !s.Head.NoModel }

// Callable reports whether the user can call it as a command.
func (s Skill) Callable() bool { return s.State == Ready && !s.Head.NoUser }

// Problem is something wrong in a root that belongs to no skill that could be read.
type Problem struct {
	Path string `json:"path"`
	Text string `json:"text"` // a sentence
}

// Index is what was found.
type Index struct {
	// Skills are sorted by category and name; those of one name in the order in which
	// they count.
	Skills   []Skill
	Bundles  []Bundle // by name
	Problems []Problem
}

// Find gives the skill that a name means: its name, "category/name", the name in its
// file or its folder, in this order. several are those that fit equally well, as paths.
func (ix *Index) Find(name string) (s Skill, several []string, found bool) {
	name = strings.Trim(name, "/ ")
	fits := []func(Skill) bool{
		func(s Skill) bool { return s.State == Ready && s.Name == name },
		func(s Skill) bool { return s.State != Shadowed && s.Name == name },
		func(s Skill) bool { return s.Category != "" && s.Category+"/"+s.Name == name },
		func(s Skill) bool {
			return s.State != Shadowed && (s.Given == name || path.Base(filepath.ToSlash(s.Dir)) == name || strings.EqualFold(s.Name, name))
		},
	}
	for _, fit := range fits {
		var all []Skill
		for _, s := range ix.Skills {
			if fit(s) {
				all = append(all, s)
			}
		}
		switch {
		case len(all) == 1:
			return all[0], nil, true
		case len(all) > 1:
			for _, s := range all {
				several = append(several, strings.TrimPrefix(s.Category+"/"+s.Name, "/"))
			}
			return Skill{}, several, false
		}
	}
	return Skill{}, nil, false
}
