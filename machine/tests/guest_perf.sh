# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the guests' sides of the conformance tests share: perf in a slow machine,
# and what it records.
# Set WORK, a folder of the guest's, first.

# perf reads all symbols several times and looks at every module's file: most
# of a short recording's time here.  It gets every 100th symbol, those that
# delimit the kernel, what is looked for by name, and all of modules; no module
# files.
make_perf_fast() {
	awk 'NR % 100 == 1 || $3 ~ /^(_text|_stext|_etext|_edata|_end)$/ ||
	     $3 ~ /^(__switch_to|vfs_read|__entry_text_(start|end))$/ ||
	     $3 == "__aarch64_insn_write" || NF > 3' /proc/kallsyms >"$WORK/kallsyms"
	busybox mount --bind "$WORK/kallsyms" /proc/kallsyms
	busybox mount -t tmpfs none /usr/lib/modules
}

# Bash's own copy of the vdso, the same as everyone's.
copy_vdso() { # file
	local range start end
	range=$(awk '/\[vdso\]/ { print $1 }' "/proc/$$/maps")
	start=$((16#${range%-*} / 4096)) end=$((16#${range#*-} / 4096))
	dd if="/proc/$$/mem" of="$1" bs=4096 skip="$start" \
		count=$((end - start)) status=none
}

# start/size of a kernel function, as perf's address filters take it
function_range() { # name
	local start end
	read -r start end < <(awk -v name="$1" '
		found { print start, $1; exit }
		$3 == name { found = 1; start = $1 }' /proc/kallsyms)
	printf '0x%s/0x%x\n' "$start" $((16#$end - 16#$start))
}

# With several CPUs time is the host's: perf has to keep up, or does not.
BUFFER=16M
(($(nproc) == 1)) || BUFFER=128M
# shellcheck disable=SC2034 # the guests' sides read it
readonly BUFFER

# A file looked at is a message to the host and back, and a CPU that waits for that
# by the host's clock is traced meanwhile: many files are the full tier's.
LISTED=/usr/bin
[[ $(nproc) == 1 || ${KTRACE_FULL:-} ]] || LISTED=/etc/security
readonly LISTED

# Processes that start, fault, pipe, read, sleep and end.
work() { # times pages
	local i
	for ((i = 0; i < $1; i++)); do
		busybox ls "$LISTED" | busybox wc
		busybox dd if=/dev/zero of="$WORK/zero" bs=4k count="$2"
		busybox md5sum "$WORK/zero"
		busybox sleep 0.01
	done >/dev/null 2>&1
}
