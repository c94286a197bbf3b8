#!/usr/bin/env bash
# Wait until the screen of a tmux pane fits a regular expression.
# Usage: wait-for.sh SOCKET TARGET REGEX [SECONDS]
# Ends with 0 and the lines that fit; 1 and the screen when the time is over; 2 when the
# program in the pane has ended or there is no such pane.
set -u
if [ $# -lt 3 ]; then
	echo "usage: wait-for.sh SOCKET TARGET REGEX [SECONDS]" >&2
	exit 64
fi
socket=$1 target=$2 regex=$3 limit=${4:-15}
end=$((SECONDS + limit))
while :; do
	if ! screen=$(tmux -L "$socket" capture-pane -p -J -t "$target" 2>&1); then
		printf '%s\n' "$screen" >&2
		exit 2
	fi
	if printf '%s\n' "$screen" | grep -E -- "$regex"; then
		exit 0
	fi
	if [ "$(tmux -L "$socket" display-message -p -t "$target" '#{pane_dead}')" = 1 ]; then
		printf '%s\n' "$screen" >&2
		exit 2
	fi
	if [ "$SECONDS" -ge "$end" ]; then
		printf '%s\n' "$screen" >&2
		exit 1
	fi
	sleep 0.2
done
