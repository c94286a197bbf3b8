package shellrisk

import "strings"

// ruleFor gives the rule of a program, nil for one that is not known to be
// dangerous by itself. A local program is one named by a relative path: a script
// of the project may well be called init or service.
func ruleFor(name string, local bool) rule {
	if r := shellRule(name); r != nil {
		return r
	}
	if r := fileRule(name); r != nil {
		return r
	}
	if r := machineRule(name); r != nil && !local {
		return r
	}
	if r := toolRule(name); r != nil {
		return r
	}
	if _, ok := wrapperFor(name); ok {
		return call.wrapper
	}
	return nil
}

// shellRule knows what the shell itself does, and what runs other commands.
func shellRule(name string) rule {
	switch name {
	case "cd", "chdir", "pushd", "popd":
		return call.changeDir
	case "eval":
		return call.eval
	case "source", ".":
		return call.source
	case "trap":
		return call.trap
	case "alias":
		return call.alias
	case "set", "shift", "unset", "read", "mapfile", "readarray", "getopts", "printf", "let", "test", "[", "wait":
		return call.variables
	case "exit", "return", "break", "continue":
		return call.leaves
	case "shopt":
		return call.shopt
	case "history", "fc":
		return call.history
	case "export", "declare", "typeset", "local", "readonly":
		return call.export
	case "hash", "enable", "complete", "compgen", "bind":
		return call.builtinCode
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "yash":
		return call.shell
	case "fish", "csh", "tcsh", "pwsh", "powershell", "nu", "xonsh", "elvish":
		return call.foreignShell
	case "env", "cross-env", "dotenv":
		return call.env
	case "sudo":
		return call.sudo
	case "su", "runuser":
		return call.su
	case "xargs", "gxargs":
		return call.xargs
	case "parallel", "watch", "entr", "hyperfine", "concurrently", "script", "at", "batch":
		return call.codeRunner
	case "find", "gfind", "bfs":
		return call.find
	case "fd", "fdfind":
		return call.fd
	case "npx", "bunx", "pnpx", "uvx", "pipx", "npm", "pnpm", "yarn", "bun", "uv", "poetry", "pipenv",
		"bundle", "rye", "hatch", "conda", "mamba", "mise", "asdf", "direnv", "deno", "nix", "nix-shell":
		return call.runner
	}
	return nil
}

// fileRule knows what deletes, writes or changes files and disks.
func fileRule(name string) rule {
	switch name {
	case "rm", "unlink", "grm", "rmdir", "shred", "srm", "wipe", "trash":
		return call.remove
	case "tee", "sponge":
		return call.tee
	case "cp", "mv", "install", "ln", "gcp", "gmv", "rsync", "scp":
		return call.copy
	case "sed", "gsed":
		return call.sed
	case "awk", "gawk", "mawk", "nawk", "original-awk":
		return call.awk
	case "dd", "truncate", "uniq", "patch", "touch", "mkdir", "mkfifo", "split", "csplit", "fallocate":
		return call.writer
	case "tar", "gtar", "bsdtar", "unzip", "7z", "cpio":
		return call.unpack
	case "zip":
		return call.zip
	case "cmake":
		return call.cmake
	case "chmod", "gchmod":
		return call.chmod
	case "chown", "gchown", "chgrp":
		return call.chown
	case "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "wipefs", "blkdiscard", "mkswap", "mke2fs",
		"mkdosfs", "mkntfs", "mkudffs", "mkreiserfs", "nvme", "mdadm",
		"hdparm", "badblocks", "cryptsetup", "diskutil", "zpool", "pvcreate", "vgremove", "lvremove":
		return call.disk
	}
	if name == "mkfs" || strings.HasPrefix(name, "mkfs.") || strings.HasPrefix(name, "newfs") {
		return call.disk
	}
	return nil
}

// machineRule knows what acts on processes, services and the machine.
func machineRule(name string) rule {
	switch name {
	case "kill":
		return call.kill
	case "ps", "gcore":
		return call.processes
	case "pkill", "killall", "killall5", "fuser", "tmux", "screen", "skill":
		return call.killByName
	case "shutdown", "reboot", "halt", "poweroff", "init", "telinit", "kexec":
		return call.power
	case "dbus-send", "busctl", "gdbus", "qdbus":
		return call.messages
	case "rtcwake":
		return call.wakeUp
	case "systemctl", "loginctl":
		return call.systemctl
	case "service", "rc-service", "launchctl", "supervisorctl", "pm2", "initctl", "sv", "brew", "hermes", "crontab":
		return call.service
	case "docker", "podman", "nerdctl", "docker-compose", "podman-compose":
		return call.docker
	case "visudo", "vipw", "passwd", "chpasswd", "chsh", "useradd", "userdel", "usermod", "groupadd", "adduser",
		"deluser", "mount", "umount", "insmod", "modprobe", "rmmod", "iptables", "ip6tables", "nft", "ufw",
		"sysctl", "swapoff", "setenforce", "csrutil", "nvram", "efibootmgr", "grub-install", "update-grub",
		"sudoedit", "dpkg-reconfigure", "update-alternatives":
		return call.administer
	}
	return nil
}

// toolRule knows interpreters, clients and network programs.
func toolRule(name string) rule {
	switch name {
	case "git", "hub":
		return call.git
	case "psql", "mysql", "mariadb", "sqlite3", "sqlite", "duckdb", "mongo", "mongosh", "redis-cli", "cqlsh",
		"clickhouse-client", "clickhouse", "sqlcmd", "usql", "pgcli", "mycli", "litecli", "cockroach",
		"dropdb", "dropuser", "mysqladmin", "pg_restore", "influx":
		return call.database
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "ugrep", "zgrep":
		return call.search
	case "curl", "wget", "http", "https", "xh", "aria2c", "fetch":
		return call.fetch
	case "nc", "ncat", "netcat", "socat", "telnet", "openssl":
		return call.connect
	case "ssh", "mosh", "sshpass", "autossh", "sftp", "ftp", "lftp", "rsh", "rclone":
		return call.remote
	case "ping", "ping6", "nslookup", "dig", "host", "drill", "whois", "traceroute", "tracepath", "mail", "mailx",
		"sendmail", "mutt", "swaks", "xdg-open", "open", "lynx", "links", "elinks", "w3m":
		return call.lookupNet
	case "make", "gmake", "go", "cargo", "gdb", "lldb", "vim", "vi", "nvim", "ex", "ed", "emacs":
		return call.developer
	}
	if _, ok := interpreterFor(name); ok {
		return call.interpreter
	}
	if _, ok := publishers()[name]; ok {
		return call.publish
	}
	return nil
}
