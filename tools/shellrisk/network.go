package shellrisk

import (
	"path"
	"strings"
)

// netArgs asks when words for a program that talks to the network hold what
// should stay here: the output of a command, or a credential.
func (c call) netArgs(args []arg) {
	for _, a := range args {
		switch {
		case a.from&(fromCommand|fromProcess|fromInput) != 0:
			c.j.ask(CatExfiltration, "sends the output of a command to another machine", c.name, a.show())
		case a.from&fromSecret != 0:
			c.j.ask(CatExfiltration, "sends a credential to another machine", c.name, a.show())
		}
	}
}

// uploadOptions are the options by which programs send the body of a request.
// The ones marked true name a file by themselves, the others with an "@".
var uploadOptions = map[string]map[string]bool{
	"curl": {
		"-d": false, "--data": false, "--data-ascii": false, "--data-binary": false, "--data-urlencode": false,
		"-F": false, "--form": false, "--json": false, "-T": true, "--upload-file": true, "-K": true, "--config": true,
		"-H": false, "--header": false, "-E": true, "--cert": true, "-b": false, "--cookie": false, "--url-query": false,
	},
	"wget": {"--post-file": true, "--body-file": true, "--post-data": false, "--body-data": false},
}

// fetchGrammar are the options with values of curl and wget.
var fetchGrammar = map[string]grammar{
	"curl": {
		short: "AbcCdDeEFhHKmoPQrTtuUwxXyYz",
		long: "data data-ascii data-binary data-raw data-urlencode json form form-string upload-file config header output output-dir " +
			"request user user-agent referer proxy cookie cookie-jar cert key cacert capath max-time connect-timeout " +
			"retry retry-delay retry-max-time range resolve connect-to interface limit-rate write-out dump-header url " +
			"url-query unix-socket abstract-unix-socket netrc-file trace trace-ascii stderr engine proxy-user max-filesize " +
			"max-redirs variable speed-limit speed-time oauth2-bearer aws-sigv4 ciphers pinnedpubkey etag-save etag-compare libcurl hsts alt-svc",
	},
	"wget": {
		short: "aABDeGHIiloOPQRtTUwX",
		long: "output-file append-output output-document directory-prefix tries timeout wait user password user-agent header " +
			"post-data post-file body-data body-file method limit-rate input-file base execute accept reject domains " +
			"level include-directories exclude-directories referer ca-certificate ca-directory certificate private-key " +
			"use-askpass rejected-log hsts-file warc-file load-cookies save-cookies proxy-user proxy-password quota dns-timeout connect-timeout read-timeout",
	},
}

// fetch judges the programs that talk HTTP: what they send, and where they
// write what they get.
func (c call) fetch() {
	c.j.downloads++
	c.j.online(c.name)
	g := fetchGrammar[c.name]
	opts, operands := g.parse(c.args)
	c.netArgs(operands)
	wrote := false
	for _, o := range opts {
		switch {
		case isOutput(c.name, o):
			wrote = true
			c.fetched(o, operands)
			continue
		case c.name == "wget" && (o.name == "-e" || o.is("--execute", "--use-askpass")):
			c.j.ask(CatIndirectExec, "gives a program options that may run others", c.name, o.value.show())
		case o.is("--unix-socket", "--abstract-unix-socket") && strings.Contains(o.value.text, "docker"):
			c.j.ask(CatContainer, "talks to the container host", c.name, o.value.show())
		}
		c.upload(o)
		if o.given {
			c.netArgs([]arg{o.value})
		}
	}
	if c.name == "wget" && !wrote && !opts.has("--spider") {
		c.fetchedHere(operands)
	}
	if c.name == "http" || c.name == "https" || c.name == "xh" {
		c.httpie(operands)
	}
}

// httpie judges the items by which httpie sends files.
func (c call) httpie(operands []arg) {
	if c.in.piped || c.in.file != "" {
		c.j.ask(CatExfiltration, "sends what it reads to another machine", c.name)
	}
	for _, a := range operands[min(1, len(operands)):] {
		if before, _, ok := strings.Cut(a.text, "@"); ok && before != "" && !strings.ContainsAny(before, "=/") {
			c.j.ask(CatExfiltration, "sends a file to another machine", c.name, a.show())
		}
	}
}

// upload asks about an option that sends a file, or what is read.
func (c call) upload(o option) {
	for name, file := range uploadOptions[c.name] {
		if !o.given || o.name != name && !(len(name) > 2 && o.is(name)) {
			continue
		}
		if (name == "-K" || name == "--config") && !c.in.piped && !c.in.doc {
			continue // options from a file, as curl reads its own settings
		}
		if file || namesFile(name, o.value.text) {
			c.j.ask(CatExfiltration, "sends a file to another machine", c.name, o.name, o.value.show())
		}
	}
}

// namesFile reports whether the value of an option stands for a file to be sent.
func namesFile(name, value string) bool {
	switch name {
	case "-F", "--form":
		_, content, _ := strings.Cut(value, "=")
		return strings.HasPrefix(content, "@") || strings.HasPrefix(content, "<")
	case "--data-urlencode", "--url-query":
		before, _, ok := strings.Cut(value, "@")
		return ok && !strings.Contains(before, "=")
	case "-b", "--cookie":
		return false // cookies are read from files, but only those of the site are sent
	}
	return strings.HasPrefix(value, "@")
}

// isOutput tells the options that name the file to write.
func isOutput(program string, o option) bool {
	switch program {
	case "curl":
		return o.is("-o", "--output", "-O", "--remote-name", "--remote-name-all", "--output-dir", "-D", "--dump-header",
			"-c", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--libcurl", "--etag-save", "--hsts", "--alt-svc") && !strings.HasPrefix(o.name, "--data")
	case "wget":
		return o.is("-O", "--output-document", "-o", "--output-file", "-a", "--append-output", "-P", "--directory-prefix",
			"--save-cookies", "--rejected-log", "--hsts-file", "--warc-file")
	case "aria2c":
		return o.is("-o", "--out")
	}
	return o.is("-o", "--output")
}

// fetched judges the file an option names, and remembers that its content comes
// from the network.
func (c call) fetched(o option, operands []arg) {
	switch {
	case o.given && o.value.text == "-":
		return
	case o.is("--output-dir", "-P", "--directory-prefix"):
		c.makes(arg{text: o.value.text + "/.", from: o.value.from})
		c.fetchedInto(o.value, operands)
		c.fetchedHere(operands)
	case o.given:
		c.j.writes(c.st, o.value)
		c.j.note(c.st, o.value, written|fromDownload)
	default:
		c.fetchedHere(operands)
	}
}

// fetchedHere judges and remembers files that get the last element of an address.
func (c call) fetchedHere(operands []arg) { c.fetchedInto(here, operands) }

func (c call) fetchedInto(dir arg, operands []arg) {
	for _, a := range operands {
		address, _, _ := strings.Cut(a.text, "?")
		if name := path.Base(address); name != "" && name != "/" && name != "." {
			file := arg{text: joinPath(dir.text, name), from: dir.from}
			if !hasHole(file.text) {
				c.j.writes(c.st, file)
			}
			c.j.note(c.st, file, written|fromDownload)
		}
	}
}

// connect judges the programs that open connections.
func (c call) connect() {
	c.netArgs(c.args)
	shown := append([]string{c.name}, show(c.args)...)
	switch c.name {
	case "openssl":
		for i, a := range c.args {
			if i > 0 && (c.args[i-1].text == "-out" || c.args[i-1].text == "-keyout" || c.args[i-1].text == "-writerand") {
				c.writesFile(a)
			}
		}
		if len(c.args) > 0 && c.args[0].text == "s_client" {
			c.j.online(c.name)
			if c.in.piped || c.in.file != "" {
				c.j.ask(CatExfiltration, "sends what it reads to another machine", shown...)
			}
		}
		return
	case "socat":
		for _, a := range c.args {
			if up := strings.ToUpper(a.text); strings.HasPrefix(up, "EXEC:") || strings.HasPrefix(up, "SYSTEM:") ||
				strings.HasPrefix(up, "SHELL:") {
				c.j.ask(CatRemoteExec, "connects a program to the network", shown...)
			}
		}
	default:
		opts, _ := grammar{short: "ceIiOPpqsTVwWxX", long: "exec sh-exec lua-exec proxy source"}.parse(c.args)
		if opts.has("-e", "-c", "--exec", "--sh-exec", "--lua-exec") {
			c.j.ask(CatRemoteExec, "connects a program to the network", shown...)
		}
	}
	c.j.downloads++
	c.j.online(c.name)
	if c.in.piped || c.in.doc || c.in.file != "" {
		c.j.ask(CatExfiltration, "sends what it reads to another machine", shown...)
	}
}

// sshGrammar are the options of ssh.
var sshGrammar = grammar{short: "BbcDEeFIiJLlmOoPpQRSWw", first: true}

// sshRuns reports whether an option of ssh runs a program here.
func sshRuns(option string) bool {
	name := strings.ToLower(option)
	return strings.Contains(name, "command") || strings.HasPrefix(name, "pkcs11provider") || strings.HasPrefix(name, "include")
}

// remote judges what runs on another machine, or is sent there.
func (c call) remote() {
	c.j.online(c.name)
	shown := append([]string{c.name}, show(c.args)...)
	switch c.name {
	case "ssh", "mosh", "autossh", "rsh":
	case "sshpass":
		_, rest := grammar{short: "pfdP", first: true}.parse(c.args)
		c.j.command(c.st, rest, c.in)
		return
	case "rclone":
		if len(c.args) > 0 && (c.args[0].text == "ls" || strings.HasPrefix(c.args[0].text, "ls") || c.args[0].text == "version") {
			return
		}
		c.j.ask(CatExfiltration, "sends files to another machine", shown...)
		return
	default:
		c.j.ask(CatExfiltration, "exchanges files with another machine", shown...)
		return
	}
	opts, rest := sshGrammar.parse(c.args)
	c.netArgs(c.args)
	for _, o := range opts {
		if o.name == "-o" && sshRuns(o.value.text) {
			c.j.ask(CatIndirectExec, "runs another program", c.name, o.value.show())
		}
	}
	if opts.spelled("-V", "-G", "-Q") && len(rest) < 2 {
		return
	}
	if len(rest) > 1 {
		st := newState(Setting{Home: c.st.set.Home})
		st.cwd = ""
		c.j.contained++
		inner := call{j: c.j, st: st, name: c.name, word: c.word, in: c.in}
		if !hasHole(joined(rest[1:]).text) {
			c.j.text(joined(rest[1:]).text, inner.st, c.in)
		}
		c.j.contained--
	}
	c.j.askWeakly(CatRemoteExec, "runs on another machine", shown...)
	if c.in.piped || c.in.doc {
		c.j.ask(CatRemoteExec, "hands what it reads to another machine", shown...)
	}
}

// lookupNet judges programs that send little more than their arguments.
func (c call) lookupNet() {
	c.j.online(c.name)
	c.netArgs(c.args)
	switch c.name {
	case "mail", "mailx", "sendmail", "mutt", "swaks":
		if len(c.args) > 0 {
			c.j.ask(CatExfiltration, "sends mail", append([]string{c.name}, show(c.args)...)...)
		}
	}
}
