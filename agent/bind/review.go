package bind

import "hermes-tui/tools"

// ReviewTools are those with which an agent looks back at its conversation: what changes
// memory and skills, and what reads them. Changes of skills always wait for the user,
// those of memory do unless write is true, and without it nothing is learnt.
func ReviewTools(o ToolOptions, write bool) []tools.Tool {
	o.Settings.Memory.WriteApproval = o.Settings.Memory.WriteApproval || !write
	if o.Skills != nil {
		so := o.Skills.o
		so.Approve = true
		o.Skills = NewSkills(so)
	}
	families := []func(*ToolOptions, *Tools) tools.Family{skillFamily, memoryFamily}
	if write {
		families = append(families, learningsFamily)
	}
	var list []tools.Tool
	for _, family := range families {
		list = append(list, family(&o, nil).Tools...)
	}
	return list
}
