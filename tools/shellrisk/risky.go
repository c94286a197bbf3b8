package shellrisk

import (
	"path"
	"slices"
	"strings"
)

// riskyOption is an option by which an ordinary program runs another one or
// writes a file.
type riskyOption struct {
	names  string // separated by blanks
	reason string
	// short and long are the options with a value, as in a grammar.
	short, long string
	single      bool
}

// Reasons of risky options.
const (
	runsAnother = "has an option by which it runs another program"
	writesAFile = "has an option by which it writes a file"
)

// riskyOptions is the table of those programs.
var riskyOptions = map[string][]riskyOption{
	"rg": {{
		names: "--pre --hostname-bin -z --search-zip", reason: runsAnother, short: "efgmtTABCEjMr",
		long: `regexp file glob iglob type type-not max-count max-depth after-context before-context context encoding
			threads sort replace colors ignore-file pre pre-glob hostname-bin engine`,
	}},
	"tar": {{
		names: `--to-command --checkpoint-action -I --use-compress-program -F --info-script --new-volume-script
			--rmt-command --rsh-command`,
		reason: runsAnother, short: "fCTXbgHIFKLNV",
		long: "file directory exclude files-from exclude-from strip-components transform use-compress-program",
	}},
	"sort": {
		{names: "--compress-program", reason: runsAnother, short: "kSTto", long: sortLong},
		{names: "-o --output", reason: writesAFile, short: "kSTto", long: sortLong},
	},
	"less":      {{names: "-o -O --log-file -k --lesskey-file", reason: writesAFile, short: "oOkptTbhjxyzP"}},
	"base64":    {{names: "-o --output", reason: writesAFile, short: "wbio", long: "wrap output"}},
	"man":       {{names: "-P --pager -H --html -C --config-file", reason: runsAnother, short: "PHCMSLpre", long: "pager"}},
	"zip":       {{names: "-T -TT --unzip-command", reason: runsAnother}},
	"ack":       {{names: "--pager", reason: runsAnother}},
	"ag":        {{names: "--pager", reason: runsAnother}},
	"bat":       {{names: "--pager", reason: runsAnother, long: "pager"}},
	"fzf":       {{names: "--preview --bind --listen", reason: runsAnother}},
	"nmap":      {{names: "--script", reason: runsAnother}},
	"tcpdump":   {{names: "-z", reason: runsAnother, short: "BcCEFGijmMrsTVwWyz"}},
	"gcc":       {{names: "-wrapper -fplugin", reason: runsAnother, single: true}},
	"cc":        {{names: "-wrapper -fplugin", reason: runsAnother, single: true}},
	"g++":       {{names: "-wrapper -fplugin", reason: runsAnother, single: true}},
	"pytest":    {{names: "--pdbcls", reason: runsAnother}},
	"logrotate": {{names: "-m --mail", reason: runsAnother, short: "msl"}},
}

const sortLong = `key buffer-size temporary-directory field-separator parallel output compress-program files0-from`

// compressors are what tar is usually told to compress with.
var compressors = words(`gzip pigz bzip2 pbzip2 xz pixz zstd pzstd lz4 lzip lzop brotli`)

// options judges what the options of any program say.
func (c call) options() {
	for _, risky := range riskyOptions[c.name] {
		opts, _ := grammar{short: risky.short, long: risky.long, single: risky.single}.parse(c.args)
		for _, o := range opts {
			if o.is(strings.Fields(risky.names)...) && !(o.given && usualTool(o.value)) {
				c.j.ask(CatIndirectExec, risky.reason, c.name, o.name, o.value.show())
			}
		}
	}
	switch {
	case c.name == "ip" && len(c.args) > 2 && c.args[0].text == "netns" && c.args[1].text == "exec":
		c.j.command(c.st, c.args[min(3, len(c.args)):], c.in)
	case c.name == "apt" || c.name == "apt-get":
		opts, _ := grammar{short: "oct", long: "option config-file target-release"}.parse(c.args)
		if o, ok := opts.get("-o", "--option"); ok && strings.Contains(strings.ToLower(o.value.text), "invoke") {
			c.j.ask(CatIndirectExec, runsAnother, c.name, o.value.show())
		}
	case c.name == "ps" && len(c.args) > 0 && !strings.HasPrefix(c.args[0].text, "-") && strings.Contains(c.args[0].text, "e"):
		c.j.ask(CatSensitiveFile, "reads the secrets of another process", c.name, c.args[0].show())
	}
	if c.name == "less" || c.name == "more" {
		for _, a := range c.args {
			if strings.HasPrefix(a.text, "+!") || strings.HasPrefix(a.text, "++!") {
				c.j.ask(CatIndirectExec, runsAnother, c.name, a.show())
			}
		}
	}
	if c.patternsMayBeOptions() {
		c.patternOption()
	}
}

// usualTool reports whether the value of a risky option names a plain pager or
// compressor.
func usualTool(value arg) bool {
	fields := strings.Fields(value.text)
	if len(fields) == 0 || hasHole(value.text) || strings.ContainsAny(value.text, ";|&$`<>()") {
		return false
	}
	return harmlessProgram(value) || compressors[fields[0]]
}

// patternsMayBeOptions reports whether the program has options worth hiding.
func (c call) patternsMayBeOptions() bool {
	switch c.name {
	case "tar", "rsync", "chown", "chmod", "find", "git", "scp", "zip", "rm":
		return true
	}
	return len(riskyOptions[c.name]) > 0
}

// patternOption asks when a pattern would turn into an option: a file in the
// directory is named like one.
func (c call) patternOption() {
	if c.j.set.List == nil {
		return
	}
	for _, a := range c.args {
		if a.text == "--" {
			return
		}
		if a.pat == "" || !strings.ContainsAny(a.pat[:1], "*?[-") || strings.Contains(a.pat, "/") || c.st.cwd == "" {
			continue
		}
		names := c.j.set.List(path.Clean(c.st.cwd))
		if i := slices.IndexFunc(names, func(name string) bool {
			return strings.HasPrefix(name, "-") && matches(a.pat, name)
		}); i >= 0 {
			c.j.ask(CatObfuscated, "would take a file for an option", c.name, a.show(), names[i])
		}
	}
}
