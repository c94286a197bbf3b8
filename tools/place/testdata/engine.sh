#!/bin/sh
# A stand-in for docker and apptainer: containers are PID and mount namespaces
# over the file system of this machine, so that processes, their ids and their
# end are real. ENGINE_STATE is a directory; IMAGE "image:1" exists.
set -u
state=$ENGINE_STATE

boot() { # NAME SCRIPT
	rm -f "$state/$1/up"
	setsid unshare --pid --fork --mount --mount-proc --kill-child /bin/sh -c ": >'$state/$1/up'; $2" </dev/null >/dev/null 2>&1 &
	echo $! >"$state/$1/pid"
	# The first process must run, in mounts of its own, before others can join it.
	until test -e "$state/$1/up" || ! kill -0 $! 2>/dev/null; do :; done
}
alive() { p=$(cat "$state/$1/pid" 2>/dev/null) && kill -0 "$p" 2>/dev/null; }
need() { test -d "$state/$1" || { echo "Error: No such container: $1" >&2; exit 1; }; }
join() { # NAME COMMAND...
	p=$(cat "$state/$1/pid")
	shift
	exec nsenter "--pid=/proc/$p/ns/pid_for_children" "--mount=/proc/$p/ns/mnt" -- "$@"
}
end() { kill -KILL "$(cat "$state/$1/pid")" 2>/dev/null; rm -rf "${state:?}/$1"; }
idle="trap 'exit 0' TERM; while :; do sleep 3600 & wait \$!; done"

case $1 in
image)
	for last; do :; done
	test "$last" = image:1 || { echo "Error response from daemon: No such image: $last" >&2; exit 1; }
	echo sha256:0
	;;
run)
	labels= name=
	shift
	while test $# -gt 0; do
		case $1 in
		-d) shift ;;
		--storage-opt) echo "${ENGINE_REFUSAL:-docker: Error response from daemon: --storage-opt is supported only for overlay over xfs with 'pquota' mount option.}" >&2; exit 125 ;;
		--name) name=$2; shift 2 ;;
		--label) labels="$labels $2"; shift 2 ;;
		--*) shift 2 ;;
		*) break ;;
		esac
	done
	mkdir "$state/$name"
	printf '%s\n' $labels >"$state/$name/labels"
	printf '%s\n' "$3" >"$state/$name/main"
	boot "$name" "$3"
	echo "$name"
	;;
start) need "$2"; boot "$2" "$(cat "$state/$2/main")"; echo "$2" ;;
inspect)
	need "$6"
	case $5 in
	*Running*) if alive "$6"; then echo true; else echo false; fi ;;
	*) echo "$6 bridge false 0" ;;
	esac
	;;
ps)
	quiet= want=
	for a; do case $a in -q) quiet=1 ;; label=*) want=${a#label=} ;; esac; done
	for d in "$state"/*/; do
		test -f "$d/labels" && grep -qxF -e "$want" "$d/labels" || grep -q "^$want=" "$d/labels" 2>/dev/null || continue
		id=$(basename "$d")
		if test -n "$quiet"; then echo "$id"; else echo "$id $(sed -n 's/^hermes.owner=//p' "$d/labels")"; fi
	done
	;;
rm) test ! -d "$state/$3" || end "$3" ;;
exec)
	shift
	input= tty=
	while :; do
		case $1 in
		-i) input=1; shift ;;
		-t) tty=1; shift ;;
		--detach-keys) shift 2 ;;
		*) break ;;
		esac
	done
	case $1 in
	instance://*)
		name=${1#instance://}
		shift
		alive "$name" || { echo "FATAL: no instance found with name $name" >&2; exit 255; }
		test ! -t 0 || join "$name" setsid -c "$@"
		join "$name" "$@"
		;;
	esac
	name=$1
	shift
	need "$name"
	alive "$name" || { echo "Error response from daemon: container $name is not running" >&2; exit 1; }
	test -n "$tty" && join "$name" setsid -c "$@"
	test -n "$input" || exec </dev/null
	join "$name" setsid "$@"
	;;
instance)
	case $2 in
	start)
		for last; do image=${name-}; name=$last; done
		test "$image" = image:1 || { echo "FATAL: could not open image $image: failed to retrieve path" >&2; exit 255; }
		mkdir "$state/$name"
		boot "$name" "$idle"
		;;
	list)
		echo 'INSTANCE NAME    PID    IP    IMAGE'
		for d in "$state"/*/; do
			n=$(basename "$d")
			alive "$n" && case ${3-} in '' | "$n") echo "$n $(cat "$d/pid") image:1" ;; esac
		done
		true
		;;
	stop) test -d "$state/$3" && end "$3" ;;
	esac
	;;
*) echo "unknown command $1" >&2; exit 1 ;;
esac
