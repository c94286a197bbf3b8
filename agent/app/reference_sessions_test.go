package app

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/internal/reftest"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

// blocksOf is what the transcript of a conversation shows, a line for each block.
func blocksOf(c Conversation) (list []string) {
	for _, b := range c.State().Root().Blocks {
		switch {
		case b.Compact != nil:
			list = append(list, "compact")
		case b.Call != nil:
			list = append(list, "call "+b.Call.View.Name)
		case b.Kind == event.BlockUser, b.Kind == event.BlockAnswer:
			list = append(list, b.Text.String())
		}
	}
	return list
}

// TestSessionsOfTheReference works with a database that Hermes Agent has made: what it
// holds is listed, found, read back to its beginning and gone on with, and afterwards it is
// one that Hermes Agent can go on with.
func TestSessionsOfTheReference(t *testing.T) {
	for _, version := range []int{11, 16} {
		t.Run(fmt.Sprint("schema ", version), func(t *testing.T) {
			server := summing(t, script.Text{Text: "unused"})
			b := newBox(t)
			path := reftest.Write(t, b.home.Dir(), version)
			b.config(fmt.Sprintf(summingConfig, server.URL()))
			a := b.open()
			ctx := t.Context()

			list, err := a.Sessions(ctx, "", 50, false)
			var names []string
			for _, i := range list {
				names = append(names, i.Session)
			}
			if want := strings.Join([]string{reftest.Picture, reftest.CJK, reftest.Limb, reftest.Third}, " "); err != nil || strings.Join(names, " ") != want {
				t.Errorf("listed %v, %v", names, err)
			}
			if list, err := a.Sessions(ctx, "", 50, true); err != nil || len(list) != map[int]int{11: 4, 16: 5}[version] {
				t.Errorf("with those that are archived %d, %v", len(list), err)
			}
			for text, want := range map[string]string{"teapot": reftest.Third, "saucer": reftest.Third, "ladle": reftest.Limb, "登录问题": reftest.CJK, "見出": reftest.CJK, "picture": reftest.Picture} {
				found, err := a.Search(ctx, text, time.Now())
				if err != nil || len(found) != 1 || found[0].Session != want {
					t.Errorf("%s: %+v, %v", text, found, err)
				}
			}
			found, err := a.Search(ctx, "teapot", time.Now())
			if err != nil {
				t.Fatal(err)
			}

			c, err := a.Resume(ctx, "old talk")
			if err != nil {
				t.Fatal(err)
			}
			whole := []string{"please look at the kettle", "call terminal", "There is a teapot.", "compact", "[CONTEXT COMPACTION — REFERENCE ONLY] the summary of the kettle", "Understood the saucer.",
				"compact", "[CONTEXT COMPACTION — REFERENCE ONLY] the summary of the summary", "Go on."}
			if got := blocksOf(c); strings.Join(got, "\n") != strings.Join(whole, "\n") {
				t.Errorf("it shows\n%s", strings.Join(got, "\n"))
			}
			hit := false
			for _, b := range c.State().Root().Blocks {
				hit = hit || string(b.Message) == found[0].Hits[0].Message
			}
			if !hit {
				t.Errorf("what was found is not in the transcript: %+v", found[0].Hits)
			}
			say(t, c, "hello kettle of 静かな朝です")
			sent := history(t, server)
			if len(sent) != 3 || !strings.Contains(sent[0], "the summary of the summary") || strings.Contains(strings.Join(sent, ""), "teapot") {
				t.Errorf("the model got %q", sent)
			}
			for _, format := range ExportFormats() {
				var out strings.Builder
				if err := a.Export(ctx, reftest.Third, format, false, &out); err != nil || format != "sharegpt" && !strings.Contains(out.String(), "There is a teapot.") {
					t.Errorf("%s: %v, %.300s", format, err, out.String())
				}
			}
			for _, ref := range []string{reftest.Limb, reftest.CJK, reftest.Picture} {
				c, err := a.Resume(ctx, ref)
				if err != nil {
					t.Fatal(err)
				}
				say(t, c, "and on")
			}
			closed(t, a)

			a = b.open()
			if c, err = a.Resume(ctx, reftest.First); err != nil {
				t.Fatal(err)
			}
			if got := blocksOf(c); strings.Join(got[:len(whole)], "\n") != strings.Join(whole, "\n") || len(got) != len(whole)+2 {
				t.Errorf("again it shows\n%s", strings.Join(got, "\n"))
			}
			kin, err := a.db.Lineage(ctx, reftest.Third)
			var told []string
			for _, k := range kin {
				told = append(told, k.Session+" "+string(k.Why))
			}
			want := []string{reftest.First + " ", reftest.Second + " compression", reftest.Third + " compression", reftest.Limb + " branch", reftest.Child + " subagent"}
			if err != nil || strings.Join(told, ", ") != strings.Join(want, ", ") {
				t.Errorf("lineage %q, %v", told, err)
			}
			closed(t, a)

			for query, want := range map[string]string{
				"PRAGMA integrity_check": "ok", "SELECT MAX(version) FROM schema_version": fmt.Sprint(version),
				"SELECT COUNT(*) FROM messages m WHERE m.content LIKE 'hello kettle%' AND m.id IN (SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'hello')":                "1",
				"SELECT COUNT(*) FROM messages m WHERE m.content LIKE 'hello kettle%' AND m.id IN (SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH '静かな朝')": "1",
				"SELECT COUNT(*) FROM messages WHERE id NOT IN (SELECT rowid FROM messages_fts)":                                                                                    "0",
				"SELECT COUNT(*) FROM sessions WHERE end_reason = 'compression'":                                                                                                    "2",
				"SELECT message_count FROM sessions WHERE id = '" + reftest.Third + "'":                                                                                             "4",
			} {
				if got := reftest.Ask(t, path, query); got != want {
					t.Errorf("%s: %s, want %s", query, got, want)
				}
			}
		})
	}
}

// TestExportGoesBeforeACompression takes a session that was compressed by another program
// along whole, and back.
func TestExportGoesBeforeACompression(t *testing.T) {
	b := newBox(t)
	reftest.Write(t, b.home.Dir(), 16)
	a := b.open()
	defer closed(t, a)
	ctx := t.Context()
	var out strings.Builder
	if err := a.Export(ctx, "old talk", "json", true, &out); err != nil {
		t.Fatal(err)
	}
	var form struct {
		Earlier []struct{ Messages []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(out.String()), &form); err != nil || len(form.Earlier) != 2 || len(form.Earlier[0].Messages) != 4 {
		t.Fatalf("%v, %.500s", err, out.String())
	}
	there := newBox(t)
	other := there.open()
	defer closed(t, other)
	id, err := other.Import(ctx, strings.NewReader(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	c, err := other.Resume(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(blocksOf(c), "\n"); !strings.HasPrefix(got, "please look at the kettle\n") || strings.Count(got, "compact") != 2 || !strings.HasSuffix(got, "Go on.") {
		t.Errorf("it shows\n%s", got)
	}
	if list, err := other.db.List(ctx, sessions.Filter{}); err != nil || len(list) != 1 || list[0].Session != id {
		t.Errorf("listed %+v, %v", list, err)
	}
}
