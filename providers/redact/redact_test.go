package redact

import (
	"strings"
	"testing"
	"testing/quick"
	"time"
)

// join keeps secret scanners away from this file.
func join(parts ...string) string { return strings.Join(parts, "") }

type pair struct{ name, in, want string }

func check(t *testing.T, f func(string) string, cases []pair) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				c.want = c.in
			}
			if got := f(c.in); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	check(t, Text, []pair{
		{"anthropic", join("x s", "k-ant-api03-Zk29dkDFk29dkfDKEjd93kdLEK y"), "x sk-ant...dLEK y"},
		{"after an escaped newline", join(`a\ns`, "k-u8jzPde0IgxLd6GncfBAepfJBd0K"), `a\nsk-u8j...Bd0K`},
		{"after a percent escape", join("k%3Dgh", "p_ocJ2isAjIhKtJ0RlgLKOmxgJTeKdNnFRIBXu"), "k%3Dghp_oc...IBXu"},
		{"in colour", join("\x1b[31ms", "k-u8jzPde0IgxLd6GncfBAepfJBd0K\x1b[0m"), "\x1b[31msk-u8j...Bd0K\x1b[0m"},
		{"google", join("AI", "zaSyA1234567890abcdefghijklmnopqrstu"), "AIzaSy...rstu"},
		{"sendgrid", join("S", "G.abcDEF123456.ghiJKL789012."), "SG.abc...9012."},
		{"session key", join("AS", "IAE9UVW53EFR4EDT2S;"), "ASIAE9...DT2S;"},
		{"not inside a word", "task-oriented-programming disk-usage-analyzer2", ""},
		{"sklearn", "class=sk-folding-cube sk-learn", ""},
		{"environment of npm", "npm_config_registry npm_lifecycle_event npm_package_dependencies", ""},
		{"hub", "hf_hub_download hf_transformers", ""},
		{"capitals", "AKIAN MAKIAE9UVW53EFR4EDT2S ASIAN AKIAE9UVW53EFR4EDT2SX", ""},
		{"two web tokens", join("ey", "JhbGciOiJIUzI1NiJ9.", "ey", "JzdWIiOiIxIn0.abc_DEF, next"), "eyJhbG..._DEF, next"},
		{"encrypted web token", join("ey", "JhbGciOiJkaXIifQ..aXY.Y2lwaGVydGV4dA.dGFn"), "eyJhbG...dGFn"},
		{"end of a sentence", join("ey", "JhbGciOiJIUzI1NiJ9.", "ey", "JzdWIiOiIxIn0."), "eyJhbG...xIn0."},
		{"one part is no token", join("ey", "JhbGciOiJIUzI1NiJ9 eyJ. eyJhbGciOi.x"), ""},
	})
}

func TestNamed(t *testing.T) {
	check(t, Text, []pair{
		{"single quotes", "export DB_PASSWORD='two words'", "export DB_PASSWORD='***'"},
		{"camel case", "dbPassword=hunter2 APIKey=abc accessKey=abc", "dbPassword=*** APIKey=*** accessKey=***"},
		{"bare apikey", "?apikey=abc123&x=1", "?apikey=***&x=1"},
		{"flag", "run --token=abc123 --verbose", "run --token=*** --verbose"},
		{"long value", "SECRET=abcdefghijklmnopqrstuvwxyz", "SECRET=abcdef...wxyz"},
		{"python dict", "{'token': 'abc', 'n': 1}", "{'token': '***', 'n': 1}"},
		{"json in json", `{"args": "{\"apiKey\": \"EQ7wjJJibaZUPgHV7iB3m03n\", \"b\": 1}"}`, `{"args": "{\"apiKey\": \"EQ7wjJ...m03n\", \"b\": 1}"}`},
		{"escape inside", `{"password": "ab\"cd"}`, `{"password": "***"}`},
		{"escape at the cut", `{"password": "abcde\u0041ghijklmnopqrst"}`, `{"password": "***"}`},
		{"unclosed", `{"token": "abcdefghijklmnopqrst`, `{"token": "abcdef...qrst`},
		{"object literal", `{ password: "hunter2" }`, `{ password: "***" }`},
		{"go", `token := "hunter2"`, `token := "***"`},
		{"ruby", `:password => "hunter2"`, `:password => "***"`},
		{"django", `SECRET_KEY = "hunter2"`, `SECRET_KEY = "***"`},
		{"aws file", "[default]\naws_secret_access_key = wJalrXUtnFEMIK7MDENG1bPxRfiCYz\n", "[default]\naws_secret_access_key = wJalrX...iCYz\n"},
		{"yaml", "db:\n  password: hunter2 # prod\n  port: 1", "db:\n  password: *** # prod\n  port: 1"},
		{"header", "> X-Api-Key: abcdef0123456789abcd\r\n", "> X-Api-Key: abcdef...abcd\r\n"},
		{"search hit", "conf/app.yml:12:  password: hunter2", "conf/app.yml:12:  password: ***"},
		{"subscript", `os.environ["API_TOKEN"] = "abc"`, `os.environ["API_TOKEN"] = "***"`},
		{"format string", `token=f"abc"`, `token=f"***"`},
		{"connection string", "Server=x;Password=abc,def;Database=y", "Server=x;Password=***;Database=y"},
		{"comma list", "token=abc,user=ann", "token=***,user=ann"},
		{"authorization in curl", `curl -H "Authorization: Bearer abcdef" x`, `curl -H "Authorization: Bearer ***" x`},
		{"authorization in json", `{"authorization": "basic dXNlcjpodW50ZXIyLWxvbmctcGFzcw=="}`, `{"authorization": "basic dXNlcj...cw=="}`},
		{"url in quotes", `"https://x.example/?access_token=abc"`, `"https://x.example/?access_token=***"`},
		{"CJK", "密码 PASSWORD=hunter2，完", "密码 PASSWORD=***，完"},
		{"service account", join(`{"private_key": "-----BEGIN PRIVA`, `TE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\n-----END PRIVA`, `TE KEY-----\n", "id": 1}`), `{"private_key": "[REDACTED PRIVATE KEY]\n", "id": 1}`},

		{"plural", "tokens=5 credentials=x MAX_TOKENS=4096 token_s=1 prompt_tokens: 512", "tokens=5 credentials=x MAX_TOKENS=4096 token_s=*** prompt_tokens: 512"},
		{"longer word", "tokenizer=bpe passwords=x secretary=ann KEYBOARD=us monkey=1 key=1 primaryKey=2", ""},
		{"variables", "A_TOKEN=$B_TOKEN PASSWORD=${PW} TOKEN=$(cat x) API_KEY=%KEY%", ""},
		{"members", "f(token=self.token, api_key=process.env.API_KEY, token=next(x), password=args[0], token=None)", ""},
		{"jsx", "password={password} token={{ x.token }}", ""},
		{"comparison", `if token == "x" || password != "y" { total += token }`, ""},
		{"prose", "password: the one you chose\ntoken = the next token (see below)\n", ""},
		{"types", "interface A {\n  token: string\n  password: string;\n  apiKey?: string\n}", ""},
		{"schema", `{"token": {"type": "string"}, "password": null, "secret": 12}`, ""},
		{"empty", `PASSWORD= ; "token": "" secret=''`, ""},
		{"masked", "PASSWORD=*** token=****** key: ***", ""},
		{"yaml reference", "secret: my-secret-name\ntoken: ./token.txt\npassword: !vault |\n", ""},
		{"time", "12:34:56 token:", ""},
		{"placeholder in an URL", "postgres://user:<password>@host postgres://u:${PW}@h", ""},
	})
}

func TestCodeLeavesNames(t *testing.T) {
	check(t, plain.Code, []pair{
		{"names", "token = \"abc\"\npassword: hunter2\nAPI_KEY=abc", ""},
		{"prefix", join(`key := "s`, `k-u8jzPde0IgxLd6GncfBAepfJBd0K"`), `key := "sk-u8j...Bd0K"`},
		{"login", "https://bob:hunter2@git.example/x", "https://bob:***@git.example/x"},
	})
}

func TestLinks(t *testing.T) {
	check(t, Text, []pair{
		{"no user", "redis://:hunter2@cache:6379/0", "redis://:***@cache:6379/0"},
		{"at sign in the password", "amqp://u:p@ss@h/v", "amqp://u:***@h/v"},
		{"number sign in the password", "amqp://u:p#ss@h/v", "amqp://u:***@h/v"},
		{"two", "a://b:c@d b://c:d@e", "a://b:***@d b://c:***@e"},
		{"no password", "ssh://git@host:22/x http://h:80/a@b http://[::1]:8080/x http://h:8080?to=a@b", ""},
		{"bot URL", join("https://api.example/bot123456789:", "jHGb3CXlMaXZjljENUhJduRHHJEYXg4Jdpm/x"), "https://api.example/bot123456789:***/x"},
		{"history", "1700000000:4e73cf575dcad6ba2b0aee0ca923732881584d8c 12345678:3f2b8c1e-9d4a-4f6b-8a7e-0123456789ab", ""},
		{"short number", join("1234567:", "jHGb3CXlMaXZjljENUhJduRHHJEYXg4Jdpm"), ""},
	})
}

func TestPhones(t *testing.T) {
	check(t, Text, []pair{
		{"tel", "tel:+4915112345678.", "tel:+491****5678."},
		{"in brackets", "(+14155552671)", "(+141****2671)"},
		{"added line", "+14155552671\n+phone: +14155552671", "+14155552671\n+phone: +141****2671"},
		{"sum", "a+14155552671 1+14155552671 f(x)+14155552671 c++14155552671", ""},
		{"other numbers", "x +1234567 +12345678.5 +1234567890123456 +01234567890 +14155552671a", ""},
	})
}

func TestKeyBlocks(t *testing.T) {
	const body = "Ty4Qwb8DwkNhFdnXsiVpzz63FfkCzJr4i0B3JrTAwR4y9ojfljoQoaF1LlqsajAI"
	begin, end := join("-----BEGIN RSA PRIVA", "TE KEY-----"), join("-----END RSA PRIVA", "TE KEY-----")
	key := begin + "\n" + body + "\nQwb8Dw==\n" + end
	check(t, Text, []pair{
		{"whole", "a\n" + key + "\nb", "a\n[REDACTED PRIVATE KEY]\nb"},
		{"encrypted", begin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n" + body + "\n" + end + "!", "[REDACTED PRIVATE KEY]!"},
		{"indented", "  " + strings.ReplaceAll(key, "\n", "\r\n  ") + "\r\n", "  [REDACTED PRIVATE KEY]\r\n"},
		{"numbered", "1|" + begin + "\n2|" + body + "\n3|" + end + "\n", "1|[REDACTED PRIVATE KEY]\n"},
		{"diff", "+" + strings.ReplaceAll(key, "\n", "\n+"), "+[REDACTED PRIVATE KEY]"},
		{"cut off", begin + "\n" + body + "\n" + body + "\nand so on", "[REDACTED PRIVATE KEY]\nand so on"},
		{"cut in JSON", `{"k": "` + begin + `\n` + body, `{"k": "[REDACTED PRIVATE KEY]`},
		{"two", key + "\n" + key, "[REDACTED PRIVATE KEY]\n[REDACTED PRIVATE KEY]"},
		{"mentioned", "grep -- '" + begin + "' *\nx\n" + begin + " marks a key\n", ""},
		{"example", begin + "\n...\n" + end, ""},
		{"in a program", "x := \"" + begin + "\" + body + \"" + end + "\"", ""},
		{"certificate", "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----", ""},
	})
}

func TestTextReturnsCleanTextItself(t *testing.T) {
	s := strings.Repeat("func main() { a.b_c = x[\"y\"]; fmt.Println(a-b, 3+4) } // 12:30 http://x.example/\n", 100)
	if n := testing.AllocsPerRun(10, func() { Text(s) }); n != 0 {
		t.Errorf("%v allocations on text without a secret", n)
	}
}

func TestMaskCountsCharacters(t *testing.T) {
	if got, want := mask(strings.Repeat("é", 18)), "éééééé...éééé"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := mask(strings.Repeat("é", 17)); got != "***" {
		t.Errorf("got %q for 17 characters", got)
	}
	if err := quick.Check(func(s string) bool { return len(mask(s)) > 0 }, nil); err != nil {
		t.Error(err)
	}
}

// Hostile input: many beginnings of secrets that never become one.
func hostile(n int) map[string]string {
	out := map[string]string{}
	for _, unit := range []string{
		"-", "sk-", "eyJ", "eyJ.", "=", "token=", "token='", `token="`, `token:"`, ":", "://", "a://b:", "+1", "12345678:",
		"-----BEGIN ", join("-----BEGIN PRIVA", "TE KEY-----"), join("-----BEGIN PRIVA", "TE KEY-----\n"), "SG.", `\`, `"token":\"`,
		"x:1:token: a b", "::token: v ", "Authorization: Bearer $(", `token="{ `, `token='x token="x `, "password\t \t =", "token: a", "😀",
	} {
		out[unit] = strings.Repeat(unit, n/len(unit)+1)
	}
	return out
}

// TestHostileInputIsLinear compares one size with sixteen times that size, each
// measured at its fastest of three runs. Quadratic work would take 256 times as
// long.
func TestHostileInputIsLinear(t *testing.T) {
	const small = 8 << 10
	fastest := func(s string) time.Duration {
		best := time.Hour
		for range 3 {
			start := time.Now()
			Text(s)
			best = min(best, time.Since(start))
		}
		return best
	}
	large := hostile(16 * small)
	for unit, s := range hostile(small) {
		if a, b := fastest(s), fastest(large[unit]); b > 64*a+200*time.Millisecond {
			t.Errorf("%q: %v for %d bytes, %v for sixteen times that", unit, a, len(s), b)
		}
	}
}
