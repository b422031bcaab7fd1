#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Recordings made in the virtual machine, read by every command: formats,
# options, user programs, windows, and damaged copies.
#
#	all.sh [long|full]	full damages 1,000 copies of each recording, and
#				reads 2,000 mutants
#	all.sh consumers	only the line "consumers" of full: installs the programs
#				that read exports, makes recordings of one CPU and
#				of two, and compares what each program prints
set -euo pipefail

HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
ROOT=$(realpath "$HERE/../..")
KTRACE=${KTRACE:-$ROOT/build/ktrace-hw}
CHECKED=${CHECKED:-$ROOT/build-san/ktrace-hw}
LEVEL=${1:-long}
# As many flips as there are commands that read them.
FLIPS=15
MUTANTS=30
CUT_STEP=2048
[[ $LEVEL != full ]] || FLIPS=1000 MUTANTS=2000 CUT_STEP=512
WORK=$(mktemp -d)
readonly HERE ROOT KTRACE CHECKED LEVEL FLIPS MUTANTS CUT_STEP WORK
trap 'rm -rf "$WORK"' EXIT
FAILED=0

run() { # what command...
	local TIMEFORMAT="-- $1: %R s, CPUs %U %S"
	printf -- '-- %s\n' "$1"
	shift
	time "$@" || FAILED=1
}

build_programs() {
	local out=$WORK/programs
	mkdir "$out"
	local cc=(cc -g -O1 -fno-builtin "$HERE/work.c")
	"${cc[@]}" -o "$out/pie"
	"${cc[@]}" -static -o "$out/static"
	strip -o "$out/stripped" "$out/pie"
	# Names and lines in a file of their own.
	objcopy --only-keep-debug "$out/pie" "$out/separate.debug"
	strip -o "$out/separate" "$out/pie"
	(cd "$out" && objcopy --add-gnu-debuglink=separate.debug separate)
}

# For several checkpoints there must be several megabytes of trace.
record_windows() { # cpus folder...
	local out=$WORK/windows-$1
	mkdir "$out"
	"$ROOT/machine/host/machine" run --discard --fast --cpus "$1" --timeout 600 \
		--results "$out" -- bash "$HERE/windows_guest.sh" "$out" \
		"$KTRACE" "${@:2}"
}

# Like record_windows() in the arm64 machine, if the recorder was built for arm64.
windows_arm64() {
	local out=$WORK/windows-arm64
	if [[ ! -x $ROOT/build-arm64/ktrace-hw ]]; then
		echo "skipped: no windows of arm64: scripts/arm64_sysroot.sh, make ARCH=arm64"
		return 0
	fi
	mkdir "$out"
	"$ROOT/machine/host/machine" run --discard --fast --arch arm64 \
		--timeout 1200 --results "$out" -- \
		bash "/host$HERE/windows_guest.sh" "$out" \
		"/host$ROOT/build-arm64/ktrace-hw" /etc || return 1
	python3 "$HERE/windows.py" "$KTRACE" "$out/recording" || return 1
	python3 "$HERE/threads.py" "$KTRACE" "$out/recording"
}

sql() { # recording
	local failed=0
	python3 "$HERE/sql.py" "$KTRACE" "$1" || failed=1
	python3 "$HERE/sql_program.py" "$KTRACE" "$1" || failed=1
	return $failed
}

windows() {
	record_windows 1 /etc
	record_windows 2 /etc/apt /etc/default
	python3 "$HERE/windows.py" "$KTRACE" "$WORK"/windows-[12]/recording ||
		return 1
	sql "$WORK/windows-2/recording"
}

# Recordings of two CPUs, and one that is large, if there is any.
pages() {
	local large failed=0
	python3 "$HERE/page.py" "$KTRACE" "$WORK/windows-2/recording" || failed=1
	python3 "$HERE/view.py" "$KTRACE" "$WORK/windows-2/recording" || failed=1
	large=$(find -L "${KTRACE_SHARED:-$ROOT/../shared}" "$ROOT/../bench" \
		-maxdepth 3 -name data -size +400M -print -quit 2>/dev/null ||
		true)
	if [[ $large ]]; then
		# Its index and summary are to be made here.
		mkdir "$WORK/large"
		ln -s "${large%/data}"/{data,code,kcore_dir} "$WORK/large"
		python3 "$HERE/page.py" "$KTRACE" "$WORK/large" || failed=1
	else
		echo "skipped: no recording of 400 MB or more in KTRACE_SHARED"
	fi
	return "$failed"
}

# 5,000 threads on three CPUs.
page_of_many_threads() {
	cc -O1 -g -pthread -o "$WORK/many_threads" "$HERE/many_threads.c"
	(cd "$WORK" && "$KTRACE" record \
		"--machine=--fast --cpus 3 --timeout 1200" \
		--events=attribution -o many -- ./many_threads 5000) || return 1
	python3 "$HERE/page.py" --served "$KTRACE" "$WORK/many" futex_wait \
		first_sight explain address search search_keys threads \
		wake_ups keys
}

# Both engines see the same.
verify() {
	local data failed=0
	for data in "$WORK"/*/data; do
		"$KTRACE" verify "${data%/data}" || failed=1
	done
	return "$failed"
}

consumers() { # recording...
	python3 "$HERE/consumers.py" "$KTRACE" "$@"
}

# Of one CPU and of two.
all_consumers() {
	local cpus out
	for cpus in 1 2; do
		out=$WORK/consumers-$cpus
		mkdir "$out"
		"$ROOT/machine/host/machine" run --discard --fast \
			--cpus "$cpus" --timeout 600 --results "$out" -- \
			bash "$HERE/consumers_guest.sh" "$out" "$KTRACE" ||
			return 1
	done
	KTRACE_FULL=1 consumers "$WORK"/consumers-[12]/recording
}

# The program with sanitizers, as it is now.
make_checked() {
	[[ $CHECKED != "$ROOT/build-san/ktrace-hw" ]] ||
		make -s -C "$ROOT" SAN=1 build-san/ktrace-hw >/dev/null
}

damage() { # program recording [option...]
	python3 "$HERE/damage.py" --flips "$FLIPS" "${@:3}" "$1" "$2"
}

# An arm64 recording, where there is a recorder for it.
record_arm64() {
	[[ -x $ROOT/build-arm64/ktrace-hw ]] || return 0
	"$KTRACE" record "--machine=--fast --timeout 1200" --arch arm64 \
		-a --events=attribution -o "$WORK/arm64" -- true 2>"$WORK/said" ||
		echo "skipped: no mutants of arm64: $(tail -n 1 "$WORK/said")"
}

# Of recordings of both architectures, with pieces of each other.
mutants() {
	local -a recordings=("$WORK/kernel" "$WORK/small")
	[[ $LEVEL != full ]] || record_arm64
	[[ ! -d $WORK/arm64 ]] || recordings+=("$WORK/arm64")
	python3 "$HERE/mutate.py" --count "$MUTANTS" "$CHECKED" "${recordings[@]}"
}

main() {
	command -v python3 >/dev/null || {
		echo "skipped: no python3 here"
		exit 0
	}
	if [[ $LEVEL == consumers ]]; then
		"$ROOT/scripts/dependencies.sh" full
		run "consumers" all_consumers
		exit "$FAILED"
	fi
	build_programs
	"$ROOT/machine/host/machine" run --discard --fast --timeout 1200 \
		--results "$WORK" -- \
		bash "$HERE/guest.sh" "$WORK" "$KTRACE" "$WORK/programs"
	run "formats: kernel" python3 "$HERE/formats.py" "$KTRACE" "$WORK/kernel"
	run "formats: user" python3 "$HERE/formats.py" "$KTRACE" "$WORK/small"
	run "rows beside functions: kernel" \
		python3 "$HERE/side_tracks.py" "$KTRACE" "$WORK/kernel"
	[[ $LEVEL == full ]] || run "consumers" consumers "$WORK/long"
	run "Python" python3 "$HERE/python_page.py" "$KTRACE" "$WORK/long"
	run "options" python3 "$HERE/options.py" "$KTRACE" "$WORK/kernel"
	run "output" python3 "$HERE/output.py" "$KTRACE" "$WORK/kernel"
	run "names" python3 "$HERE/names.py" "$KTRACE" "$WORK/long"
	run "SQL" sql "$WORK/long"
	run "user programs" python3 "$HERE/programs.py" "$KTRACE" "$WORK"
	run "archives" python3 "$HERE/archive.py" "$KTRACE" "$WORK"
	run "page: long" python3 "$HERE/view.py" "$KTRACE" "$WORK/long"
	if [[ $LEVEL == full ]] || command -v chromedriver >/dev/null; then
		run "page in a browser" \
			python3 "$HERE/page.py" "$KTRACE" "$WORK/long"
	else
		echo "-- page in a browser: skipped: no chromium here (the full tier installs it)"
	fi
	run "comparisons in a browser" \
		python3 "$HERE/diff_page.py" "$KTRACE" "$WORK/kernel" "$WORK/long"
	run "engines" verify
	run "threads" python3 "$HERE/threads.py" "$KTRACE" "$WORK/long"
	run "the program with sanitizers" make_checked
	run "damaged copies: threads, sanitized" damage "$CHECKED" \
		"$WORK/long" --threads 3 --cut-step "$CUT_STEP"
	run "mutants, sanitized" mutants
	if [[ $LEVEL == full ]]; then
		run "windows" windows
		run "consumers" all_consumers
		run "windows and threads: arm64" windows_arm64
		run "rows beside functions: user" \
			python3 "$HERE/side_tracks.py" "$KTRACE" "$WORK/small"
		run "page: kernel" \
			python3 "$HERE/view.py" "$KTRACE" "$WORK/kernel"
		run "rows beside functions: long" \
			python3 "$HERE/side_tracks.py" "$KTRACE" "$WORK/long"
		run "page of many threads" page_of_many_threads
		run "the page's scripts" python3 "$HERE/page_lint.py"
		run "pages of two CPUs and of a large recording" pages
		run "damaged copies: user" damage "$KTRACE" "$WORK/small"
		run "damaged copies: user, sanitized" \
			damage "$CHECKED" "$WORK/small"
		run "damaged copies: kernel" damage "$KTRACE" "$WORK/kernel"
		run "damaged copies: kernel, sanitized" \
			damage "$CHECKED" "$WORK/kernel"
	fi
	[[ $FAILED == 0 ]]
}

main
