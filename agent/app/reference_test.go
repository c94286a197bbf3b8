package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hermes-tui/store/learnings"
	"hermes-tui/store/memory"
	"hermes-tui/store/skills"
)

// referenceHome is a home as Hermes Agent writes it.
var referenceHome = map[string]string{
	"memories/MEMORY.md": "The server runs Debian 12.\n§\nTwo lines\nof one entry, with § in it.",
	"memories/USER.md":   "Is called Ada; prefers short answers.",
	"learnings.jsonl": `{"pattern":"pip install fails","error_type":"externally-managed","fix":"use a venv","context":"Debian","tags":["python"],"created_at":"2026-05-01T10:00:00","times_used":3,"weight":0.5}
{"pattern":"npm ci fails","error_type":"lock","fix":"delete node_modules","context":"","tags":[],"created_at":1767225600.5,"times_used":0}
`,
	"skills/devops/DESCRIPTION.md":                "---\ndescription: Running things.\n---\n",
	"skills/devops/deploy/SKILL.md":               "---\nname: deploy\ndescription: Deploys.\nversion: 1.0.0\nmetadata:\n  hermes:\n    tags: [ops]\n    related_skills: [hub-one]\n---\n\n# Deploy\nDo it.\n",
	"skills/devops/deploy/references/hosts.md":    "hosts\n",
	"skills/hub-one/SKILL.md":                     "---\nname: hub-one\ndescription: Installed.\n---\n\nText.\n",
	"skills/odd/SKILL.md":                         "---\nname: odd\ndescription: Pinned, with odd fields.\n---\n\nText.\n",
	"skills/.archive/gone/SKILL.md":               "---\nname: gone\ndescription: Was archived.\n---\n\nText.\n",
	"skills/.hub/lock.json":                       `{"version":1,"installed":{"hub-one":{"source":"github","identifier":"a/b/hub-one","trust_level":"community","scan_verdict":"safe","content_hash":"sha256:00","install_path":"hub-one","files":["SKILL.md"],"metadata":{"x":1},"installed_at":"2026-05-01T10:00:00+00:00","updated_at":"2026-05-01T10:00:00+00:00"}}}`,
	"skills/.hub/taps.json":                       `{"taps":[{"repo":"a/b","path":"skills/"}]}`,
	"skills/.hub/audit.log":                       "2026-05-01T10:00:00Z INSTALL hub-one github:community safe\n",
	"skills/.hub/index-cache/x.json":              "{}",
	"skills/.bundled_manifest":                    "arxiv:0123456789abcdef0123456789abcdef\ndeploy:00\n",
	"skills/.curator_state":                       `{"last_run_at":"2026-05-01T10:00:00.123456","last_run_duration_seconds":1.5,"last_run_summary":"nothing","last_report_path":"/r","paused":true,"run_count":7}`,
	"skills/.usage.json":                          `{"deploy":{"created_by":"agent","use_count":4,"view_count":9,"patch_count":1,"last_used_at":"2026-05-01T10:00:00.123456+00:00","created_at":"2026-04-01T10:00:00.5","state":"active","pinned":false,"archived_at":null,"provenance":{"by":"x"}},"odd":{"use_count":"many","last_used_at":"yesterday","pinned":true,"note":1}}`,
	"skills/devops/deploy/.hermes-internal/x.txt": "kept\n",
}

// TestReferenceHome reads and writes a home as Hermes Agent writes it: all of it is
// understood, what is written has the same form, and what is not ours stays as it was.
func TestReferenceHome(t *testing.T) {
	b := newBox(t)
	for name, text := range referenceHome {
		b.put(name, text)
	}
	a := b.open()
	index := func() *skills.Index { return a.skills.Index() }
	ctx := t.Context()
	list, _, err := a.memory.List(memory.Notes)
	if err != nil || len(list) != 2 || list[1].Text != "Two lines\nof one entry, with § in it." {
		t.Errorf("memory %+v, %v", list, err)
	}
	learnt, unread, err := a.Learnings()
	if err != nil || unread != 0 || len(learnt) != 2 || learnt[0].At.IsZero() || learnt[1].At.IsZero() {
		t.Errorf("learnings %+v, %d, %v", learnt, unread, err)
	}
	used, err := skills.Usage(b.home.Skills())
	if u := used["deploy"]; err != nil || u.Uses != 4 || u.Used == nil || u.Created == nil || !used["odd"].Pinned {
		t.Errorf("use %+v, %v", used, err)
	}
	c := a.curator()
	if s := c.State(); !s.Paused || s.Runs != 7 || s.Last == nil {
		t.Errorf("state %+v", s)
	}
	if kept, err := a.ArchivedSkills(); err != nil || len(kept) != 1 || kept[0].Name != "gone" {
		t.Errorf("archive %+v, %v", kept, err)
	}
	// Everything is written.
	add := memory.Change{Target: memory.Notes, Operations: []memory.Operation{{Action: memory.Add, Content: "A new fact."}}}
	if _, err := a.memory.Apply(ctx, add); err != nil {
		t.Error(err)
	}
	if _, _, err := a.learnings.Add(ctx, learnings.Entry{Pattern: "go vet fails", Fix: "read it"}); err != nil {
		t.Error(err)
	}
	if err := a.learnings.Used(ctx, learnt[0].ID, learnt[1].ID); err != nil {
		t.Error(err)
	}
	for _, e := range []skills.Edit{
		{Action: skills.Patch, Name: "deploy", Old: "Do it.", New: "Do it well."}, {Action: skills.Create, Name: "fresh", Content: "---\nname: fresh\ndescription: New.\n---\n\nText.\n"},
	} {
		if _, err := c.Apply(ctx, index, e, nil); err != nil {
			t.Error(err)
		}
	}
	if err := skills.Note(ctx, b.home.Skills(), "odd", func(u *skills.Use) { u.Views++ }); err != nil {
		t.Error(err)
	}
	if archived, err := c.Run(ctx, index, true); err != nil || len(archived) != 0 {
		t.Errorf("archived %q, %v", archived, err)
	}
	if err := c.Restore(ctx, index, "gone"); err != nil {
		t.Error(err)
	}
	b.reads()
}

// reads checks the files as Hermes Agent reads them.
func (b *box) reads() {
	t := b.t
	t.Helper()
	text := func(name string) string {
		data, err := os.ReadFile(filepath.Join(b.home.Dir(), name))
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	if got, want := text("memories/MEMORY.md"), referenceHome["memories/MEMORY.md"]+"\n§\nA new fact."; got != want {
		t.Errorf("MEMORY.md is %q", got)
	}
	if got := text("skills/gone/SKILL.md"); got != referenceHome["skills/.archive/gone/SKILL.md"] {
		t.Errorf("what was restored is %q", got)
	}
	for name, was := range referenceHome {
		switch name {
		case "memories/MEMORY.md", "learnings.jsonl", "skills/devops/deploy/SKILL.md", "skills/.usage.json", "skills/.curator_state", "skills/.archive/gone/SKILL.md":
		default:
			if text(name) != was {
				t.Errorf("%s has changed to %q", name, text(name))
			}
		}
	}
	object := func(what, data string) (o map[string]any) {
		if err := json.Unmarshal([]byte(data), &o); err != nil {
			t.Errorf("%s: %v in %q", what, err, data)
		}
		return o
	}
	lines := strings.Split(strings.TrimSpace(text("learnings.jsonl")), "\n")
	if len(lines) != 3 {
		t.Errorf("learnings %q", lines)
	}
	for i, line := range lines {
		o := object("learnings", line)
		for _, key := range []string{"pattern", "error_type", "fix", "context", "tags", "created_at", "times_used"} {
			if o[key] == nil {
				t.Errorf("line %d of the learnings has no %s: %s", i, key, line)
			}
		}
	}
	if o := object("learnings", lines[0]); o["weight"] != 0.5 || o["times_used"] != 4.0 {
		t.Errorf("the first learning is %v", o)
	}
	use := object(".usage.json", text("skills/.usage.json"))
	deploy, _ := use["deploy"].(map[string]any)
	if !reflect.DeepEqual(deploy["provenance"], map[string]any{"by": "x"}) || deploy["patch_count"] != 2.0 || deploy["use_count"] != 4.0 || deploy["created_by"] != "agent" {
		t.Errorf("deploy is %v", deploy)
	}
	odd, _ := use["odd"].(map[string]any)
	if odd["pinned"] != true || odd["note"] != 1.0 || odd["view_count"] != 1.0 {
		t.Errorf("odd is %v", odd)
	}
	if gone, _ := use["gone"].(map[string]any); gone["state"] != "active" {
		t.Errorf("gone is %v", gone)
	}
	s := object(".curator_state", text("skills/.curator_state"))
	if s["last_report_path"] != "/r" || s["paused"] != true || s["run_count"] != 8.0 || s["last_run_summary"] != "0 archived, 0 stale" {
		t.Errorf("the state is %v", s)
	}
}
