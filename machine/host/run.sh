# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# 'machine run' and 'machine shell'.

machine_run() {
	options_parse "$@"
	((${#COMMAND_LINE[@]} > 0)) || wrong_usage "run needs a command"
	machine_start
}

machine_shell() {
	options_parse "$@"
	[[ -z $OPT_ISOLATED ]] || wrong_usage "shell cannot be --isolated"
	[[ -t 0 && -t 1 ]] || wrong_usage "shell needs a terminal"
	((${#COMMAND_LINE[@]} > 0)) || COMMAND_LINE=("${SHELL:-/bin/sh}")
	TTY=1
	machine_start
}

# Replaces this process, so that signals and the exit code pass unchanged.
machine_start() {
	local arguments=()
	DISK_FD=''
	qemu_ensure
	kernel_ensure "$OPT_KERNEL"
	machine_root
	initramfs_ensure
	cache_unlock
	[[ -z $OPT_DISK_MB ]] || disk_make
	[[ -z $OPT_ISOLATED ]] || isolated_initramfs
	qemu_command
	attach_arguments
	[[ -z $OPT_FAST || -n $OPT_ISOLATED ]] || saved_state
	exec "$BUILD/machine-attach" "${arguments[@]}" \
		--qemu "${#COMMAND[@]}" "${COMMAND[@]}" "${COMMAND_LINE[@]}"
}

# A guest of another architecture cannot run this system's programs.
machine_root() {
	[[ -z $OPT_ROOT && $ARCH_DEBIAN != amd64 ]] || return 0
	root_ensure "$ARCH_DEBIAN"
	OPT_ROOT=$ROOT
}

attach_arguments() {
	local setting
	[[ -z $OPT_TIMEOUT_S ]] || arguments+=(--timeout "$OPT_TIMEOUT_S")
	[[ -z $OPT_CONSOLE ]] || arguments+=(--console "$OPT_CONSOLE")
	[[ -z $OPT_VERBOSE ]] || arguments+=(--verbose)
	[[ -z $OPT_ISOLATED ]] || arguments+=(--isolated)
	[[ -z ${TTY:-} ]] || arguments+=(--tty)
	while IFS= read -r -d '' setting; do
		arguments+=(--set "$setting")
	done < <(machine_settings)
}

# Writes the settings of guest/init/settings.h except those that attach adds.
machine_settings() {
	local folder
	printf 'modules=%s\0' "$(realpath "$KERNEL/modules")"
	for folder in "${OPT_RESULTS[@]}"; do
		printf 'results=%s\0' "$folder"
	done
	for folder in "${OPT_KEEP[@]}"; do
		printf 'keep=%s\0' "$folder"
	done
	[[ -n $OPT_DISCARD$OPT_ISOLATED ]] || printf 'written=1\0'
	[[ -z $OPT_ROOT ]] || printf 'host=/host\0'
	[[ -z $DISK_FD ]] || printf 'disk=1\0'
	[[ -z $OPT_DISK_DELAY_MS ]] || printf 'delay=%d\0' "$OPT_DISK_DELAY_MS"
	[[ -z $OPT_LATE ]] || printf 'late=1\0'
	[[ -z $OPT_NET ]] || printf 'net=1\0'
	[[ -z $OPT_LINK_SIDE ]] || printf 'link=%s\0' "$OPT_LINK_SIDE"
	[[ -z $OPT_TRUTH ]] || printf 'truth=1\0'
}

# The file is unlinked at once, so that it is removed in any case.
disk_make() {
	local file
	file=$(mktemp)
	exec {DISK_FD}<>"$file"
	rm "$file"
	file=/proc/$BASHPID/fd/$DISK_FD
	truncate -s "${OPT_DISK_MB}M" "$file" ||
		fail "cannot make a scratch disk of $OPT_DISK_MB MB"
	# Use fixed numbers where mkfs would use random ones or the time.
	E2FSPROGS_FAKE_TIME=1704067200 tool_run e2fsprogs mkfs.ext4 -q -F \
		-U 6b747261-6365-4877-8001-000000000001 \
		-E hash_seed=6b747261-6365-4877-8001-000000000002,lazy_itable_init=0,nodiscard \
		"$file" || fail "cannot format the scratch disk"
}
