#!/bin/sh
# SPDX-License-Identifier: MIT
# Fails if a module is mentioned in no suite and its folder has no line in
# docs/architecture.md ("Tests of modules") that names its coverage. With "list"
# it prints those modules instead. Fails too if a suite does not list a test.
page=docs/architecture.md
rows=$(sed -n '/^## Tests of modules/,/^## /p' "$page")
named=$(cat tests/*.[ch] tests/*/*.[ch] | sed -n 's/^#include "\(.*\)\.h"$/\1/p')
named=" $(echo "$named" | tr '\n' ' ') "
status=0
for file in $(git ls-files common collector decoder symbolize archive \
	execution report attribution tables explain view sql store cmd inband serve | grep '\.c$'); do
	module=${file%.c}
	folder=${file%/*}
	case $named in *" $module "*) continue ;; esac
	[ -e "tests/${file%%/*}/test_${module##*/}.c" ] && continue
	if [ "$1" = list ]; then
		echo "$module"
	else
		case $rows in
		*"
| $folder/ |"*) continue ;;
		esac
		echo "$module: no suite names it, nor $folder/ a line of $page" >&2
		status=1
	fi
done
for suite in $(echo "$rows" | grep -oE '[ ,;]test_[a-z0-9_]+' | tr -d ' ,;'); do
	ls "tests"/*/"$suite.c" >/dev/null 2>&1 && continue
	echo "$page: there is no $suite" >&2
	status=1
done
awk '
	FNR == 1 { end() }
	/^START_TEST\([a-z0-9_]*\)$/ {
		name = $0
		gsub(/^START_TEST\(|\)$/, "", name)
		tests[name]
		next
	}
	{
		for (i = split($0, words, /[^A-Za-z0-9_]+/); i; i--)
			if (words[i] in tests)
				delete tests[words[i]]
	}
	# Names the tests of the last file that no later line of it mentions.
	function end(    name) {
		for (name in tests) {
			print file ": no list of a suite has " name \
				", so it never runs" >"/dev/stderr"
			is_broken = 1
		}
		split("", tests)
		file = FILENAME
	}
	END { end(); exit is_broken }' tests/*/test_*.c || status=1
exit $status
