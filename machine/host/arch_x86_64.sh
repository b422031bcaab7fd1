# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2054 # the parts read it; the commas are QEMU's
# The x86-64 parts of the machine; arch_arm64.sh defines the same names.
readonly ARCH_DEBIAN=amd64
readonly ARCH_QEMU_PROGRAM=qemu-system-x86_64
readonly ARCH_QEMU_FOLDER=qemu
readonly ARCH_QEMU_PACKAGES=(qemu-system-x86)
readonly ARCH_KERNEL_PACKAGE=linux-image-amd64
readonly ARCH_KERNEL_PREFIX=''
readonly ARCH_GUEST_INIT=guest-init
readonly ARCH_UNIT=intel-pt
readonly ARCH_TRACE_MODULES='' # its driver is built in
readonly ARCH_TRUTH=truth

# Unused devices, which the guest would only spend time on probing.
readonly DEVICES_OFF=i8042=off,vmport=off,smbus=off,sata=off,usb=off

# Skylake, the oldest CPU with all features of the trace unit, without features
# that TCG does not emulate: QEMU would warn about each at every start. Also
# without ERMS: each byte of a rep stosb is an instruction on the virtual clock,
# so clearing a page would take 4 us.
readonly CPU=Skylake-Client,-pcid,-tsc-deadline,-hle,-invpcid,-rtm,-xsavec,-erms

arch_machine() {
	local cpu=$CPU$OPT_CPU
	[[ $OPT_UNIT != *mwait=on* ]] || cpu+=,+monitor
	COMMAND+=(-machine "q35,$DEVICES_OFF" -cpu "$cpu")
	arch_firmware
}

# qboot starts a kernel 2 s sooner than SeaBIOS. It is optional.
arch_firmware() {
	local FOUND folder
	cache_find qemu/usr/share/qemu
	for folder in "$FOUND" /usr/share/qemu; do
		[[ ! -e $folder/qboot.rom ]] || {
			COMMAND+=(-bios "$folder/qboot.rom")
			return
		}
	done
}

# Parts of the kernel's start that take whole seconds in the guest: a random
# number generator's self-test, keys for module signatures, the calibration of
# /dev/hpet and the check of an unused clock.
readonly NOT_STARTED=jent_mod_init,load_system_certificate_list,hpet_late_init,init_acpi_pm_clocksource

readonly ARCH_KERNEL_ARGUMENTS=(
	console=ttyS0
	tsc=reliable	# the clock that the trace unit's packets carry
	nmi_watchdog=0	# its counter would be the trace unit's
	no_timer_check	# QEMU's timer works
	pti=off		# as on CPUs since 2019; TCG pays for each CR3
	# Disables REP_GOOD: with the deterministic clock, QEMU leaves
	# translated code at each repetition of a string instruction, 512 times
	# to clear a page.
	clearcpuid=112
	"initcall_blacklist=$NOT_STARTED"
)

# A starting kernel patches its code constantly. If another CPU runs that code,
# QEMU may translate a short-lived breakpoint and execute it after it was
# removed, which crashes the kernel. Therefore the guest starts the other CPUs
# after its own start.
readonly ARCH_MANY_CPUS_ARGUMENTS=(maxcpus=1)

# QEMU starts an uncompressed kernel at its PVH entry, which avoids the guest's
# slow decompressor. Offsets: Documentation/arch/x86/boot.rst.
arch_unpack_kernel() { # vmlinuz vmlinux
	local sectors offset length
	sectors=$(read_number "$1" $((0x1f1)) 1)
	offset=$(((sectors + 1) * 512 + $(read_number "$1" $((0x248)) 4)))
	# The payload's last four bytes are its unpacked size, not data.
	length=$(($(read_number "$1" $((0x24c)) 4) - 4))
	tail -c "+$((offset + 1))" "$1" | head -c "$length" >"$2.payload"
	unpack_by_magic "$2.payload" >"$2"
	rm "$2.payload"
	[[ $(read_number "$2" 0 4) == $((0x464c457f)) ]]
}

read_number() { # file offset size
	od -An -tu"$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

unpack_by_magic() { # file
	case $(read_number "$1" 0 4) in
	$((0xfd2fb528))) tool_run zstd zstd -dcq "$1" ;;
	$((0x587a37fd))) tool_run xz-utils xz -dc "$1" ;;
	*) gzip -dcq "$1" ;;
	esac
}
