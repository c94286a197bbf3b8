# The far end of a connection. It reads requests from standard input: a line
# with a number of lines, then so many lines of code, which it runs; data may
# follow, of which a request takes exactly its share. Each request ends with a
# mark on standard output that no one can know before (see remote_server.go).
#
# POSIX sh; names of files are never part of the code's text but quoted words.
# Exit codes of functions beyond 9 have a meaning, see remote_errors.go.
PATH=$PATH:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
LC_ALL=C
TZ=UTC0
export PATH LC_ALL TZ
unset CDPATH IFS ENV BASH_ENV
hMask=$(umask)
hD=

# hFlags finds out which dialect the programs speak.
hFlags() {
	if stat -c %f / >/dev/null 2>&1; then
		hSf=-c hSo='%f %s %Y %d %i %u %g %y' hSn=%n
	else
		hSf=-f hSo='%Xp %z %m %d %i %u %g %Fm' hSn=%N
	fi
	hMv=-f
	: >"$hD/t1" && mv -fT "$hD/t1" "$hD/t2" 2>/dev/null && hMv=-fT
	rm -f "$hD/t1" "$hD/t2"
	hDd=
	dd if=/dev/null of=/dev/null iflag=fullblock 2>/dev/null && hDd=iflag=fullblock
	hSync=
	case $(sync --help 2>&1) in *FILE*) hSync=1 ;; esac
	hFind=
	command -v find >/dev/null 2>&1 && hFind=1
	hProc=
	test -r /proc/self/stat && hProc=1
}

# hTemp chooses the directory for temporary files. Its name goes through the
# shell of the user at the far end, whichever that is, so only plain ones do.
hTemp() {
	for t in "$TMPDIR" /tmp /var/tmp "$HOME"; do
		test -n "$t" && t=$(cd -P "$t" 2>/dev/null && pwd -P) || continue
		case $t in *[!A-Za-z0-9/._-]*) continue ;; esac
		test -d "$t" && test -w "$t" && hT=$t && return 0
	done
	return 1
}

# hPrivate makes the directory of the connection's own files, and a file in it, so
# that the end of an earlier connection, which removes it when it is empty, leaves it.
hPrivate() {
	for hN in 1 2 3; do
		test -d "$hD" || (umask 077 && mkdir "$hD") 2>&1 || return
		(: >"$hD/k-$$") 2>/dev/null && return 0
	done
	test -d "$hD"
}

hShell() {
	for d in $(IFS=:; set -f; printf '%s ' $PATH); do
		case $d in /*) test -f "$d/bash" && test -x "$d/bash" && printf %s "$d/bash" && return 0 ;; esac
	done
	printf /bin/sh
}

# hSetup NAME prepares for files and says what the place is like, each fact
# ended by a zero byte, after them the environment.
hSetup() {
	m=
	for p in env stat head dd cat mkdir rm rmdir mv ln readlink chmod grep uname; do
		command -v $p >/dev/null 2>&1 || m="$m $p"
	done
	test -z "$m" || { printf '%s' "${m# }"; return 30; }
	hTemp || { printf 'no directory for temporary files'; return 31; }
	hD=$hT/$1
	hPrivate || return 31
	hFlags
	u=$(id -un 2>/dev/null) || u=$USER
	h=$HOME
	case $u in
	'' | *[!A-Za-z0-9._-]*) ;;
	*) case $h in '' | /) eval "h=~$u" ;; esac ;; # an engine that sets none
	esac
	h=$(cd -P "${h:-/}" 2>/dev/null && pwd -P) || h=/
	: >"$hD/hCase"
	f=0
	test -e "$hD/hcASE" && f=1
	rm -f "$hD/hCase"
	b=
	test -r /proc/sys/kernel/random/boot_id && read -r b </proc/sys/kernel/random/boot_id
	printf '%s\0' "$(uname -s)" "$(uname -m)" "$(uname -n)" "$u" "$h" "$hT" "$(hShell)" "$hMask" "$f" "$hProc" "$b" "$hD"
	cat /proc/$$/environ 2>/dev/null || env
}

hLeave() {
	test -z "$hD" || { rm -f "$hD"/l-* "$hD/k-$$"; rmdir "$hD"; } 2>/dev/null
	exit 0
}

# hIn DIR enters a directory; through a link it does not go: what was entered
# is compared with what was meant, and no one can exchange it any more.
hIn() {
	if cd -P "$1" 2>/dev/null; then
		test "$PWD" = "$1" || return 11
		return 0
	fi
	stat -L $hSf %i "$1" 2>&1 >/dev/null || return 1
	test -d "$1" || return 14
	return 15
}

hAny() { test -e "$1" || test -L "$1"; }

hStat() { stat -L $hSf "$hSo" "$1" 2>&1; }
hLstat() { stat $hSf "$hSo" "$1" 2>&1; }

# hOpen NAME describes a file or directory and gives the beginning of a file.
hOpen() {
	hStat "$1" || return
	test -d "$1" && return 0
	test -f "$1" || return 12
	test -r "$1" || return 15
	hData "$1" 0 1
}

# hRead NAME BLOCK COUNT gives so many blocks of 64 KiB and says of what.
hRead() {
	stat -L $hSf '%d %i' "$1" 2>&1 || return
	test -f "$1" || return 12
	hData "$1" "$2" "$3"
}

hData() {
	if test -n "$hDd"; then
		dd if="$1" bs=65536 skip="$2" count="$3" $hDd 2>/dev/null || return 16
	else
		dd if="$1" bs=4096 skip=$(($2 * 16)) count=$(($3 * 16)) 2>/dev/null || return 16
	fi
}

# hDir NAME lists a directory. No name holds a slash, so two before the end of a
# line end an entry.
hDir() (
	cd "$1" 2>/dev/null || { stat -L $hSf %i "$1" 2>&1 >/dev/null || exit 1; test -d "$1" || exit 14; exit 15; }
	test -r . || exit 15
	if test -n "$hFind"; then
		find . ! -name . -prune -exec stat $hSf "$hSo/$hSn//" {} + 2>/dev/null
		exit 0
	fi
	stat $hSf "$hSo/$hSn//" ./* ./.[!.]* ./..?* 2>/dev/null
	exit 0
)
# hReal ELEMENT... gives the path without links.
hReal() (
	set -f
	at=
	links=0
	while test $# -gt 0; do
		e=$1
		shift
		case $e in
		'' | .) continue ;;
		..) at=${at%/*}; continue ;;
		esac
		if test -L "$at/$e"; then
			links=$((links + 1))
			test $links -le 40 || exit 17
			t=$(readlink "$at/$e" && echo x) || exit 16
			t=${t%?x}
			case $t in /*) at= ;; esac
			IFS=/
			set -- $t "$@"
			unset IFS
			continue
		fi
		if test ! -e "$at/$e" && hAny "${at:-/}"; then
			test -d "${at:-/}" || exit 14
			test -x "${at:-/}" || exit 15
		fi
		at=$at/$e
	done
	printf %s "${at:-/}"
)

# hSkip N takes data away that is not wanted.
hSkip() { test "$1" = 0 || head -c "$1" >/dev/null; }

# hFree BASE: may a file be put there in place of what there is?
hFree() {
	test -L "$1" && return 11
	test -e "$1" && test ! -f "$1" && return 12
	return 0
}

# hWrite DIR BASE TEMP MODE SIZE replaces a file by the data that follows.
hWrite() (
	hIn "$1" || { r=$?; hSkip "$5"; exit $r; }
	hFree "./$2" || { r=$?; hSkip "$5"; exit $r; }
	umask 077
	(set -C; : >"./$3") 2>&1 || { r=$?; hSkip "$5"; exit $r; }
	if test "$5" != 0; then
		head -c "$5" 2>&1 >>"./$3" || { rm -f "./$3"; exit 20; }
	fi
	hFinish "./$2" "./$3" "$4" "$5" || { r=$?; rm -f "./$3"; exit $r; }
)

hFinish() {
	s=$(stat $hSf "$hSo" "$2") || return 16
	set -- "$1" "$2" "$3" "$4" $s
	test "$6" = "$4" || return 21
	if test -f "$1" && o=$(stat $hSf '%u:%g' "$1" 2>/dev/null) && test "$o" != "${10}:${11}"; then
		chown "$o" "$2" 2>/dev/null || chgrp "${o#*:}" "$2" 2>/dev/null
	fi
	chmod "$3" "$2" 2>&1 || return 1
	test -z "$hSync" || sync "$2" 2>&1 || return 1
	hFree "$1" || return
	mv $hMv "$2" "$1" 2>&1 || return 1
	test -z "$hSync" || sync . 2>/dev/null
	return 0
}

# hMake UMASK ELEMENT... makes a directory and its parents and prints those it
# made, each ended by a zero byte.
hMake() (
	umask "$1"
	shift
	cd /
	p=
	for e in "$@"; do
		p=$p/$e
		test -L "./$e" && exit 11
		if test ! -e "./$e"; then
			if t=$(mkdir "./$e" 2>&1); then
				printf '%s\0' "$p"
			elif test ! -d "./$e"; then
				printf '\0%s' "$t"
				exit 1
			fi
		fi
		test -d "./$e" || exit 14
		cd -P "./$e" 2>/dev/null || exit 15
		test "$PWD" = "$p" || exit 11
	done
)

hRemove() (
	hIn "$1" || exit
	if test -d "./$2" && test ! -L "./$2"; then
		rmdir "./$2" 2>&1
	elif hAny "./$2"; then
		rm -f "./$2" 2>&1
	else
		exit 10
	fi
)

# hMove DIR BASE TODIR TOBASE
hMove() (
	hIn "$3" || exit
	hAny "./$4" && exit 13
	hIn "$1" || exit
	hAny "./$2" || exit 10
	hIn "$3" || exit
	hAny "./$4" && exit 13
	mv $hMv "${1%/}/$2" "./$4" 2>&1
)

hReadlink() {
	test -L "$1" && { readlink "$1" 2>&1; return; }
	hLstat "$1" && return 22
	return 1
}

# hLink TARGET DIR BASE
hLink() (
	hIn "$2" || exit
	hAny "./$3" && exit 13
	ln -s -- "$1" "./$3" 2>&1
)

# hScratch NAME makes a private directory.
hScratch() { (umask 077 && mkdir "$hT/$1") 2>&1; }

# hPut NAME SIZE DIR PROGRAM takes a script that will start a program.
hPut() {
	if test ! -d "$3"; then
		hSkip "$2"
		return 40
	fi
	if test ! -f "$4" || test ! -x "$4"; then
		hSkip "$2"
		hAny "$4" && return 42
		return 41
	fi
	hPrivate || { r=$?; hSkip "$2"; return $r; }
	(umask 077; set -C; : >"$hD/$1") 2>&1 || { r=$?; hSkip "$2"; return $r; }
	head -c "$2" 2>&1 >"$hD/$1" || { rm -f "$hD/$1"; return 20; }
}

# hLog DIR BASE makes a log, which must be new.
hLog() (
	cd -P "$1" 2>/dev/null || hIn "$1" || exit
	hAny "./$2" && exit 13
	umask 077
	set -C
	: >"./$2"
) 2>&1

# hDetach NAME runs a script apart from the connection and describes it as soon
# as it carries its mark, which it tells over descriptor 4.
hDetach() {
	if command -v setsid >/dev/null 2>&1; then
		p=$( (trap '' HUP; exec setsid /bin/sh "$hD/$1" 4>&1 </dev/null >/dev/null 2>&1) & )
	else
		p=$(set -m 2>/dev/null; (trap '' HUP; exec /bin/sh "$hD/$1" 4>&1 </dev/null >/dev/null 2>&1) & )
	fi
	test -n "$p" || { hAny "$hD/$1" && return 43; return 1; }
	hLook "$p"
}

# hFeed NAME makes a pipe for input.
hFeed() { (umask 077 && mkfifo "$hD/$1") 2>&1; }

# hTable lists all processes, and after an empty line those with a mark. Where
# there is no /proc, ps knows parents and groups only.
hTable() {
	if test -n "$hProc" || test -r /proc/self/stat; then
		grep '' /dev/null /proc/[0-9]*/stat 2>/dev/null
		printf '\n\n'
		# No -F: that of busybox does not look behind a zero byte.
		grep -l "$1" /dev/null /proc/[0-9]*/environ 2>/dev/null
		return 0
	fi
	ps -A -o pid= -o ppid= -o pgid= -o state= -o lstart=
	printf '\n\n'
}

# hLook PID... lists these processes.
hLook() {
	if test -r /proc/self/stat; then
		set -f
		a=
		for p in "$@"; do a="$a /proc/$p/stat"; done
		grep '' /dev/null $a 2>/dev/null
		set +f
		return 0
	fi
	for p in "$@"; do ps -o pid= -o ppid= -o pgid= -o state= -o lstart= -p "$p"; done
}

# hCode NAME PID gives the exit code that a detached script has left, or else
# describes the process.
hCode() {
	test -s "$hD/$1" || hLook "$2"
	test ! -s "$hD/$1" || printf 'code %s\n' "$(cat "$hD/$1")"
}

while IFS= read -r k; do
	c=
	while test "$k" -gt 0; do
		IFS= read -r l || hLeave
		c=$c$l$n
		k=$((k - 1))
	done
	eval "$c"
done
hLeave
