//go:build unix

package shell

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"hermes-tui/tools"
	"hermes-tui/tools/charset"
)

func TestLongOutput(t *testing.T) {
	b := newBench(t, nil)
	a := b.run("seq 1 20000") // 108,894 characters
	if n := utf8.RuneCountInString(a.Output); n < 50_000 || n > 50_100 {
		t.Errorf("%d characters", n)
	}
	head, tail, ok := strings.Cut(a.Output, "\n\n[… 58894 of 108894 characters left out …]\n\n")
	if !ok || len(head) != 20_000 || !strings.HasPrefix(head, "1\n2\n") || !strings.HasSuffix(tail, "\n19999\n20000") {
		t.Errorf("head of %d, tail of %d", len(head), len(tail))
	}
	if a.View.Summary != "20000 lines" || a.View.Body != a.Output || *a.View.Exit != 0 {
		t.Errorf("view %q", a.View.Summary)
	}
}

// Whatever the chunks, the result is that of the whole.
func TestCaptureDoesNotDependOnChunks(t *testing.T) {
	text := strings.Repeat("ä€😀 line\n\x1b[31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x07\n", 40) + "end"
	want := strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "", "\x1b]8;;http://x\x1b\\", "", "\x1b]8;;\x07", "").Replace(text)
	for _, limit := range []int{10, 100, 500, 100_000} {
		for _, size := range []int{1, 2, 3, 7, 64, 1 << 20} {
			var live bytes.Buffer
			c := newCapture(&live, limit)
			for rest := []byte(text); len(rest) > 0; {
				n := min(size, len(rest))
				_, _ = c.Write(rest[:n])
				rest = rest[n:]
			}
			if live.String() != text {
				t.Fatalf("limit %d, chunks of %d: the live output was changed", limit, size)
			}
			if got, want := c.text(), cut(want, limit); got != want {
				t.Errorf("limit %d, chunks of %d\n got %.300q\nwant %.300q", limit, size, got, want)
			}
			if c.lineCount() != 81 {
				t.Errorf("%d lines", c.lineCount())
			}
		}
	}
}

// cut is what the model gets of a whole text.
func cut(s string, limit int) string {
	r := []rune(s)
	if len(r) <= limit {
		return trim(s)
	}
	head := limit * 2 / 5
	return trim(fmt.Sprintf("%s\n\n[… %d of %d characters left out …]\n\n%s",
		string(r[:head]), len(r)-limit, len(r), string(r[len(r)-(limit-head):])))
}

func TestLiveOutputIsRaw(t *testing.T) {
	b := newBench(t, nil)
	var live bytes.Buffer
	a := b.call(context.Background(), map[string]any{"command": `printf 'a\033[1mb\r\n\033[0mc\n'`}, &live)
	if live.String() != "a\x1b[1mb\r\n\x1b[0mc\n" || a.Output != "ab\r\nc" {
		t.Errorf("live %q, output %q", live.String(), a.Output)
	}
}

func TestSummaries(t *testing.T) {
	b := newBench(t, nil)
	for command, want := range map[string]struct {
		summary, meaning string
		status           tools.Status
	}{
		"true":            {"no output", "", tools.StatusOK},
		"echo x":          {"1 line", "", tools.StatusOK},
		"printf 'a\\nb'":  {"2 lines", "", tools.StatusOK},
		"exit 9":          {"", "", tools.StatusFailed},
		"echo a | grep b": {"exit 1 · no matches", "no matches", tools.StatusOK},
		"echo a > f; diff f /dev/null >/dev/null": {"exit 1 · the files differ", "the files differ", tools.StatusOK},
		"[ 1 = 2 ]":                 {"exit 1 · the condition is false", "the condition is false", tools.StatusOK},
		"[[ a = b ]]":               {"exit 1 · the condition is false", "the condition is false", tools.StatusOK},
		"LC_ALL=C grep x /dev/null": {"exit 1 · no matches", "no matches", tools.StatusOK},
		"grep x /no/such/file":      {"", "", tools.StatusFailed},
		"kill -KILL $$":             {"it was killed, perhaps for want of memory", "it was killed, perhaps for want of memory", tools.StatusFailed},
		"grep x /dev/null; exit 1":  {"", "", tools.StatusFailed},
	} {
		a := b.run(command)
		if a.View.Summary != want.summary || a.Meaning != want.meaning || a.Status != want.status || a.View.Kind != tools.KindCommand {
			t.Errorf("%q: summary %q, meaning %q, status %q", command, a.View.Summary, a.Meaning, a.Status)
		}
		if a.Error != nil || !strings.Contains(a.Content, `"error":null`) {
			t.Errorf("%q: %s", command, a.Content)
		}
	}
}

// What git answers is told from what went wrong.
func TestExitCodesOfGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git on this machine")
	}
	b := newBench(t, nil)
	if a := b.run("git init -q -b main . && git config user.name A && git config user.email a@b.c && echo 1 > f && git add f && git commit -qm 1 && " +
		"git checkout -qb other && echo 2 > f && git commit -qam 2 && git checkout -q main && echo 3 > f && git commit -qam 3"); a.Code != 0 {
		t.Fatal(a.Output)
	}
	for _, c := range []struct {
		command, meaning string
		status           tools.Status
	}{
		{"git diff --quiet HEAD~1", "there are differences", tools.StatusOK},
		{"git --no-pager grep nothing", "no matches", tools.StatusOK},
		{"git config no.thing", "it is not set", tools.StatusOK},
		{"git commit -m none", "", tools.StatusFailed},
		{"git checkout none", "", tools.StatusFailed},
		{"git stash pop", "", tools.StatusFailed},

		{"echo 4 > f; git rebase other", "", tools.StatusFailed},
		{"git checkout -q f; git merge other", "it stopped at a conflict: git status shows what is unmerged", tools.StatusFailed},
	} {
		if a := b.run(c.command); a.Code != 1 || a.Meaning != c.meaning || a.Status != c.status {
			t.Errorf("%s: exit %d, meaning %q, %s\n%s", c.command, a.Code, a.Meaning, a.Status, a.Output)
		}
	}
}

func TestLastProgram(t *testing.T) {
	for command, want := range map[string]string{
		"grep x":                 "grep",
		"cat a | /usr/bin/egrep": "egrep",
		"a && b || c; 'rg' x":    "rg",
		"A=1 B=2 diff a b":       "diff",
		"(grep x)":               "",
		"$X y":                   "",
		"\\grep x":               "grep",
		"[[ a ]]":                "[[",
		"A=1":                    "",
		"echo 'x":                "",
		"! grep x":               "",
		"grep x &":               "",
		"a; ! diff x y | grep z": "",
		"git -C x -c a=b --no-pager diff --quiet": "git diff",
		"git":    "git",
		"git $x": "git",
	} {
		got := lastProgram(command)
		if got == "." {
			got = ""
		}
		if got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

func TestGuidance(t *testing.T) {
	aside := map[string]bool{ // these run
		"nohup ./x > log 2>&1 &": true, "nohup npm run dev &": true, "setsid ./x": true, "./x & disown": true,
	}
	for command, advises := range map[string]bool{
		"./server &":                    true,
		"./server > log 2>&1 & echo $!": true,
		"nohup ./x > log":               false,
		"nohup ./x > log 2>&1 &":        true,
		"nohup npm run dev &":           true,
		"nohup npm run dev":             true,
		"setsid ./x":                    true,
		"./x & disown":                  true,
		"npm run dev":                   true,
		"pnpm dev":                      true,
		"yarn start":                    true,
		"bun serve":                     true,
		"NODE_ENV=x npm start":          true,
		"cd web && npm run watch":       true,
		"docker compose up":             true,
		"docker compose -f a.yml up":    true,
		"npx vite":                      true,
		"vite --port 3000":              true,
		"next dev":                      true,
		"nodemon x.js":                  true,
		"uvicorn app:app":               true,
		"python3 -m http.server 8000":   true,
		"sudo -E gunicorn x":            true,
		"./server & P=$!; sleep 1; curl x; kill $P": false,
		"a & b & wait":                         false,
		"npm start & sleep 3; curl x; kill $!": false,
		"timeout 5 npm run dev":                false,
		"npm run build":                        false,
		"npm test":                             false,
		"npm run dev --help":                   false,
		"vite build":                           false,
		"npx vite build --mode x":              false,
		"docker compose up -d":                 false,
		"docker compose up --detach web":       false,
		"docker compose down":                  false,
		"uvicorn --version":                    false,
		"echo 'npm run dev &'":                 false,
		"echo nohup":                           false,
		"grep -r nohup .":                      false,
		"git commit -m 'start server & wait'":  false,
		"a && b":                               false,
		"ls 2>&1":                              false,
		"ls &> f":                              false,
		"nohup --help":                         false,
		"echo 'x":                              false,
		"python3 -m pytest":                    false,
		"cat <<'EOF'\nnpm run dev &\nEOF":      false,
	} {
		for _, jobs := range []bool{false, true} {
			refused, note := guidance(command, jobs, false)
			got := refused + note
			if aside[command] != (note != "") {
				t.Errorf("%q, jobs %v: refused %q, noted %q", command, jobs, refused, note)
			}
			if (got != "") != advises || advises && strings.Contains(got, "process tool") != jobs {
				t.Errorf("%q, jobs %v: %q", command, jobs, got)
			}
		}
	}
}

// Memory stays where it is while a command writes without end.
func TestOutputDoesNotGrowMemory(t *testing.T) {
	c := newCapture(io.Discard, DefaultMaxOutput)
	line := bytes.Repeat([]byte("some output of a build\n"), 400)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 10_000 {
		_, _ = c.Write(line)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d bytes were allocated for 92 MB", grown)
	}
	if c.chars != 10_000*len(line) {
		t.Errorf("%d characters", c.chars)
	}
}

func FuzzLastProgram(f *testing.F) {
	for _, s := range []string{"a | b", "! a", "A=1 'b' $c", "[[ x ]]", "a && (b)", "a &", "time a", "f() { a; }"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, command string) {
		name := lastProgram(command)
		if strings.Contains(name, "/") && name != "/" {
			t.Errorf("%q ends with %q", command, name)
		}
		_ = hintFor(command, 1, "")
		_, _ = guidance(command, true, false)
		_, _ = usesSudo(command), takesToken(command)
	})
}

// TestOutputThatIsNoText keeps one sign for many bytes that make no characters.
func TestOutputThatIsNoText(t *testing.T) {
	c := newCapture(nil, 1000)
	for range 100 {
		_, _ = c.Write(bytes.Repeat([]byte{0xa0}, 1000))
	}
	_, _ = c.Write([]byte("é\xe2\x82"))
	if got := c.text(); got != "\ufffdé\ufffd" || len(c.head) > 100 {
		t.Errorf("%d bytes kept: %q", len(c.head), got)
	}
}

func FuzzCapture(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\xc2\x9bmc\xff\xe2\x82"), 3)
	f.Add([]byte("\x1b]0;x\x1b\\y\n"), 1)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = max(1, size%64)
		whole, parts := newCapture(nil, 40), newCapture(nil, 40)
		_, _ = whole.Write(data)
		for rest := data; len(rest) > 0; {
			n := min(size, len(rest))
			_, _ = parts.Write(rest[:n])
			rest = rest[n:]
		}
		if whole.text() != parts.text() {
			t.Errorf("%q: %q at once, %q in parts", data, whole.text(), parts.text())
		}
		if !utf8.ValidString(whole.text()) || strings.Contains(whole.text(), "\x1b") {
			t.Errorf("%q gives %q", data, whole.text())
		}
	})
}

func BenchmarkTenMegabytes(b *testing.B) {
	bb := newBench(b, nil)
	b.SetBytes(10 << 20)
	b.ReportAllocs()
	for b.Loop() {
		a := bb.run("head -c 10485760 /dev/zero | tr '\\0' 'x'")
		if a.Code != 0 {
			b.Fatal(a.Output)
		}
	}
}

// BenchmarkFiftyMegabytes tells how much the heap has grown at the end as well.
func BenchmarkFiftyMegabytes(b *testing.B) {
	bb := newBench(b, nil)
	b.SetBytes(50 << 20)
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		if a := bb.run("head -c 52428800 /dev/zero | tr '\\0' 'x' | fold -w 99"); a.Code != 0 {
			b.Fatal(a.Output)
		}
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapSys-before.HeapSys)/(1<<20), "heap-MB-grown")
}

func BenchmarkCommand(b *testing.B) {
	bb := newBench(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		bb.run("true")
	}
}

func BenchmarkCapture(b *testing.B) {
	c := newCapture(io.Discard, DefaultMaxOutput)
	chunk := bytes.Repeat([]byte("some output of a build\n"), 1400)
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = c.Write(chunk)
	}
}

// blockedSink shows that a slow reader of live output does not lose any of it.
func TestLiveOutputIsComplete(t *testing.T) {
	b := newBench(t, nil)
	var mu sync.Mutex
	n := 0
	b.call(context.Background(), map[string]any{"command": "head -c 3000000 /dev/zero"}, writerFunc(func(p []byte) {
		mu.Lock()
		defer mu.Unlock()
		n += len(p)
	}))
	if n != 3_000_000 {
		t.Errorf("%d bytes", n)
	}
}

// What is put into the background on purpose runs and goes on; the model reads what
// that means.
func TestPutAside(t *testing.T) {
	b := newBench(t, nil)
	a := b.run("nohup sh -c 'echo $$ > pid; while [ ! -e stop ]; do sleep 0.05; done; echo ended > end' >/dev/null 2>&1 &")
	if a.Code != 0 || !strings.Contains(a.Output, "goes on by itself") {
		t.Errorf("%+v", a)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "stop"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(5 * time.Second); !exists(filepath.Join(b.dir, "end")); {
		if time.Now().After(end) {
			t.Fatal("it did not go on")
		}
		<-time.After(10 * time.Millisecond)
	}
}

// TestOutputInOldEncodings reads what a command prints of a file in another encoding,
// however it comes in pieces.
func TestOutputInOldEncodings(t *testing.T) {
	for enc, text := range map[charset.Encoding]string{charset.GBK: "# 配置文件\nname = 测试", charset.CP1251: "# Настройки\nport=80", charset.ShiftJIS: "// 設定を読む\nint x = 1;"} {
		data, err := charset.Encode("plain\n"+text+"\n", enc)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 5, 7, len(data)} {
			c := newCapture(nil, 1000)
			for piece := range slices.Chunk(data, n) {
				_, _ = c.Write(piece)
			}
			if got, want := c.text(), "plain\n"+text+"\n[What is not UTF-8 was read as "+string(enc)+".]"; got != want {
				t.Errorf("%s in pieces of %d: %q", enc, n, got)
			}
		}
	}
}
