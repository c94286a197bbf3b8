package shellrisk

import "strings"

// gitProgramKeys are settings that name a program, a library or a place with
// programs. A "*" stands for the middle part of a name.
var gitProgramKeys = words(`core.pager core.editor core.sshcommand core.fsmonitor core.hookspath core.gitproxy core.askpass
	core.alternaterefscommand core.worktree sequence.editor interactive.difffilter diff.external gpg.program
	gpg.*.program gpg.ssh.defaultkeycommand credential.helper credential.*.helper diff.*.command diff.*.textconv
	difftool.*.cmd difftool.*.path mergetool.*.cmd mergetool.*.path merge.*.driver filter.*.clean filter.*.smudge
	filter.*.process uploadpack.packobjectshook remote.*.uploadpack remote.*.receivepack remote.*.vcs remote.*.proxy
	remote.*.url protocol.allow protocol.*.allow include.path includeif.*.path url.*.insteadof url.*.pushinsteadof
	http.proxy http.*.proxy http.sslverify http.*.sslverify http.sslcainfo init.templatedir browser.*.cmd man.*.cmd
	man.*.path web.browser instaweb.httpd sendemail.sendmailcmd sendemail.tocmd sendemail.cccmd trailer.*.command
	trailer.*.cmd submodule.*.update tar.*.command imap.tunnel clean.requireforce notes.rewriteref`)

// gitConfig judges one setting given as "key=value".
func (c call) gitConfig(a arg) {
	key, value, has := strings.Cut(a.text, "=")
	if !has {
		value = "true"
	}
	c.gitSetting(key, arg{text: value, from: a.from})
}

func (c call) gitSetting(key string, value arg) {
	if hasHole(key) {
		c.j.ask(CatEnvInjection, "sets a git option that cannot be known beforehand", c.name, value.show())
		return
	}
	key = strings.ToLower(key)
	if name, ok := strings.CutPrefix(key, "alias."); ok {
		c.st.name("git "+strings.TrimSuffix(name, ".command"), value)
	}
	section, rest, _ := strings.Cut(key, ".")
	general := section
	if i := strings.LastIndexByte(rest, '.'); i >= 0 {
		general += ".*" + rest[i:]
	} else {
		general += "." + rest
	}
	names := gitProgramKeys[key] || gitProgramKeys[general] || section == "alias" || section == "pager"
	if !names || harmlessProgram(value) || section == "alias" && !strings.HasPrefix(value.text, "!") && !hasHole(value.text) {
		return
	}
	c.j.ask(CatEnvInjection, "makes git run another program", c.name, key, value.show())
}

// gitConfigVerb judges "git config", which keeps what it sets.
func (c call) gitConfigVerb(args []arg) {
	g := grammar{short: "ft", long: "file type default blob comment value"}
	opts, operands := g.parse(args)
	if opts.has("--get", "--get-all", "--get-regexp", "-l", "--list", "--unset", "--unset-all", "--name-only") {
		return
	}
	if opts.has("-e", "--edit") {
		c.j.ask(CatEnvInjection, "opens an editor", c.name, "config", "--edit")
		return
	}
	if len(operands) > 0 && (operands[0].text == "set" || operands[0].text == "--add") {
		operands = operands[1:]
	}
	if len(operands) < 2 || operands[0].text == "get" || operands[0].text == "unset" || operands[0].text == "list" {
		return
	}
	c.gitSetting(operands[0].text, operands[1])
	if o, ok := opts.get("-f", "--file"); ok {
		c.writesFile(o.value)
	}
}
