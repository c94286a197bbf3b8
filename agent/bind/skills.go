package bind

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/agent/prompt"
	"hermes-tui/store/sessions"
	"hermes-tui/store/skills"
	"hermes-tui/tools"
	"hermes-tui/tools/skill"
)

// SkillsOptions say where the skills of a conversation come from.
type SkillsOptions struct {
	Library *skills.Library
	// Project are the folders of the project, nil for none.
	Project func() []skills.Root
	// Home is HERMES_HOME/skills, where the use of skills is noted.
	Home    string
	Session string
	// Pending is the folder for changes that wait for the user; Approve has all of them
	// asked about.
	Pending string
	Approve bool
	// Percent is how much of a model's context window the index may take.
	Percent float64
	// Has reports whether an environment variable is set, Find whether there is a program.
	Has, Find func(name string) bool
	Now       func() time.Time
	// Warn takes errors that stop nothing.
	Warn func(error)
}

// Skills are those that one conversation sees. They are safe for concurrent use.
type Skills struct{ o SkillsOptions }

// NewSkills makes the skills of a conversation.
func NewSkills(o SkillsOptions) *Skills { return &Skills{o} }

var _ skill.Library = (*Skills)(nil)

// Index gives all skills as they are now.
func (s *Skills) Index() *skills.Index {
	if s.o.Project == nil {
		return s.o.Library.Index()
	}
	return s.o.Library.Index(s.o.Project()...)
}

// Entries implements [skill.Library].
func (s *Skills) Entries(context.Context) []skill.Entry {
	var list []skill.Entry
	for _, k := range s.Index().Skills {
		if k.Offered() {
			list = append(list, entryOf(k))
		}
	}
	return list
}

func entryOf(k skills.Skill) skill.Entry {
	return skill.Entry{Name: k.Name, Description: k.Description, Category: k.Category}
}

// knownNames is how many names an error lists.
const knownNames = 20

// find gives the skill that a name means.
func (s *Skills) find(name string) (skills.Skill, error) {
	ix := s.Index()
	k, several, found := ix.Find(name)
	if found && !k.Head.NoModel {
		return k, nil
	}
	e := &skill.NotFoundError{Name: name, Several: several}
	for _, k := range ix.Skills {
		if k.Offered() && len(e.Known) < knownNames {
			e.Known = append(e.Known, k.Name)
		}
	}
	return k, e
}

// Open implements [skill.Library].
func (s *Skills) Open(ctx context.Context, name string) (skill.Opened, error) {
	k, err := s.find(name)
	if err != nil {
		return skill.Opened{}, err
	}
	text, err := s.o.Library.Text(k)
	if err != nil {
		return skill.Opened{}, err
	}
	files, err := k.Files()
	if err != nil {
		return skill.Opened{}, err
	}
	s.note(ctx, k.Name, func(u *skills.Use, now *time.Time) { u.Views, u.Viewed = u.Views+1, now })
	o := skill.Opened{
		Entry: entryOf(k), Tags: k.Head.Tags, Related: k.Head.Related, Content: s.fill(k, text.Body),
		Links: skills.Links(files), Compatibility: k.Head.Compatibility,
	}
	if k.Origin != skills.Bundled {
		o.Dir, o.Path = k.Dir, k.Path()
	}
	for _, v := range k.Head.Variables {
		o.Variables = append(o.Variables, skill.Need{Name: v.Name, Help: v.Help, Missing: !s.o.Has(v.Name)})
	}
	for _, c := range k.Head.Commands {
		o.Commands = append(o.Commands, skill.Need{Name: c, Missing: !s.o.Find(c)})
	}
	return o, nil
}

// Content implements [skill.Library].
func (s *Skills) Content(_ context.Context, name, file string) (string, error) {
	k, err := s.find(name)
	if err != nil {
		return "", err
	}
	data, err := s.o.Library.Content(k, filepath.ToSlash(file))
	if skills.Missing(err) {
		return "", fmt.Errorf("the skill %s has no file %s", k.Name, file)
	}
	return s.fill(k, string(data)), err
}

// fill puts what a text refers to in its place.
func (s *Skills) fill(k skills.Skill, text string) string {
	pairs := []string{"${HERMES_SESSION_ID}", s.o.Session, "${CLAUDE_SESSION_ID}", s.o.Session}
	if k.Origin != skills.Bundled {
		pairs = append(pairs, "${HERMES_SKILL_DIR}", k.Dir, "${CLAUDE_SKILL_DIR}", k.Dir, "{baseDir}", k.Dir)
	}
	if k.Plugin != "" {
		for _, name := range []string{"CLAUDE_PLUGIN_ROOT", "CODEX_PLUGIN_ROOT", "PLUGIN_ROOT"} {
			pairs = append(pairs, "${"+name+"}", k.Plugin, "$"+name, k.Plugin)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// called is the text of a skill that the user has called; args is what follows its name.
// Where the text does not refer to that, it stands behind it.
func (s *Skills) called(k skills.Skill, t skills.Text, args string) string {
	text, refers := t.Fill(s.fill(k, t.Body), args)
	if args != "" && !refers {
		text += "\n\nThe user called it with: " + args
	}
	return text
}

// note keeps the use of a skill. That it cannot be kept stops nothing.
func (s *Skills) note(ctx context.Context, name string, change func(u *skills.Use, now *time.Time)) {
	now := s.o.Now().UTC()
	if err := skills.Note(ctx, s.o.Home, name, func(u *skills.Use) { change(u, &now) }); err != nil {
		s.o.Warn(err)
	}
}

// leadingSkills is how many skills may be called at the beginning of one text.
const leadingSkills = 5

// Called are the skills and bundles that a text of the user calls at its beginning, each as a word
// with a slash, with the texts that go to the model with it. Of one that cannot be used
// the text is why.
func (s *Skills) Called(ctx context.Context, text string) []tools.Attached {
	if !strings.HasPrefix(text, "/") {
		return nil
	}
	var list []tools.Attached
	var called []skills.Skill
	ix := s.Index()
	for range leadingSkills {
		word, rest, _ := strings.Cut(strings.TrimLeft(text, " \t\n"), " ")
		word, more, cut := strings.Cut(word, "\n")
		name, slashed := strings.CutPrefix(word, "/")
		name = strings.ToLower(name)
		i := slices.IndexFunc(ix.Skills, func(k skills.Skill) bool { return k.Callable() && k.Name == name })
		j := slices.IndexFunc(ix.Bundles, func(b skills.Bundle) bool { return b.State == skills.Ready && b.Name == name })
		switch {
		case slashed && i >= 0:
			called = append(called, ix.Skills[i])
		case slashed && j >= 0:
			a, parts := unbundle(ix, ix.Bundles[j])
			list, called = append(list, a), append(called, parts...)
		default:
			return s.texts(ctx, list, called, text)
		}
		if cut {
			rest = more + " " + rest
		}
		text = rest
	}
	return s.texts(ctx, list, called, text)
}

// unbundle gives the skills of a bundle, and the text that goes before them.
func unbundle(ix *skills.Index, b skills.Bundle) (tools.Attached, []skills.Skill) {
	var parts []skills.Skill
	text := "The user called a bundle of skills; follow all of them: " + strings.Join(b.Skills, ", ") + "."
	for _, name := range b.Skills {
		k, _, found := ix.Find(name)
		if !found {
			text += "\nThere is no skill " + name + ": tell the user, and go on with the others."
			continue
		}
		parts = append(parts, k)
	}
	if b.Instruction != "" {
		text += "\n\n" + b.Instruction
	}
	return tools.Attached{Name: "bundle " + b.Name, Text: text}, parts
}

// texts adds those of skills that were called with some words of the user. Each is there
// once.
func (s *Skills) texts(ctx context.Context, list []tools.Attached, called []skills.Skill, text string) []tools.Attached {
	seen := map[string]bool{}
	for _, k := range called {
		if seen[k.Name] {
			continue
		}
		seen[k.Name] = true
		a := tools.Attached{Name: "skill " + k.Name}
		read, err := s.o.Library.Text(k)
		if err != nil {
			a.Text = err.Error()
		} else {
			a.Text = s.called(k, read, strings.TrimSpace(text))
			s.note(ctx, k.Name, func(u *skills.Use, now *time.Time) { u.Uses, u.Used = u.Uses+1, now })
		}
		list = append(list, a)
	}
	return list
}

// unknownRoom is how long the index may be where the window of the model is not known,
// in characters.
const unknownRoom = 8000

// Layer is the index for system prompts, for agents that can read skills.
func (s *Skills) Layer(box *Tools) prompt.Layer {
	return prompt.Layer{Name: "skills", Subagents: true, Text: func(_ context.Context, _ bool, model event.Model) (string, error) {
		if _, reads := box.Lookup(skill.ViewName); !reads {
			return "", nil
		}
		room := unknownRoom
		if model.ContextMax > 0 {
			room = int(float64(model.ContextMax) * s.o.Percent / 100 * 4) // characters of a token
		}
		used, err := skills.Usage(s.o.Home)
		if err != nil {
			s.o.Warn(err)
		}
		var list []skill.Listed
		for _, k := range s.Index().Skills {
			if k.Offered() && fitting(k.Head, box) {
				list = append(list, skill.Listed{Entry: entryOf(k), Rank: used[k.Name].Last().Unix()})
			}
		}
		return skill.Index(list, room), nil
	}}
}

// fitting reports whether an agent with some tools has a use for a skill.
func fitting(h skills.Head, box *Tools) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(box.All(), func(t tools.Tool) bool { return t.Name == name || t.Toolset == name })
	}
	return !slices.ContainsFunc(h.Needs, func(n string) bool { return !has(n) }) && !slices.ContainsFunc(h.Replaces, has)
}

// SkillKind is the kind under which the content of skills is allowed.
const SkillKind = "skill"

// InstructionKind is the kind under which instruction files are taken that read like an
// attack.
const InstructionKind = "instructions"

// Consents are contents that the user has allowed, of skills for example, in the session
// database.
type Consents struct {
	kind string
	db   *sessions.DB
	ids  event.Source
	seal Seal
	warn func(error)

	mu   sync.Mutex
	read time.Time
	held map[[2]string]bool // by folder and hash
	last map[string]string  // the newest hash by folder
}

// NewConsents keeps those of a kind in a database. Those that the seal does not know do not count.
func NewConsents(kind string, db *sessions.DB, ids event.Source, seal Seal, warn func(error)) *Consents {
	return &Consents{kind: kind, db: db, ids: ids, seal: seal, warn: warn}
}

// consentAge is for how long is believed what was read: another program may have added
// to it.
const consentAge = time.Second

// Allowed reports whether a content is allowed.
func (c *Consents) Allowed(dir, hash string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.load() && c.held[[2]string{dir, hash}]
}

// Newest is the content that was allowed last, empty for none.
func (c *Consents) Newest(dir string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.load()
	return c.last[dir]
}

// load reads what is allowed, when that is due. The caller holds the lock.
func (c *Consents) load() bool {
	if now := c.ids.Now(); c.held == nil || now.Sub(c.read) > consentAge {
		grants, err := c.db.Grants(context.Background(), "")
		if err != nil {
			c.warn(err)
			return false
		}
		c.held, c.last, c.read = map[[2]string]bool{}, map[string]string{}, now
		for _, g := range grants {
			if g.Kind == c.kind && c.seal.Holds(g) {
				c.held[[2]string{g.Pattern, g.Example}] = true
				c.last[g.Pattern] = g.Example
			}
		}
	}
	return true
}

// Allow allows a content, for all conversations.
func (c *Consents) Allow(ctx context.Context, dir, hash string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = nil
	return c.seal.add(ctx, c.db, sessions.Grant{
		ID: string(c.ids.Request()), Kind: c.kind, Pattern: dir, Example: hash, Created: c.ids.Now(),
	})
}
