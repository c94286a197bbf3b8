package recall

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                   nil,
		"What does the database run on?":     {"database", "run"},
		"HERMES_HOME, hermes_home; port5433": {"hermes_home", "port5433"},
		"数据库端口":                              {"数据", "据库", "库端", "端口"},
		"设HERMES_HOME为猫":                     {"设", "hermes_home", "为猫"},
		"サーバーの名":                             {"サー", "ーバ", "バー", "ーの", "の名"},
		"Größe naïve":                        {"größe", "naïve"},
	} {
		if got := Words(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
	if n := len(Words(strings.Repeat("数据库端口是多少呢我想知道", 100))); n > maxWords {
		t.Errorf("%d words", n)
	}
}

// TestUnspaced finds texts in scripts without blanks by parts of them.
func TestUnspaced(t *testing.T) {
	x := newIndex(t, filepath.Join(t.TempDir(), "recall.db"))
	docs := []Doc{
		doc("memory", "port", "数据库的端口是5433"), doc("memory", "cat", "我的猫叫Minou"), doc("memory", "server", "サーバーの名前は東京です"), doc("memory", "thai", "ฐานข้อมูลอยู่ที่พอร์ต"),
	}
	if err := x.Put(t.Context(), "memory", docs); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"端口": "port", "数据库端口是多少？": "port", "猫": "cat", "Minou": "cat", "サーバー": "server", "東京": "server", "ข้อมูล": "thai", "5433": "port",
	} {
		if got := refs(search(t, x, Query{Text: query})); len(got) == 0 || got[0] != want {
			t.Errorf("%s: %v, not %s", query, got, want)
		}
	}
	if got := search(t, x, Query{Text: "電話"}); len(got) > 0 {
		t.Errorf("found %v", refs(got))
	}
}

// TestProject leaves out texts about other projects, by words and by meaning.
func TestProject(t *testing.T) {
	x := newIndex(t, filepath.Join(t.TempDir(), "recall.db"))
	docs := []Doc{doc("memory", "all", "make tests all"), doc("memory", "a", "make tests a"), doc("memory", "b", "make tests b")}
	docs[1].Project, docs[2].Project = "/a", "/b"
	if err := x.Put(t.Context(), "memory", docs); err != nil {
		t.Fatal(err)
	}
	if err := x.Learn(t.Context(), "m", docs, [][]float32{{1, 0}, {1, 0.1}, {1, 0.2}}); err != nil {
		t.Fatal(err)
	}
	q := Query{Text: "make", Vector: []float32{1, 0}, Model: "m"}
	if got := search(t, x, q); len(got) != 3 {
		t.Errorf("without a project: %v", refs(got))
	}
	for project, want := range map[string][]string{"/a": {"a", "all"}, "/b": {"all", "b"}, "": {"all"}} {
		q.Project = &project
		got := refs(search(t, x, q))
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q: %v", project, got)
		}
	}
}

// TestUsed prefers what was of use, also of what is kept elsewhere.
func TestUsed(t *testing.T) {
	x := newIndex(t, filepath.Join(t.TempDir(), "recall.db"))
	if err := x.Put(t.Context(), "memory", []Doc{doc("memory", "a", "make tests"), doc("memory", "b", "make tests")}); err != nil {
		t.Fatal(err)
	}
	q := Query{Text: "make", Others: [][]Doc{{doc("message", "1", "x"), doc("message", "2", "y")}}}
	first := refs(search(t, x, q))
	for range 5 {
		if err := x.Used(t.Context(), []Key{{"memory", "b"}, {"message", "2"}}); err != nil {
			t.Fatal(err)
		}
	}
	got := search(t, x, q)
	at := func(list []string, ref string) int { return slices.Index(list, ref) }
	if now := refs(got); at(first, "b") < at(first, "a") || at(first, "2") < at(first, "1") || at(now, "b") > at(now, "a") || at(now, "2") > at(now, "1") || got[0].Uses != 5 {
		t.Errorf("before %v, now %v", first, now)
	}
}

// TestFirstVersion opens an index of the first version: its vectors stay.
func TestFirstVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recall.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE docs (id INTEGER PRIMARY KEY, source TEXT NOT NULL, ref TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL, uses INTEGER NOT NULL, UNIQUE (source, ref));
		CREATE VIRTUAL TABLE docs_fts USING fts5(text, content='docs', content_rowid='id');
		CREATE TABLE vectors (id INTEGER PRIMARY KEY AUTOINCREMENT, doc INTEGER NOT NULL, model TEXT NOT NULL, v BLOB NOT NULL, UNIQUE (doc, model));
		CREATE TRIGGER docs_ai AFTER INSERT ON docs BEGIN INSERT INTO docs_fts(rowid, text) VALUES (new.id, new.text); END;
		CREATE TRIGGER docs_ad AFTER DELETE ON docs BEGIN DELETE FROM vectors WHERE doc = old.id; END;
		CREATE TRIGGER docs_au AFTER UPDATE OF text ON docs BEGIN DELETE FROM vectors WHERE doc = old.id; END;
		INSERT INTO docs (source, ref, text, at, uses) VALUES ('memory', 'a', '数据库端口', 1, 0), ('memory', 'b', 'make tests', 1, 0);
		INSERT INTO vectors (doc, model, v) VALUES (1, 'm', x'0000803f00000000');
		PRAGMA user_version = 1`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time nothing is to be done
		x := newIndex(t, path)
		if err := x.Put(t.Context(), "memory", []Doc{doc("memory", "a", "数据库端口"), doc("memory", "b", "make tests")}); err != nil {
			t.Fatal(err)
		}
		if got := refs(search(t, x, Query{Text: "端口"})); !slices.Equal(got, []string{"a"}) {
			t.Errorf("by words: %v", got)
		}
		if got := refs(search(t, x, Query{Vector: []float32{1, 0}, Model: "m"})); !slices.Equal(got, []string{"a"}) {
			t.Errorf("by meaning: %v", got)
		}
	}
}
