package approval

import (
	"slices"
	"testing"
)

// What a server writes itself, as its words name it, is not among what it is bound to; what could
// be code or settings is, and what turns from one into the other is a change.
func TestBindsNothingThatIsWritten(t *testing.T) {
	const entity, other = `{"type":"entity","name":"a"}` + "\n", `{"type":"entity","name":"b"}` + "\n"
	for name, c := range map[string]struct {
		file, was, is string
		bound         bool
	}{
		"records by content":   {"memory.json", entity + other, entity + other + entity, false},
		"records by name":      {"memory.jsonl", "", entity, false},
		"a table":              {"out.csv", "a,b\n", "a,b\n1,2\n", false},
		"a database":           {"data.db", "SQLite format 3\x00a", "SQLite format 3\x00b", false},
		"a log":                {"srv.log", "one\n", "one\ntwo\n", false},
		"settings":             {"conf.json", `{"run":"make"}`, `{"run":"./evil.sh"}`, true},
		"settings become some": {"conf.json", `{"run":"make"}`, entity + other, true},
		"records become some":  {"conf.json", entity + other, `{"run":"./evil.sh"}`, true},
		"a script in disguise": {"srv.py", "import x\n", "{}\n{}\nimport os\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			bind := func() []Pin {
				return s.gate.Bind("server --file ./"+c.file, s.dir, []string{"PATH=/usr/bin:/bin"}, []string{"FILE=" + c.file})
			}
			s.put(t, c.file, c.was)
			was := bind()
			s.put(t, c.file, c.is)
			if is := bind(); slices.Equal(was, is) == c.bound {
				t.Errorf("%v, then %v", was, is)
			}
		})
	}
}
