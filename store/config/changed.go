package config

import "reflect"

// Changed lists the settings whose values differ, in the order of [Config]. A list of
// sections, or sections by name, is one setting, of the class of what is in it.
func Changed(before, now Config) []Key {
	return changed(schema(), reflect.ValueOf(before), reflect.ValueOf(now))
}

func changed(fields []*field, before, now reflect.Value) []Key {
	var list []Key
	for _, f := range fields {
		b, n := before.Field(f.index), now.Field(f.index)
		switch {
		case f.shape == shapeSection:
			list = append(list, changed(f.children, b, n)...)
		case !reflect.DeepEqual(b.Interface(), n.Interface()):
			key := f.Key
			if key.Class == "" && len(f.children) > 0 {
				key.Class = f.children[0].Class
			}
			list = append(list, key)
		}
	}
	return list
}
