# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2054 # the commas are QEMU's
# QEMU's command line. docs/machine.md explains the choices.

# Sets COMMAND to the whole command line. File descriptor 3 will be the channel
# to the guest's init, 4 the guest's console (attach/qemu_process.h).
qemu_command() {
	COMMAND=("${QEMU[@]}"
		-nodefaults -no-user-config -display none -no-reboot
		-m "$OPT_MEMORY" -seed 1
		-kernel "$(qemu_kernel)" -initrd "$INITRAMFS"
		-append "$(kernel_arguments)"
		-chardev socket,id=console,fd=4 -serial chardev:console
		-chardev socket,id=channel,fd=3
		-device virtio-serial-pci,ioeventfd=off
		-device virtserialport,chardev=channel,name=ktrace.channel)
	arch_machine
	qemu_clock
	# The disk must be added before the shares: devices share four interrupt
	# wires, and the disk must have one of its own.
	[[ -z $DISK_FD ]] || qemu_disk
	qemu_shares
	# QEMU calls the last loaded plugin first, and the unit hides the
	# instructions that it emulates from the others.
	[[ -n $OPT_NO_UNIT ]] || qemu_trace_unit
	[[ -z $OPT_TRUTH ]] || qemu_truth
	[[ -z $OPT_NET ]] || qemu_network
	[[ -z $OPT_LINK_SIDE ]] || qemu_link
	local plugin
	for plugin in "${OPT_PLUGINS[@]}"; do
		COMMAND+=(-plugin "$plugin")
	done
}

# The compressed kernel chooses the address of its text, and turns on page tables
# of five levels, while it decompresses itself.
qemu_kernel() {
	if [[ -r $KERNEL/vmlinux && -z $OPT_KASLR && $OPT_CPU != *+la57* ]]; then
		printf '%s\n' "$KERNEL/vmlinux"
	else
		printf '%s\n' "$KERNEL/vmlinuz"
	fi
}

qemu_clock() {
	COMMAND+=(-smp "$OPT_CPUS"
		-rtc base=2024-01-01T00:00:00,clock=vm)
	if ((OPT_CPUS == 1)); then
		COMMAND+=(-accel tcg -icount shift=0,sleep=off)
		CLOCK=virtual
	else
		COMMAND+=(-accel tcg,thread=multi)
		CLOCK=host
	fi
}

kernel_arguments() {
	local arguments=(
		quiet
		panic=-1	# a panic ends QEMU, at once
		rodata=off	# saves three walks over all page tables
		init_on_alloc=0	# who wants zeroed pages zeroes them
		cryptomgr.notests
		"${ARCH_KERNEL_ARGUMENTS[@]}"
	)
	# The same addresses in every run.
	[[ -n $OPT_KASLR ]] || arguments+=(nokaslr)
	((OPT_CPUS == 1)) || arguments+=("${ARCH_MANY_CPUS_ARGUMENTS[@]}")
	printf '%s\n' "${arguments[*]} $OPT_APPEND"
}

# Commas separate QEMU's options; a doubled comma is a literal one.
qemu_escape() {
	printf '%s\n' "${1//,/,,}"
}

qemu_share() { # tag path option...
	local IFS=,
	COMMAND+=(-fsdev "local,id=$1,path=$(qemu_escape "$2"),security_model=none,multidevs=remap${3:+,$3}"
		-device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

qemu_shares() {
	if [[ -z $OPT_ISOLATED ]]; then
		qemu_share root "${OPT_ROOT:-/}" readonly=on
		[[ -z $OPT_ROOT ]] || qemu_share host / readonly=on
	fi
	qemu_results
	qemu_shares_of keep "${OPT_KEEP[@]}"
}

# A user who may rename a folder could replace it by another one, so a folder
# with a descriptor is opened by that descriptor.
qemu_results() {
	local number folders=("${OPT_RESULTS[@]}")
	for number in "${!OPT_RESULTS_FD[@]}"; do
		folders[number]=/proc/self/fd/${OPT_RESULTS_FD[number]}
	done
	qemu_shares_of results "${folders[@]}"
}

# A saved state of --fast must fit runs with and without results, and with and
# without a folder to copy back: a share that the guest does not mount fills the
# place.
qemu_shares_of() { # name folder...
	local name=$1 number=0 folder
	shift
	for folder; do
		qemu_share "$name$number" "$folder"
		number=$((number + 1))
	done
	[[ -z $OPT_FAST || -n $OPT_ISOLATED ]] || (($#)) ||
		qemu_share "${name}0" "${OPT_ROOT:-/}" readonly=on
}

qemu_plugin() { # name option...
	local api file IFS=,
	api=$(qemu_plugin_api "$QEMU_VERSION")
	file=$BUILD/$1-api$api.so
	[[ -r $file ]] || fail "$file is missing: run make"
	shift
	COMMAND+=(-plugin "$(qemu_escape "$file")${*:+,$*}")
}

qemu_trace_unit() {
	local options=("clock=$CLOCK")
	[[ -z $OPT_LOSS ]] || options+=("loss=$OPT_LOSS")
	[[ -z $OPT_UNIT ]] || options+=("$OPT_UNIT")
	shares_moments && options+=("moments=$(qemu_escape "$OPT_TRUTH/moments")")
	qemu_plugin "$ARCH_UNIT" "${options[@]}"
}

qemu_truth() {
	local options=("clock=$CLOCK" "dir=$(qemu_escape "$OPT_TRUTH")")
	shares_moments && options+=("moments=$(qemu_escape "$OPT_TRUTH/moments")")
	qemu_plugin "$ARCH_TRUTH" "${options[@]}"
}

# The truth and the unit must assign the same host time to a block
# (../unit/host_moments.h).
shares_moments() {
	[[ $CLOCK == host && -n $OPT_TRUTH && $OPT_ARCH == x86_64 ]]
}

# Disables ioeventfd for the doorbell: writes must pass through the vCPU, where
# the deterministic clock stops for them (../qemu/doorbell.h).
qemu_disk() {
	COMMAND+=(-drive "if=none,id=scratch,format=raw,file=/proc/self/fd/$DISK_FD"
		-device "virtio-blk-pci,drive=scratch,ioeventfd=off,num-queues=1,disable-legacy=on")
}

qemu_network() {
	local side number=0
	for side in left right; do
		number=$((number + 1))
		COMMAND+=(-netdev "hubport,id=$side,hubid=0"
			-device "virtio-net-pci,netdev=$side,mac=52:54:00:00:00:0$number")
		[[ -z $OPT_NET_DELAY_MS ]] ||
			COMMAND+=(-object "filter-buffer,id=delay-$side,netdev=$side,queue=rx,interval=${OPT_NET_DELAY_MS}000")
	done
}

# Packets are datagrams between two sockets in the folder. Packets that one
# machine sends before the other has started are lost.
qemu_link() {
	local number=1 other=right
	[[ $OPT_LINK_SIDE == left ]] || number=2 other=left
	COMMAND+=(-netdev "dgram,id=link,local.type=unix,local.path=$(qemu_escape "$OPT_LINK_FOLDER/$OPT_LINK_SIDE"),remote.type=unix,remote.path=$(qemu_escape "$OPT_LINK_FOLDER/$other")"
		-device "virtio-net-pci,netdev=link,mac=52:54:00:00:01:0$number")
}
