package tools

import "strings"

// secretsAtHome are the files and folders below a home directory that hold keys
// or passwords; a folder counts with all it holds. Histories of shells are
// not among them: what was typed there is masked like any other text.
var secretsAtHome = names(`
	.ssh .gnupg .pki .netrc _netrc .git-credentials .config/git/credentials
	.password-store .local/share/keyrings .local/share/kwalletd .local/share/kwalletd5 .local/share/kwalletd6
	.config/op .config/1Password .config/keepassxc .config/Bitwarden?CLI .config/sops .config/age .age .vault-token
	.ansible/vault .vault_pass .vault_pass.txt .ansible_vault_password .vault_password

	.aws/credentials .aws/config .aws/sso .aws/cli/cache .azure .config/gcloud .oci .aliyun .bluemix .boto .s3cfg .passwd-s3fs
	.kube .docker/config.json .config/containers/auth.json .config/helm/registry .config/argocd .config/openstack
	.terraform.d/credentials.tfrc.json .terraformrc .pulumi/credentials.json .config/rclone .config/doctl .config/hcloud
	.config/linode-cli .config/fly .fly .config/heroku .config/stripe .config/netlify .supabase .railway .databrickscfg
	.snowsql .local/share/com.vercel.cli .config/.wrangler .config/configstore

	.config/gh/hosts.yml .config/glab-cli .config/hub .config/github-copilot .claude/.credentials.json .codex/auth.json
	.gemini/oauth_creds.json .local/share/opencode/auth.json
	.npmrc .yarnrc.yml .pypirc .cargo/credentials .cargo/credentials.toml .gem/credentials .composer/auth.json
	.config/composer/auth.json .config/pypoetry/auth.toml .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
	.sbt/.credentials .ivy2/.credentials .nuget/NuGet/NuGet.Config .bundle/config .pip/pip.conf .config/pip/pip.conf
	.kaggle/kaggle.json .huggingface/token .cache/huggingface/token

	.pgpass .my.cnf .mylogin.cnf .authinfo .authinfo.gpg .msmtprc .config/msmtp .fetchmailrc .smbcredentials .vnc/passwd
	.Xauthority

	.mozilla .librewolf .thunderbird .config/google-chrome .config/google-chrome-beta .config/google-chrome-unstable
	.config/chromium .config/BraveSoftware .config/microsoft-edge .config/microsoft-edge-beta .config/microsoft-edge-dev
	.config/vivaldi .config/opera snap/firefox snap/chromium snap/brave .var/app/org.mozilla.firefox .var/app/com.google.Chrome
	.var/app/org.chromium.Chromium .var/app/com.brave.Browser .var/app/com.microsoft.Edge
	Library/Keychains Library/Cookies Library/Safari Library/Containers/com.apple.Safari Library/Mail Library/Messages
	Library/Application?Support/Google/Chrome Library/Application?Support/Chromium Library/Application?Support/BraveSoftware
	Library/Application?Support/Microsoft?Edge Library/Application?Support/Firefox Library/Application?Support/Vivaldi
	Library/Application?Support/com.operasoftware.Opera Library/Application?Support/Arc Library/Application?Support/1Password
`)

// settingsWithSecrets are those of them that programs need for other things, too:
// they are kept from confined programs only while they hold a key.
var settingsWithSecrets = names(`.npmrc .yarnrc.yml .m2/settings.xml .gradle/gradle.properties .nuget/NuGet/NuGet.Config
	.bundle/config .pip/pip.conf .config/pip/pip.conf .terraformrc .aws/config .my.cnf`)

// openAtHome are files in such folders that hold no secrets, by the folder.
var openAtHome = map[string]map[string]bool{
	".ssh":   set(names(`config known_hosts known_hosts.old authorized_keys`)),
	".gnupg": set(names(`gpg.conf gpg-agent.conf pubring.kbx pubring.gpg`)),
	".kube":  set(names(`cache`)),
}

// secretsMoved are the variables that name the folder or the files, separated by
// colons, in which programs keep secrets elsewhere. With a base the name follows
// below it, as in the list above after the same base.
var secretsMoved = map[string][]string{
	"AWS_SHARED_CREDENTIALS_FILE": nil, "AWS_CONFIG_FILE": nil, "AZURE_CONFIG_DIR": nil, "CLOUDSDK_CONFIG": nil,
	"GOOGLE_APPLICATION_CREDENTIALS": nil, "KUBECONFIG": nil, "DOCKER_CONFIG": {"config.json"}, "REGISTRY_AUTH_FILE": nil,
	"GNUPGHOME": nil, "PASSWORD_STORE_DIR": nil, "NETRC": nil, "PGPASSFILE": nil, "RCLONE_CONFIG": nil, "XAUTHORITY": nil,
	"GH_CONFIG_DIR": {"hosts.yml"}, "GLAB_CONFIG_DIR": nil, "CODEX_HOME": {"auth.json"}, "CLAUDE_CONFIG_DIR": {".credentials.json"},
	"NPM_CONFIG_USERCONFIG": nil, "npm_config_userconfig": nil, "CARGO_HOME": {"credentials", "credentials.toml"},
	"PIP_CONFIG_FILE": nil, "TF_CLI_CONFIG_FILE": nil, "ANSIBLE_VAULT_PASSWORD_FILE": nil, "SOPS_AGE_KEY_FILE": nil,
	"HF_TOKEN_PATH": nil, "COMPOSER_HOME": {"auth.json"}, "VAULT_TOKEN_PATH": nil,
}

// secretsOfSystem are files and folders of the system with keys or passwords.
var secretsOfSystem = names(`/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/master.passwd /etc/sudoers /etc/sudoers.d
	/etc/krb5.keytab /etc/ssl/private /etc/pki/tls/private /etc/NetworkManager/system-connections /etc/wireguard
	/etc/ppp/chap-secrets /etc/ppp/pap-secrets /etc/security/opasswd /etc/rancher/k3s/k3s.yaml /etc/kubernetes/admin.conf
	/etc/letsencrypt/archive /etc/letsencrypt/live /etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ecdsa_key
	/etc/ssh/ssh_host_ed25519_key /etc/ssh/ssh_host_dsa_key /run/secrets /var/run/secrets /var/lib/kubelet/pki
	/var/db/dslocal /Library/Keychains`)

// secretsOfAgent are what the agent's own home holds of keys, and of what was
// there before files with keys were changed.
var secretsOfAgent = names(`auth.json auth.lock auth .anthropic_oauth.json mcp-tokens pairing webhook_subscriptions.json snapshots
	cache/bws_cache.json skills/.hub`)

// names splits a list. A question mark in a word is a blank.
func names(list string) []string {
	words := strings.Fields(list)
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, "?", " ")
	}
	return words
}

// set makes a set of folded names.
func set(names []string) map[string]bool {
	s := map[string]bool{}
	for _, n := range names {
		s[FoldName(n)] = true
	}
	return s
}

// The same lists, to look names up in.
var (
	atHome   = set(secretsAtHome)
	ofSystem = set(secretsOfSystem)
	ofAgent  = set(secretsOfAgent)
)
