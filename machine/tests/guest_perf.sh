# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Functions shared by the guests' sides of the conformance tests: perf in a slow
# machine, and the work that it records. WORK must be set to a folder of the
# guest first, RESULTS to one of the host.

# Moves a recording from WORK to RESULTS.
save_recording() { # name
	cp -r "$WORK/$1" "$RESULTS/$1"
	rm -rf "${WORK:?}/$1"
}

# perf reads all symbols several times and opens every module's file, which
# takes most of a short recording's time here. Give it every 100th symbol, the
# symbols that delimit the kernel, those looked up by name, and all of modules;
# no module files.
make_perf_fast() {
	awk 'NR % 100 == 1 || $3 ~ /^(_text|_stext|_etext|_edata|_end)$/ ||
	     $3 ~ /^(__switch_to|vfs_read|__entry_text_(start|end))$/ ||
	     $3 == "__aarch64_insn_write" || NF > 3' /proc/kallsyms >"$WORK/kallsyms"
	busybox mount --bind "$WORK/kallsyms" /proc/kallsyms
	busybox mount -t tmpfs none /usr/lib/modules
}

# Copies Bash's own vdso, which is the same in every process.
copy_vdso() { # file
	local range start end
	range=$(awk '/\[vdso\]/ { print $1 }' "/proc/$$/maps")
	start=$((16#${range%-*} / 4096)) end=$((16#${range#*-} / 4096))
	dd if="/proc/$$/mem" of="$1" bs=4096 skip="$start" \
		count=$((end - start)) status=none
}

# Prints start/size of a kernel function, in the form of perf's address filters.
function_range() { # name
	local start end
	read -r start end < <(awk -v name="$1" '
		found { print start, $1; exit }
		$3 == name { found = 1; start = $1 }' /proc/kallsyms)
	printf '0x%s/0x%x\n' "$start" $((16#$end - 16#$start))
}

# With several CPUs the guest uses the host's clock, and perf may not keep up.
BUFFER=16M
(($(nproc) == 1)) || BUFFER=128M
# shellcheck disable=SC2034 # the guests' sides read it
readonly BUFFER

# Each file access is a message to the host and back, and with the host's clock
# the waiting CPU is traced meanwhile: only the full tier reads many files.
LISTED=/usr/bin
[[ $(nproc) == 1 || ${KTRACE_FULL:-} ]] || LISTED=/etc/security
readonly LISTED

# Runs processes that start, fault, pipe, read, sleep and end.
work() { # times pages
	local i
	for ((i = 0; i < $1; i++)); do
		busybox ls "$LISTED" | busybox wc
		busybox dd if=/dev/zero of="$WORK/zero" bs=4k count="$2"
		busybox md5sum "$WORK/zero"
		busybox sleep 0.01
	done >/dev/null 2>&1
}
