# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2054 # the commas are QEMU's
# QEMU's command line.  docs/machine.md explains the choices.

# Sets COMMAND, the whole of it.  File descriptor 3 will be the channel to
# the guest's init, 4 the guest's console (attach/qemu_process.h).
qemu_command() {
	COMMAND=("${QEMU[@]}"
		-nodefaults -no-user-config -display none -no-reboot
		-machine "q35,$DEVICES_OFF" -m "$OPT_MEMORY" -seed 1
		-kernel "$(qemu_kernel)" -initrd "$INITRAMFS"
		-append "$(kernel_arguments)"
		-chardev socket,id=console,fd=4 -serial chardev:console
		-chardev socket,id=channel,fd=3
		-device virtio-serial-pci,ioeventfd=off
		-device virtserialport,chardev=channel,name=ktrace.channel)
	qemu_firmware
	qemu_clock
	qemu_shares
	[[ -n $OPT_NO_UNIT ]] || qemu_trace_unit
	[[ -z $OPT_TRUTH ]] || qemu_truth
	[[ -z $DISK_FD ]] || qemu_disk
	[[ -z $OPT_NET ]] || qemu_network
	local plugin
	for plugin in "${OPT_PLUGINS[@]}"; do
		COMMAND+=(-plugin "$plugin")
	done
}

# What the guest would only spend time on finding out that nobody uses it.
readonly DEVICES_OFF=i8042=off,vmport=off,smbus=off,sata=off,usb=off

# qboot starts a kernel 2 s sooner than SeaBIOS.  A QEMU without it will do.
qemu_firmware() {
	local folder
	for folder in "$CACHE/qemu/usr/share/qemu" /usr/share/qemu; do
		[[ ! -e $folder/qboot.rom ]] || {
			COMMAND+=(-bios "$folder/qboot.rom")
			return
		}
	done
}

qemu_kernel() {
	if [[ -r $KERNEL/vmlinux ]]; then
		printf '%s\n' "$KERNEL/vmlinux"
	else
		printf '%s\n' "$KERNEL/vmlinuz"
	fi
}

# Skylake, the oldest with what the trace unit needs, less what TCG does not
# emulate: QEMU would warn about each at every start.  Less ERMS, too: every
# byte of a rep stosb is an instruction on the virtual clock, so that clearing
# a page would take 4 us.
readonly CPU=Skylake-Client,-pcid,-tsc-deadline,-hle,-invpcid,-rtm,-xsavec,-erms

qemu_clock() {
	COMMAND+=(-cpu "$CPU" -smp "$OPT_CPUS"
		-rtc base=2024-01-01T00:00:00,clock=vm)
	if ((OPT_CPUS == 1)); then
		COMMAND+=(-accel tcg -icount shift=0,sleep=off)
		CLOCK=virtual
	else
		COMMAND+=(-accel tcg,thread=multi)
		CLOCK=host
	fi
}

# Parts of the kernel's start that cost the guest whole seconds: a random
# number generator's self-test, keys for module signatures, the calibration of
# /dev/hpet and the check of a clock that is not used.
readonly NOT_STARTED=jent_mod_init,load_system_certificate_list,hpet_late_init,init_acpi_pm_clocksource

kernel_arguments() {
	local arguments=(
		console=ttyS0 quiet
		panic=-1	# a panic ends QEMU, at once
		nokaslr		# the same addresses in every run
		tsc=reliable	# the clock that the trace unit's packets carry
		nmi_watchdog=0	# its counter would be the trace unit's
		no_timer_check	# QEMU's timer works
		pti=off		# as on CPUs since 2019; TCG pays for each CR3
		rodata=off	# saves three walks over all page tables
		cryptomgr.notests
		"initcall_blacklist=$NOT_STARTED"
	)
	printf '%s\n' "${arguments[*]} $OPT_APPEND"
}

# Commas separate QEMU's options; a doubled one is meant.
qemu_escape() {
	printf '%s\n' "${1//,/,,}"
}

qemu_share() { # tag path option...
	local IFS=,
	COMMAND+=(-fsdev "local,id=$1,path=$(qemu_escape "$2"),security_model=none,multidevs=remap${3:+,$3}"
		-device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

qemu_shares() {
	local number
	[[ -n ${OPT_ISOLATED} ]] || qemu_share root / readonly=on
	for number in "${!OPT_RESULTS[@]}"; do
		qemu_share "results$number" "${OPT_RESULTS[number]}"
	done
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
	qemu_plugin intel-pt "${options[@]}"
}

qemu_truth() {
	qemu_plugin truth "clock=$CLOCK" "dir=$(qemu_escape "$OPT_TRUTH")"
}

# No shortcut round the vCPU for the doorbell, on which the deterministic clock
# stands still (../qemu/doorbell.h).
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
