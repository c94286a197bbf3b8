package skillguard

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// pattern is something that is looked for in a line.
type pattern struct {
	id       string
	category Category
	severity Severity
	re       *regexp.Regexp
	but      *regexp.Regexp // of what matches, what is nothing after all; nil for none
	why      string
	words    []string // one of which a line has to hold, in small letters; none is any line
}

// row is a pattern as the tables have it.
type row struct {
	id       string
	severity Severity
	re       string
	why      string
	words    string // separated by blanks
}

// patterns are all of them, compiled at first use.
var patterns = sync.OnceValue(func() []*pattern {
	var list []*pattern
	for _, t := range []struct {
		category Category
		rows     []row
	}{
		{Exfiltration, exfiltration}, {Injection, injection}, {Obfuscation, obfuscation}, {Persistence, persistence}, {SupplyChain, supplyChain}, {Network, network},
		{Destructive, destructive}, {Execution, execution}, {Credential, credential}, {Traversal, traversal}, {Privilege, privilege}, {Mining, mining},
	} {
		for _, r := range t.rows {
			p := &pattern{id: r.id, category: t.category, severity: r.severity, re: regexp.MustCompile("(?i)" + r.re), why: r.why, words: strings.Fields(r.words)}
			if but, has := exceptions[r.id]; has {
				p.but = regexp.MustCompile("(?i)" + but)
			}
			list = append(list, p)
		}
	}
	return slices.Clip(list)
})

// exceptions are what of a pattern is nothing after all.
var exceptions = map[string]string{
	"bare_address":       `//(?:127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|1\.2\.3\.4|(?:192\.0\.2|198\.51\.100|203\.0\.113)\.)`,
	"own_key":            `EXAMPLE|x{8,}|0{8,}|1234567890`,
	"new_account":        `^(?:usermod\s+(?:-aG|-a\s+-G|--append\s+--groups)\s+["']?|adduser\s+\S+\s+)` + devices + `|^(?:useradd|adduser)\s(?:.*\s)?(?:--system|(?-i:-[A-Za-z]*[rSD][A-Za-z]*))\s`,
	"deletes_found":      `^find\s+/(?:var/)?tmp(?:/[\w*-]+)*/?\s.*-i?(?:name|path|regex)\s`,
	"fetched_and_run":    `^\w+\s[^|]*` + installer + `\s*\|[^|]*$`,
	"fetched_powershell": `^\S+\s[^|]*` + installer + `\s*\|\s*[\w-]+$`,
}

// installer is the address of a script by which the makers of a known tool have it installed.
const installer = `["']?https://(?:astral\.sh|(?:sh|static)\.rustup\.rs|bun\.(?:sh|com)|deno\.land|get\.docker\.com|sdk\.cloud\.google\.com|claude\.ai|ollama\.com|fnm\.vercel\.app|get\.pnpm\.io|install\.python-poetry\.org|starship\.rs|mise\.run|get\.sdkman\.io|` +
	`deb\.nodesource\.com|bootstrap\.pypa\.io|raw\.githubusercontent\.com/(?:Homebrew/install|nvm-sh/nvm|pyenv/pyenv-installer|rbenv/rbenv-installer))(?:/[\w./-]*)?["']?`

// devices are groups that let their members use a device, and no more.
const devices = `(?:dialout|uucp|plugdev|video|audio|render|input|tty|gpio|i2c|spi|bluetooth|netdev|lp|scanner|cdrom|kvm|wireshark)["']?(?:\s|$)`

// secret is how variables are named that hold something secret, sends what sends.
const (
	secret = `\w*(?:key|token|secret|passw|credential)\w*`
	sends  = `\b(?:curl|wget|nc|ncat|netcat|socat|httpie|xh)\b`
)

var exfiltration = []row{
	{"key_in_request", Critical, sends + `[^|;]*\$\{?` + secret, "puts a key of the environment into a request", "curl wget nc ncat netcat socat httpie xh"},
	{"key_in_post", Critical, `(?:requests|httpx|session|client|axios|got)\.(?:post|put|patch|get)\s*\(.*(?:os\.environ|getenv|process\.env)`, "puts a variable of the environment into a request", "environ getenv process.env"},
	{"key_in_fetch", Critical, `fetch\s*\(.*process\.env`, "puts a variable of the environment into a request", "process.env"},
	{"environment_piped", Critical, `\b(?:printenv|env|set)\b\s*\|.*(?:` + sends + `|base64|xxd)|\b(?:curl|wget)\b.*(?:\$\(|` + "`" + `)\s*(?:printenv|env|set)\s*[)` + "`" + `|]`, "sends the whole environment on", "env set"},
	{"environment_taken", High, `(?:dict|str|repr|json\.dumps)\(\s*(?:dict\()?os\.environ\s*\)|JSON\.stringify\(\s*process\.env\s*[,)]|Object\.entries\(process\.env`, "collects all variables of the environment", "os.environ process.env"},
	{"file_uploaded", Critical, `\bcurl\b.*(?:-d|--data\S*|-F|--form|-T|--upload-file)[ =]*["']?\S*@?(?:~|\$\{?HOME|/etc/|/root/|\S*\.(?:ssh|aws|gnupg|kube)/|\S*\.env\b)`, "uploads a file of the user", "curl"},
	{"secrets_piped", Critical, `\.(?:ssh/\w|aws/credentials|netrc|npmrc|pypirc|docker/config|kube/config|gnupg/).*\|.*(?:` + sends + `|base64|openssl|xxd)`, "sends files with keys on", ".ssh .aws .netrc .npmrc .pypirc .docker .kube .gnupg"},
	{"names_looked_up", High, `\b(?:dig|nslookup|host|getent)\b.*(?:\$\(|` + "`" + `)\s*\S`, "puts what it has into a name that is looked up", "dig nslookup host getent"},
	{"image_that_sends", High, `!\[[^\]]*\]\(https?://[^)]*[?&=/](?:\$\{|\{\{|\$[A-Z_]|<)\w`, "has an image whose address carries what is in the session", "!["},
	{"catcher", High, `\b(?:webhook\.site|requestbin\.\w+|[\w-]+\.m\.pipedream\.net|burpcollaborator\.net|oast\.(?:pro|live|fun|me|site|online)|interact\.sh|requestcatcher\.com|beeceptor\.com|hookb\.in)\b`, "names a service that collects requests", "webhook.site requestbin pipedream burpcollaborator oast. interact.sh requestcatcher beeceptor hookb.in"},
	{"paste_service", High, `(?:` + sends + `|requests\.post)[^\n]*\b(?:pastebin\.com|paste\.rs|termbin\.com|transfer\.sh|0x0\.st|file\.io|ix\.io|bashupload\.com)\b`, "uploads to a place that anyone can read", "pastebin paste.rs termbin transfer.sh 0x0.st file.io ix.io bashupload"},
	{"clipboard_sent", High, `\b(?:pbpaste|xclip\s+-o|xsel\s+-o|wl-paste|Get-Clipboard)\b.*\|.*(?:` + sends + `|base64)`, "sends the clipboard on", "pbpaste xclip xsel wl-paste get-clipboard"},
	{"history_read", High, `\.(?:bash|zsh|python|psql|mysql|node_repl|sh)_history\b`, "reads what the user has typed before", "_history"},
	{"session_sent", Critical, `\b(?:send|post|upload|forward|transmit|report)\s+(?:(?:the|this|your|our|all|whole|full|entire|of)\s+)*(?:conversation|chat|transcript|context|system prompt|messages)\b.*(?:https?://|webhook|\bto\s+\S+@\S+)`, "has the session sent elsewhere", "send post upload forward transmit report"},
	{"screen_taken", Medium, `\b(?:scrot|screencapture|gnome-screenshot|ImageGrab\.grab|import\s+-window\s+root)\b`, "takes pictures of the screen", "scrot screencapture screenshot imagegrab import"},
	{"chat_hook", Medium, `api\.telegram\.org/bot|discord(?:app)?\.com/api/webhooks|hooks\.slack\.com/services`, "posts into a chat", "telegram discord slack"},
}

var injection = []row{
	{"hides_from_user", Critical, `\b(?:do not|don['’]t|never|without)\s+(?:tell|telling|inform|informing|mention|mentioning|reveal|notify|notifying)\w*\s+(?:(?:this|it|that|any of this)\s+)?(?:to\s+)?(?:the\s+|your\s+)?(?:user|human|owner|operator)`, "tells the agent to hide something from the user", "user human owner operator"},
	{"no_questions", Medium, `\bwithout\s+(?:asking|confirming|waiting|approval|permission|confirmation)\b`, "tells the agent not to ask", "without"},
	{"approves_itself", High, `\bauto-?approve\b|\b(?:always|automatically)\s+(?:approve|allow)\s+(?:all|every|any)|--dangerously-skip-permissions|\bbypass\s+(?:the\s+)?(?:approvals?|permissions?|sandbox|guards?|confirmations?)\b|approvals\.mode\s*[:=]\s*off`, "switches off or goes around questions to the user", "approve allow bypass dangerously approvals"},
	{"above_others", High, `\b(?:this|these)\s+(?:skill|instruction|rule)s?\s+(?:\w+\s+)?(?:overrides?|takes?\s+precedence|supersedes?|outranks?)\b.*\b(?:system|previous|other|all|user)`, "puts itself above other instructions", "override precedence supersede outrank"},
	{"no_assistant", High, `\byou\s+are\s+(?:no\s+longer|not)\s+(?:an?\s+)?(?:\w+\s+)?(?:assistant|ai|claude|hermes|model|agent)\b`, "tells the agent that it is something else", "you are"},
	{"foreign_turn", High, `<\|(?:im_start|im_end|system|start_header_id|endoftext)\|>|\[/?INST\]|<</?SYS>>|^\s*</?(?:system|assistant)>\s*$`, "holds marks by which models tell who speaks", "<| inst] sys>> <system> </system> <assistant> </assistant>"},
	{"unbound", High, `\b(?:jailbr(?:eak|oken)|DAN\s+mode|developer\s+mode\s+(?:is\s+)?(?:on|enabled)|unrestricted\s+mode)\b`, "is about getting around the limits of a model", "jailbr dan developer unrestricted"},
	{"done_secretly", High, `\b(?:secretly|silently|covertly|in\s+secret)\s+(?:\w+\s+){0,2}(?:send|upload|copy|install|run|execute|add|write|read|collect|download)\b`, "tells the agent to do something in secret", "secretly silently covertly secret"},
	{"every_answer", Medium, `\b(?:in|at the end of|before)\s+every\s+(?:answer|reply|response|message)\b.*\b(?:include|add|append|insert|begin)\b`, "puts something into every answer", "every"},
}

var obfuscation = []row{
	{"base64_run", Critical, `\bbase64\s+(?:-\w*d\w*|-D|--decode)\b.*\|.*\b(?:(?:ba|z|da|k)?sh|python3?|perl|ruby|node)\b`, "runs what is written in base64", "base64"},
	{"decoded_run", Critical, `\b(?:exec|eval|Function)\s*\(\s*(?:base64|codecs|zlib|gzip|bytes\.fromhex|binascii|atob|Buffer\.from|marshal|decodeURIComponent|unescape)\b`, "runs what it decodes", "exec eval function"},
	{"hex_run", Critical, `\bxxd\s+-r\b.*\|.*\b(?:ba|z)?sh\b|\bprintf\s+['"]?(?:\\x[0-9a-f]{2}){4,}.*\|.*sh\b`, "runs what is written as numbers", "xxd printf"},
	{"packed_run", High, `\b(?:tar|unzip|gunzip|zcat|bunzip2|xzcat)\b.*\|\s*(?:ba|z)?sh\b`, "runs what it unpacks", "tar zip zcat xzcat"},
	{"reversed_run", Critical, `\brev\b.*\|.*\b(?:ba|z)?sh\b|\b(?:exec|eval)\s*\(.*\[::-1\]`, "runs what is written backwards", "rev [::-1]"},
	{"encoded_powershell", Critical, `\bpowershell(?:\.exe)?\b.*\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{16,}`, "runs what is written in base64", "powershell"},
	{"numbers_for_letters", High, `(?:\\x[0-9a-f]{2}){16,}|(?:\\[0-3][0-7]{2}){16,}`, "writes letters as numbers", `\x \0 \1 \2 \3`},
	{"letters_joined", High, `(?:chr\(\d+\)\s*[+.,]\s*){6,}|fromCharCode\((?:\s*\d+\s*,){6,}`, "puts a text together from numbers", "chr( fromcharcode"},
	{"unpickled", High, `\b(?:marshal|pickle|dill|cloudpickle)\.loads\b`, "loads objects that can run code", "marshal pickle dill"},
	{"named_at_runtime", High, `getattr\(\s*(?:__builtins__|builtins|os|subprocess)\s*,|__import__\(\s*["'](?:os|subprocess|socket|ctypes|base64)["']|globals\(\)\[["']__builtins__`, "hides which functions it calls", "getattr __import__ __builtins__"},
	{"compiled", Medium, `\bcompile\s*\([^)]*["']exec["']`, "compiles code that it has as text", "compile"},
	{"blanks_for_spaces", High, `\$\{?IFS\}?\S*\$\{?IFS`, "writes a command without blanks", "ifs"},
	{"long_base64", Medium, `[A-Za-z0-9+/]{600,}`, "holds a long text in base64", ""},
	{"odd_quotes", High, `\b(?:c['"]{2}url|w['"]{2}get|b['"]{2}ash|e['"]{2}val|r['"]{2}m)\b|\bcu\\rl\b|\bwg\\et\b|\bba\\sh\b`, "spells a command so that it is not found", `c''url c""url w''get w""get b''ash b""ash e''val e""val r''m r""m cu\rl wg\et ba\sh`},
}

var persistence = []row{
	{"crontab", High, `\bcrontab\s+(?:-\s*$|-\s|[^-\s])|\|\s*crontab\b|/etc/cron\.|/var/spool/cron`, "adds a job that runs at times", "cron"},
	{"shell_startup", High, `(?:>>?|\btee\s+-a\b|\bappend\w*\b|\badd\w*\b|\bwrite\w*\b).{0,80}(?:\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login)\b|config\.fish)`, "changes what the user's shell runs at start", "bashrc zshrc profile zshenv bash_login config.fish"},
	{"systemd_unit", High, `\bsystemctl\s+(?:--user\s+)?enable\b|/etc/systemd/system/|\.config/systemd/user`, "adds a service that runs from then on", "systemctl systemd"},
	{"launch_agent", High, `Library/Launch(?:Agents|Daemons)|\blaunchctl\s+(?:load|bootstrap|submit)\b`, "adds a service that runs from then on", "launch"},
	{"authorized_key", Critical, `authorized_keys`, "lets someone log in", "authorized_keys"},
	{"git_hook", High, `\.git/hooks/\w|core\.hooksPath`, "has git run something", "hooks"},
	{"agent_instructions", High, `(?:(?:^|[^-=─>])>>?|\btee\b|\b(?:append|add|write|save|insert|edit)\w*\b).{0,80}\b(?:MEMORY|USER|SOUL|AGENTS|CLAUDE|HERMES)\.md\b|(?:>>?|\btee\b).{0,80}\.cursorrules`, "changes what agents are told in other sessions", "memory.md user.md soul.md agents.md claude.md hermes.md .cursorrules"},
	{"agent_settings", Critical, `(?:(?:^|[^-=─>])>>?|\btee\b|\bsed\s+-i|\b(?:append|write|edit|modify|overwrite)\w*\b).{0,80}(?:\.hermes/(?:config\.yaml|\.env|hooks|plugins)|\.claude/settings|\.codex/config|\.cursor/mcp)`, "changes the settings of agents", ".hermes .claude .codex .cursor"},
	{"autostart", High, `\.config/autostart|CurrentVersion\\+Run\b|Start Menu\\+Programs\\+Startup`, "is started with the desktop", "autostart currentversion startup"},
	{"left_running", Medium, `\bnohup\b.*&\s*$|\bsetsid\b.*&\s*$|\bdisown\b`, "leaves something running", "nohup setsid disown"},
	{"preloaded", High, `/etc/ld\.so\.preload|\bLD_PRELOAD=|\bDYLD_INSERT_LIBRARIES=`, "loads itself into other programs", "preload dyld_insert"},
	{"shadowing_alias", High, `\balias\s+(?:sudo|ssh|git|ls|cd|curl|su|docker|kubectl|npm|pip)=`, "puts itself in front of a program", "alias"},
	{"python_startup", High, `site-packages/\S*\.pth\b|\b(?:sitecustomize|usercustomize)\.py\b`, "is run by every Python", ".pth sitecustomize usercustomize"},
	{"powerful_account", Critical, `\b(?:useradd|adduser)\s[^;&|]*\b(?:sudo|wheel|root|admin|docker)\b`, "makes or changes an account", "useradd adduser"},
	{"new_account", Critical, `\b(?:useradd|adduser|usermod)\s+\S[^;&|]*|\bnet\s+user\s+\S+\s+\S+\s+/add`, "makes or changes an account", "useradd adduser usermod net"},
}

var supplyChain = []row{
	{"fetched_and_run", Critical, `\b(?:curl|wget|fetch)\b[^|;]*\|\s*(?:sudo\s+)?(?:env\s+\S+\s+)?(?:/\S*/)?(?:ba|z|da|k|fi)?sh\b`, "runs what it fetches", "curl wget fetch"},
	{"fetched_code_run", Critical, `\b(?:curl|wget)\b[^|;]*\|\s*(?:sudo\s+)?(?:python3?|perl|ruby|node|php)\b`, "runs what it fetches", "curl wget"},
	{"fetched_inside", Critical, `(?:\b(?:ba|z)?sh|\bsource|(?:^|\s)\.)\s+<\(\s*(?:curl|wget)|(?:ba|z)?sh\s+-c\s+["']?\$\(\s*(?:curl|wget)|\beval\s+["']?\$\(\s*(?:curl|wget)`, "runs what it fetches", "curl wget"},
	{"known_installer", High, `\b(?:curl|wget|fetch|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\s[^|]*` + installer + `\s*\|`, "runs the installer of a known tool", "https://"},
	{"fetched_powershell", Critical, `(?:\biex\b|Invoke-Expression).*(?:DownloadString|\biwr\b|\birm\b|Invoke-WebRequest|Invoke-RestMethod)|(?:\biwr\b|\birm\b|Invoke-WebRequest|DownloadString).*\|\s*(?:iex|Invoke-Expression)`, "runs what it fetches", "iex invoke-expression"},
	{"fetched_python", Critical, `\b(?:exec|eval)\s*\(\s*(?:requests|urllib|urlopen|httpx|aiohttp)\b`, "runs what it fetches", "exec eval"},
	{"fetched_program", High, `\b(?:curl|wget)\b.*(?:&&|;).*\bchmod\s+\S*[x7]`, "fetches a program and makes it one that runs", "curl wget"},
	{"cloned_and_run", High, `\bgit\s+clone\b.*(?:&&|;).*(?:\./\S|\b(?:ba)?sh\s|\bmake\b|\bpython3?\s|\bpip3?\s+install|\bnpm\s)`, "fetches a repository and runs what is in it", "clone"},
	{"package_by_address", High, `\b(?:pip3?|uv|pipx|npm|pnpm|yarn|bun)\b.*\b(?:install|add|i)\b.*\s(?:git\+\S|https?://\S)`, "installs a package from an address", "pip uv npm yarn bun"},
	{"other_index", High, `--(?:extra-)?index-url[ =]|--registry[ =]https?://|--trusted-host\b`, "takes packages from another index", "index-url registry trusted-host"},
	{"runs_package", Medium, `\b(?:npx|bunx|uvx|pnpm\s+dlx|yarn\s+dlx|pipx\s+run)\s+\S`, "runs a package that it fetches", "npx bunx uvx dlx pipx"},
	{"installs_package", Low, `\b(?:pip3?|npm|pnpm|yarn|gem|cargo|go|brew|apt(?:-get)?|dnf|apk)\s+(?:install|add)\s+\S`, "installs packages", "install add"},
	{"install_script", High, `"(?:pre|post)?install"\s*:\s*"`, "runs something when it is installed as a package", "install"},
	{"unchecked_server", Medium, `\b(?:curl|wget)\b.*\s(?:-\w*k\w*|--insecure|--no-check-certificate)\b|\bverify\s*=\s*False\b|NODE_TLS_REJECT_UNAUTHORIZED=0|strict-ssl\s+false`, "does not check who answers", "curl wget verify node_tls strict-ssl"},
	{"unsigned_package", Medium, `--(?:allow-unauthenticated|nogpgcheck|no-gpg-check|force-yes|skip-verify)\b`, "takes packages that no one has signed", "unauthenticated gpg force-yes skip-verify"},
}

var network = []row{
	{"reverse_shell", Critical, `/dev/(?:tcp|udp)/`, "opens a shell to another machine", "/dev/tcp /dev/udp"},
	{"netcat_shell", Critical, `\b(?:nc|ncat|netcat)\b.*\s-\w*[ec]\w*\s+\S*sh\b|\bmkfifo\b.*\b(?:nc|ncat|netcat)\b`, "opens a shell to another machine", "nc ncat netcat"},
	{"socat_shell", Critical, `\bsocat\b.*\b(?:exec|system):`, "opens a shell to another machine", "socat"},
	{"socket_shell", Critical, `\bos\.dup2\s*\(|\bpty\.spawn\s*\(\s*["'\[]|socket\(\).*connect.*(?:/bin/(?:ba)?sh|cmd\.exe)`, "opens a shell to another machine", "dup2 pty.spawn socket"},
	{"listens", High, `\b(?:nc|ncat|netcat)\b.*\s-\w*l`, "waits for connections", "nc ncat netcat"},
	{"tunnel", High, `\b(?:ngrok|localtunnel|chisel|frpc|bore)\s+\S|\bcloudflared\s+tunnel\b|\btailscale\s+funnel\b|\bserveo\.net\b`, "opens this machine to the internet", "ngrok localtunnel chisel frpc bore cloudflared tailscale serveo"},
	{"ssh_forward", High, `\bssh\b.*\s-\w*R\s*\S*\d`, "opens this machine to another one", "ssh"},
	{"onion", High, `\b[a-z2-7]{16,56}\.onion\b`, "names a hidden service", ".onion"},
	{"bare_address", High, `https?://\d{1,3}(?:\.\d{1,3}){3}\b`, "names a server by its number", "://"},
	{"short_address", High, `https?://(?:bit\.ly|tinyurl\.com|goo\.gl|is\.gd|cutt\.ly|rb\.gy|t\.ly|shorturl\.at)/`, "hides where an address leads", "bit.ly tinyurl goo.gl is.gd cutt.ly rb.gy t.ly shorturl"},
	{"open_port", Medium, `\b0\.0\.0\.0:\d|INADDR_ANY|host\s*=\s*["']0\.0\.0\.0`, "takes connections from anywhere", "0.0.0.0 inaddr_any"},
	{"scans", Medium, `\b(?:nmap|masscan|zmap|rustscan)\s+\S`, "looks for open ports", "nmap masscan zmap rustscan"},
	{"dyndns", Medium, `\b[\w-]+\.(?:duckdns\.org|no-ip\.(?:org|com|biz)|ddns\.net|hopto\.org|serveftp\.com)\b`, "names a server that moves", "duckdns no-ip ddns hopto serveftp"},
}
