//go:build unix

package app

import (
	"os"
	"path/filepath"
	"strings"
)

// logKeys are about the log of the program. A log of two or six megabytes is there already.
func logKeys() []keyTest {
	logging := func(megabytes int) *situation {
		in := &situation{base: free}
		in.before = func(s *scene) {
			s.file(LogFile(s.home.Logs()), strings.Repeat("a line of before\n", megabytes<<20/17), 0o600)
		}
		in.act = func(s *scene) {
			a, c := s.start()
			s.turn(c, "go")
			closed(s.t, a)
			files, _ := os.ReadDir(s.home.Logs())
			for _, f := range files {
				text, _ := os.ReadFile(filepath.Join(s.home.Logs(), f.Name()))
				s.note("log file %s\n%s", f.Name(), text[max(0, len(text)-20_000):])
			}
		}
		return in
	}
	return []keyTest{
		{key: "logging.level", in: logging(0), set: "DEBUG", with: `level=DEBUG msg=event type=turn_started`},
		{key: "logging.max_size_mb", in: logging(2), set: "1", with: `log file hermes-tui\.log\.1`},
		{key: "logging.backup_count", in: logging(6), set: "0", without: `log file hermes-tui\.log\.1`},
	}
}
