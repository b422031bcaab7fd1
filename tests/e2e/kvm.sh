#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Virtual machines of KVM in recordings: as many intervals as the kernel counted
# exits, each with the handler of its reason, as long as the guest's instructions
# take, and all on the thread that is the guest's CPU, whose wait for a CPU is that
# which the kernel counted. The machine's own CPU has
# AMD's SVM, which QEMU emulates, beside the trace unit.
#
#	kvm.sh [KERNEL [CPUS]]
set -euo pipefail
# shellcheck source=tests/e2e/e2e_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/e2e_test.sh"
KERNEL=${1:-6.12} CPUS=${2:-1}

main() {
	need python3
	need xz
	skip_without_machine "$KERNEL"
	make_programs
	mkdir "$WORK/r"
	# shellcheck disable=SC2016 # for the guest
	in_machine --cpu vendor=AuthenticAMD,+svm,+npt --late-results \
		--results "$WORK/r" -- bash -ec '
		modules=/lib/modules/$(uname -r)/kernel
		for name in virt/lib/irqbypass drivers/crypto/ccp/ccp \
			arch/x86/kvm/kvm arch/x86/kvm/kvm-amd; do
			file=/run/${name##*/}.ko
			if [[ -e $modules/$name.ko.xz ]]; then
				xz -dc "$modules/$name.ko.xz" >"$file"
			else
				cp "$modules/$name.ko" "$file"
			fi
			insmod "$file"
		done
		mountpoint -q /sys/kernel/debug ||
			mount -t debugfs none /sys/kernel/debug
		"$0/tests/e2e/programs/interrupts" hog 0 &
		sleep 0.1
		"$0/ktrace-hw" record -o "$1/kvm" --buffer 64M -- taskset -c 0 \
			"$0/tests/e2e/programs/vcpu" 5000 >"$1/kvm.out"
		kill $!' \
		"$GUEST_BUILD" "$WORK/r"
	python3 "$HERE/judge_kvm.py" "$KTRACE" "$WORK/r/kvm" "$CPUS" ||
		FAILURES=$((FAILURES + 1))
}

main "$@"
