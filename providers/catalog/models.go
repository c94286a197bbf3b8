package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// Match picks the preferred one of the available model ids, as an endpoint lists
// them: the first preference that any of them fits. A preference is an id or a
// pattern, in which * stands for any text; case does not count, and neither does
// "models/" before an id. Of several ids that fit a pattern it takes the shortest,
// which is the plain model and not a variant, and of equally long ones the one
// that sorts last, which is the newest. It returns "" when none fits.
func Match(preferences, available []string) string {
	for _, p := range preferences {
		var fit []string
		for _, id := range available {
			if glob(strings.ToLower(p), strings.TrimPrefix(strings.ToLower(id), "models/")) {
				fit = append(fit, id)
			}
		}
		if len(fit) > 0 {
			return slices.MinFunc(fit, func(a, b string) int {
				return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(b, a))
			})
		}
	}
	return ""
}

// glob reports whether s fits the pattern, in which * stands for any text.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return s == pattern
	}
	rest, ok := strings.CutPrefix(s, parts[0])
	if !ok {
		return false
	}
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return strings.HasSuffix(rest, last)
}
