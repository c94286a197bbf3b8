// Package skill holds the tools by which an agent finds, reads and writes skills:
// instructions for a kind of work, with files beside them.
//
// The tools know a [Library]; where skills are and who may see which is its matter. Texts
// of skills are at most 100,000 characters before the model, files beside them as well.
package skill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Toolset is the toolset of the tools of this package.
const Toolset = "skills"

// ViewName is the name of the tool that reads a skill.
const ViewName = "skill_view"

// Entry is a skill as the model is told of it.
type Entry struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Category    string `json:"category,omitempty"`
}

// Opened is a skill with its text.
type Opened struct {
	Entry
	Tags, Related []string
	// Content is all of the text that the model gets, without the front matter.
	Content string
	// Dir is its folder, Path its file; both empty for one that is not on the disk.
	Dir, Path string
	// Links are the other files, by kind.
	Links         map[string][]string
	Compatibility string
	// Variables and Commands are what has to be set up, with what is said of it.
	Variables, Commands []Need
}

// Need is something that a skill needs.
type Need struct {
	Name    string `json:"name"`
	Help    string `json:"help,omitempty"`
	Missing bool   `json:"-"`
}

// NotFoundError says that a name means no skill, or several.
type NotFoundError struct {
	Name    string
	Several []string // that it may mean
	Known   []string // some that there are
}

// Error implements error.
func (e *NotFoundError) Error() string {
	if len(e.Several) > 0 {
		return fmt.Sprintf("%q can be any of %s: name one of them.", e.Name, strings.Join(e.Several, ", "))
	}
	return fmt.Sprintf("There is no skill %q.", e.Name)
}

// Library is where skills come from. Its errors are sentences for the model. It is safe
// for concurrent use.
type Library interface {
	// Entries are those that the model is told of, sorted by category and name.
	Entries(ctx context.Context) []Entry
	// Open reads a skill for use.
	Open(ctx context.Context, name string) (Opened, error)
	// Content reads another file of a skill, by its path within the folder.
	Content(ctx context.Context, name, file string) (string, error)
}

// Tools are the tools of an agent over a library.
type Tools struct {
	lib    Library
	writer Writer
}

// New makes the tools. Without a writer there is none that changes skills.
func New(lib Library, w Writer) *Tools { return &Tools{lib, w} }

// Family is the tools of the package.
func (t *Tools) Family() tools.Family {
	list := []tools.Tool{t.list(), t.view()}
	if t.writer != nil {
		list = append(list, t.manage())
	}
	return tools.Family{Tools: list}
}

func view(subject, summary string) tools.View {
	return tools.View{Kind: tools.KindRead, Subject: subject, Summary: summary}
}

func (t *Tools) list() tools.Tool {
	return tools.Tool{
		Name: "skills_list", Toolset: Toolset, Class: tools.ReadOnly, ReadsOnly: true,
		Description: "List the skills there are: instructions for kinds of work, written for you. Read one with " + ViewName + ".",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"category":{"type":"string","description":"only those of this category"}},"required":[]}`),
		Preview:     func(json.RawMessage) tools.View { return view("skills", "") },
		Summarise: func(_, result tools.Members) (did, came string) {
			n, _ := result.Number("count")
			return "listed the skills", "-> " + tools.Plural(n, "skill", "skills")
		},
		Run: func(ctx context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			return t.runList(ctx, c), nil
		},
	}
}

func (t *Tools) runList(ctx context.Context, c tools.Call) tools.Result {
	var args struct {
		Category string `json:"category"`
	}
	if err := c.Decode(&args); err != nil {
		return tools.Failure(view("skills", ""), err.Error())
	}
	answer := struct {
		Success    bool     `json:"success"`
		Skills     []Entry  `json:"skills"`
		Categories []string `json:"categories"`
		Count      int      `json:"count"`
		Hint       string   `json:"hint,omitempty"`
	}{Success: true, Skills: []Entry{}, Categories: []string{}, Hint: "Read one with " + ViewName + " before you work by it."}
	for _, e := range t.lib.Entries(ctx) {
		if e.Category != "" && !slices.Contains(answer.Categories, e.Category) {
			answer.Categories = append(answer.Categories, e.Category)
		}
		if args.Category == "" || e.Category == args.Category || strings.HasPrefix(e.Category, args.Category+"/") {
			answer.Skills = append(answer.Skills, e)
		}
	}
	answer.Count = len(answer.Skills)
	if answer.Count == 0 {
		answer.Hint = ""
	}
	return tools.Result{Content: tools.JSON(answer), View: view("skills", tools.Plural(answer.Count, "skill", "skills"))}
}

func (t *Tools) view() tools.Tool {
	return tools.Tool{
		Name: ViewName, Toolset: Toolset, Class: tools.ReadOnly, ReadsOnly: true, MaxResult: -1,
		Description: "Read a skill, or with file_path a file that belongs to it.",
		Guidance:    "When a skill fits the task, read it with " + ViewName + " first and follow it. Say so when it turns out to be wrong.",
		Parameters: json.RawMessage(`{"type":"object","properties":{
"name":{"type":"string","description":"its name, or category/name"},
"file_path":{"type":"string","description":"a file of it, as listed under linked_files"}},"required":["name"]}`),
		Preview: func(raw json.RawMessage) tools.View {
			var a viewArgs
			_ = json.Unmarshal(raw, &a) // what cannot be read shows nothing
			return view(a.subject(), "")
		},
		Summarise: summariseView,
		Again:     again,
		Run: func(ctx context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			return t.runView(ctx, c), nil
		},
	}
}

type viewArgs struct {
	Name string `json:"name"`
	File string `json:"file_path"`
}

func (a viewArgs) subject() string {
	return strings.Trim("skill "+a.Name+" "+a.File, " ")
}

// summariseView says what was read.
func summariseView(args, _ tools.Members) (did, came string) {
	did = "read the skill " + shorten.Line(args.Text("name"), 64)
	if f := args.Text("file_path"); f != "" {
		did += " (" + shorten.Line(f, 100) + ")"
	}
	return did, ""
}

// again is the text of a skill, which has to stay before the model.
func again(args, result tools.Members) (tools.Attached, bool) {
	a := tools.Attached{Name: "skill " + result.Text("name"), Text: result.Text("content")}
	return a, args.Text("file_path") == "" && a.Text != ""
}

// maxContent is how much of a text the model gets, in characters.
const maxContent = 100_000

// clipped cuts a text and says so.
func clipped(text, path string) string {
	r := []rune(text)
	if len(r) <= maxContent {
		return text
	}
	more := ""
	if path != "" {
		more = " The whole text is in " + path + "."
	}
	return string(r[:maxContent]) + fmt.Sprintf("\n\n[cut: these are the first %s of %s characters.%s]", tools.Grouped(maxContent), tools.Grouped(len(r)), more)
}

func (t *Tools) runView(ctx context.Context, c tools.Call) tools.Result {
	var a viewArgs
	if err := c.Decode(&a); err != nil {
		return tools.Failure(view("skill", ""), err.Error())
	}
	v := view(a.subject(), "")
	if strings.TrimSpace(a.Name) == "" {
		return tools.Failure(v, "name is empty: name the skill.")
	}
	if a.File != "" {
		text, err := t.lib.Content(ctx, a.Name, a.File)
		if err != nil {
			return failed(v, err)
		}
		v.Summary, v.Body = tools.Plural(strings.Count(text, "\n")+1, "line", "lines"), text
		return tools.Result{View: v, Content: tools.JSON(map[string]any{
			"success": true, "name": a.Name, "file": a.File, "content": clipped(text, ""),
		})}
	}
	o, err := t.lib.Open(ctx, a.Name)
	if err != nil {
		return failed(v, err)
	}
	v.Summary, v.Body = tools.Plural(strings.Count(o.Content, "\n")+1, "line", "lines"), o.Content
	return tools.Result{View: v, Content: tools.JSON(answerTo(o))}
}

// failed tells the model what went wrong, with the names that it may have meant.
func failed(v tools.View, err error) tools.Result {
	r := tools.Failure(v, err.Error())
	if unknown, ok := errors.AsType[*NotFoundError](err); ok {
		answer := map[string]any{"success": false, "error": err.Error()}
		if len(unknown.Several) > 0 {
			answer["matches"] = unknown.Several
		} else {
			answer["available_skills"] = unknown.Known
		}
		r.Content = tools.JSON(answer)
	}
	return r
}

// answer is what the model gets of a skill.
type answer struct {
	Success bool `json:"success"`
	Entry
	Tags          []string            `json:"tags"`
	Related       []string            `json:"related_skills"`
	Content       string              `json:"content"`
	Path          string              `json:"path,omitempty"`
	Dir           string              `json:"skill_dir,omitempty"`
	Links         map[string][]string `json:"linked_files,omitempty"`
	Hint          string              `json:"usage_hint,omitempty"`
	Variables     []Need              `json:"required_environment_variables"`
	Commands      []string            `json:"required_commands"`
	NoVariables   []string            `json:"missing_required_environment_variables"`
	NoCommands    []string            `json:"missing_required_commands"`
	Setup         bool                `json:"setup_needed"`
	Readiness     string              `json:"readiness_status"`
	Note          string              `json:"setup_note,omitempty"`
	Compatibility string              `json:"compatibility,omitempty"`
}

func answerTo(o Opened) answer {
	a := answer{
		Success: true, Entry: o.Entry, Tags: full(o.Tags), Related: full(o.Related), Content: clipped(o.Content, o.Path),
		Path: o.Path, Dir: o.Dir, Links: o.Links, Compatibility: o.Compatibility,
		Variables: append([]Need{}, o.Variables...), Commands: []string{}, NoVariables: []string{}, NoCommands: []string{}, Readiness: "available",
	}
	if len(o.Links) > 0 {
		a.Hint = "Read a linked file with " + ViewName + " and file_path when the text points to it."
	}
	for _, n := range o.Variables {
		if n.Missing {
			a.NoVariables = append(a.NoVariables, n.Name)
		}
	}
	for _, n := range o.Commands {
		a.Commands = append(a.Commands, n.Name)
		if n.Missing {
			a.NoCommands = append(a.NoCommands, n.Name)
		}
	}
	if missing := append(slices.Clone(a.NoVariables), a.NoCommands...); len(missing) > 0 {
		a.Setup, a.Readiness = true, "setup_needed"
		a.Note = "Not set up here: " + strings.Join(missing, ", ") + ". Tell the user before you rely on it."
	}
	return a
}

func full(list []string) []string { return append([]string{}, list...) }
