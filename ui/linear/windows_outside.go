package linear

import (
	"slices"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
)

// toolList lists the tools of the model, leaves one out or brings it back.
func (r *run) toolList(verb, args string) {
	l := r.c.Layers(r.ctx)
	list := slices.DeleteFunc(append(slices.Clone(l.List), l.Left...), func(one app.Layer) bool { return one.Kind != "tool" })
	if verb == "off" || verb == "on" {
		if one, ok := byName(r, list, func(one app.Layer) string { return one.Name }, "tools", args); ok {
			r.said(r.c.Leave(r.ctx, verb == "off", one.ID), "Tool: ", one.Name+" is "+verb+" in this session.")
		}
		return
	}
	for i, one := range list {
		off := ""
		if one.Left {
			off = "off"
		}
		r.row(i, one.Name, format.Tokens(int64(one.Tokens))+" tokens", one.Server, off)
	}
	r.say("", "/tools off NAME leaves one out, /tools on NAME brings it back.")
}

// skills lists the skills, reads one, allows, switches or pins it.
func (r *run) skills(verb, args string) {
	list, problems, err := r.c.Skills(r.ctx)
	if err != nil {
		r.complain(err)
		return
	}
	if verb == "" {
		for i, s := range list {
			pin := ""
			if s.Pinned {
				pin = "pinned"
			}
			r.row(i, s.Name, s.State, s.Why, pin, first(s.Description))
		}
		for _, p := range problems {
			r.say("Problem: ", p.Path+": "+p.Text)
		}
		r.say("", format.Count(len(list), "skill", "skills")+". /NAME calls one; /skills read, allow, off, on, pin or unpin NAME act on it; hermes-tui skills install adds others.")
		return
	}
	s, ok := byName(r, list, func(s app.Skill) string { return s.Name }, "skills", args)
	if !ok {
		return
	}
	switch verb {
	case "read":
		text, files, findings, err := r.c.ReadSkill(s)
		r.said(err, "", "")
		for _, f := range findings {
			r.say("Warning: ", f)
		}
		r.say("", text)
		for _, f := range files {
			r.say("File: ", f)
		}
	case "allow":
		r.said(r.c.AllowSkill(r.ctx, s), "Skill: ", s.Name+" is allowed as it is now.")
	case "off", "on":
		r.said(r.c.DisableSkill(r.ctx, s.Name, verb == "off"), "Skill: ", s.Name+" is "+verb+".")
	case "pin", "unpin":
		r.said(r.c.PinSkill(r.ctx, s.Name, verb == "pin"), "Skill: ", s.Name+" is "+verb+"ned.")
	default:
		r.say("Error: ", "/skills knows read, allow, off, on, pin and unpin.")
	}
}
