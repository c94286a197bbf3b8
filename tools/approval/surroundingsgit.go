package approval

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"

	"hermes-tui/tools/lazyregexp"
)

// Bounds of what is read of a repository.
const (
	maxGitConfig = 64 << 10
	maxGitIndex  = 64 << 20
)

// quietSetting matches a line of a repository's settings that starts no program: a
// section or a setting of the usual ones, without a continuation.
var quietSetting = lazyregexp.New(`(?i)^\s*(#.*|;.*|` +
	`\[(core|user|color|pull|push|init|merge|rebase|rerere|gc|advice|remote "[^"\\]*"|branch "[^"\\]*")\]|` +
	`(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|` +
	`url|pushurl|fetch|merge|remote|pushremote|rebase|tagopt|prune|mirror|name|email|signingkey|ui|default|ff|defaultbranch|` +
	`description|vscode-merge-base|gh-resolved|gh-merge-base|github-pr-owner-number|auto|enabled)(\s*=[^\\]*)?)?\s*$`)

// quiet reports whether git, reading in a repository, starts no program because of
// its settings: they hold the usual only, and no other repository is entered.
func (s surroundings) quiet(root string) bool {
	git := path.Join(root, ".git")
	for _, name := range []string{"commondir", "config.worktree", "hooks/post-index-change"} {
		if _, err := s.fs.Lstat(path.Join(git, name)); err == nil {
			return false
		}
	}
	for _, name := range []string{"", "info", "rebase-merge", "rebase-apply"} {
		entries, err := s.fs.ReadDir(path.Join(git, name))
		if err != nil && name == "" || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Type()&fs.ModeSymlink != 0 }) {
			return false // what git shows of itself would come from elsewhere
		}
	}
	config, ok := s.read(path.Join(git, "config"), maxGitConfig)
	if !ok {
		return false
	}
	for line := range bytes.Lines(config) {
		if !quietSetting.MatchString(string(bytes.TrimRight(line, "\r\n"))) {
			return false
		}
	}
	index := path.Join(git, "index")
	if _, err := s.fs.Lstat(index); errors.Is(err, fs.ErrNotExist) {
		return true
	}
	data, ok := s.read(index, maxGitIndex)
	return ok && !holdsRepositories(data)
}

// read gives a whole file, if it is not larger than that.
func (s surroundings) read(file string, most int64) ([]byte, bool) {
	f, err := s.fs.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	return data, err == nil && int64(len(data)) <= most
}

// holdsRepositories reports whether the index of a repository may hold other
// repositories, which git would enter: it has an entry of their mode, or keeps
// entries in another file.
func holdsRepositories(index []byte) bool {
	return bytes.Contains(index, []byte{0, 0, 0o160000 >> 8, 0}) || bytes.Contains(index, []byte("link\x00\x00\x00"))
}
