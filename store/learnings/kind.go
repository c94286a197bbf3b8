package learnings

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hermes-tui/tools/lazyregexp"
)

// Kind says of what kind a call is: calls of one kind that fail and then work teach
// something. A command line has the program that it is about, with the subcommand
// where programs have them; any other call is of the kind of its tool.
func Kind(tool, command string) string {
	if command == "" {
		return tool
	}
	words := mainCommand(command)
	if len(words) == 0 {
		return ""
	}
	return "$ " + strings.Join(words, " ")
}

// aside are programs that only prepare for the next command.
var aside = strings.Fields("cd export set unset source . echo printf true : pushd popd mkdir sleep")

// before are programs that run the rest of their line.
var before = strings.Fields("sudo env time nohup nice command exec timeout stdbuf xvfb-run")

// nested are programs whose first word says what they do.
var nested = strings.Fields(`go git npm pnpm yarn bun cargo docker podman kubectl make just pip pip3 uv poetry pipenv apt apt-get brew dnf
	systemctl terraform helm gh glab aws az gcloud dotnet mvn gradle gradlew npx bundle rails rake composer mix nix conda rustup
	docker-compose ansible deno flutter dart hermes-tui`)

var (
	subcommand = lazyregexp.New(`^[a-z][a-z0-9:_-]*$`)
	number     = lazyregexp.New(`^[0-9.]+[smhd]?$`) // a time limit, a priority
	version    = lazyregexp.New(`^(python|pip|node|ruby|php|perl|lua)[0-9.]+$`)
)

// mainCommand gives program and subcommand of the first command of a line that is
// not an aside.
func mainCommand(line string) []string {
	for _, call := range Commands(line) {
		for len(call) > 1 && slices.Contains(before, call[0]) {
			call = call[1:]
			for len(call) > 1 && (strings.HasPrefix(call[0], "-") || strings.Contains(call[0], "=") || number.MatchString(call[0])) {
				call = call[1:]
			}
		}
		if len(call) == 0 || slices.Contains(aside, call[0]) {
			continue
		}
		name := path.Base(call[0])
		if m := version.FindStringSubmatch(name); m != nil {
			name = m[1]
		}
		words := []string{name}
		switch {
		case name == "python" && len(call) > 2 && call[1] == "-m":
			words = append(words, call[2])
		case slices.Contains(nested, name):
			if i := slices.IndexFunc(call[1:], subcommand.MatchString); i >= 0 {
				words = append(words, call[1+i])
			}
		}
		return words
	}
	return nil
}

// maxLine bounds a command line that is read, in bytes.
const maxLine = 4 << 10

// Commands are the commands of a line in their order, each with the words that are
// plain text. A line that cannot be read has none.
func Commands(line string) [][]string {
	if len(line) > maxLine {
		return nil
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return nil
	}
	var all [][]string
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		var words []string
		for _, w := range call.Args {
			words = append(words, literal(w))
		}
		all = append(all, words)
		return true
	})
	return all
}

// literal is a word without its quotes; what is expanded in it stays as a mark.
func literal(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, in := range p.Parts {
				if l, ok := in.(*syntax.Lit); ok {
					b.WriteString(l.Value)
				} else {
					b.WriteString("$")
				}
			}
		default:
			b.WriteString("$")
		}
	}
	return b.String()
}
