package place

import (
	"bytes"
	"strings"
	"testing"
)

// feedMarks gives data to a filter of marks in parts of a size and says what came out.
func feedMarks(data []byte, size int) (out string, first, last int, before string) {
	var to bytes.Buffer
	s := newMarkFilter(&to, "aaaa", "bbbb")
	first, last = -1, -1
	for len(data) > 0 {
		n := min(size, len(data))
		_, _ = s.Write(data[:n])
		data = data[n:]
	}
	s.finish()
	select {
	case first = <-s.first:
	default:
	}
	select {
	case last = <-s.last:
	default:
	}
	return to.String(), first, last, s.before.words()
}

func TestSift(t *testing.T) {
	cases := []struct {
		in, out     string
		first, last int
	}{
		{"\x1eaaaa 12;text\x1ebbbb 3;", "text", 12, 3},
		{"banner\n\x1eaaaa 12;", "", 12, -1},
		{"\x1eaaaa 1;\x1e\x1ebbbb \x1ebbbb x;\x1ebbbb 3;more", "\x1e\x1ebbbb \x1ebbbb x;more", 1, 3},
		{"\x1eaaaa 1;cut \x1ebbb", "cut \x1ebbb", 1, -1},
		{"\x1eaaaa 1;again \x1eaaaa 2;\x1ebbbb 0;\x1ebbbb 9;", "again \x1eaaaa 2;\x1ebbbb 9;", 1, 0},
		{"nothing", "", -1, -1},
	}
	for _, c := range cases {
		for size := 1; size <= len(c.in); size++ {
			out, first, last, _ := feedMarks([]byte(c.in), size)
			if out != c.out || first != c.first || last != c.last {
				t.Errorf("%q in parts of %d: %q, %d, %d", c.in, size, out, first, last)
			}
		}
	}
}

// FuzzSift cuts a stream anywhere: what comes out must be the same.
func FuzzSift(f *testing.F) {
	f.Add([]byte("\x1eaaaa 12;text\x1ebbbb 3;rest"), 3)
	f.Add([]byte("\x1e\x1eaaaa 99999999999;\x1eaaaa 1;\x1ebbbb \x1ebbbb 1;"), 1)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		if size < 1 || size > 1<<20 {
			return
		}
		out, first, last, before := feedMarks(data, size)
		whole, first1, last1, before1 := feedMarks(data, len(data)+1)
		if out != whole || first != first1 || last != last1 || before != before1 {
			t.Errorf("%q %d %d %q, whole %q %d %d %q", out, first, last, before, whole, first1, last1, before1)
		}
	})
}

func TestParseTable(t *testing.T) {
	stat := func(pid, rest string) string {
		return "/proc/" + pid + "/stat:" + rest + strings.Repeat(" 0", 15) + " 777 0\n"
	}
	// One process has a name that looks like another's entry.
	text := stat("10", "10 (sh) S 1 10 10 0") + "/proc/11/stat:11 (x) S 1 10 10 0 0\n" + stat("11", "12 (y) Z 10 11 11 0") +
		stat("12", "12 (z) S 11 12 12 0") + "\n\n/proc/13/environ\n/proc/x/environ\n"
	table, marked := parseTable([]byte(text))
	if len(table) != 3 || !marked[13] || len(marked) != 1 {
		t.Fatalf("%+v, %v", table, marked)
	}
	found := belonging(append(table, remoteProc{pid: 13, parent: 1}, remoteProc{pid: 14, parent: 13}, remoteProc{pid: 15, parent: 1}), 10, marked)
	var ids []int
	for _, p := range found {
		ids = append(ids, p.pid)
	}
	if len(ids) != 4 { // 10, 12, 13, 14: not the zombie, not a stranger
		t.Errorf("found %v", ids)
	}
	ps, _ := parseTable([]byte(" 5 1 5 S Thu Nov 21 23:00:00 2026\n 6 5 5 Z+ Thu Nov 21 23:00:01 2026\n"))
	if len(ps) != 2 || ps[0].start != "Thu Nov 21 23:00:00 2026" || !ps[1].gone || ps[1].parent != 5 {
		t.Errorf("%+v", ps)
	}
}

func FuzzFarAnswers(f *testing.F) {
	f.Add("81a4 12 1700000000 1:2 3 0 0 2026-11-21 23:03:11.123456789 +0000")
	f.Add("/proc/10/stat:10 (sh) S 1 10 10 0\n\n\n/proc/13/environ\n")
	f.Add("5 1 5 S Thu Nov 21 23:00:00 2026")
	f.Fuzz(func(t *testing.T, text string) {
		if info, err := parseStat("f", text); err == nil && info.Name() != "f" {
			t.Error("another name")
		}
		table, marked := parseTable([]byte(text))
		for _, p := range belonging(table, 5, marked) {
			if p.pid <= 1 {
				t.Errorf("would end process %d", p.pid)
			}
		}
		if _, err := parseFacts("ssh", []byte(text), 0); err == nil && strings.Count(text, "\x00") < factCount {
			t.Error("facts out of nothing")
		}
		_ = remoteError(1, []byte(text)).Error()
	})
}

func TestFileModes(t *testing.T) {
	for raw, want := range map[uint32]string{
		0o100644: "-rw-r--r--", 0o40755: "drwxr-xr-x", 0o120777: "Lrwxrwxrwx", 0o104755: "urwxr-xr-x", 0o41777: "dtrwxrwxrwx",
		0o10600: "prw-------", 0o140600: "Srw-------", 0o20600: "Dcrw-------", 0o60600: "Drw-------",
	} {
		if got := fileMode(raw).String(); got != want {
			t.Errorf("%o: %s, want %s", raw, got, want)
		}
	}
	if st, err := parseStat("f", "81a4 5 1700000000 1:2 3 0 0 2023-11-14 22:13:20.5 +0000"); err != nil || st.ModTime().UnixNano() != 1700000000500000000 || st.Size() != 5 {
		t.Errorf("%+v, %v", st, err)
	}
}
