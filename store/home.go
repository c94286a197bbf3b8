package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
)

// Home is a HERMES_HOME directory, or a profile in it. The zero value is not a
// home. It is plain data and safe to share.
type Home struct {
	root    string // absolute
	profile string // empty for the default profile
	ours    bool   // the root is at the default place, no one named another
}

// Lookup finds an environment variable, as os.LookupEnv does.
type Lookup func(key string) (string, bool)

// Where says how to find a home.
type Where struct {
	// Dir is the directory a user asked for; it wins over the environment.
	Dir string
	// Profile is a profile's name. Empty takes what Dir or the environment
	// names, "default" the root.
	Profile string
	// Env is the environment: HERMES_HOME and HOME (on Windows USERPROFILE as
	// well).
	Env Lookup
	// WorkDir is the directory that relative names begin at.
	WorkDir string
}

// Find resolves a home without touching the disk: Where.Dir, else HERMES_HOME,
// else .hermes in the user's home directory; a leading "~/" is the user's
// home directory. Profile NAME is <root>/profiles/NAME. A directory of that
// form counts as the profile NAME of <root>, so that a program started from a
// profile can ask for another one. Errors are [*HomeError].
func Find(w Where) (Home, error) {
	user := userHome(w.Env)
	dir, ours := w.Dir, false
	if dir == "" {
		dir = env(w.Env, "HERMES_HOME")
	}
	if dir == "" {
		if user == "" {
			return Home{}, &HomeError{Problem: NoHome}
		}
		dir, ours = filepath.Join(user, ".hermes"), true
	}
	root, err := absolute(dir, user, w.WorkDir)
	if err != nil {
		return Home{}, err
	}
	h := Home{root: root, ours: ours}
	if name, parent := filepath.Base(root), filepath.Dir(root); filepath.Base(parent) == profiles && ValidProfile(name) {
		h.root, h.profile = filepath.Dir(parent), name
	}
	if w.Profile == "" {
		return h, nil
	}
	if !ValidProfile(w.Profile) {
		return Home{}, &HomeError{Problem: BadProfile, Path: w.Profile}
	}
	h.profile = w.Profile
	if h.profile == DefaultProfile {
		h.profile = ""
	}
	return h, nil
}

// profiles is the directory of the profiles in a root.
const profiles = "profiles"

// DefaultProfile names the root itself.
const DefaultProfile = "default"

// ValidProfile reports whether a profile may bear this name: 1 to 64 lower-case
// letters, digits, "-" and "_", the first a letter or digit.
func ValidProfile(name string) bool {
	for i, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
		case (r == '-' || r == '_') && i > 0:
		default:
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// env gives a variable's value; set but blank is as good as not set.
func env(lookup Lookup, key string) string {
	if lookup == nil {
		return ""
	}
	if v, _ := lookup(key); strings.TrimSpace(v) != "" {
		return v
	}
	return ""
}

// userHome is the user's home directory, empty when it is not known.
func userHome(lookup Lookup) string {
	home := env(lookup, "HOME")
	if home == "" && runtime.GOOS == "windows" {
		home = env(lookup, "USERPROFILE")
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return home
}

// absolute resolves the name of a directory.
func absolute(dir, user, workDir string) (string, error) {
	if strings.ContainsRune(dir, 0) {
		return "", &HomeError{Problem: BadPath, Path: dir, Err: errors.New("it contains a NUL byte")}
	}
	if dir == "~" || strings.HasPrefix(dir, "~/") {
		if user == "" {
			return "", &HomeError{Problem: NoHome}
		}
		dir = filepath.Join(user, dir[1:])
	}
	if !filepath.IsAbs(dir) {
		if !filepath.IsAbs(workDir) {
			return "", &HomeError{Problem: BadPath, Path: dir, Err: errors.New("the current directory is not known")}
		}
		dir = filepath.Join(workDir, dir)
	}
	return filepath.Clean(dir), nil
}

// Root is the directory of the default profile, which all profiles share.
func (h Home) Root() string { return h.root }

// Profile is the name of the profile, [DefaultProfile] for the root.
func (h Home) Profile() string {
	if h.profile == "" {
		return DefaultProfile
	}
	return h.profile
}

// Dir is the directory of this home: the root, or the profile's directory.
func (h Home) Dir() string {
	if h.profile == "" {
		return h.root
	}
	return filepath.Join(h.root, profiles, h.profile)
}

// Config is the settings file.
func (h Home) Config() string { return h.path("config.yaml") }

// Auth is the file of stored credentials (mode 0600).
func (h Home) Auth() string { return h.path("auth.json") }

// Env is the file of additional environment variables.
func (h Home) Env() string { return h.path(".env") }

// StateDB is the database of the sessions.
func (h Home) StateDB() string { return h.path("state.db") }

// GrantsKey is the file with the key by which stored permissions are known.
func (h Home) GrantsKey() string { return h.path("grants.key") }

// Soul is the text file with the agent's identity.
func (h Home) Soul() string { return h.path("SOUL.md") }

// History is the file of what the user sent before, for recall.
func (h Home) History() string { return h.path("history.jsonl") }

// Logs is the directory of log files.
func (h Home) Logs() string { return h.path("logs") }

// Exports is where sessions are written to be shown to others.
func (h Home) Exports() string { return h.path("exports") }

// Trajectories is the directory of the turns that are kept for training models.
func (h Home) Trajectories() string { return h.path("trajectories") }

// Cache is the directory of what can be made or fetched again.
func (h Home) Cache() string { return h.path("cache") }

// Results is the directory of a conversation's results that were too long to
// be shown whole.
func (h Home) Results(conv string) string { return h.path("cache", "results", element(conv)) }

// Skills is the directory of the user's skills.
func (h Home) Skills() string { return h.path("skills") }

// Plugins is the folder of plugins.
func (h Home) Plugins() string { return h.path("plugins") }

// Skins is the directory of the user's themes.
func (h Home) Skins() string { return h.path("skins") }

// Memories is the directory of what is remembered over sessions.
func (h Home) Memories() string { return h.path("memories") }

// Recall is the index by which texts are found again; it can be made again.
func (h Home) Recall() string { return h.path("cache", "recall.db") }

// Learnings is the file of what was learnt from calls that failed.
func (h Home) Learnings() string { return h.path("learnings.jsonl") }

// PendingSkills is the directory of changes of skills that wait for the user.
func (h Home) PendingSkills() string { return h.path("pending", "skills") }

// PendingMemory is the directory of changes of memory that wait for the user.
func (h Home) PendingMemory() string { return h.path("pending", "memory") }

// NoBundledSkills is the file whose presence says that the user wants no bundled skills.
func (h Home) NoBundledSkills() string { return h.path(".no-bundled-skills") }

// SkillBundles is the directory of bundles: names for several skills called together.
func (h Home) SkillBundles() string { return h.path("skill-bundles") }

// MCP is the directory of what servers offered when the user agreed to it.
func (h Home) MCP() string { return h.path("cache", "mcp") }

// SkillIndex is the file that keeps what was read of skills.
func (h Home) SkillIndex() string { return h.path("cache", "skills.json") }

// Snapshots is the directory that keeps what agents change in files.
func (h Home) Snapshots() string { return h.path("snapshots") }

// Jobs is the file that remembers the background jobs of a conversation.
func (h Home) Jobs(conv string) string { return h.path("cache", "jobs", element(conv)+".json") }

// FilesLock is the lock by which programs keep out of each other's writes to files
// of a workspace.
func (h Home) FilesLock() string { return h.path("cache", "files.lock") }

// Confined is the folder for what confined commands change in caches, and for what
// was moved aside of what they made.
func (h Home) Confined() string { return h.path("cache", "confined") }

// Run is the folder for what only a running program needs: state of shells, sockets, output
// of jobs. Its name is short, since paths of sockets must be.
func (h Home) Run() string { return h.path("run") }

// Leases is the directory of the locks of open conversations.
func (h Home) Leases() string { return h.path("cache", "leases") }

// Watched is the directory by which the program knows that it has seen all changes of
// files.
func (h Home) Watched() string { return h.path("cache", "watched") }

func (h Home) path(elem ...string) string {
	return filepath.Join(append([]string{h.Dir()}, elem...)...)
}

// element makes an id a single path element. Ids of the usual form stay as they
// are, any other becomes a hash: it cannot lead elsewhere, is not too long and
// does not coincide on file systems that ignore case.
func element(id string) string {
	plain := id != "" && len(id) <= 100
	for i, r := range id {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
		case (r == '-' || r == '_') && i > 0:
		default:
			plain = false
		}
	}
	if plain {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "x" + hex.EncodeToString(sum[:16])
}
