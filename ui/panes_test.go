package ui

import "testing"

func TestViewAfter(t *testing.T) {
	const wide, medium, narrow = wideColumns, mediumColumns, mediumColumns - 1
	hand := view{drawer: drawerByHand, below: true, asked: true}
	for name, c := range map[string]struct {
		from    view
		changes []change
		want    view
	}{
		"opened":                      {view{closed: true}, []change{{step: opened}}, hand},
		"opened, and there already":   {view{drawer: drawerAuto, seen: true, detail: true}, []change{{step: opened}}, view{drawer: drawerByHand, below: true, asked: true, seen: true, detail: true}},
		"closed on a wide screen":     {view{}, []change{{step: toggled, w: wide, on: true}}, view{closed: true}},
		"opened on a wide screen":     {view{closed: true}, []change{{step: toggled, w: wide}}, view{asked: true}},
		"closed on a medium one":      {hand, []change{{step: toggled, w: medium, on: true}}, view{below: true}},
		"opened on a medium one":      {view{}, []change{{step: toggled, w: medium}}, view{drawer: drawerByHand, asked: true}},
		"opened on a narrow one":      {view{}, []change{{step: toggled, w: narrow}}, view{below: true}},
		"closed on a narrow one":      {hand, []change{{step: toggled, w: narrow}}, view{drawer: drawerByHand, asked: true}},
		"something appears":           {view{}, []change{{step: appeared}}, view{drawer: drawerAuto, seen: true}},
		"in a drawer opened by hand":  {hand, []change{{step: appeared}}, view{drawer: drawerByHand, below: true, asked: true, seen: true}},
		"something more appears":      {view{}, []change{{step: appeared}, {step: shut}, {step: appeared}}, view{seen: true}},
		"the keys go elsewhere":       {hand, []change{{step: left}}, view{drawer: drawerByHand, asked: true}},
		"in detail":                   {view{}, []change{{step: detailed}}, view{detail: true}},
		"in detail no more":           {view{detail: true}, []change{{step: detailed}}, view{}},
		"never in detail":             {view{}, []change{{step: undetailed}}, view{}},
		"all agents":                  {view{detail: true}, []change{{step: gridShown, on: true}}, view{detail: true, grid: true}},
		"all agents no more":          {view{grid: true}, []change{{step: gridShown}}, view{}},
		"an agent and another":        {view{}, []change{{step: promoted, agent: "a"}, {step: promoted, agent: "b"}}, view{agent: "b"}},
		"the root again":              {view{agent: "a"}, []change{{step: promoted}}, view{}},
		"another conversation":        {view{agent: "a", detail: true, drawer: drawerByHand, asked: true, below: true, seen: true}, []change{{step: exchanged}}, view{drawer: drawerByHand, asked: true, below: true, seen: true}},
		"opened again after a switch": {view{closed: true, agent: "a"}, []change{{step: exchanged}, {step: opened}}, hand},
	} {
		v := c.from
		for _, ch := range c.changes {
			v = v.after(ch)
		}
		if v != c.want {
			t.Errorf("%s: %+v, want %+v", name, v, c.want)
		}
	}
}
