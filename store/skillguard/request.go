package skillguard

import (
	"regexp"
	"strings"
	"sync"
)

// variable is a variable of a shell.
const variable = `\$\{?\w+\}?`

// parts are expressions for parts of a line that do no harm.
type parts struct {
	key     *regexp.Regexp // a key where services expect theirs
	address *regexp.Regexp // a variable that holds no secret
	search  *regexp.Regexp // the text that a search looks for
}

var ordinary = sync.OnceValue(func() parts {
	return parts{
		key: regexp.MustCompile(`(?i)(?:\s-H|--header)[ =]?\s*["']?[\w-]*(?:auth|key|token|secret)[\w-]*\s*:\s*(?:[\w=-]+\s+)?(?:token=)?["'\\]*` + variable +
			`|(?:\s-u|--user)[ =]?\s*["']?(?:` + variable + `|[\w.@+-]+)?(?::(?:` + variable + `)?)?` +
			`|--oauth2-bearer[ =]["']?` + variable +
			`|[?&][\w.-]*(?:key|token|auth|secret|appid)=["']*` + variable +
			`|\bapi\.telegram\.org/bot` + variable +
			`|\b(?:client_secret|refresh_token)=["']*` + variable +
			`|\b(?:headers|params)\b.*?(?:auth|key|token)[\w-]*["']?\s*:\s*f?["'` + "`" + `]?(?:\w+\s+)?["']?(?:\s*\+\s*)?\$?\{?(?:os\.environ(?:\.get)?[\[(]["']\w+["'][\])]|os\.getenv\(["']\w+["']\)|process\.env\.\w+)`),
		address: regexp.MustCompile(`(?i)\$\{?(?:\w*(?:url|base|host|endpoint|root|uri|port|server|domain|version|keywords?)|api)(?:\}|\b)`),
		search:  regexp.MustCompile(`(?i)\b(?:[ef]?grep|rg|ack|ag)\s+(?:-\S+\s+)*(?:"[^"$` + "`" + `]*"|'[^']*')`),
	}
})

// secretVariable finds the variables that hold something secret.
var secretVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\$\{?(` + secret + `)`) })

// Unauthenticated returns a line without the keys by which its requests say who sends
// them. A line with the keys of several services is returned whole.
func Unauthenticated(line string) string {
	service := ""
	for _, key := range ordinary().key.FindAllString(line, -1) {
		for _, name := range secretVariable().FindAllStringSubmatch(key, -1) {
			begin, _, _ := strings.Cut(name[1], "_")
			if service != "" && begin != service {
				return line
			}
			service = begin
		}
	}
	return ordinary().address.ReplaceAllString(ordinary().key.ReplaceAllString(line, ""), "")
}
