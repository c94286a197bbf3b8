package skill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Change is what an agent wants done to a skill: an action of the schema, and what
// belongs to it.
type Change struct {
	Action   string `json:"action"`
	Name     string `json:"name"`
	Content  string `json:"content"`
	Old      string `json:"old_string"`
	New      string `json:"new_string"`
	All      bool   `json:"replace_all"`
	Category string `json:"category"`
	File     string `json:"file_path"`
	Text     string `json:"file_content"`
	Absorbed string `json:"absorbed_into"`
}

// Planned is what a change would do, or has done.
type Planned struct {
	Message, Path string
	// Diff is a unified diff.
	Diff string
	// Ask says that the user has to be asked, and why.
	Ask string
	// Advice are remarks on the skill as it will be.
	Advice []string
	// Before is the text that was there.
	Before string
}

// Writer changes skills. Its errors are sentences for the model.
type Writer interface {
	// Plan says what a change would do.
	Plan(ctx context.Context, c Change) (Planned, error)
	// Apply makes it. With before it is refused when something else is there by now.
	Apply(ctx context.Context, c Change, before *string) (Planned, error)
	// Stage keeps it for the user to decide on, under a name.
	Stage(ctx context.Context, c Change, p Planned) (id string, err error)
}

const manageParameters = `{"type":"object","properties":{
"action":{"type":"string","enum":["create","patch","edit","delete","write_file","remove_file"]},
"name":{"type":"string","description":"small letters, digits and hyphens"},
"content":{"type":"string","description":"the whole SKILL.md, for create and edit: front matter with name and description between lines of ---, then the text"},
"old_string":{"type":"string","description":"for patch: text to replace"},
"new_string":{"type":"string","description":"for patch: what stands there then"},
"replace_all":{"type":"boolean"},
"category":{"type":"string","description":"for create: a folder for skills of a kind"},
"file_path":{"type":"string","description":"for write_file, remove_file and patch: a file below references, templates, scripts or assets"},
"file_content":{"type":"string","description":"for write_file"},
"absorbed_into":{"type":"string","description":"for delete: the skill that now holds what is of use in it"}},
"required":["action","name"]}`

func (t *Tools) manage() tools.Tool {
	return tools.Tool{
		Name: "skill_manage", Toolset: Toolset, Class: tools.Interactive, Housekeeping: true, RootOnly: true,
		Description: "Write, change or delete a skill of the user's own. Prefer patch to edit. A skill says when it is of use, how the work is done step by step, what goes wrong and how to check it; nothing about one task.",
		Guidance:    "When work of several steps has turned out well and will come again, offer to keep how it is done as a skill; when a skill that you followed was wrong, mend it.",
		Parameters:  json.RawMessage(manageParameters),
		Preview: func(raw json.RawMessage) tools.View {
			var c Change
			_ = json.Unmarshal(raw, &c) // what cannot be read shows nothing
			return c.view()
		},
		Summarise: func(args, _ tools.Members) (did, came string) {
			return shorten.Line(args.Text("action"), 20) + " skill " + shorten.Line(args.Text("name"), 64), ""
		},
		Run: func(ctx context.Context, c tools.Call, h tools.Host, _ tools.Sink) (tools.Result, error) {
			return t.runManage(ctx, c, h)
		},
	}
}

func (c Change) view() tools.View {
	return tools.View{Kind: tools.KindWrite, Subject: strings.TrimSpace(c.Action + " skill " + c.Name + " " + c.File)}
}

// managed is what the model gets.
type managed struct {
	Success bool     `json:"success"`
	Message string   `json:"message,omitempty"`
	Error   string   `json:"error,omitempty"`
	Path    string   `json:"path,omitempty"`
	Staged  bool     `json:"staged,omitempty"`
	Pending string   `json:"pending_id,omitempty"`
	Advice  []string `json:"advice,omitempty"`
}

func refused(v tools.View, why string) tools.Result {
	r := tools.Failure(v, why)
	r.Content = tools.JSON(managed{Error: why})
	return r
}

func (t *Tools) runManage(ctx context.Context, call tools.Call, h tools.Host) (tools.Result, error) {
	var c Change
	if err := call.Decode(&c); err != nil {
		return refused(tools.View{Kind: tools.KindWrite, Subject: "skill"}, err.Error()), nil
	}
	v := c.view()
	p, err := t.writer.Plan(ctx, c)
	if err != nil {
		return refused(v, err.Error()), nil
	}
	var seen *string
	if p.Ask != "" {
		answer, err := ask(ctx, h, p)
		switch {
		case err != nil:
			return tools.Result{}, err
		case answer.Choice == tools.ChoiceNone:
			return t.stage(ctx, c, p, v), nil
		case answer.Choice == tools.ChoiceDeny:
			return refused(v, strings.TrimSpace("The user does not want this change. "+answer.Text)), nil
		}
		seen = &p.Before
	}
	if p, err = t.writer.Apply(ctx, c, seen); err != nil {
		return refused(v, err.Error()), nil
	}
	v.Summary, v.Body, v.Lang = p.Message, p.Diff, "diff"
	return tools.Result{Content: tools.JSON(managed{Success: true, Message: p.Message, Path: p.Path, Advice: p.Advice}), View: v}, nil
}

// stage keeps a change for the user.
func (t *Tools) stage(ctx context.Context, c Change, p Planned, v tools.View) tools.Result {
	id, err := t.writer.Stage(ctx, c, p)
	if err != nil {
		return refused(v, err.Error())
	}
	v.Summary, v.Body, v.Lang = "needs your decision under /skills", p.Diff, "diff"
	return tools.Result{View: v, Content: tools.JSON(managed{
		Success: true, Staged: true, Pending: id, Message: "Nothing was changed yet: the user decides on it later. Go on without it.",
	})}
}

// ask asks the user.
func ask(ctx context.Context, h tools.Host, p Planned) (tools.Answer, error) {
	sum := sha256.Sum256([]byte(p.Diff))
	return h.Ask(ctx, tools.Question{Approval: &tools.Approval{
		Verb: "write", Text: p.Diff, SHA256: hex.EncodeToString(sum[:]),
		Reasons: []tools.Reason{{Category: "skills", Text: p.Ask}},
	}})
}
