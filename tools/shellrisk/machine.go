package shellrisk

import (
	"slices"
	"strconv"
	"strings"
)

// kill judges the processes that get a signal.
func (c call) kill() {
	args := c.args
	if len(args) > 0 {
		switch text := args[0].text; {
		case text == "-l" || text == "-L" || text == "--list":
			return
		case text == "-s" || text == "-n" || text == "--signal":
			args = args[min(2, len(args)):]
		case text != "--" && len(text) > 1 && text[0] == '-':
			args = args[1:]
		}
	}
	for _, a := range args {
		switch {
		case a.text == "--":
		case a.from&fromParent != 0 || c.j.set.Program > 0 && strings.TrimLeft(a.text, "-0") == strconv.Itoa(c.j.set.Program):
			c.j.block(CatProcessKill, "ends this program, and with it every agent", append([]string{c.name}, show(c.args)...)...)
		case a.text == "-1":
			c.j.block(CatKillAll, "ends every process there is", append([]string{c.name}, show(c.args)...)...)
		case a.from&fromJob != 0 || strings.HasPrefix(a.text, "%"):
		case a.from&dynamic != 0 || hasHole(a.text):
			c.j.ask(CatProcessKill, "ends processes that it looks up", append([]string{c.name}, show(c.args)...)...)
		}
	}
}

// killByName judges programs that choose processes by name, user or port.
func (c call) killByName() {
	shown := append([]string{c.name}, show(c.args)...)
	switch c.name {
	case "killall5", "skill":
		c.j.block(CatKillAll, "ends every process there is", shown...)
		return
	case "tmux", "screen":
		c.multiplexer(shown)
		return
	case "fuser":
		if opts, _ := (grammar{short: "n"}).parse(c.args); opts.has("-k", "--kill") {
			c.j.ask(CatProcessKill, "ends processes that it looks up", shown...)
		}
		return
	}
	opts, operands := grammar{short: "gGPstuUFsnoy", long: "signal user group parent session terminal"}.parse(killSignals(c.args))
	if slices.ContainsFunc(opts, func(o option) bool {
		return o.given && isKill(o.value.text)
	}) {
		c.j.ask(CatProcessKill, "ends processes by force", shown...)
	}
	if opts.has("-u", "-U", "--user", "--euid", "-t", "-r", "--regexp") {
		c.j.ask(CatProcessKill, "ends many processes at once", shown...)
	}
	for _, a := range operands {
		text := strings.ToLower(a.text)
		if a.from&dynamic != 0 || hasHole(a.text) || strings.Contains(text, "hermes") || strings.Trim(text, ".*^$") == "" {
			c.j.ask(CatProcessKill, "ends processes that it looks up", shown...)
		}
	}
}

// killSignals rewrites "-KILL" and "-9" to the form with "-s", which is an
// option like any other.
func killSignals(args []arg) []arg {
	out := make([]arg, 0, len(args)+1)
	for _, a := range args {
		if len(a.text) > 1 && a.text[0] == '-' && isSignal(a.text[1:]) {
			out = append(out, literalArg("-s"), literalArg(a.text[1:]))
			continue
		}
		out = append(out, a)
	}
	return out
}

// isSignal tells the name or number of a signal from letters of options.
func isSignal(s string) bool {
	return len(s) > 1 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" || s == "9"
}

func isKill(signal string) bool {
	signal = strings.TrimPrefix(strings.ToUpper(signal), "SIG")
	return signal == "KILL" || signal == "9"
}

// multiplexer judges what is done to other terminals, and what is started in
// new ones.
func (c call) multiplexer(shown []string) {
	if c.name == "screen" {
		opts, rest := grammar{short: "SctTephXQRr", first: true}.parse(c.args)
		if opts.has("-X") {
			c.j.ask(CatIndirectExec, "types into another terminal", shown...)
		}
		c.j.command(c.st.clone(), rest, input{})
		return
	}
	for i, a := range c.args {
		switch a.text {
		case "kill-server", "kill-session", "kill-window", "kill-pane":
			c.j.ask(CatProcessKill, "closes terminals with what runs in them", shown...)
		case "send-keys", "send", "pipe-pane", "run-shell", "run", "if-shell", "source-file":
			c.j.ask(CatIndirectExec, "types into another terminal", shown...)
		case "new", "new-session", "new-window", "neww", "split-window", "splitw", "respawn-pane", "respawn-window":
			_, rest := grammar{short: "cefFlnpstxy", first: true}.parse(c.args[i+1:])
			c.codeWords(rest)
			return
		}
	}
}

// power judges programs that stop the machine.
func (c call) power() {
	opts, operands := grammar{}.parse(c.args)
	if opts.spelled("--help", "--version") {
		return
	}
	switch c.name {
	case "init", "telinit":
		if len(operands) == 0 || operands[0].text != "0" && operands[0].text != "6" {
			return
		}
	case "kexec":
		if !opts.has("-e", "--exec") {
			return
		}
	}
	c.j.block(CatPower, "stops the machine", append([]string{c.name}, show(c.args)...)...)
}

// powerCalls are the last parts of the names of what other programs are asked for
// over D-Bus to stop the machine.
var powerCalls = words(`PowerOff Reboot Halt KExec SoftReboot PowerOffWithFlags RebootWithFlags HaltWithFlags
	KExecWithFlags ScheduleShutdown Stop Restart`)

// messages judges the programs that send messages over D-Bus.
func (c call) messages() {
	for i, a := range c.args {
		name := a.text[strings.LastIndexByte(a.text, '.')+1:]
		whole := strings.Contains(a.text, "login1") || strings.Contains(a.text, "systemd1") || strings.Contains(a.text, "ConsoleKit")
		for _, before := range c.args[:i] {
			whole = whole || strings.Contains(before.text, "login1") || strings.Contains(before.text, "systemd1") || strings.Contains(before.text, "ConsoleKit")
		}
		if whole && powerCalls[name] {
			c.j.block(CatPower, "stops the machine", append([]string{c.name}, show(c.args)...)...)
		}
	}
}

// wakeUp judges rtcwake, which stops the machine unless it is told to do less.
func (c call) wakeUp() {
	opts, _ := grammar{short: "dmstA", long: "device mode seconds time date adjfile"}.parse(c.args)
	o, ok := opts.get("-m", "--mode")
	switch {
	case ok && (o.value.text == "no" || o.value.text == "on" || o.value.text == "show" || o.value.text == "disable"):
	case opts.spelled("-n", "--dry-run", "-h", "--help", "-V", "--version", "--list-modes"):
	default:
		c.j.block(CatPower, "stops the machine", append([]string{c.name}, show(c.args)...)...)
	}
}

// stopTargets are the units by which systemd stops the machine.
var stopTargets = words(`poweroff.target reboot.target halt.target kexec.target shutdown.target
	runlevel0.target runlevel6.target ctrl-alt-del.target`)

// systemctl judges what is done to the machine and its services.
func (c call) systemctl() {
	g := grammar{short: "tpHMnos", long: "type property host machine lines output state signal kill-whom root job-mode"}
	_, operands := g.parse(c.args)
	if len(operands) == 0 {
		return
	}
	shown := append([]string{c.name}, show(c.args)...)
	verb := operands[0]
	switch verb.text {
	case "poweroff", "reboot", "halt", "kexec", "soft-reboot":
		c.j.block(CatPower, "stops the machine", shown...)
		return
	case "stop", "restart", "disable", "mask", "kill", "try-restart", "reload-or-restart", "isolate", "suspend",
		"hibernate", "set-default", "emergency", "rescue", "default", "revert", "edit", "terminate-user",
		"kill-user", "terminate-session", "kill-session":
		c.j.ask(CatService, "stops or changes a service", shown...)
	}
	if verb.opens() {
		c.j.ask(CatService, "does to a service what cannot be known beforehand", shown...)
	}
	for _, a := range operands[1:] {
		if stopTargets[a.text] {
			c.j.block(CatPower, "stops the machine", shown...)
		}
	}
}

// serviceVerbs are what stops or removes services with other managers.
var serviceVerbs = map[string]map[string]bool{
	"service":       words("stop restart force-reload"),
	"rc-service":    words("stop restart"),
	"launchctl":     words("unload bootout stop kickstart remove disable load bootstrap reboot kill"),
	"supervisorctl": words("stop restart shutdown remove"),
	"pm2":           words("stop restart delete kill"),
	"initctl":       words("stop restart"),
	"sv":            words("stop restart down kill exit"),
}

// service judges the other managers of services, and cron.
func (c call) service() {
	shown := append([]string{c.name}, show(c.args)...)
	_, operands := grammar{}.parse(c.args)
	has := func(i int, verbs ...string) bool {
		return i < len(operands) && slices.Contains(verbs, operands[i].text)
	}
	switch c.name {
	case "crontab":
		if opts, _ := (grammar{short: "u"}).parse(c.args); !opts.has("-l") {
			c.j.ask(CatSystemConfig, "changes what runs at set times", shown...)
		}
	case "brew":
		if has(0, "services") && has(1, "stop", "restart", "kill") {
			c.j.ask(CatService, "stops or changes a service", shown...)
		}
	case "hermes":
		if has(0, "gateway") && has(1, "stop", "restart") || has(0, "update", "uninstall") {
			c.j.ask(CatService, "stops or changes the agent itself", shown...)
		}
	default:
		for _, a := range operands {
			if serviceVerbs[c.name][a.text] {
				c.j.ask(CatService, "stops or changes a service", shown...)
				return
			}
		}
	}
}

// administer judges programs that change the system or its users.
func (c call) administer() {
	if len(c.args) == 0 && (c.name == "mount" || c.name == "swapoff") {
		return
	}
	opts, operands := grammar{}.parse(c.args)
	if opts.spelled("--help", "--version", "-h", "-l", "-L", "--list", "-S", "-a") && len(operands) == 0 {
		return
	}
	if c.name == "sysctl" && !opts.has("-w", "--write", "-p", "--load") && !strings.Contains(joined(operands).text, "=") {
		return
	}
	if c.name == "ufw" && len(operands) > 0 && operands[0].text == "status" {
		return
	}
	c.j.ask(CatSystemConfig, "changes the system", append([]string{c.name}, show(c.args)...)...)
}
