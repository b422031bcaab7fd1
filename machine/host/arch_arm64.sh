# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2054 # the parts read it; the commas are QEMU's
# The arm64 parts of the machine; arch_x86_64.sh defines the same names.
readonly ARCH_DEBIAN=arm64
readonly ARCH_QEMU_PROGRAM=qemu-system-aarch64
readonly ARCH_QEMU_FOLDER=qemu-arm64
readonly ARCH_QEMU_PACKAGES=(qemu-system-arm device-tree-compiler)
readonly ARCH_KERNEL_PACKAGE=linux-image-arm64
readonly ARCH_KERNEL_PREFIX=arm64-
readonly ARCH_GUEST_INIT=guest-init-arm64
readonly ARCH_UNIT=arm-ete
readonly ARCH_TRUTH=truth-arm64

# The newest CPU, whose timer counts nanoseconds, without features that are slow
# in TCG or slow the guest's start: real pointer authentication, vectors of 2048
# bits.
readonly CPU=max,pauth-impdef=on,sve=off,sme=off

# The drivers of the trace unit, which udev would load. configfs must be first,
# because CoreSight publishes its configurations there.
readonly ARCH_TRACE_MODULES='configfs coresight coresight_trbe coresight_etm4x'

# Devices use wired interrupts, which the plugin can observe
# (../qemu_arm/gic.h).
readonly MACHINE=virt,gic-version=3,its=off

arch_machine() {
	COMMAND+=(-machine "$MACHINE" -cpu "$CPU$OPT_CPU")
	[[ -n $OPT_NO_UNIT ]] || device_tree
}

readonly ARCH_KERNEL_ARGUMENTS=(
	console=ttyAMA0
	kpti=off	# as on CPUs since 2019
)

# A trace unit is detected only while its CPU is online.
readonly ARCH_MANY_CPUS_ARGUMENTS=()

# Debian's kernel for arm64 is not compressed.
arch_unpack_kernel() { # vmlinuz vmlinux
	return 1
}
