#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests that files written by a command are copied back or reported as left in
# the machine; in the full tier also on arm64.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=machine_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine_test.sh"
skip_without_machine 6.12
readonly KEEPING=(run --fast --no-trace-unit --cpus 2 --timeout "$LIMIT_S")

make_folder() { # name
	mkdir "$WORK/$1"
	cd "$WORK/$1"
	echo old | tee changed touched removed outside >/dev/null
	ln -s outside link
	mkdir sub
}

# Prints how many lines of the errors equal this one.
said() { # line
	grep -cxF -- "machine: $1" "$WORK/err" || true
}

names_below() { # title of a list
	sed -n "/^machine: $1/,/^machine: [^ ]/s/^machine:     //p" \
		"$WORK/err" | paste -sd ' '
}

test_back() {
	make_folder back
	# shellcheck disable=SC2016 # the guest's shell expands them
	capture "$MACHINE" "${KEEPING[@]}" -- bash -c '
		mkdir -p sub/new/empty
		head -c 3000000 /bin/bash >sub/new/large
		chmod 751 sub/new/large
		echo new >changed
		exec 3<>touched; exec 3>&-
		rm removed link
		echo real >link
		truncate -s 20G sparse; echo end >>sparse
		ln -s changed with
		touch "$(printf "a\033[2Jb\nc")"
		sha256sum <sub/new/large
		exit 9'
	expect "back: the command's exit code" 9 "$CODE"
	expect "back: a file in a new folder" "$OUT" \
		"$(sha256sum <sub/new/large)"
	expect "back: its mode" 751 "$(stat -c %a sub/new/large)"
	expect "back: an empty folder" "" "$(ls -A sub/new/empty)"
	expect "back: a changed file" new "$(cat changed)"
	expect "back: a link" changed "$(readlink with)"
	expect "back: a file where a link was" "real old" \
		"$(cat link) $(cat outside)"
	expect "back: holes stay holes" "21474836484 yes" \
		"$(stat -c %s sparse) $( (($(stat -c %b sparse) < 100)) && echo yes)"
	expect "back: its date is today" "" \
		"$(find changed sub/new/large -mmin +60)"
	# The seventh file was only opened for writing, so it is not modified.
	expect "back: the list" "6 files" \
		"$(sed -n 's/^machine: came back.*: //p' "$WORK/err")"
	expect "back: names do nothing to the terminal" 1 \
		"$(said "    a?[2Jb?c")"
	expect "removed: it is still here, and said" "old removed" \
		"$(cat removed) $(names_below "removed in the machine")"
}

test_left() {
	make_folder left
	# shellcheck disable=SC2016 # the guest's shell expands them
	capture "$MACHINE" "${KEEPING[@]}" -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
			echo $i >/tmp/left-$i; done; echo x >/dev/shm/x'
	expect "left: how many" 1 "$(grep -c '^machine: left in the machine.*--keep.*: 14 files$' "$WORK/err")"
	expect "left: the first of them" 12 \
		"$(names_below "left in" | grep -o /tmp/left | wc -l)"
	expect "left: the others" 1 "$(said "    and 2 more")"
	expect "left: they are gone" "" "$(find /tmp -maxdepth 1 -name 'left-*')"
}

test_keep() {
	local other=$WORK/other
	mkdir "$other"
	cd "$WORK"
	capture "$MACHINE" "${KEEPING[@]}" --keep "$other" -- \
		sh -c "echo kept >$other/file"
	expect "--keep: another folder" kept "$(cat "$other/file")"
	cd /
	capture "$MACHINE" "${KEEPING[@]}" -- sh -c 'echo x >/written-at-root'
	expect "the root: nothing comes back" "no /written-at-root" \
		"$([[ -e /written-at-root ]] || echo no) $(names_below "left in")"
	capture "$MACHINE" "${KEEPING[@]}" -- true
	expect "nothing written, nothing said" "" "$ERR"
}

test_discard() {
	make_folder discard
	capture "$MACHINE" "${KEEPING[@]}" --discard -- \
		sh -c 'echo x >new; echo x >changed'
	expect "--discard: nothing comes back" old "$(cat new changed 2>&1 |
		grep -v 'No such file')"
	expect "--discard: nothing is said" "" "$ERR"
	capture "$MACHINE" "${KEEPING[@]}" --discard --keep . -- true
	expect_failure "--discard --keep" 2 'cannot be combined with --discard'
}

# If a folder exists at the path of a guest's file, losing that file must be
# reported.
test_failure() {
	make_folder failure
	: >"$WORK/out"
	await_text ready "$WORK/out" $$ && mkdir blocked &
	capture "$MACHINE" "${KEEPING[@]}" --results "$WORK/failure/sub" -- \
		sh -c 'echo mine >blocked; echo ready; echo other >other; sleep 3'
	wait
	expect_failure "what cannot come back is said" 125 \
		'blocked: Is a directory'
	expect "the others come back" other "$(cat other)"
}

test_arm64() {
	make_folder arm64
	capture "$MACHINE" "${KEEPING[@]}" --arch arm64 --keep "$WORK/arm64" -- \
		sh -c "mkdir -p $WORK/arm64; echo arm >$WORK/arm64/new; echo x >/tmp/y"
	expect "arm64: --keep" arm "$(cat new)"
	expect "arm64: what is left" /tmp/y "$(names_below "left in")"
}

test_back
test_left
test_keep
test_discard
test_failure
[[ ${KTRACE_FULL:-} ]] || exit 0
skip_without_machine 6.12 --arch arm64
test_arm64
