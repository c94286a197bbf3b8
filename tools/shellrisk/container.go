package shellrisk

import (
	"path"
	"slices"
	"strings"
)

// dockerGlobal are the options before docker's subcommand.
var dockerGlobal = grammar{short: "Hclfp", long: "host context config log-level tlscacert tlscert tlskey url identity connection file " +
	"project-name project-directory profile env-file", first: true}

// docker judges container commands.
func (c call) docker() {
	opts, rest := dockerGlobal.parse(c.args)
	if opts.has("-H", "--host", "-c", "--context", "--url", "--connection") {
		c.j.ask(CatContainer, "talks to another container host", append([]string{c.name}, show(c.args)...)...)
	}
	compose := strings.HasSuffix(c.name, "-compose")
	if !compose && len(rest) > 0 && rest[0].text == "compose" {
		compose = true
		_, rest = dockerGlobal.parse(rest[1:])
	}
	if len(rest) == 0 {
		return
	}
	if rest[0].opens() {
		c.j.ask(CatContainer, "does to containers what cannot be known beforehand", c.name, rest[0].show())
	}
	if compose {
		c.compose(rest[0].text, rest[1:])
		return
	}
	c.dockerVerb(rest)
}

func (c call) compose(verb string, args []arg) {
	shown := append([]string{c.name, "compose", verb}, show(args)...)
	switch verb {
	case "down", "stop", "restart", "kill", "rm":
		c.j.ask(CatContainer, "stops or removes containers", shown...)
	case "push", "publish":
		c.j.ask(CatPublish, "publishes images", shown...)
	case "build":
		c.builds(args, shown)
	case "exec":
		c.inContainer(grammar{short: "euw", long: "env user workdir index", first: true}, args)
	case "run":
		c.containerOptions(args)
	}
}

// dockerGroups are the subcommands that have subcommands of their own.
var dockerGroups = words(`container image volume network system builder buildx swarm stack service node secret config
	plugin context pod machine manifest`)

func (c call) dockerVerb(args []arg) {
	group, verb, rest := "", args[0].text, args[1:]
	if dockerGroups[verb] && len(rest) > 0 {
		group, verb, rest = verb, rest[0].text, rest[1:]
	}
	shown := append([]string{c.name}, show(args)...)
	switch verb {
	case "stop", "restart", "kill":
		c.j.ask(CatContainer, "stops containers", shown...)
	case "rm", "remove", "prune", "leave", "down", "reset":
		c.j.ask(CatContainer, "removes containers or their data", shown...)
	case "push":
		c.j.ask(CatPublish, "publishes images", shown...)
	case "build", "bake":
		c.builds(rest, shown)
	case "exec":
		c.inContainer(grammar{short: "euw", long: "env env-file user workdir detach-keys", first: true}, rest)
	case "run", "create":
		c.containerOptions(rest)
	case "deploy":
		if group == "stack" {
			c.j.ask(CatContainer, "changes running services", shown...)
		}
	case "cp":
		if _, operands := (grammar{}).parse(rest); len(operands) == 2 && !remotePath(operands[1].text) {
			c.writesInto(operands[:1], operands[1], false)
		}
	}
}

// builds judges whether images are published as soon as they are built.
func (c call) builds(args []arg, shown []string) {
	for _, a := range args {
		name, value, given := strings.Cut(a.text, "=")
		if name == "--push" && (!given || value != "false") || strings.Contains(a.text, "type=registry") || strings.Contains(a.text, "push=true") {
			c.j.ask(CatPublish, "publishes images", shown...)
		}
	}
}

// inContainer judges a command that runs in a container: it asks, but it does
// not block, since this machine is out of reach.
func (c call) inContainer(g grammar, args []arg) {
	opts, rest := g.parse(args)
	if opts.has("--privileged") {
		c.j.ask(CatContainer, "gives a container power over this machine", c.name, "--privileged")
	}
	if len(rest) < 2 {
		return
	}
	st := c.st.clone()
	st.enter("")
	c.j.contained++
	c.j.command(st, rest[1:], c.in)
	c.j.contained--
}

// runGrammar are the options of docker run that take a value.
var runGrammar = grammar{
	short: "aceghlmpuvw", first: true,
	long: "add-host annotation attach cap-add cap-drop cgroup-parent cgroupns cidfile cpus cpu-shares cpuset-cpus device " +
		"dns entrypoint env env-file expose gpus group-add health-cmd hostname ip ipc label link log-driver log-opt " +
		"mac-address memory mount name net network network-alias pid platform publish pull restart runtime security-opt " +
		"shm-size stop-signal stop-timeout storage-opt sysctl tmpfs ulimit user userns uts volume volumes-from workdir",
}

// containerOptions judges what a new container may reach of this machine.
func (c call) containerOptions(args []arg) {
	opts, _ := runGrammar.parse(args)
	for _, o := range opts {
		reach := false
		value := o.value.text
		switch {
		case o.is("--privileged"):
			reach = !o.given || value != "false"
		case o.name == "-v", o.name == "--volume":
			source, _, _ := strings.Cut(value, ":")
			reach = strings.Contains(value, ":") && c.exposes(arg{text: source, from: o.value.from})
		case o.name == "--mount":
			for field := range strings.SplitSeq(value, ",") {
				if k, v, _ := strings.Cut(field, "="); k == "source" || k == "src" {
					reach = reach || c.exposes(arg{text: v, from: o.value.from})
				}
			}
		case slices.Contains([]string{"--pid", "--ipc", "--uts", "--userns", "--cgroupns"}, o.name):
			reach = value == "host"
		case o.name == "--cap-add":
			reach = strings.Contains(strings.ToUpper(value), "ADMIN") || strings.EqualFold(value, "ALL") ||
				strings.Contains(strings.ToUpper(value), "PTRACE") || strings.Contains(strings.ToUpper(value), "MODULE")
		case o.name == "--security-opt":
			reach = strings.Contains(value, "unconfined") || strings.Contains(value, "disable")
		case o.name == "--device":
			reach = deviceOnDisk(value)
		}
		if reach {
			c.j.ask(CatContainer, "gives a container power over this machine", c.name, o.name, o.value.show())
		}
	}
}

// exposes reports whether mounting a place hands the machine over: its root, a
// system folder, a home, credentials, or the socket of the container host.
func (c call) exposes(source arg) bool {
	if strings.HasSuffix(source.text, ".sock") && strings.Contains(path.Base(source.text), "docker") ||
		strings.HasSuffix(source.text, "podman.sock") || strings.HasSuffix(source.text, "containerd.sock") {
		return true
	}
	if !strings.HasPrefix(source.text, "/") && !strings.HasPrefix(source.text, ".") {
		return false // a named volume
	}
	if cat, _ := c.st.precious(source); cat != CatNone {
		return true
	}
	file, ok := c.st.abs(source.text)
	if !ok || c.j.set.Inside(file) {
		return false
	}
	z, _, fixed := c.j.set.fixedZone(file)
	return fixed && z >= zoneAgent
}
