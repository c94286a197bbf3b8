//go:build unix

package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hermes-tui/providers/script"
	"hermes-tui/store/learnings"
	"hermes-tui/store/sessions"
)

// small is a model with a window of 20,000 tokens.
const small = custom + "model.context_length: 20000\n"

// record answers requests for a summary.
var record = script.Rule{Match: script.Match{System: "You keep the record"}, Steps: []script.Step{script.Text{Text: "## Goal\nKeep the lighthouse."}}}

// saying are texts of a thousand tokens each.
func saying(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint("saying ", i, " ", strings.Repeat("many words ", 350)))
	}
	return list
}

// planned says what a compression would do after n turns.
func planned(n int) *situation {
	return &situation{base: small, rules: []script.Rule{record, ok}, act: func(s *scene) {
		a, c := s.start()
		for _, text := range saying(n) {
			s.turn(c, text)
		}
		plan, err := c.PlanCompress(s.t.Context())
		s.note("plan: %d messages, %v", plan.Messages, err)
		changed, err := c.Compress(s.t.Context(), "")
		s.note("compressed: %v %v", changed, err)
		closed(s.t, a)
	}}
}

// trusted does what is to be done before a session in a folder that is trusted.
func trusted(before func(*scene)) func(*scene) {
	return func(s *scene) {
		before(s)
		a, c := s.start()
		if _, _, err := c.Trust(s.t.Context(), true); err != nil {
			s.t.Fatal(err)
		}
		closed(s.t, a)
	}
}

func instructions(bytes int) *situation {
	return &situation{base: small, before: trusted(func(s *scene) {
		s.file("AGENTS.md", strings.Repeat("Use tabs. ", bytes/20)+"The middle is here. "+strings.Repeat("Use tabs. ", bytes/20), 0o600)
	})}
}

// note is a call that remembers something.
func keep(target, text string) script.Call {
	return script.Call{Name: "memory", Args: fmt.Sprintf(`{"action":"add","target":%q,"content":%q}`, target, text)}
}

const skillText = "---\nname: gardening\ndescription: How the garden is kept.\n---\nWater it.\n"

var (
	long = &situation{base: small, rules: []script.Rule{record, ok}, act: func(s *scene) { s.talk(saying(14)...) }}
	// longer says 75,000 tokens to a model with room for 200,000.
	longer = &situation{base: custom + "model.context_length: 200000\n", rules: []script.Rule{record, ok}, act: func(s *scene) {
		s.talk(strings.Split(strings.Repeat("|saying "+strings.Repeat("many words ", 1750), 14), "|")[1:]...)
	}}
	shrunk = planned(14)

	named = &situation{base: small, before: func(s *scene) { s.file("big.txt", strings.Repeat("a line of text\n", 3000), 0o600) }, act: func(s *scene) { s.talk("read @big.txt") }}

	learns = &situation{base: free, before: func(s *scene) { s.file("scripts/build.sh", "echo built\n", 0o600) }, rules: when("go", runs("sh build.sh"), runs("sh scripts/build.sh"), runs("cat notes.txt")), act: func(s *scene) {
		a, c := s.start()
		if _, _, err := a.learnings.Add(s.t.Context(), learnings.Entry{Kind: "$ cat", Pattern: "cat notes.txt", Fix: "they are in docs"}); err != nil {
			s.t.Fatal(err)
		}
		s.turn(c, "go")
		list, _, err := a.Learnings()
		s.note("learnings: %d %v", len(list), err)
		closed(s.t, a)
	}}

	remembering = &situation{base: free, rules: when("go", keep("memory", strings.Repeat("long ", 24)), keep("user", strings.Repeat("tall ", 24))), act: func(s *scene) {
		a := s.open()
		for user, text := range map[bool]string{false: "a note of mine", true: "a trait of yours"} {
			_, err := a.AddMemory(s.t.Context(), user, "", text)
			s.note("added: %v", err)
		}
		closed(s.t, a)
		s.talk("go")
	}}
	provided = &situation{base: free + "memory.provider_command: [sh, '{{home}}/provider.sh', ':']\n", before: func(s *scene) { s.put("provider.sh", providerScript) }}

	// looksBack has a session looked back at by itself, which the other model does not see.
	looksBack = &situation{base: free, rules: []script.Rule{
		{Match: script.Match{User: "This is not the user", Results: new(int)}, Steps: []script.Step{keep("user", "wants tabs")}},
		{Match: script.Match{User: "^work", Results: new(int)}, Steps: []script.Step{runs("true"), runs("true ")}}, ok,
	}, act: func(s *scene) { s.talk("one", "two", "work", "three") }}
	bounded = &situation{base: free + "memory.nudge_interval: 0\nmodel.context_length: 200000", rules: []script.Rule{{Match: script.Match{User: "This is not the user"}, Steps: []script.Step{keep("user", strings.Repeat("x", 3000))}}, ok}, act: func(s *scene) {
		a, c := s.start()
		for i := range 3 {
			s.turn(c, fmt.Sprint("saying ", i, strings.Repeat(" many words", 1000)))
		}
		s.note("refined")
		_, err := c.Refine(s.t.Context(), "")
		s.note("refine: %v", err)
		closed(s.t, a)
	}}

	skilled = &situation{base: custom, before: trusted(func(s *scene) {
		s.file("more/gardening/SKILL.md", skillText, 0o600)
	})}
	// finds looks for skills that can be installed.
	finds = &situation{base: custom, before: skilled.before, act: func(s *scene) {
		a := s.open()
		list, _, err := a.FindSkills(s.t.Context(), "garden")
		s.note("found: %v %v", list, err)
		closed(s.t, a)
	}}
	ownSkill = &situation{base: custom, before: func(s *scene) { s.put("skills/gardening/SKILL.md", skillText) }}
	project  = &situation{base: custom, before: trusted(func(s *scene) { s.file(".hermes/skills/gardening/SKILL.md", skillText, 0o600) })}
	manages  = &situation{base: custom, rules: when("go", script.Call{Name: "skill_manage", Args: fmt.Sprintf(`{"action":"create","name":"gardening","content":%q}`, skillText)})}
	many     = &situation{base: custom, before: func(s *scene) {
		for i := range 60 {
			s.put(fmt.Sprintf("skills/skill-%d/SKILL.md", i), fmt.Sprintf("---\nname: skill-%d\ndescription: %s the end.\n---\nText.\n", i, strings.Repeat("It says much. ", 20)))
		}
	}}

	// curates starts with a skill of an agent that was not used for 100 days, and a run of
	// the curator a week and a day ago.
	curates = &situation{base: custom, before: func(s *scene) {
		s.oldSkill("dusty")
		at := time.Now().Add(-8 * 24 * time.Hour).UTC().Format(time.RFC3339)
		s.put("skills/.curator_state", `{"last_run_at":"`+at+`","paused":false,"run_count":3}`)
	}, act: func(s *scene) {
		a, c := s.start()
		a.background.group.Wait()
		s.note("said: %s", notices(c)+strings.Join(a.Notices(), "\n"))
		status, err := a.Curate(s.t.Context(), CuratorStatus, "")
		s.note("status: %s %v", status, err)
		closed(s.t, a)
	}}
	// worked is the same where someone has worked ten hours ago.
	worked = &situation{base: custom, before: func(s *scene) {
		s.aged("session", 10*time.Hour) // this program has a curator too
		curates.before(s)
	}, act: curates.act}

	// trains shows what is kept of a session for training.
	trains = &situation{base: custom, act: func(s *scene) {
		s.talk("go")
		kept, err := os.ReadFile(filepath.Join(s.home.Trajectories(), completedTrajectories))
		s.note("trained: %s %v", kept, err)
	}}

	prunes = &situation{base: custom, before: func(s *scene) { s.past100("pruned long ago") }, act: func(s *scene) {
		a := s.open()
		a.background.group.Wait()
		list, err := a.Sessions(s.t.Context(), "", 10, true)
		s.note("sessions: %d %v", len(list), err)
		closed(s.t, a)
	}}
	// pruned is the same where it was looked ten hours ago.
	pruned = &situation{base: custom + "sessions.auto_prune: true\n", before: func(s *scene) {
		a := s.open()
		a.background.group.Wait()
		closed(s.t, a)
		s.past100("later")
		s.past("cache/pruned", 10*time.Hour)
	}, act: prunes.act}
)

// aged stores a session that was used some time ago.
func (s *scene) aged(id string, by time.Duration) {
	a := s.open()
	at := time.Now().Add(-by)
	err := a.db.Commit(s.t.Context(), sessions.Batch{
		Conv: "c-" + id, Session: id, Create: &sessions.NewSession{Source: "cli", Workspace: s.dir, At: at},
		Messages: []sessions.Message{{ID: "m-" + id, Role: "user", Content: "words", At: at}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	closed(s.t, a)
}

// past100 stores a session that was used 100 days ago, with settings that delete none.
func (s *scene) past100(id string) {
	s.config(strings.ReplaceAll(nested(s.settings), "auto_prune: true", "auto_prune: false"))
	s.aged(strings.ReplaceAll(id, " ", "-"), 100*24*time.Hour)
	s.config(nested(s.settings))
}

func sessionKeys() []keyTest {
	return []keyTest{
		{key: "compression.enabled", in: long, also: "compression.protect_last_n: 10", set: "false", without: `event context_compressed`},
		{key: "compression.threshold", in: longer, also: "compression.protect_last_n: 10", set: "0.1", with: `event context_compressed`},
		{key: "compression.target_ratio", in: shrunk, also: "compression.enabled: false\ncompression.protect_last_n: 0", set: "0.8", without: `plan: 22 messages`},
		{key: "compression.protect_last_n", in: long, also: "compression.protect_last_n: 10", set: "100", without: `event context_compressed`},
		{key: "compression.protect_first_n", in: shrunk, also: "compression.enabled: false\ncompression.protect_last_n: 2", set: "9", with: `plan: 16 messages`},
		{key: "compression.review", in: long, also: "compression.protect_last_n: 10", set: "ask", with: `event requested .*clarify`},

		{key: "context_file_max_chars", in: instructions(3000), set: "200", without: `The middle is here`},
		{key: "context.instructions_percent", in: instructions(12000), set: "50", with: `The middle is here`},
		{key: "context.references_percent", in: named, set: "90", with: `a line of text`},

		{key: "learnings.capture", in: learns, set: "false", with: `learnings: 1 `},
		{key: "learnings.apply", in: learns, set: "false", without: `they are in docs`},
		{key: "learnings.max_entries", in: learns, set: "1", with: `learnings: 1 `},

		{key: "memory.memory_enabled", in: remembering, set: "false", without: `main request 1 .*a note of mine`},
		{key: "memory.user_profile_enabled", in: remembering, set: "false", without: `main request 1 .*a trait of yours`},
		{key: "memory.memory_char_limit", in: remembering, set: "100", with: `would exceed the limit: .*/100 chars`},
		{key: "memory.user_char_limit", in: remembering, set: "101", with: `would exceed the limit: .*/101 chars`},
		{key: "memory.write_approval", in: remembering, set: "true", with: `event requested`},
		{key: "memory.provider", in: provided, set: "command", with: `The block of the provider`},
		{key: "memory.provider_command", in: provided, also: "memory.provider: command\nmemory.provider_command: [sh, -c, exit 3]", set: "[sh, '{{home}}/provider.sh', ':']", with: `The block of the provider`},
		{key: "memory.review", in: looksBack, also: "memory.nudge_interval: 2", set: "\"on\"", with: `This is not the user`},
		{key: "memory.nudge_interval", in: looksBack, also: "memory.review: \"on\"", set: "2", with: `This is not the user`},
		{key: "memory.review_max_tokens", in: bounded, set: "20000", with: `refine: .*as many tokens as it may`},
		{key: "skills.creation_nudge_interval", in: looksBack, also: "memory.review: \"on\"", set: "2", with: `This is not the user`},

		{key: "skills.external_dirs", in: skilled, set: "['{{dir}}/more']", with: `How the garden is kept`},
		{key: "skills.disabled", in: ownSkill, set: "[gardening]", without: `main request .*How the garden is kept`},
		{key: "skills.indexes", in: finds, set: "['{{dir}}/more']", with: `found: .*gardening`},
		{key: "skills.write_approval", in: manages, set: "true", with: `event requested`},
		{key: "skills.project_discovery", in: project, set: "false", without: `skill is held back`},
		{key: "skills.index_percent", in: many, set: "0.1", without: `skill-7: It says much`},

		{key: "curator.enabled", in: curates, set: "false", without: `said: .*archive: dusty`},
		{key: "curator.interval_hours", in: curates, set: "300", without: `said: .*archive: dusty`},
		{key: "curator.min_idle_hours", in: worked, set: "20", without: `said: .*archive: dusty`},
		{key: "curator.stale_after_days", in: curates, also: "curator.enabled: false", set: "200", with: `1 active, 0 stale after 200 days`},
		{key: "curator.archive_after_days", in: curates, set: "300", without: `said: .*archive: dusty`},

		{key: "sessions.save_trajectories", in: trains, set: "true", with: `trained: .*"from":"gpt"`},
		{key: "sessions.auto_prune", in: prunes, set: "true", with: `sessions: 0 `},
		{key: "sessions.retention_days", in: prunes, also: "sessions.auto_prune: true", set: "300", with: `sessions: 1 `},
		{key: "sessions.min_interval_hours", in: pruned, set: "2", with: `sessions: 0 `},
	}
}
