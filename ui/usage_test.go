//go:build unix

package ui_test

import (
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// reports is usage that an answer reports.
func reports(input, read, written int64) script.Usage {
	var u script.Usage
	u.Input, u.CacheRead, u.CacheWrite, u.Output = input, read, written, 100
	return u
}

// cached are answers of a model whose prompts are kept for five minutes: one that
// fills the cache, a hit, and a miss.
func cached() *script.Scenario {
	s := answers(
		on("first", reports(10, 0, 20_000), say("One.")),
		on("second", reports(500, 20_000, 0), say("Two.")),
		on("third", reports(21_000, 0, 0), say("Three.")),
	)
	s.Models = []script.Model{{ID: "anthropic/claude-test"}}
	return s
}

// priced are settings by which calls of that model cost something, at a service that
// keeps what is marked.
const priced = "model: {provider: openrouter, default: anthropic/claude-test}\nproviders:\n  openrouter: {base_url: \"{{url}}\"}\n" +
	"pricing:\n  - {model: anthropic/claude-test, input: 5, output: 25, cache_read: 0.5, cache_write: 6.25}\n"

// TestCacheView follows a cache: how warm it is, a hit, and a miss with what changed,
// what it cost and what helps.
func TestCacheView(t *testing.T) {
	t.Parallel()
	eachSize(t, func(t *testing.T, cols, rows int) {
		d := Start(t, Options{Cols: cols, Rows: rows, Scenario: cached(), Config: priced})
		d.WaitIdle().Type("/cache").Press("enter").WaitFor(Contains("Prompt cache"), Contains("No model was called yet"))
		d.Press("esc").WaitFor(NotContains("Prompt cache"))
		d.Type("first").Press("enter").WaitFor(Contains("One."))
		d.WaitIdle()
		if cols >= 100 {
			d.Expect(Contains("cache warm until "), Contains("~$0.13"))
		}
		d.Type("second").Press("enter").WaitFor(Contains("Two.")).WaitIdle()
		if cols >= 100 {
			d.Expect(Contains("cache 98%"), NotContains("⚠"))
		}
		d.Type("/reasoning high").Press("enter").WaitIdle()
		d.Type("third").Press("enter").WaitFor(Contains("Three.")).WaitIdle()
		if cols >= 100 {
			d.Expect(Contains("⚠ cache 0%"))
		}
		d.Type("/cache").Press("enter").WaitFor(Contains("Prompt cache"), Contains("left)"))
		if rows >= 20 {
			d.Expect(Contains("1 of the newest 3 calls"))
		}
		d.Press("/").Type("reasoning effort").Press("enter").WaitFor(Contains("The reasoning effort"))
		if cols >= 100 {
			d.Expect(Contains("The reasoning effort changed from the usual to high"), Contains("cost ~$0.09 more"))
		}
		d.Press("esc", "esc").WaitFor(NotContains("Prompt cache")).WaitIdle().Expect(CursorAfter("❯ "))
	})
}

// TestCacheCountsDown holds that the window counts down while it is open, that the
// screen at rest does not, and that what arrives meanwhile is shown.
func TestCacheCountsDown(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 30, Scenario: cached(), Config: priced})
	d.WaitIdle().Type("first").Press("enter").WaitFor(Contains("One.")).WaitIdle().ExpectQuiet(2 * time.Second)
	d.Type("/cache").Press("enter").WaitFor(Contains("4m 5"))
	d.WaitFor(LineMatches(`\(4m (5[0-6]|4\d)s left\)`))
	d.Press("esc").WaitFor(NotContains("Prompt cache")).WaitIdle().ExpectQuiet(2 * time.Second)
}

// TestUsageView shows what each agent has used, with and without those below it.
func TestUsageView(t *testing.T) {
	t.Parallel()
	s := answers(
		on("go", reports(10, 0, 20_000), handOut("look into the parser")),
		after("go", 1, reports(500, 20_000, 0), say("Both are done.")),
		kid("look into the parser", reports(4000, 0, 0), say("It is fine.")),
	)
	s.Models = []script.Model{{ID: "anthropic/claude-test"}}
	eachSize(t, func(t *testing.T, cols, rows int) {
		d := Start(t, Options{Cols: cols, Rows: rows, Scenario: s, Config: priced})
		d.WaitIdle().Type("/usage").Press("enter").WaitFor(Contains("No model was called yet."))
		d.Press("esc").Type("go").Press("enter").WaitFor(Contains("Both are done.")).WaitIdle()
		d.Type("/usage").Press("enter").WaitFor(Contains("with 1 agent"), Contains("~$0.17")).WaitIdle()
		d.Press("G").WaitFor(Contains("By day"))
		if cols >= 120 {
			d.Expect(Contains("cache read"), Contains("Total"), Contains("look into the parser"), Contains("~$0.02"))
		}
		d.Press("esc").WaitIdle().Expect(CursorAfter("❯ "))
	})
}
