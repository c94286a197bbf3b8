package skillhub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hermes-tui/store/skillguard"
	"hermes-tui/tools/lazyregexp"
)

// The kinds of sources, as lock.json names them.
const (
	FromFolder    = "folder"
	FromArchive   = "archive"
	FromGit       = "git"
	FromWellKnown = "well-known"
)

// Source says where skills come from.
type Source struct {
	Kind string
	// Address is a path or a URL.
	Address string
	// Ref is a branch, a tag or a commit of a repository, empty for its main branch.
	Ref string
	// Path is the folder in it that holds the skills, empty for all of it.
	Path string
}

// String is what [ParseSource] reads.
func (s Source) String() string {
	text := s.Address
	if s.Kind == FromGit && !gitAddress(text) {
		text = "git+" + text
	}
	if s.Ref != "" {
		text += "@" + s.Ref
	}
	if s.Path != "" {
		text += "#" + s.Path
	}
	return text
}

// trust is how far what is at a source is trusted.
func (s Source) trust() skillguard.Trust {
	name, atGitHub := strings.CutPrefix(s.Address, "https://github.com/")
	switch {
	case s.Kind == FromFolder, s.Kind == FromArchive && !strings.Contains(s.Address, "://"):
		return skillguard.Own
	case s.Kind == FromGit && atGitHub:
		return skillguard.OfRepository(name)
	}
	return skillguard.Community
}

// gitHub is OWNER/NAME, which means a repository there.
var gitHub = lazyregexp.New(`^[\w.-]+/[\w.-]+$`)

// gitAddress reports whether an address is that of a repository by its look.
func gitAddress(a string) bool {
	return strings.HasPrefix(a, "git@") || strings.HasPrefix(a, "ssh://") || strings.HasPrefix(a, "git://") || strings.HasSuffix(a, ".git")
}

// ParseSource reads what a user writes: a path of a folder or an archive (relative ones
// from dir on, ~ is home), a URL of an archive or a web site, the address of a git
// repository (…​.git, git@…, git+https://…) or OWNER/NAME on GitHub. @REF behind a
// repository is a branch, a tag or a commit, and #PATH a folder in it.
func ParseSource(text, dir, home string) (Source, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsFunc(text, control) {
		return Source{}, errors.New("name a folder, an archive, a git repository or a web site")
	}
	if rest, is := strings.CutPrefix(text, "~/"); is && home != "" {
		text = filepath.Join(home, rest)
	}
	local := text
	if !filepath.IsAbs(local) {
		local = filepath.Join(dir, local)
	}
	if info, err := os.Stat(local); err == nil {
		if info.IsDir() {
			return Source{Kind: FromFolder, Address: local}, nil
		}
		return Source{Kind: FromArchive, Address: local}, nil
	}
	address, folder, _ := strings.Cut(text, "#")
	if folder != "" && !filepath.IsLocal(filepath.FromSlash(folder)) {
		return Source{}, fmt.Errorf("%s leads out of the repository", shown(folder))
	}
	s := Source{Kind: FromGit, Path: strings.Trim(folder, "/")}
	address, git := strings.CutPrefix(address, "git+")
	if at := strings.LastIndex(address, "@"); at > strings.LastIndexAny(address, "/:") {
		address, s.Ref = address[:at], address[at+1:]
	}
	if strings.HasPrefix(s.Ref, "-") || strings.HasPrefix(address, "-") {
		return Source{}, fmt.Errorf("%s is no source of skills", shown(text))
	}
	web := strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
	switch {
	case git, gitAddress(address):
		s.Address = address
	case web && Archive(address):
		return Source{Kind: FromArchive, Address: address}, nil
	case web && strings.HasPrefix(address, "https://github.com/") && strings.Count(strings.Trim(address[len("https://github.com/"):], "/"), "/") == 1:
		s.Address = strings.TrimSuffix(address, "/") + ".git"
	case web:
		return Source{Kind: FromWellKnown, Address: strings.TrimSuffix(address, "/"), Path: s.Path}, nil
	case gitHub.MatchString(address):
		s.Address = "https://github.com/" + address + ".git"
	default:
		return Source{}, fmt.Errorf("%s is no folder or archive here, and no address of a repository or a web site", shown(text))
	}
	return s, nil
}

// Client makes requests to the outside; it judges where they may lead.
type Client interface {
	Do(r *http.Request) (*http.Response, error)
}

// Git runs git in a folder, without hooks, questions and other programs of a repository.
type Git func(ctx context.Context, dir string, args ...string) (output string, err error)

// fetched is what came of a source.
type fetched struct {
	leftOut []string // links and devices
	commit  string   // of a repository
}

// fetch brings a source into an empty folder.
func (h *Hub) fetch(ctx context.Context, s Source, dir string) (f fetched, err error) {
	switch {
	case s.Kind == FromFolder:
		f.leftOut, err = Copy(s.Address, dir)
	case s.Kind == FromArchive && strings.Contains(s.Address, "://"):
		f.leftOut, err = h.fetchArchive(ctx, s, dir)
	case s.Kind == FromArchive:
		f.leftOut, err = Unpack(s.Address, dir)
	case s.Kind == FromGit:
		return h.clone(ctx, s, dir)
	case s.Kind == FromWellKnown:
		err = h.fetchListed(ctx, s, dir)
	default:
		err = fmt.Errorf("%s is no kind of source", shown(s.Kind))
	}
	return f, err
}

// clone brings a repository as it is at a commit, and takes what is no link.
func (h *Hub) clone(ctx context.Context, s Source, dir string) (f fetched, err error) {
	work := dir + ".git"
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if err := os.Mkdir(work, 0o700); err != nil {
		return f, err
	}
	ref := s.Ref
	if ref == "" {
		ref = "HEAD"
	}
	all := filepath.Join(work, "all.tar")
	for _, args := range [][]string{
		{"init", "-q"},
		{"fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", s.Address, ref},
		{"rev-parse", "FETCH_HEAD"},
		append([]string{"archive", "--format=tar", "-o", all, "FETCH_HEAD", "--"}, paths(s.Path)...),
	} {
		out, err := h.o.Git(ctx, work, args...)
		if err != nil {
			return f, err
		}
		if args[0] == "rev-parse" {
			f.commit = strings.TrimSpace(out)
		}
	}
	f.leftOut, err = Unpack(all, dir)
	return f, err
}

func paths(p string) []string {
	if p == "" {
		return nil
	}
	return []string{p}
}

// get reads what is at an address, within a limit.
func (h *Hub) get(ctx context.Context, address string, limit int64) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := h.o.Client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", r.URL.Host, resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d MB", address, limit>>20)
	}
	return data, err
}

func (h *Hub) fetchArchive(ctx context.Context, s Source, dir string) (leftOut []string, err error) {
	data, err := h.get(ctx, s.Address, MaxArchive)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(s.Address)
	if err != nil {
		return nil, err
	}
	file := dir + "-" + path.Base(u.Path)
	defer func() { err = errors.Join(err, os.RemoveAll(file)) }()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, err
	}
	return Unpack(file, dir)
}

// listed is what a web site says of its skills, below /.well-known/skills/index.json.
type listed struct {
	Skills []struct {
		Name        string   `json:"name"`
		Description string   `json:"description"`
		Files       []string `json:"files"`
	} `json:"skills"`
}

// wellKnown is where a site lists its skills.
const wellKnown = "/.well-known/skills/"

// listedAt reads what a web site lists; base is where that lies.
func (h *Hub) listedAt(ctx context.Context, s Source) (index listed, base string, err error) {
	base, _, _ = strings.Cut(s.Address, wellKnown)
	base = strings.TrimSuffix(base, "/") + wellKnown
	data, err := h.get(ctx, base+"index.json", 1<<20)
	if err != nil {
		return index, base, fmt.Errorf("the list of skills: %w", err)
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return index, base, fmt.Errorf("%sindex.json is no list of skills: %w", base, err)
	}
	return index, base, nil
}

// fetchListed brings the skills that a web site lists, or the one named by the path of
// the source.
func (h *Hub) fetchListed(ctx context.Context, s Source, dir string) error {
	index, base, err := h.listedAt(ctx, s)
	if err != nil {
		return err
	}
	if len(index.Skills) > MaxSkills && s.Path == "" {
		return fmt.Errorf("%sindex.json lists more than %d skills: name one behind a #", base, MaxSkills)
	}
	w, err := newWriter(dir)
	if err != nil {
		return err
	}
	defer w.root.Close()
	for _, k := range index.Skills {
		if s.Path != "" && k.Name != s.Path {
			continue
		}
		if len(k.Files) == 0 {
			k.Files = []string{"SKILL.md"}
		}
		for _, file := range k.Files {
			if strings.ContainsAny(k.Name, `/\`) || !filepath.IsLocal(filepath.FromSlash(file)) || strings.ContainsAny(file, "?#%") {
				return fmt.Errorf("the list of skills names %s, which leads out of its folder", shown(k.Name+"/"+file))
			}
			data, err := h.get(ctx, base+k.Name+"/"+file, MaxBytes-w.bytes)
			if err != nil {
				return fmt.Errorf("%s: %w", shown(k.Name+"/"+file), err)
			}
			body := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(string(data))), nil }
			if err := w.add(k.Name+"/"+file, 0o644, body); err != nil {
				return err
			}
		}
	}
	return nil
}
