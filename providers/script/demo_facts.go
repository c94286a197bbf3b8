package script

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"hermes-tui/tools/lazyregexp"
)

// listing is what a search for files returned.
type listing struct {
	files []string
	total int  // as far as the tool counted
	more  bool // there are files that are not in files
}

func (u *use) listing() listing {
	if u == nil {
		return listing{}
	}
	var l listing
	for _, item := range u.result.list("files") {
		switch f := item.(type) {
		case string:
			l.add(f)
		case map[string]any:
			p, _ := f["path"].(string)
			l.add(p)
		}
	}
	l.total = len(l.files)
	if n, ok := u.result.num("total_count"); ok {
		l.total = max(n, l.total)
	}
	l.more = l.total > len(l.files) || u.result.fields["truncated"] == true
	return l
}

func (l *listing) add(file string) {
	if file = strings.TrimPrefix(file, "./"); file != "" {
		l.files = append(l.files, file)
	}
}

// count is a named number.
type count struct {
	name string
	n    int
}

// byCount sorts by number, the largest first, then by name.
func byCount(m map[string]int) []count {
	var out []count
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, count{name, m[name]})
	}
	slices.SortStableFunc(out, func(a, b count) int { return cmp.Compare(b.n, a.n) })
	return out
}

// folders counts the files of each top folder.
func (l listing) folders() []count {
	base, m := l.common(), map[string]int{}
	for _, f := range l.files {
		if top, _, ok := strings.Cut(strings.TrimPrefix(f, base), "/"); ok && top != "" {
			m[top]++
		}
	}
	return byCount(m)
}

// common is the folder that absolute paths share, with its slash.
func (l listing) common() string {
	if len(l.files) == 0 || !strings.HasPrefix(l.files[0], "/") {
		return ""
	}
	base := path.Dir(l.files[0]) + "/"
	for _, f := range l.files {
		for base != "/" && base != "" && !strings.HasPrefix(f, base) {
			base = strings.TrimSuffix(path.Dir(strings.TrimSuffix(base, "/")), "/") + "/"
		}
	}
	return base
}

// within lists the files of a top folder.
func (l listing) within(folder string) []string {
	prefix := l.common() + folder + "/"
	var out []string
	for _, f := range l.files {
		if strings.HasPrefix(f, prefix) {
			out = append(out, f)
		}
	}
	return out
}

// kinds counts the files of each extension.
func (l listing) kinds() []count {
	m := map[string]int{}
	for _, f := range l.files {
		ext := path.Ext(f)
		if ext == "" || ext == path.Base(f) {
			ext = "no extension"
		}
		m[ext]++
	}
	return byCount(m)
}

// manifests are files that tell what a project is made of, the most telling
// first.
func manifests() []string {
	return []string{"go.mod", "package.json", "pyproject.toml", "makefile", "cargo.toml", "pom.xml", "cmakelists.txt"}
}

var binaryRE = lazyregexp.New(`(?i)\.(png|jpe?g|gif|ico|webp|bmp|pdf|zip|gz|tgz|xz|bz2|7z|tar|exe|dll|so|dylib|a|o|bin|db|sqlite3?|woff2?|ttf|otf|mp[34]|mov|wav|ogg|class|jar|wasm|pyc|docx?|xlsx?|pptx?)$`)

// interesting chooses the file that says most about a project: a readme, a
// manifest, any text; with manifest, a manifest before a readme.
func (l listing) interesting(manifest bool) string {
	type ranked struct {
		file string
		rank int
	}
	var all []ranked
	for i, f := range l.files {
		rank := maxInt + i // as listed
		base := strings.ToLower(path.Base(f))
		depth := 60 * strings.Count(f, "/")
		switch m := slices.Index(manifests(), base); {
		case binaryRE.MatchString(f):
			continue
		case strings.HasPrefix(base, "readme"):
			rank = depth
			if manifest {
				rank += maxInt / 2
			}
		case m >= 0:
			rank = 100 + 10*m + depth
		}
		all = append(all, ranked{f, rank})
	}
	if len(all) == 0 {
		return ""
	}
	return slices.MinFunc(all, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) }).file
}

// page is what reading a file returned.
type page struct {
	path  string
	lines []string // without their numbers
	total int      // lines of the file, 0 if unknown
}

var numberedRE = lazyregexp.New(`^\s*\d+\|`)

func (u *use) page() page {
	if u == nil {
		return page{}
	}
	p := page{path: u.arg("path")}
	content := strings.TrimSuffix(u.result.str("content"), "\n")
	for line := range strings.SplitSeq(content, "\n") {
		p.lines = append(p.lines, strings.TrimSuffix(line[len(numberedRE.FindString(line)):], "\r"))
	}
	if content == "" {
		p.lines = nil
	}
	p.total, _ = u.result.num("total_lines")
	return p
}

// arg is a text argument of the call, empty where there is no call.
func (u *use) arg(key string) string {
	if u == nil {
		return ""
	}
	return parseResult(u.call.Arguments).str(key)
}

// headings are the headings of a Markdown file, outside of code blocks; none of
// another file.
func (p page) headings() []string {
	var out []string
	if base := strings.ToLower(path.Base(p.path)); !strings.HasSuffix(base, ".md") && !strings.HasPrefix(base, "readme") {
		return nil
	}
	code := false
	for _, line := range p.lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		if text := strings.TrimLeft(line, "#"); !code && text != line && strings.HasPrefix(text, " ") {
			out = append(out, strings.TrimSpace(text))
		}
	}
	return out
}

// begin describes how the file begins: its first heading or its first words.
func (p page) begin() string {
	if h := p.headings(); len(h) > 0 {
		return "its first heading is “" + plain(h[0], 80) + "”"
	}
	if first := firstLine(strings.Join(p.lines, "\n")); first != "" {
		return "it begins with " + code(first)
	}
	return "it is empty"
}

// command is what a command in a shell returned.
type command struct {
	text   string
	output []string
	exit   int
	ran    bool
}

func (u *use) command() command {
	if u == nil {
		return command{}
	}
	c := command{text: u.arg("command")}
	c.exit, c.ran = u.result.num("exit_code")
	if out := strings.TrimSpace(u.result.str("output")); out != "" {
		c.output = strings.Split(out, "\n")
	}
	if why, _ := u.trouble(); why != "" && c.exit == 0 {
		c.ran = false
	}
	return c
}

var commitRE = lazyregexp.New(`^[0-9a-f]{7,40} \S`)

// commits reports whether the output is a short log of commits.
func (c command) commits() bool {
	return len(c.output) > 0 && !slices.ContainsFunc(c.output, func(s string) bool { return !commitRE.MatchString(s) })
}

// hit is a line that a search found.
type hit struct {
	path string
	line int
	text string
}

// hits is what a search in files returned, and how many there are in all.
func (u *use) hits() ([]hit, int) {
	if u == nil {
		return nil, 0
	}
	var out []hit
	for _, item := range u.result.list("matches") {
		m, ok := item.(map[string]any)
		if !ok {
			continue
		}
		h := hit{line: 1}
		h.path, _ = m["path"].(string)
		h.path = strings.TrimPrefix(h.path, "./")
		h.text, _ = m["content"].(string)
		if n, ok := m["line"].(float64); ok && n >= 1 {
			h.line = int(n)
		}
		if h.path != "" {
			out = append(out, h)
		}
	}
	total := len(out)
	if n, ok := u.result.num("total_count"); ok {
		total = max(total, n)
	}
	return out, total
}

// ranked are the first hits of the files: first the file in which most of the words
// occur, then the one with the most hits, then the first.
func ranked(hits []hit, words []string) []hit {
	score := map[string]int{}
	seen := map[string]bool{}
	var out []hit
	for _, h := range hits {
		if score[h.path] == 0 {
			out = append(out, h)
		}
		score[h.path]++
		for _, w := range words {
			key := h.path + "\x00" + w
			if strings.Contains(strings.ToLower(h.text), w) && !seen[key] {
				seen[key] = true
				score[h.path] += 1000
			}
		}
	}
	slices.SortStableFunc(out, func(a, b hit) int { return cmp.Compare(score[b.path], score[a.path]) })
	return out
}

// plural counts things: "1 file", "3 files".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// describe says how many files there are.
func (l listing) describe() string {
	switch {
	case l.total == 0:
		return "no files"
	case l.total > len(l.files):
		return fmt.Sprintf("%s, of which I was shown %d", plural(l.total, "file"), len(l.files))
	case l.more:
		return "at least " + plural(l.total, "file")
	}
	return plural(l.total, "file")
}
