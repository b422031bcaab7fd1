#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: the self-test of the recorder $2, with options
# $3...; its output and exit code go to the folder $1.
set -uo pipefail
RESULTS=$1 KTRACE=$2
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_run.sh"
cd "$(mktemp -d)" || exit
hold_symbols
run selftest "$KTRACE" selftest --report report.tar.zst "${@:3}"
# Pretends that CPUs idle deeply, and that the driver never saves the units.
if [[ $(uname -m) == aarch64 ]]; then
	echo psci_idle >driver
	busybox mount --bind driver /sys/devices/system/cpu/cpuidle/current_driver
	echo 1 >saving
	busybox mount --bind saving /sys/module/coresight_etm4x/parameters/pm_save_enable
	run doctor "$KTRACE" doctor
fi
cp -r . "$RESULTS"
