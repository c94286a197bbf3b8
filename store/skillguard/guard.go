// Package skillguard looks through skills before they are installed or kept: for what their
// programs and their texts would do to the user who follows them.
//
// It is pure: files go in, a [Report] comes out; nothing is read, run or fetched. It knows
// phrases by which programs and instructions send away keys, take over an agent, hide what
// they do, stay after they have ended, fetch what they run, reach out, destroy, run what
// comes from outside, read credentials, leave their folder, gain rights or mine, and how
// large a skill is. What it does not know passes: it is a look by someone who has seen such
// skills before, not a proof, and a skill that it calls safe still runs with the rights of
// whoever follows it.
//
// In Markdown, what stands outside of code counts one step less: a text may warn of what it
// names. All functions are safe for concurrent use.
package skillguard

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Category is what a finding is about.
type Category string

// The categories.
const (
	Exfiltration Category = "exfiltration"
	Injection    Category = "injection"
	Obfuscation  Category = "obfuscation"
	Persistence  Category = "persistence"
	SupplyChain  Category = "supply_chain"
	Network      Category = "network"
	Destructive  Category = "destructive"
	Execution    Category = "execution"
	Credential   Category = "credential"
	Traversal    Category = "traversal"
	Privilege    Category = "privilege"
	Mining       Category = "mining"
	Structure    Category = "structure" // what a skill consists of
)

// Severity is how much a finding weighs.
type Severity int

// The severities. Critical findings make a skill dangerous, high ones call for a look; the
// others are listed.
const (
	Low Severity = iota
	Medium
	High
	Critical
)

// Verdict is what the look through a skill came to.
type Verdict string

// The verdicts, from the mildest.
const (
	Safe      Verdict = "safe"
	Caution   Verdict = "caution"
	Dangerous Verdict = "dangerous"
)

// Finding is one thing that was found.
type Finding struct {
	File     string
	Line     int // from 1; 0 for the file as a whole
	Category Category
	Severity Severity
	ID       string
	Why      string // what it does, in words
}

// String is a line for the user.
func (f Finding) String() string {
	at := f.File
	if f.Line > 0 {
		at = fmt.Sprintf("%s line %d", f.File, f.Line)
	}
	if at != "" {
		at += " "
	}
	return at + f.Why + " (" + string(f.Category) + ")"
}

// Report is what was found in a skill, the worst first.
type Report struct {
	Verdict  Verdict
	Findings []Finding
}

// Texts are the findings that count for the verdict, as lines.
func (r Report) Texts() []string {
	var list []string
	for _, f := range r.Findings {
		if f.Severity >= High {
			list = append(list, f.String())
		}
	}
	return list
}

// File is a file of a skill.
type File struct {
	Name string // with slashes, in the folder of the skill
	Data []byte
}

// Guard looks through skills.
type Guard struct {
	// Scan says what in a text is meant for an agent, Judge what a shell script would do;
	// nil says nothing.
	Scan, Judge func(text string) []Finding
}

// The limits beyond which a skill is no longer small, and of what is looked through of one.
const (
	ManyFiles  = 50
	ManyBytes  = 1 << 20
	LargeFile  = 256 << 10
	mostText   = 8 << 20
	mostOfOne  = 3   // findings of one kind in a file
	mostOfAll  = 100 // findings
	longLine   = 4096
	lineBehind = 256 // how far pieces of a long line overlap
)

// Look looks through the files of a skill.
func (g Guard) Look(files []File) Report {
	var r Report
	total := 0
	for _, f := range files {
		total += len(f.Data)
	}
	add := func(s Severity, file, id, format string, args ...any) {
		r.Findings = append(r.Findings, Finding{File: file, Category: Structure, Severity: s, ID: id, Why: fmt.Sprintf(format, args...)})
	}
	if n := len(files); n > ManyFiles {
		add(High, "", "many_files", "has %d files, more than %d", n, ManyFiles)
	}
	if total > ManyBytes {
		add(High, "", "many_bytes", "has %.1f MB, more than %d", float64(total)/(1<<20), ManyBytes>>20)
	}
	read := 0
	for _, f := range files {
		if len(f.Data) > LargeFile {
			add(High, f.Name, "large_file", "has %d KB, more than %d", len(f.Data)>>10, LargeFile>>10)
		}
		if what := binary(f.Data); what != "" {
			add(High, f.Name, "binary_program", "is %s, which no one can read", what)
		} else if Program(f) {
			add(High, f.Name, "program", "is a program, which an agent may run")
		}
		if bytes.IndexByte(f.Data, 0) >= 0 {
			continue // no text
		}
		if read += len(f.Data); read > mostText {
			add(High, f.Name, "unread", "was not looked through, since there is so much text before it")
			continue
		}
		r.Findings = append(r.Findings, g.Text(f)...)
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	r.Findings = r.Findings[:min(len(r.Findings), mostOfAll)]
	r.Verdict = Safe
	if len(r.Findings) > 0 {
		switch r.Findings[0].Severity {
		case Critical:
			r.Verdict = Dangerous
		case High:
			r.Verdict = Caution
		}
	}
	return r
}

// Text looks through the text of a file.
func (g Guard) Text(f File) []Finding {
	text := string(f.Data)
	found := lines(f.Name, text)
	var more []Finding
	if g.Scan != nil {
		more = g.Scan(text)
	}
	if g.Judge != nil && shell(f) {
		more = append(more, g.Judge(text)...)
	}
	for _, m := range more {
		m.File = f.Name
		if (m.ID == "hidden_div" || m.ID == "html_comment_injection") && page(f.Name) {
			m.Severity = Low // a page hides what it shows later
		}
		found = append(found, m)
	}
	return found
}

// lines looks for the patterns in a text.
func lines(name, text string) (found []Finding) {
	lower := small(text)
	var starts []int // of lines
	for at := 0; at < len(text); {
		starts = append(starts, at)
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	line := func(n int) string {
		if n+1 < len(starts) {
			return text[starts[n]:starts[n+1]]
		}
		return text[starts[n]:]
	}
	prose := proseOf(name, len(starts), line)
	for _, p := range patterns() {
		times := 0
		for _, n := range p.candidates(lower, starts) {
			if !p.matches(line(n)) {
				continue
			}
			s := p.severity
			if prose != nil && prose[n] && s > Low {
				s--
			}
			found = append(found, Finding{File: name, Line: n + 1, Category: p.category, Severity: s, ID: p.id, Why: p.why})
			if times++; times == mostOfOne {
				break
			}
		}
	}
	return found
}

// proseOf says of the lines of a Markdown file which are no code, nil for other files.
func proseOf(name string, count int, line func(int) string) []bool {
	if ext := strings.ToLower(path.Ext(name)); ext != ".md" && ext != ".mdx" {
		return nil
	}
	prose, code := make([]bool, count), false
	for n := range count {
		prose[n] = !code
		if text := strings.TrimSpace(line(n)); strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
			code = !code
		}
	}
	return prose
}

// small makes letters of ASCII small, so that all stays in its place.
func small(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// candidates are the lines of a text in small letters that have one of the words which a
// pattern needs, in order.
func (p *pattern) candidates(lower string, starts []int) (list []int) {
	if len(p.words) == 0 {
		for n := range starts {
			list = append(list, n)
		}
		return list
	}
	for _, w := range p.words {
		for at := 0; ; {
			i := strings.Index(lower[at:], w)
			if i < 0 {
				break
			}
			n, exact := slices.BinarySearch(starts, at+i)
			if !exact {
				n--
			}
			list = append(list, n)
			if n+1 == len(starts) {
				break
			}
			at = starts[n+1]
		}
	}
	if len(p.words) > 1 {
		slices.Sort(list)
	}
	return slices.Compact(list)
}

// matches reports whether a pattern is in a line, which may be long.
func (p *pattern) matches(line string) bool {
	for {
		part := line[:min(len(line), longLine)]
		if p.found(part) && p.found(p.without(part)) {
			return true
		}
		if len(line) <= longLine {
			return false
		}
		line = line[longLine-lineBehind:]
		for len(line) > 0 && !utf8.RuneStart(line[0]) {
			line = line[1:]
		}
	}
}

// found reports whether a pattern is in a text, in a place that is no exception.
func (p *pattern) found(text string) bool {
	if p.but == nil {
		return p.re.MatchString(text)
	}
	return slices.ContainsFunc(p.re.FindAllString(text, -1), func(m string) bool { return !p.but.MatchString(m) })
}

// without returns a line without what is ordinary in it: what a search looks for, and the
// keys of requests.
func (p *pattern) without(line string) string {
	line = ordinary().search.ReplaceAllString(line, "")
	if p.category == Exfiltration {
		line = Unauthenticated(line)
	}
	return line
}

// Program reports whether a file is one that is run.
func Program(f File) bool {
	if bytes.HasPrefix(f.Data, []byte("#!")) {
		return true
	}
	switch strings.ToLower(path.Ext(f.Name)) {
	case ".sh", ".bash", ".zsh", ".fish", ".py", ".rb", ".pl", ".js", ".mjs", ".ts", ".ps1", ".bat", ".cmd", ".exe", ".so", ".dll":
		return true
	}
	return false
}

// page reports whether a file is a page of the web, or a program that makes some.
func page(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".css", ".svg", ".js", ".mjs", ".jsx", ".ts", ".tsx", ".vue", ".svelte", ".py", ".rb", ".php", ".j2", ".tmpl":
		return true
	}
	return false
}

// shell reports whether a file is a script of a shell.
func shell(f File) bool {
	first, _, _ := bytes.Cut(f.Data, []byte{'\n'})
	if bytes.HasPrefix(first, []byte("#!")) {
		return bytes.HasSuffix(bytes.TrimSpace(first), []byte("sh"))
	}
	switch strings.ToLower(path.Ext(f.Name)) {
	case ".sh", ".bash":
		return true
	}
	return false
}

// binary says what program a file is that no one can read, empty for none.
func binary(data []byte) string {
	for begin, what := range map[string]string{
		"\x7fELF": "a program for Linux", "MZ": "a program for Windows", "\xcf\xfa\xed\xfe": "a program for macOS", "\xca\xfe\xba\xbe": "a program for macOS or Java",
		"\x00asm": "a program of WebAssembly",
	} {
		if bytes.HasPrefix(data, []byte(begin)) && bytes.IndexByte(data, 0) >= 0 {
			return what
		}
	}
	return ""
}
