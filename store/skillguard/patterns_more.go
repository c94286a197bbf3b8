package skillguard

var destructive = []row{
	{"deletes_all", Critical, `\brm\s+(?:-{1,2}[\w-]+\s+)*-\w*r\w*\s+(?:-{1,2}[\w-]+\s+)*["']?(?:/|~|\$\{?HOME\}?)["']?(?:/?\*|/?["']?(?:\s|$|;|&|\|))`, "deletes the home or everything", "rm"},
	{"deletes_system", Critical, `\brm\s+(?:-{1,2}[\w-]+\s+)*-\w*r\w*\s+(?:-{1,2}[\w-]+\s+)*["']?/(?:etc|usr|bin|var|lib|boot|opt|home|root)\b/?["']?(?:\s|$|;|\*)`, "deletes folders of the system", "rm"},
	{"deletes_by_code", Critical, `\brmtree\s*\(\s*(?:os\.path\.expanduser\(\s*)?["'](?:~|/)["']|rmtree\s*\(\s*(?:Path\.home\(\)|os\.environ\[["']HOME)|\brm(?:dir)?Sync\s*\(\s*(?:os\.homedir|["'](?:/|~)["'])`, "deletes the home or everything", "rmtree rmsync rmdirsync"},
	{"deletes_found", Critical, `\bfind\s+(?:/|~|\$\{?HOME\}?)\S*\s.*(?:-delete\b|-exec\s+rm\b)`, "deletes what it finds in the home or everywhere", "find"},
	{"deletes_named", Medium, `\brm\s+-\w*r\w*\s+["']?\$\{?\w`, "deletes a folder that a variable names", "rm"},
	{"overwrites_disk", Critical, `\bdd\b.*\bof=/dev/(?:sd|nvme|disk|hd|vd|mmcblk|xvd)|>\s*/dev/(?:sd|nvme|hd|vd)\w`, "writes over a disk", "/dev/"},
	{"formats_disk", Critical, `\bmkfs(?:\.\w+)?\s+\S*/dev/|\bwipefs\b|\bshred\b[^|;&>]*\s/dev/\w|\bdiskutil\s+erase|\bformat\s+[a-z]:\s`, "formats a disk", "mkfs wipefs shred diskutil format"},
	{"fork_bomb", Critical, `:\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:|\bwhile\s+true.*fork\(\)`, "brings the machine down", ":|:& :|: fork() | :"},
	{"opens_all", High, `\bchmod\s+(?:-\w+\s+)*(?:0?777|a\+rwx)\s+(?:-\w+\s+)*(?:/|~|\$\{?HOME)`, "lets anyone write everywhere", "chmod"},
	{"empties_files", High, `\btruncate\s+-s\s*0\s+(?:/|~)|(?:^|\s)>\s*/(?:etc|var|usr)/`, "empties files of the system", "truncate /etc /var /usr"},
	{"encrypts_files", Critical, `\bopenssl\s+enc\b.*(?:-in\s+|<\s*)["']?(?:~|\$\{?HOME|/home)|\bgpg\b.*(?:--symmetric|-c)\b.*(?:~|\$\{?HOME)/\*|\bransom(?:ware)?\b`, "encrypts files of the user", "openssl gpg ransom"},
	{"kills_all", Critical, `\bkill\s+-(?:9|KILL|SIGKILL)\s+-1\b|\bpkill\s+-9\s+-u\b|\bkillall\s+-9\s+-u\b`, "ends all programs", "kill"},
	{"switches_off", High, `\bshutdown\s+(?:-\w+\s+)*(?:now|\+?\d)|\bpoweroff\b|\binit\s+0\b|\bsystemctl\s+(?:halt|poweroff|reboot)\b`, "switches the machine off", "shutdown poweroff init systemctl"},
	{"wipes_traces", High, `\bhistory\s+-c\b|\bunset\s+HISTFILE\b|\bHISTSIZE=0\b|\brm\b.*_history\b|\bjournalctl\s+--vacuum|\brm\b.*/var/log`, "wipes out what it has done", "history histfile histsize journalctl /var/log"},
	{"rewrites_git", Medium, `\bgit\s+push\b.*\s(?:--force\b|-f\b)|\bgit\s+reset\s+--hard\b|\bgit\s+clean\s+-\w*f|\bgit\s+filter-(?:branch|repo)\b`, "throws away work in git", "git"},
	{"drops_data", Medium, `\bdrop\s+(?:database|table|schema)\b|\btruncate\s+table\b|\bFLUSHALL\b|\bdropDatabase\s*\(`, "deletes data of a database", "drop truncate flushall"},
	{"cleans_containers", Medium, `\bdocker\s+(?:system|volume|image)\s+prune\b.*(?:-a|-f|--all|--force)|\bkubectl\s+delete\s+(?:ns|namespace|all)\b|\bterraform\s+destroy\b`, "deletes containers or what runs in a cluster", "prune kubectl terraform"},
}

var execution = []row{
	{"runs_variable", High, `\beval\s+["']?\$\{?[A-Za-z_1-9@*]`, "runs the text of a variable", "eval"},
	{"runs_input", High, `\b(?:eval|exec)\s*\(\s*(?:input\s*\(|sys\.argv|request\.|params|req\.(?:body|query)|location\.)`, "runs what it is given", "eval exec"},
	{"runs_shell", Medium, `\bos\.(?:system|popen)\s*\(|\bshell\s*=\s*True\b|\bchild_process\b|\bexecSync\s*\(|\bRuntime\.getRuntime\(\)\.exec`, "runs commands", "os.system os.popen shell child_process execsync getruntime"},
	{"runs_when_loaded", Medium, "(?:^|\\s)!`[^`]+`", "has a command that other programs run when they load it", "!`"},
	{"native_code", High, `\bctypes\.(?:CDLL|cdll|windll|CFUNCTYPE|memmove)|\bPROT_EXEC\b|\bVirtualAlloc\b|\bmprotect\s*\(`, "runs machine code from memory", "ctypes prot_exec virtualalloc mprotect"},
	{"fileless", Critical, `\bmemfd_create\b|/proc/self/fd/\d+.*exec|\bfexecve\b`, "runs a program that is in no file", "memfd_create /proc/self/fd fexecve"},
	{"apple_script", High, `\bosascript\b.*(?:do shell script|with administrator|System Events|keystroke)`, "drives the desktop", "osascript"},
	{"windows_hosts", High, `\bWScript\.Shell\b|\bmshta(?:\.exe)?\s|\brundll32\b|\bregsvr32\b|\bcertutil\b.*-(?:urlcache|decode)|\bbitsadmin\b`, "runs code through programs of Windows", "wscript mshta rundll32 regsvr32 certutil bitsadmin"},
	{"no_sandbox", Medium, `--no-sandbox\b|--disable-web-security\b|--allow-running-insecure-content\b`, "switches off a sandbox", "sandbox disable-web allow-running"},
	{"patches_itself", High, `\bopen\s*\(\s*(?:__file__|sys\.argv\[0\])\s*,\s*["'](?:w|a|r\+)|\bsed\s+-i\b.*(?:"\$0"|\$0\b|BASH_SOURCE)`, "changes itself", "__file__ argv[0] $0 bash_source"},
	{"waits_for_a_date", High, `\[\s+["']?\$\(date\s+\+%[sYmdj]+\)["']?\s+-(?:gt|ge)\s+\d|\bdatetime\.(?:now|today|utcnow)\(\)\s*>=?\s*datetime`, "does something from a date on", "date"},
}

var credential = []row{
	{"ssh_key", High, `\.ssh/(?:id_(?:rsa|ed25519|ecdsa|dsa)|identity)\b`, "reads a private key", ".ssh/"},
	{"cloud_keys", High, `\.aws/credentials|\.config/gcloud|\.azure/\w|\.kube/config|\.oci/config|\.terraform\.d/credentials`, "reads keys of cloud services", ".aws gcloud .azure .kube .oci .terraform.d"},
	{"browser_data", Critical, `(?:Chrome|Chromium|Firefox|Brave|Edge|Safari|mozilla)\b.*(?:Login Data|\bCookies\b|logins\.json|key4\.db|cookies\.sqlite|Local State|Web Data)`, "reads passwords and cookies of a browser", "login cookies logins.json key4.db local web"},
	{"keychain", High, `\bsecurity\s+(?:find-(?:generic|internet)-password|dump-keychain|export)|\bsecret-tool\s+lookup\b|\bkeyring\.get_password\b|\bkwallet-query\b|\bvaultcmd\b`, "reads stored passwords", "security secret-tool keyring kwallet vaultcmd"},
	{"password_files", Critical, `/etc/(?:shadow|gshadow|master\.passwd|security/passwd)\b|\bSAM\b.*\bSYSTEM\b.*\breg\s+save|\bmimikatz\b|\bhashdump\b`, "reads passwords of the machine", "/etc/ reg mimikatz hashdump"},
	{"agent_keys", Critical, `(?:\.hermes|HERMES_HOME\}?)/(?:\.env|auth\.json)|\.codex/auth\.json|\.claude/\.credentials|\.config/gh/hosts\.yml`, "reads keys of agents", ".env auth.json .credentials hosts.yml"},
	{"cloud_metadata", Critical, `\b169\.254\.169\.254\b|metadata\.google\.internal|\b100\.100\.100\.200\b|\bfd00:ec2::254\b`, "asks a cloud machine for its keys", "169.254 metadata.google 100.100.100 fd00:ec2"},
	{"wallets", High, `\bwallet\.dat\b|\.ethereum/keystore|\.config/solana/id\.json|\bMetaMask\b|\bExodus/exodus\.wallet|\b(?:seed|recovery|mnemonic)\s+phrase\b`, "is about keys of wallets", "wallet keystore solana metamask phrase"},
	{"own_key", High, `\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}|\bgh[pousr]_[A-Za-z0-9]{30,}|\bAKIA[0-9A-Z]{16}\b|\bxox[abpr]-[0-9A-Za-z-]{20,}|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----|\bAIza[0-9A-Za-z_-]{35}\b`, "holds a key", "sk- gh akia xox private aiza"},
	{"git_keys", High, `\bgit\s+credential\s+fill\b|\.git-credentials\b|\bgh\s+auth\s+token\b|\bglab\s+auth\b.*token`, "reads keys of git", "credential gh glab"},
	{"registry_keys", High, `(?:\bcat\b|\bcp\b|\bopen\s*\(|\bread\w*\b|<).*(?:\.npmrc|\.pypirc|\.netrc|\.pgpass|\.my\.cnf|\.docker/config\.json)`, "reads keys of registries and databases", ".npmrc .pypirc .netrc .pgpass .my.cnf .docker"},
	{"gpg_keys", Critical, `\bgpg\b.*--export-secret|\.gnupg/(?:private-keys|secring)`, "takes private keys out of GnuPG", "gpg"},
	{"process_environment", High, `/proc/(?:\d+|self|\$\{?\w+\}?|\*)/environ\b|\bps\s+\S*e\S*ww\b`, "reads the environment of programs", "environ ps"},
	{"asks_for_secret", High, `\b(?:ask|tell|prompt|request)\s+(?:the\s+)?user\s+(?:for|to\s+(?:enter|paste|give|provide|type|send))\b.*(?:password|private\s+key|seed|recovery|passphrase|api\s+key|credit\s+card)`, "has the user asked for something secret", "user"},
	{"environment_file", Medium, `\b(?:cat|less|head|tail|grep|source|open|read_file|readFileSync|load_dotenv)\b.*(?:^|[\s"'(/=])\.env\b`, "reads a file with keys", ".env"},
}

var traversal = []row{
	{"way_up", High, `(?:\.\./){3,}|(?:\.\.\\){3,}`, "goes far up from its folder", "../../../ ..\\..\\..\\"},
	{"way_up_short", Low, `(?:^|["'\s=(])\.\./\.\./`, "goes up from its folder", "../../"},
	{"encoded_way_up", High, `(?:%2e%2e(?:%2f|/|\\)){2,}|(?:\.\.%2f){2,}|(?:\.\.%5c){2,}`, "hides that it goes up from its folder", "%2e%2e ..%2f ..%5c"},
	{"system_files", High, `/etc/(?:passwd|group|ssh/|ssl/private|krb5)`, "reads files of the system", "/etc/"},
	{"process_files", High, `/proc/(?:self|\d+|\$\w+)/(?:mem|root)\b|/dev/k?mem\b`, "reads the memory of programs", "/proc/ /dev/"},
	{"link_out", Medium, `\bln\s+-s\w*\s+["']?(?:/|~|\$\{?HOME)\S*`, "makes a link out of its folder", "ln"},
	{"all_homes", High, `/home/\*|/Users/\*|\bglob\w*\(\s*["']/(?:home|Users)/`, "looks into the homes of others", "/home/ /users/"},
	{"unpacks_anywhere", Medium, `\btar\b.*(?:-P\b|--absolute-names)|\bextractall\s*\(\s*["']/`, "unpacks to any place", "tar extractall"},
}

var privilege = []row{
	{"sudo", Medium, `\bsudo\s+[^\s-]`, "runs something as root", "sudo"},
	{"sudo_password", Critical, `\bsudo\s+(?:-\w+\s+)*(?:-\w*S\b|--stdin\b)|\bsshpass\s+-p`, "hands over a password", "sudo sshpass"},
	{"sudo_rules", Critical, `/etc/sudoers|\bNOPASSWD\b|\bvisudo\b`, "changes who may be root", "sudoers nopasswd visudo"},
	{"set_id", High, `\bchmod\s+(?:-\w+\s+)*(?:[ugo]*\+\w*s\w*|0?[4-7][0-7]{3})\s`, "makes a program that runs with others' rights", "chmod"},
	{"capabilities", High, `\bsetcap\s+\S|\bcap_(?:setuid|sys_admin|net_raw|dac_override)\b`, "gives a program rights of root", "setcap cap_"},
	{"host_container", Critical, `\b(?:docker|podman|nerdctl)\s+run\b.*(?:-v\s*/:|--volume[ =]/:|--privileged|docker\.sock|--pid[ =]host)`, "runs a container with the rights of the machine", "docker podman nerdctl"},
	{"leaves_container", High, `\bnsenter\b|\bunshare\s+-\w*r|\bchroot\s+/|/proc/1/root`, "leaves its container", "nsenter unshare chroot /proc/1"},
	{"other_root", Medium, `\bpkexec\s+\S|\bdoas\s+\S|\bsu\s+-c\b|\brunas\s+/user`, "runs something as root", "pkexec doas su runas"},
	{"guards_off", High, `\bsetenforce\s+0\b|\bcsrutil\s+disable\b|\bspctl\s+--\w*disable\b|\bufw\s+disable\b|\biptables\s+-F\b|Set-MpPreference\s+-Disable|\bsystemctl\s+(?:stop|disable)\s+(?:apparmor|firewalld|auditd|ufw)|xattr\s+-\w*d\w*\s+com\.apple\.quarantine`, "switches off what guards the machine", "setenforce csrutil spctl ufw iptables mppreference apparmor firewalld auditd quarantine"},
	{"kernel_module", High, `\b(?:insmod|kextload|kldload)\s+\S|\bmodprobe\s+[^-\s]`, "loads code into the kernel", "insmod kextload kldload modprobe"},
	{"changes_password", Critical, `\bchpasswd\b|\bpasswd\s+(?:--stdin\s+)?root\b`, "changes a password", "passwd"},
	{"made_immutable", Medium, `\bchattr\s+\+i\b|\bchflags\s+(?:schg|uchg)\b`, "makes files that cannot be deleted", "chattr chflags"},
}

var mining = []row{
	{"miner", Critical, `\b(?:xmrig|minerd|cgminer|bfgminer|cpuminer|nbminer|ethminer|phoenixminer|lolminer|nanominer|gminer|teamredminer|srbminer|coinhive|cryptonight)\b`, "mines coins", "xmrig miner coinhive cryptonight"},
	{"mining_protocol", Critical, `\bstratum\d?\+(?:tcp|ssl|tls|udp)://`, "mines coins", "stratum"},
	{"mining_pool", Critical, `\b(?:supportxmr|moneroocean|nanopool|minexmr|2miners|f2pool|nicehash|hashvault|herominers|unmineable)\.(?:com|org|stream|pro)\b`, "mines coins", "supportxmr moneroocean nanopool minexmr 2miners f2pool nicehash hashvault herominers unmineable"},
	{"mining_wallet", Critical, `\b4[0-9AB][1-9A-HJ-NP-Za-km-z]{93}\b`, "names a wallet for mined coins", ""},
	{"mining_options", Critical, `--donate-level\b|--coin[= ](?:monero|xmr)\b|--algo[= ](?:rx/0|cn/|kawpow|randomx)`, "mines coins", "donate-level --coin --algo"},
	{"browser_miner", Critical, `\bcoin-?hive\.(?:min\.js|com)|\bCoinHive\.|\b(?:deepMiner|webminepool|crypto-loot)\b`, "mines coins", "coin deepminer webminepool crypto-loot"},
}
