// Package search holds the tool that finds text in files and files by name.
//
// What is searched: regular files of a place, below a directory or one alone, in
// the order of their names. Left out are what .gitignore and .ignore files, the
// exclude file of a repository and the user's global ignore file name; hidden
// files, unless a glob asks for them; both are counted, a folder as one; binary files;
// files with keys, which are counted, unless the call names one or a folder of them and
// the user permits it. Links are not followed. A directory or file that is named by the call is searched
// whatever ignore files say about it.
//
// Answers are truthful: totals count everything there is, also beyond the page
// that is returned, and where a search had to stop early it says so. The same
// tree gives the same answer.
//
// Programs of the place help where they are a gain: ripgrep tells which files can
// match at all, and in a place that is not this machine find lists the tree and grep
// stands in for ripgrep. They only leave out what the search itself would not find;
// a test holds that the results are the same with and without them. They are run
// from absolute directories outside the workspace, with fixed arguments, without a
// shell, settings or an environment; when one fails or is missing, the search does
// without it.
//
// Limits: 1,000 results and 90,000 characters at a time, 500 characters of a
// line, 10 lines of context, 60 seconds. Lines are searched one by one with
// regular expressions in RE2 syntax, which take linear time. Files are read in
// windows of 8 MB by at most four workers.
//
// A [Search] belongs to one agent and is safe for concurrent use. It remembers
// the last search, to stop an agent that repeats itself.
package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shorten"
)

// Toolset is the toolset of the tool of this package.
const Toolset = "file"

// DefaultTimeout is how long a search may take.
const DefaultTimeout = 60 * time.Second

// Options configure [New].
type Options struct {
	Place place.Place
	// Dir is the directory that is searched by default and that relative paths
	// stand below, absolute; it may change between calls. Nil is Root.
	Dir func() string
	// Root is the workspace.
	Root string
	// Path lists the directories in which programs that help are looked for,
	// separated by colons; empty stands for the usual ones.
	Path string
	// Env is the environment of the place, for where programs keep their keys.
	Env []string
	// Private is the program's own directory. Its files with keys are among those
	// that are searched only with a permit, see [tools.Secrets].
	Private string
	// Timeout ends a search that takes longer; 0 is [DefaultTimeout].
	Timeout time.Duration
}

// usualPath are the directories of programs on most systems.
const usualPath = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/snap/bin"

// Search makes the search tool of one agent.
type Search struct {
	place   place.Place
	fs      place.FS
	remote  bool // each question to the file system costs time
	home    string
	root    string
	path    string
	dir     func() string
	secrets *tools.Secrets
	timeout time.Duration
	workers int

	// lookup finds the programs that help, when one is first needed; they are
	// empty when there are none.
	lookup              sync.Once
	ripgrep, grep, find string
	few                 int          // files that are searched without them
	failed              atomic.Int32 // how often one of them failed

	mu      sync.Mutex
	last    query
	repeats int
}

// New makes the search tool of one agent.
func New(o Options) *Search {
	s := &Search{
		place: o.Place, fs: o.Place.FS(), home: o.Place.Info().Home, root: o.Root, path: o.Path, dir: o.Dir, secrets: place.Secrets(o.Place, o.Private, o.Env),
		timeout: o.Timeout, workers: min(max(runtime.GOMAXPROCS(0), 2), 4), few: fewFiles,
	}
	if name := o.Place.Info().Name; name != "local" && name != "sandbox" {
		s.remote = true
	}
	if s.path == "" {
		s.path = usualPath
	}
	if s.dir == nil {
		s.dir = func() string { return o.Root }
	}
	if s.timeout <= 0 {
		s.timeout = DefaultTimeout
	}
	return s
}

// ResetRepeats is called when another tool than a reading one has run: a search
// after it is no repetition.
func (s *Search) ResetRepeats() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.repeats = query{}, 0
}

// The values of the arguments target and output_mode.
const (
	targetContent = "content"
	targetFiles   = "files"

	modeContent = "content"
	modeFiles   = "files_only"
	modeCount   = "count"
)

const parameters = `{"type":"object","properties":{
"pattern":{"type":"string","description":"RE2 regular expression, or a glob for target files"},
"target":{"type":"string","description":"content or files","default":"content"},
"path":{"type":"string","description":"directory or file","default":"."},
"file_glob":{"type":"string","description":"only files like *.go or src/**/*.ts"},
"output_mode":{"type":"string","enum":["content","files_only","count"],"default":"content"},
"context":{"type":"integer","description":"lines around each match, at most 10","default":0},
"limit":{"type":"integer","default":50},
"offset":{"type":"integer","default":0}},
"required":["pattern"]}`

// Tool is search_files.
func (s *Search) Tool() tools.Tool {
	return tools.Tool{
		Name: "search_files", Toolset: Toolset, Scripts: &tools.Scripts{},
		Description: "Search file contents line by line, or find files by name (target files, newest first). Ignored, hidden and binary files are left out.",
		Guidance:    "Use search_files instead of grep, find or ls.",
		Parameters:  json.RawMessage(parameters),
		Class:       tools.ReadsTree, ReadsOnly: true,
		Summarise: summarise,
		Preview:   preview,
		Action:    s.action,
		Run: func(ctx context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			return s.run(ctx, c), nil
		},
	}
}

// preview shows a call before it runs.
func preview(raw json.RawMessage) tools.View {
	v := tools.View{Kind: tools.KindSearch}
	var args struct {
		Pattern string `json:"pattern"`
		Path    string `json:"path"`
	}
	if json.Unmarshal(raw, &args) != nil {
		return v
	}
	v.Subject = args.Pattern
	if args.Path != "" && args.Path != "." {
		v.Subject += " in " + args.Path
	}
	return v
}

// query is a call after its arguments were brought to one form.
type query struct {
	pattern, target, mode string
	path, glob            string // path is absolute and real
	secret                string // why path needs a permit, empty for none
	limit, offset         int
	context               int
}

const (
	defaultLimit = 50
	maxLimit     = 1000
	maxOffset    = 10_000
	maxContext   = 10
)

// parse reads the arguments of a call.
func (s *Search) parse(c tools.Call) (query, error) {
	args := struct {
		Pattern string         `json:"pattern"`
		Target  string         `json:"target"`
		Path    string         `json:"path"`
		Glob    string         `json:"file_glob"`
		Mode    string         `json:"output_mode"`
		Limit   *tools.Integer `json:"limit"`
		Offset  tools.Integer  `json:"offset"`
		Context tools.Integer  `json:"context"`
	}{}
	if err := c.Decode(&args); err != nil {
		return query{}, err
	}
	q := query{
		pattern: args.Pattern, glob: args.Glob, limit: defaultLimit,
		offset: max(int(args.Offset), 0), context: min(max(int(args.Context), 0), maxContext),
	}
	if args.Limit != nil {
		q.limit = min(max(int(*args.Limit), 1), maxLimit)
	}
	if q.offset > maxOffset {
		return q, fmt.Errorf("offset is %d; at most %d results can be skipped, so make the search narrower", q.offset, maxOffset)
	}
	var err error
	switch args.Target {
	case "grep":
		args.Target = targetContent
	case "find":
		args.Target = targetFiles
	}
	if q.target, err = oneOf("target", args.Target, targetContent, targetFiles); err != nil {
		return q, err
	}
	if q.mode, err = oneOf("output_mode", args.Mode, modeContent, modeFiles, modeCount); err != nil {
		return q, err
	}
	path := args.Path
	if strings.TrimSpace(path) == "" {
		path = "."
	}
	q.path, q.secret, err = s.resolve(path)
	if q.target == targetFiles { // names are no secret
		q.secret = ""
	}
	return q, err
}

// oneOf reads an argument that is one of a few words; the first of them is the
// default.
func oneOf(name, value string, words ...string) (string, error) {
	switch value = strings.ToLower(strings.TrimSpace(value)); {
	case value == "":
		return words[0], nil
	case slices.Contains(words, value):
		return value, nil
	}
	return "", fmt.Errorf("%s must be one of %s", name, strings.Join(words, ", "))
}

// missing is a path that leads nowhere.
type missing struct {
	path    string
	similar []string
}

func (m *missing) Error() string { return fmt.Sprintf("path %q does not exist", m.path) }

// refused is a path that must not be searched.
type refused struct{ message string }

func (r *refused) Error() string { return r.message }

// resolve turns the path argument into the real path of what is there. secret says
// why it needs a permit, empty if it needs none.
func (s *Search) resolve(arg string) (real, secret string, err error) {
	name, err := tools.AbsPath(arg, s.dir(), s.home)
	if err != nil {
		return "", "", err
	}
	real, err = s.fs.Resolve(name)
	if err != nil {
		return "", "", fmt.Errorf("path %q cannot be resolved: %w", name, err)
	}
	for _, path := range []string{name, real} {
		if tools.SpecialFile(path) {
			return "", "", &refused{fmt.Sprintf("%q is a device or a view into a process, nothing to search", name)}
		}
		if why := s.secrets.Holds(path); why != "" {
			secret = fmt.Sprintf("%q is not searched: it %s. Do not try other ways to read it; ask for what you need to know.", name, why)
		}
	}
	st, err := s.fs.Stat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", s.missing(name)
	case err != nil:
		return "", "", fmt.Errorf("path %q cannot be searched: %w", name, err)
	case !st.IsDir() && !st.Mode().IsRegular():
		return "", "", fmt.Errorf("path %q is neither a directory nor a regular file", name)
	}
	return real, secret, nil
}

// action puts the search of a file or folder with keys to the gate. What cannot be
// searched is said when it is tried.
func (s *Search) action(args json.RawMessage) (tools.Action, error) {
	q, err := s.parse(tools.Call{Name: "search_files", Args: args})
	if err != nil || q.secret == "" {
		return tools.Action{}, nil //nolint:nilerr // searching reports the error
	}
	return tools.Action{Kind: tools.ActRead, Paths: []string{q.path}}, nil
}

// missing looks for names that may have been meant.
func (s *Search) missing(name string) error {
	m := &missing{path: name}
	dir := filepath.Dir(name)
	entries, err := s.fs.ReadDir(dir)
	if err != nil {
		return m
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	for _, similar := range tools.SimilarNames(filepath.Base(name), names, 5) {
		m.similar = append(m.similar, filepath.Join(dir, similar))
	}
	return m
}

// maxSummaryPattern is how much of a pattern a summary shows, in characters.
const maxSummaryPattern = 40

// summarise says what a call looked for and how much it found.
func summarise(args, result tools.Members) (did, came string) {
	did = "content search"
	if t := args.Text("target"); t == "files" || t == "find" {
		did = "file search"
	}
	did += " for '" + shorten.Line(args.Text("pattern"), maxSummaryPattern) + "'"
	if args.Text("path") != "" {
		did += " in " + args.Path()
	}
	n, known := result.Number("total_count")
	switch {
	case !known:
	case result.Has("matches"):
		came = "-> " + tools.Plural(n, "match", "matches")
	default:
		came = "-> " + tools.Plural(n, "file", "files")
	}
	return did, came
}
