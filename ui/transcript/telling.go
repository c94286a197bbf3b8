package transcript

import (
	"regexp"
	"slices"
	"strings"
)

// failures are the lines that say why a command has failed, surest first: words
// that begin or mark a message of failure, and then the places in files that
// compilers and tests name.
var failures = []*regexp.Regexp{
	regexp.MustCompile(`^\W*(?i:fatal|error|panic|fail(ed|ure)?|aborted|exception|npm err!)\b.*\S\s*\S` +
		`|(?i:\b(fatal|error|panic)(\[\w+\])?: )|panicked at|^\s*(\w+[.:])*\w*(Error|Exception)\b|^E {2,}\S`),
	regexp.MustCompile(`^\s*[^\s:]+:\d+(:\d+)?:? \S|(?i:command not found|no such file|permission denied)`),
}

// telling picks up to n of the lines of a failed command, in their order: those
// that say why, else the last. Of more than fit it is the first ones and the last
// one, since the first failure is the cause of others and the last one ends them.
func telling(lines []string, n int) []string {
	if len(lines) <= n {
		return lines
	}
	var at []int
	for _, f := range failures {
		var found []int
		for i, l := range lines {
			if !slices.Contains(at, i) && f.MatchString(l[:min(len(l), 500)]) {
				found = append(found, i)
			}
		}
		if room := n - len(at); len(found) > room && room > 0 {
			found = append(found[:room-1], found[len(found)-1])
		} else if room == 0 {
			break
		}
		at = append(at, found...)
	}
	for _, i := range at { // a line that ends so is explained by the next
		if strings.HasSuffix(lines[i], ":") && i+1 < len(lines) && len(at) < n && !slices.Contains(at, i+1) {
			at = append(at, i+1)
		}
	}
	if len(at) == 0 {
		return lines[len(lines)-n:]
	}
	slices.Sort(at)
	out := make([]string, len(at))
	for i, l := range at {
		out[i] = lines[l]
	}
	return out
}
