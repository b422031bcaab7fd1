#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The shell has a terminal of the user's size, and gives the user's back.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=machine_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine_test.sh"
skip_without_machine 6.12
command -v script >/dev/null || {
	echo "skipped: ${0##*/}: script(1) is missing"
	exit 0
}

# Types only once the prompt is there: a terminal echoes what comes early.
type_when_ready() {
	for _ in {1..600}; do
		! grep -q 'bash-[0-9.]*#' "$WORK/screen" 2>/dev/null || break
		sleep 0.1
	done
	# shellcheck disable=SC2016
	printf 'echo "at $(tty), $(stty size)."\r'
	sleep 2
	printf 'sleep 100\r'
	sleep 1
	printf '\003'
	sleep 1
	printf 'exit 7\r'
	sleep 2
}

cat >"$WORK/session" <<END
stty rows 33 cols 99
before=\$(stty -g)
"$MACHINE" shell --no-trace-unit --cpus 2 \
	--timeout 60 -- bash --norc --noprofile
echo "code \$?"
[ "\$before" = "\$(stty -g)" ] && echo restored
END
: >"$WORK/screen"
type_when_ready | script -qefc "sh $WORK/session" "$WORK/screen" >/dev/null 2>&1 || true
SCREEN=$(tr -d '\r' <"$WORK/screen" | sed 's/\x1b\[?2004[hl]//g')
# shellcheck disable=SC2034 # shown when a case fails
ERR=$SCREEN
expect "shell: terminal and its size" 1 \
	"$(grep -c '^at /dev/pts/0, 33 99\.$' <<<"$SCREEN")"
expect "shell: Ctrl-C ends the command, exit the shell" 1 \
	"$(grep -c '^code 7$' <<<"$SCREEN")"
expect "shell: the terminal is as it was" 1 \
	"$(grep -c '^restored$' <<<"$SCREEN")"
