#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests that a command in the guest runs as on the host: files, working
# directory, arguments, environment, streams, exit code.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=machine_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine_test.sh"
skip_without_machine 6.12

test_surroundings() {
	mkdir -p "$WORK/a folder"
	cd "$WORK/a folder"
	# shellcheck disable=SC2016 # the guest's shell expands them
	TEXT=$'two\nlines' run -- bash -c \
		'printf "%s|" "$PWD" "$TEXT" "$(id -u)" "$@"; exit 42' \
		name 'a  b' '' $'c\nd' '*'
	expect "folder, environment, user, arguments" \
		"$WORK/a folder|"$'two\nlines|0|a  b||c\nd|*|' "$OUT"
	expect "exit code" 42 "$CODE"
	cd /
}

test_streams() {
	head -c 3000000 /dev/urandom >"$WORK/bytes"
	run -- sh -c 'cat; echo error >&2' <"$WORK/bytes"
	expect "binary input and output" \
		"$(sha256sum <"$WORK/bytes")" "$(sha256sum <"$WORK/out")"
	expect "standard error apart" error "$ERR"
	run -- cat <&-
	expect "closed input" 0 "$CODE"
	run -- sh -c 'echo last; (sleep 1000 &)'
	expect "what is left running does not matter" last "$OUT"
}

# When the reader exits, the writer ends, as in any pipeline.
test_broken_pipe() {
	local -a codes
	set +o pipefail
	"$MACHINE" "${RUN[@]}" -- yes 2>"$WORK/err" | head -n 2 >"$WORK/out"
	codes=("${PIPESTATUS[@]}")
	set -o pipefail
	expect "broken pipe" "141 0" "${codes[*]}"
}

test_results() {
	local folder=$WORK/results
	mkdir "$folder"
	# shellcheck disable=SC2016
	run --results "$folder" -- bash -c '
		mkdir -p "$0/sub/folder"
		head -c 20000000 /bin/bash /dev/zero >"$0/sub/folder/large"
		truncate -s 1G "$0/sparse"
		echo end | dd of="$0/sparse" bs=1 seek=1000000 conv=notrunc status=none
		touch /left-behind' "$folder"
	expect "results: exit code" 0 "$CODE"
	expect "results: a large file in a folder" same \
		"$(head -c 20000000 /bin/bash /dev/zero |
			cmp - "$folder/sub/folder/large" && echo same)"
	expect "results: a sparse file's size" 1073741824 \
		"$(stat -c %s "$folder/sparse")"
	expect "results: a sparse file's end" end \
		"$(tail -c +1000001 "$folder/sparse" | head -c 3)"
	expect "results: sparse files stay sparse" yes \
		"$( (($(stat -c %b "$folder/sparse") < 10000)) && echo yes)"
	expect "nothing else is written" no \
		"$([[ -e /left-behind ]] && echo yes || echo no)"
}

test_surroundings
test_streams
test_broken_pipe
test_results
