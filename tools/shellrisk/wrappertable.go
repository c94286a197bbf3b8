package shellrisk

import (
	"strconv"
	"strings"
	"sync"
)

// wrapper describes a program that runs the command in its arguments, and how it
// reads the options before that command.
type wrapper struct {
	short string // letters, with a colon behind those that take a value
	long  []string
	// least and most are how many operands stand before the command.
	least, most int
	// code are options whose value is shell code, output those whose value is a
	// file that is written, chdir those that name the folder to start in, program
	// those whose value is the program itself.
	code, output, chdir, program []string
	assigns                      bool // NAME=VALUE may stand before the command
	single                       bool // long options have one dash
	risen                        bool // gives other rights
	dash                         bool // a lone dash is an option
	permutes                     bool // options may follow the operands
	shell                        bool // the words are for a shell
	loader                       bool // it loads libraries named by options
}

// wrappers are the programs that do nothing but run another one. A line has the
// names, the letters, the long options, the number of operands, and marks. A
// letter or option with a colon takes a value, one with two colons only where it
// is joined to it.
var wrappers = sync.OnceValue(func() map[string]wrapper {
	return wrapperTable(`
command | pvV | | 0
builtin | | | 0
jobs | lnprsx | | 0
exec | cla: | | 0
nohup gnohup | | help version | 0
nice gnice | n:0123456789 | adjustment: help version | 0
ionice | c:n:p:P:u:th | class: classdata: ignore pid: pgid: uid: | 0
chrt | abdfimoprvRhT:P:D: | all-tasks batch deadline fifo idle max other pid rr reset-on-fork sched-runtime: sched-period: sched-deadline: verbose ext | 0-1
taskset | apcsu | all-tasks cpu-list pid | 1
setsid | cfwhV | ctty fork wait | 0
timeout gtimeout | k:s:vfp | kill-after: signal: verbose foreground preserve-status | 1
time gtime | f:o:apvqlh | format: output: append portability verbose quiet | 0 | output=-o,--output
stdbuf gstdbuf | i:o:e: | input: output: error: | 0
unbuffer | p | | 0
caffeinate | dimsut:w: | | 0
chronic | ev | | 0
setarch | vRFZLXBISTth346 | 32bit fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize whole-seconds sticky-timeouts read-implies-exec mmap-page-zero 3gb 4gb uname-2.6 verbose list show:: | 0-1
linux32 linux64 i386 i486 i586 i686 athlon x86_64 amd64 ppc ppc32 ppc64 ppcle ppc64le s390 s390x sparc sparc32 sparc64 mips mips32 mips64 arm armv6l armv7l armv8l aarch64 arm64 alpha parisc parisc32 parisc64 ia64 riscv32 riscv64 uname26 | vRFZLXBISTth346 | 32bit fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize whole-seconds sticky-timeouts read-implies-exec mmap-page-zero 3gb 4gb uname-2.6 verbose show:: | 0
arch | hde: | arm64 x86_64 i386 arm64e c e: d: | 0 | single
strace | a:b:e:E:I:o:O:p:P:s:S:u:U:X:cCdDfFhikknqrtTvVwxyYzZ | output: trace: user: attach: env: columns: detach-on: interruptible: string-limit: summary-sort-by: summary-columns: summary-syscall-overhead: trace-path: abbrev: verbose: raw: signals: status: quiet:: read: write: fault: inject: kvm: follow-forks output-separately summary summary-only summary-wall-clock instruction-pointer no-abbrev daemonize:: output-append-mode relative-timestamps:: absolute-timestamps:: syscall-times:: decode-fds:: decode-pids:: successful-only failed-only debug strings-in-hex:: const-print-style: stack-trace:: seccomp-bpf tips:: syscall-number always-show-pid argv0: namespace: syscall-limit: | 0 | output=-o,--output
ltrace | a:A:e:F:l:n:o:p:s:u:w:x:D:bcCfhiLrStTV | align: config: debug: library: indent: output: where: no-signals demangle | 0 | output=-o,--output
valgrind | qvdh | tool: log-file: quiet verbose leak-check: | 0 | output=--log-file
catchsegv | | | 0
numactl | i:w:N:P:m:C:p:l:t:L:S:f:abHsVhou:TdDcI:y: | interleave: weighted-interleave: cpunodebind: physcpubind: membind: preferred: preferred-many: localalloc balancing cpubind: all offset: length: shm: shmid: shmmode: file: huge touch strict dump verify | 0
cgexec | g:bh | sticky | 0
cpulimit | l:p:e:b:P:vzikmh | limit: pid: exe: path: background foreground verbose lazy include-children kill monitor-forks cpu: | 0
prlimit | p:hV | pid: output: raw verbose noheadings core:: data:: nice:: fsize:: sigpending:: memlock:: rss:: nofile:: msgqueue:: rtprio:: stack:: cpu:: nproc:: as:: locks:: rttime:: | 0
setpriv | dhV | dump no-new-privs ambient-caps: inh-caps: bounding-set: ruid: euid: reuid: rgid: egid: regid: clear-groups keep-groups init-groups groups: list-caps securebits: pdeathsig: ptracer: selinux-label: apparmor-profile: landlock-access: landlock-rule: seccomp-filter: reset-env | 0
choom | n:p:hV | adjust: pid: | 0
unshare | R:w:S:G:muinpUCTfrclhV | mount:: uts:: ipc:: net:: pid:: user:: cgroup:: time:: mount-proc:: mount-binfmt:: fork map-user: map-group: map-root-user map-current-user map-auto map-users: map-groups: owner: propagation: setgroups: kill-child:: keep-caps root: wd: setuid: setgid: monotonic: boottime: load-interp: forward-signals map-subids | 0 | chdir=-w,--wd
nsenter | t:S:G:N:amuinpUCTrwFZecWhV | all target: mount:: uts:: ipc:: net:: pid:: user:: cgroup:: time:: setuid: setgid: root:: wd:: wdns: env no-fork preserve-credentials keep-caps follow-context user-parent net-socket: join-cgroup | 0 | risen
chroot gchroot | | userspec: groups: skip-chdir | 1 | risen
firejail | c | | 0
bwrap | | args: chdir: uid: gid: hostname: setenv: | 0
fakeroot | l:s:i:b:uvh | lib: faked: save-file: load-file: fd-base: unknown-is-real | 0
fakechroot | sd:c:b:e:l:hv | use-system-libs environment: config-dir: elfloader: bindir: lib: | 0
faketime | mfhp:v | exclude-monotonic pid: | 1
eatmydata | | | 0
proot | r:b:w:q:k:v:0i:R:S: | rootfs: bind: cwd: pwd: qemu: root-id change-id: kernel-release: verbose: mount: | 0
systemd-run | p:M:H:u:EtPSqdrGhC: | user system scope unit: property: description: slice: slice-inherit expand-environment: no-block remain-after-exit wait send-sighup service-type: uid: gid: nice: working-directory: same-dir setenv: pty pty-late pipe quiet collect shell on-active: on-boot: on-startup: on-unit-active: on-unit-inactive: on-calendar: on-clock-change on-timezone-change path-property: socket-property: timer-property: machine: host: no-ask-password ignore-failure background: json: job-mode: capsule: | 0 | chdir=--working-directory
run0 | u:g:D:M: | user: group: nice: chdir: machine: unit: property: description: slice: setenv: background: pty pipe | 0 | risen assigns chdir=-D,--chdir
systemd-inhibit | h | what: who: why: mode: list no-pager no-legend no-ask-password | 0
systemd-cat | t:p:h | identifier: priority: stderr-priority: level-prefix: namespace: | 0
dbus-run-session | | config-file: dbus-daemon: | 0
dbus-launch | | config-file: exit-with-session exit-with-x11 autolaunch: auto-syntax binary-syntax close-stderr sh-syntax csh-syntax | 0
xvfb-run | ae:f:hn:lp:s:w: | auto-servernum error-file: auth-file: listen-tcp server-num: server-args: xauth-protocol: wait: | 0
busybox toybox | | list list-full install help | 0 | assigns
ld.so | | list verify list-diagnostics list-tunables inhibit-cache library-path: glibc-hwcaps-prepend: glibc-hwcaps-mask: inhibit-rpath: audit: preload: argv0: help version | 0 | loader
su runuser | c:g:G:s:T:w:u:flmpPh | command: session-command: group: supp-group: shell: pty no-pty whitelist-environment: user: fast login preserve-environment | 0 | permutes dash
coreutils | | coreutils-prog: coreutils-prog-shebang: | 0 | program=--coreutils-prog,--coreutils-prog-shebang
doas | u:C:nsL | | 0 | risen assigns
pkexec | | user: disable-internal-agent keep-cwd | 0 | risen
gosu su-exec | | | 1 | risen
setuidgid | s | | 1 | risen
envdir | | | 1
softlimit | a:c:d:f:l:m:o:p:r:s:t: | | 0
chpst | u:U:b:e:/:n:l:L:m:d:o:p:f:c:t:vPE012 | | 0
runcon | t:u:r:l:c | type: user: role: range: compute | 0-1
sg | c: | | 1 | risen code=-c
capsh | | print inh: drop: iab: caps: secbits: uid: gid: user: chroot: mode: shell: | 0 | shell
torsocks tsocks | u:p:a:P:dqi | user: pass: address: port: debug quiet shell isolate | 0
proxychains proxychains4 | f:q | | 0
rlwrap | A:aB:b:c:C:D:eE:f:F:g:hH:iI:l:m:M:nN:o:p:P:q:rRs:S:t:Tuvw:W:xX:z: | always-readline:: ansi-colour-aware break-chars: complete-filenames command-name: file: filter: forget-matching: history-filename: histsize: remember wait-before-prompt: substitute-prompt: | 0
ssh-agent | a:E:P:t:O:cDdkskTuU | | 0
aws-vault | | debug backend: prompt: duration: region: no-session | 2
perf | | exec-path: | 1
gdbserver | | once multi attach debug remote-debug wrapper: | 1
start-stop-daemon | a:c:d:g:i:k:m:n:N:o:p:P:r:s:u:x:bBCKqSTtv | exec: startas: start stop background pidfile: make-pidfile chuid: chdir: user: name: signal: retry: oknodo quiet test no-close umask: group: nicelevel: procsched: iosched: chroot: remove-pidfile verbose notify-await output: | 0 | program=-x,--exec,-a,--startas
flock | w:E:c:sxeunoFvh | shared exclusive unlock nonblocking nonblock timeout: wait: conflict-exit-code: close command: no-fork fcntl verbose | 1 | code=-c,--command
watch | n:q:bdegtcxwrpChv | interval: equexit: exec beep color no-color differences:: errexit chgexit precise no-rerun no-title no-wrap no-linewrap shotsdir: follow | 0
cross-env cross-env-shell | | | 0 | assigns
dotenv | e:p:v:c:o | override debug file: | 0 | assigns
env genv | iu:C:S:0va: | ignore-environment unset: chdir: split-string: null argv0: block-signal:: default-signal:: ignore-signal:: list-signal-handling debug | 0 | assigns dash chdir=-C,--chdir
sudo | u:g:p:C:D:R:T:r:t:h:U:ABbEeHiKklnNPSsVv | user: group: prompt: close-from: chdir: chroot: command-timeout: role: type: host: other-user: askpass bell background preserve-env:: edit set-home help login remove-timestamp reset-timestamp list no-update non-interactive preserve-groups stdin shell validate version | 0 | assigns chdir=-D,--chdir
xargs gxargs | a:d:E:I:J:L:n:P:R:s:S:i::l::e::0oprtx | arg-file: delimiter: max-args: max-procs: max-chars: max-lines:: replace:: eof:: process-slot-var: null open-tty interactive no-run-if-empty verbose exit show-limits | 0
op doppler chamber infisical | e:p:c: | env-file: project: config: account: env: no-masking | 1
`)
})

// wrapperTable reads the lines of the table.
func wrapperTable(text string) map[string]wrapper {
	table := map[string]wrapper{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		cells := strings.Split(line+"||||", "|")
		w := wrapper{short: strings.TrimSpace(cells[1]), long: strings.Fields(cells[2])}
		least, most, ranged := strings.Cut(strings.TrimSpace(cells[3]), "-")
		if !ranged {
			most = least
		}
		w.least, _ = strconv.Atoi(least)
		w.most, _ = strconv.Atoi(most)
		for mark := range strings.FieldsSeq(cells[4]) {
			w.mark(mark)
		}
		for name := range strings.FieldsSeq(cells[0]) {
			table[name] = w
		}
	}
	return table
}

func (w *wrapper) mark(text string) {
	name, list, _ := strings.Cut(text, "=")
	switch options := strings.Split(list, ","); name {
	case "code":
		w.code = options
	case "output":
		w.output = options
	case "chdir":
		w.chdir = options
	case "program":
		w.program = options
	case "assigns":
		w.assigns = true
	case "single":
		w.single = true
	case "risen":
		w.risen = true
	case "dash":
		w.dash = true
	case "permutes":
		w.permutes = true
	case "shell":
		w.shell = true
	case "loader":
		w.loader = true
	}
}

// wrapperFor finds the wrapper of a name. The loader of programs has one name for
// every kind of machine.
func wrapperFor(name string) (wrapper, bool) {
	if strings.HasPrefix(name, "ld-") && strings.Contains(name, ".so") || strings.HasPrefix(name, "ld64.so") {
		name = "ld.so"
	}
	w, ok := wrappers()[name]
	return w, ok
}

// takes says how an option takes a value.
type takes int

const (
	takesNone   takes = iota
	takesJoined       // only one that is joined to it
	takesNext         // the next word
)

// longTakes finds a long option, which may be cut short, and how it takes a
// value. Where it may be one of several, next and none tell what these do.
func (w wrapper) longTakes(name string) (full string, next, none, known bool) {
	for _, entry := range w.long {
		bare := strings.TrimRight(entry, ":")
		if bare != name && !strings.HasPrefix(bare, name) {
			continue
		}
		takesNext := len(entry) == len(bare)+1
		if bare == name {
			return bare, takesNext, !takesNext, true
		}
		full, next, none, known = bare, next || takesNext, none || !takesNext, true
	}
	return full, next, none, known
}

// shortTakes tells how a letter takes a value.
func (w wrapper) shortTakes(letter byte) (how takes, known bool) {
	i := strings.IndexByte(w.short, letter)
	switch {
	case i < 0 || letter == ':':
		return takesNone, false
	case strings.HasPrefix(w.short[i+1:], "::"):
		return takesJoined, true
	case strings.HasPrefix(w.short[i+1:], ":"):
		return takesNext, true
	}
	return takesNone, true
}
