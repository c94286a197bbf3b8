package cli

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/providers/credentials"
	"hermes-tui/providers/redact"
	"hermes-tui/store"
	"hermes-tui/store/atomicfile"
	"hermes-tui/store/config"
	"hermes-tui/tools/lazyregexp"
	"hermes-tui/ui/doctor"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// dumpOptions say what goes into a dump.
type dumpOptions struct {
	file    string
	session string
	servers bool
	live    bool
	yes     bool
}

// newDump makes the command that gathers what helps to find out what is wrong.
func newDump(s *sys, f *flags) *cobra.Command {
	var o dumpOptions
	cmd := &cobra.Command{
		Use: "dump", Short: "Collect diagnostics for a bug report", Args: noArgs,
		Long: "dump gathers the version, what doctor finds, the settings, the end of the log, sizes of files, and of each session\n" +
			"how many messages and which kinds of events it ends with. Keys are masked wherever they stand. Nothing that was\n" +
			"said is in it, unless --session names a session, whose messages and events are added. It lists what it has and asks before it writes; nothing is sent.",
		Example: "  hermes-tui dump\n  hermes-tui dump --yes -o trouble.tar.gz\n  hermes-tui dump --session \"Flaky test\"",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.inspect(cmd.Context(), f, false, !o.live, func(a *app.App, list []doctor.Finding) error { return s.dump(cmd.Context(), f, a, list, o) })
		},
	}
	cmd.Flags().StringVarP(&o.file, "output", "o", "", "write to this `FILE`, which must not be there yet")
	cmd.Flags().StringVar(&o.session, "session", "", "add a session with all that was said and its journal: `ID`, its beginning, or title")
	cmd.Flags().BoolVar(&o.servers, "server-logs", false, "add what MCP servers have logged, which may hold what was said to them")
	cmd.Flags().BoolVar(&o.live, "live", false, "have doctor ask model services and MCP servers, too")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "write without a question")
	return cmd
}

// dumpPart is a file of a dump.
type dumpPart struct {
	name, what string
	text       []byte
}

// dump gathers, shows what there is, and writes it when the user agrees.
func (s *sys) dump(ctx context.Context, f *flags, a *app.App, findings []doctor.Finding, o dumpOptions) error {
	if o.file == "" {
		o.file = "hermes-tui-dump-" + s.ids.Now().Format("20060102-150405") + ".tar.gz"
	}
	names, err := s.absolute("--output", []string{o.file})
	if err != nil {
		return err
	}
	o.file = names[0]
	if _, err := os.Lstat(o.file); err == nil {
		return usageError{fmt.Errorf("%s is there already: name another file", o.file)}
	}
	parts, err := s.gather(ctx, f, a, findings, o)
	if err != nil {
		return err
	}
	w := s.grid()
	for _, p := range parts {
		fmt.Fprintf(w, "%s\t%s\t%s\n", p.name, format.Bytes(int64(len(p.text))), p.what)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if !o.yes {
		if in, out := s.terminal(); !in || !out {
			fmt.Fprintln(s.out, "Nothing was written: --yes writes it.")
			return nil
		}
		fmt.Fprintf(s.out, "Write this to %s? [y/N] ", term.Line(o.file))
		answer, _ := bufio.NewReader(s.in).ReadString('\n') // no answer is a no
		if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
			fmt.Fprintln(s.out, "Nothing was written.")
			return nil
		}
	}
	if err := s.pack(o.file, parts); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Written to %s. Look through it before you hand it on.\n", term.Line(o.file))
	return nil
}

// gather makes the files of a dump, masked.
func (s *sys) gather(ctx context.Context, f *flags, a *app.App, findings []doctor.Finding, o dumpOptions) ([]dumpPart, error) {
	home, c, _, broken := s.load(f)
	if home.Dir() == "" {
		return nil, broken
	}
	mask := s.mask(home, c, broken)
	var parts []dumpPart
	add := func(name, what, text string) { parts = append(parts, dumpPart{name, what, []byte(mask(text))}) }
	addJSON := func(name, what string, v any) error {
		text, err := json.MarshalIndent(v, "", "  ")
		if err == nil {
			parts = append(parts, dumpPart{name, what, append([]byte(redact.JSON(string(text), mask)), '\n')})
		}
		return err
	}
	err := errors.Join(addJSON("version.json", "which build this is", versions()), addJSON("doctor.json", "what doctor finds", findings))
	if broken == nil {
		err = errors.Join(err, addJSON("settings.json", "all settings and where each comes from, without secrets", shownSettings(c.Settings())))
	}
	sizes, bad := fileSizes(home.Dir())
	err = errors.Join(err, bad, addJSON("files.json", "how large what is in "+home.Dir()+" is", sizes))
	if a != nil {
		heads, bad := a.Heads(ctx, 50)
		err = errors.Join(err, bad, addJSON("sessions.json", "the newest sessions: sizes and kinds of events, nothing that was said", heads))
	}
	if err != nil {
		return nil, err
	}
	logs, err := dumpedLogs(home.Logs(), o.servers)
	if err != nil {
		return nil, err
	}
	for _, name := range logs {
		text, err := logEnd(filepath.Join(home.Logs(), name))
		if err != nil {
			return nil, err
		}
		add("logs/"+name, "the end of what was logged", text)
	}
	if o.session == "" {
		return parts, nil
	}
	if a == nil {
		return nil, errors.New("the sessions cannot be opened: leave out --session")
	}
	id, err := a.Find(ctx, o.session)
	if err != nil {
		return nil, usageError{err}
	}
	var said, journal bytes.Buffer
	if err := errors.Join(a.Export(ctx, id, "json", false, &said), app.Journal(ctx, a, id, &journal)); err != nil {
		return nil, err
	}
	return append(parts,
		dumpPart{"session.json", "ALL THAT WAS SAID in the session " + id, []byte(redact.JSON(said.String(), mask))},
		dumpPart{"journal.jsonl", "ALL THAT HAPPENED in the session " + id + ", event by event", []byte(redactLines(journal.String(), mask))},
	), nil
}

// redactLines masks secrets in JSON lines.
func redactLines(text string, mask func(string) string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(redact.JSON(line, mask))
	}
	return b.String()
}

// values finds what stands in settings and is no name of one.
var values = lazyregexp.New(`[^\s,{}\[\]"'#]{8,}`)

// mask gives what masks all secrets of a home in a text, and writes ~ for the user's own
// folder. Of settings that cannot be used it masks every value that may be a secret.
func (s *sys) mask(home store.Home, c config.Config, broken error) func(string) string {
	var stored []string
	if keys, err := credentials.Open(credentials.Options{File: home.Auth(), Clock: s.ids.Clock}); err == nil {
		stored = keys.Secrets()
		_ = keys.Close(context.Background()) // nothing was changed
	}
	if broken != nil {
		var text []byte // what cannot be read gives nothing away
		if info, err := os.Stat(home.Config()); err == nil && info.Mode().IsRegular() {
			text, _ = os.ReadFile(home.Config())
		}
		for _, word := range values.FindAllString(string(text), -1) {
			if !strings.HasSuffix(word, ":") {
				stored = append(stored, word)
			}
		}
	}
	masker := redact.Masker{Secrets: app.Secrets(c, s.environ, stored)}
	user := userHome(s.env)
	return func(text string) string {
		if len(user) > 1 {
			text = strings.ReplaceAll(text, user, "~")
		}
		return maskArguments(masker.Text(text))
	}
}

// argument finds a flag of a command with what stands behind it, on a command line and in a
// list of arguments; header finds one with a header of a request.
var (
	argument = lazyregexp.New(`(^|[\s,\["'])(--?[A-Za-z][\w.-]*)(=|["']?,?\s+)("[^"]*"|'[^']*'|[^\s,"'\]-][^\s,"'\]]*)`)
	header   = lazyregexp.New(`(^|[\s,\["'])((?:-H|--headers?)(?:=|["']?,?\s+)["']?[\w-]+:\s*)([^,"'\]\n]+)`)
)

// secretFlags are how the names of flags end that are followed by a secret.
var secretFlags = []string{"key", "token", "secret", "password", "passwd", "pass", "pwd", "passphrase", "credential", "credentials", "auth", "authorization", "bearer", "pat", "dsn", "cookie"}

// maskArguments masks in a text what flags of commands call secret: what stands behind
// --api-key, --token and the like, and headers. A masker finds such values by their form
// alone.
func maskArguments(text string) string {
	if !strings.Contains(text, "-") {
		return text
	}
	text = header.ReplaceAllString(text, "${1}${2}***")
	return argument.ReplaceAllStringFunc(text, func(found string) string {
		part := argument.FindStringSubmatch(found)
		name := strings.ToLower(part[2])
		if !slices.ContainsFunc(secretFlags, func(end string) bool {
			rest, ends := strings.CutSuffix(name, end)
			return ends && (strings.HasSuffix(rest, "-") || strings.HasSuffix(rest, "_") || strings.HasSuffix(rest, ".") || end == "key" && strings.HasSuffix(rest, "api"))
		}) {
			return found
		}
		return part[1] + part[2] + part[3] + "***"
	})
}

// fileSize says how large a file of the home is, or all files of a folder.
type fileSize struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
}

// fileSizes measures what is in a folder. What cannot be looked at is left out.
func fileSizes(dir string) ([]fileSize, error) {
	list := []fileSize{}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	for _, e := range entries {
		one := fileSize{Name: e.Name()}
		_ = filepath.WalkDir(filepath.Join(dir, e.Name()), func(_ string, d fs.DirEntry, _ error) error {
			if d == nil || !d.Type().IsRegular() {
				return nil
			}
			if info, err := d.Info(); err == nil {
				one.Files++
				one.Bytes += info.Size()
			}
			return nil
		})
		list = append(list, one)
	}
	return list, err
}

// dumpedLogs names the logs that go into a dump: those of the program, and if asked those of
// servers. Requests that a service refused hold what was said.
func dumpedLogs(dir string, servers bool) (list []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	own := filepath.Base(app.LogFile(dir))
	for _, e := range entries {
		if n := e.Name(); e.Type().IsRegular() && (n == own || strings.HasPrefix(n, own+".") || servers && strings.HasPrefix(n, "mcp-") && strings.HasSuffix(n, ".log")) {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, err
}

// maxLog is how much of the end of a log a dump has.
const maxLog = 1 << 20

// logEnd is the end of a log, in whole lines.
func logEnd(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.Size() > maxLog {
		if _, err := file.Seek(-maxLog, io.SeekEnd); err != nil {
			return "", err
		}
		text, err := io.ReadAll(file)
		_, rest, _ := strings.Cut(string(text), "\n")
		return rest, err
	}
	text, err := io.ReadAll(file)
	return string(text), err
}

// pack writes the files into an archive that only the user can read. What fails leaves none.
func (s *sys) pack(name string, parts []dumpPart) error {
	return atomicfile.Create(name, func(to io.Writer) (err error) {
		z := gzip.NewWriter(to)
		w := tar.NewWriter(z)
		for _, p := range parts {
			head := &tar.Header{Name: "hermes-tui-dump/" + p.name, Mode: 0o600, Size: int64(len(p.text)), ModTime: s.ids.Now(), Format: tar.FormatPAX}
			if err == nil {
				err = w.WriteHeader(head)
			}
			if err == nil {
				_, err = w.Write(p.text)
			}
		}
		return errors.Join(err, w.Close(), z.Close())
	})
}
