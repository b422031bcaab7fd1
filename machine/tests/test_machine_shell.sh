#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests that the shell has a terminal of the user's size, and that the user's
# terminal is restored.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=machine_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine_test.sh"
skip_without_machine 6.12
command -v script >/dev/null || {
	echo "skipped: ${0##*/}: script(1) is missing"
	exit 0
}

screen() {
	tr -d '\r' <"$WORK/screen" | sed 's/\x1b\[?2004[hl]//g'
}

# Prints how many lines of the screen match.
on_screen() { # regular-expression
	screen | grep -c "$1" || true
}

# Types only after the previous input has taken effect: a terminal echoes input
# that arrives early. The session ends by itself in any case.
type_after() { # regular-expression count text
	until (($(on_screen "$1") >= $2 || $(on_screen '^code'))); do
		sleep 0.1
	done
	printf '%s' "$3"
}

# Ctrl-C must arrive when the command owns the terminal: bash passes it on
# before its child runs, so the child itself prints "now".
type_session() {
	local prompt='bash-[0-9.]*#'
	# shellcheck disable=SC2016 # the guest's shell expands them
	type_after "$prompt" 1 $'echo "at $(tty), $(stty size)."\r'
	type_after "$prompt" 2 $'sh -c "echo now; exec sleep 100000"\r'
	type_after '^now' 1 $'\003'
	type_after "$prompt" 3 $'exit 7\r'
	type_after '^code' 1 ''
}

# Checks a session in a machine with these options.
check_session() { # name option...
	local name=$1
	shift
	cat >"$WORK/session" <<-END
	stty rows 33 cols 99
	before=\$(stty -g)
	"$MACHINE" shell $* --no-trace-unit --cpus 2 \
		--timeout $LIMIT_S -- bash --norc --noprofile
	echo "code \$?"
	[ "\$before" = "\$(stty -g)" ] && echo restored
	END
	: >"$WORK/screen"
	type_session | script -qefc "sh $WORK/session" "$WORK/screen" \
		>/dev/null 2>&1 || true
	SCREEN=$(screen)
	# shellcheck disable=SC2034 # shown when a case fails
	ERR=$SCREEN
	expect "$name: terminal and its size" 1 \
		"$(grep -c '^at /dev/pts/0, 33 99\.$' <<<"$SCREEN")"
	expect "$name: Ctrl-C ends the command, exit the shell" 1 \
		"$(grep -c '^code 7$' <<<"$SCREEN")"
	expect "$name: the terminal is as it was" 1 \
		"$(grep -c '^restored$' <<<"$SCREEN")"
}

check_session shell
skip_without_machine 6.12 --arch arm64
check_session "shell --arch arm64, from a state" --fast --arch arm64
