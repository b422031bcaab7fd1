#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Generated and moved code, in the virtual machine: a program that replaces functions
# that it generated, and one that moves code by mremap(). Each call has the
# function's name, or is in a gap, and never has the name or the code of another
# function.
#
#	generated_code.sh [KERNEL [CPUS]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/e2e_test.sh"
readonly KERNEL=${1:-6.12} CPUS=${2:-1}
# Longer than the recorder takes to read new code, and rests afterwards: twenty
# times as long.
readonly PAUSE_MS=1000

# With those that follow a gap: column starts.
calls_of() { # recording function
	"$KTRACE" report -i "$WORK/$1" --flat --format=csv 2>/dev/null |
		awk -F, -v "name=$2" '$1 == name { calls = $2 + $8 }
			END { print calls + 0 }'
}

# Each version is called 10 times, and 10 times between pauses.
check_versions() { # recording least most
	local version calls
	for version in version_0 version_1 version_2 version_3; do
		calls=$(calls_of "$1" "$version")
		expect_that "$1: $calls calls of $version" "$calls" -ge "$2" -a \
			"$calls" -le "$3"
	done
}

check_recording() { # recording least most [stable]
	local stable
	check_versions "$1" "$2" "$3"
	stable=$(calls_of "$1" stable)
	expect_that "$1: $stable calls of the function that stays" \
		"$stable" -ge "${4:-40}" -a "$stable" -le 40
}

# Returns whether the recorder copied each version and saw each one's line in a
# look of its own, with another look between two lines: so all calls are certain.
# A busy computer may not run it for as long as the program pauses.
has_all_evidence() { # recording
	local folder=$WORK/$1/code
	# A magic number and five pages: the four versions, and the other one.
	[[ $(stat -c %s "$folder"/*.generated) -ge $((8 + 5 * (56 + 4096))) ]] &&
		awk '/^#/ { looks += $2 > until || !looks; until = $3 }
			END { exit looks != 4 }' "$folder"/*.map
}

check_listed() { # recording
	if has_all_evidence "$1"; then
		check_recording "$1" 20 20
	else
		echo "note: $1: the recorder was late: calls may be in gaps"
		check_recording "$1" 0 20 0
	fi
}

# The calls of the code that mremap() moved are in gaps.
check_moved() {
	expect "moved: calls of one" 10 "$(calls_of moved one)"
	expect "moved: calls of two" 10 "$(calls_of moved two)"
	expect "moved: gaps" 20 "$("$KTRACE" timeline -i "$WORK/moved" \
		--format=csv 2>/dev/null | grep -c '^gap,.*,moved_code,.*,no code,')"
}

main() {
	skip_without_machine "$KERNEL"
	make_programs
	in_machine --results "$WORK" -- \
		bash "$HERE/generated_code_guest.sh" "$WORK" "$GUEST_BUILD" \
		"$PAUSE_MS"
	check_moved
	check_recording dump-rwx 10 10
	check_recording dump-rx 10 10
	check_listed map-rx
	check_listed container
	# Which bytes ran between two copies is unknown, and a busy computer takes
	# few copies.
	check_versions map-rwx 0 20
	check_versions none-rwx 0 0
	expect_that "none-rwx: generated code was called" \
		"$(calls_of none-rwx "[generated code]")" -gt 0
}

main "$@"
