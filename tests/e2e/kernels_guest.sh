#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: records the recording $3 with the recorder $2
# into the folder $1, and what the kernel says it is.
set -uo pipefail
RESULTS=$1 KTRACE=$2
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "${BASH_SOURCE[0]}")/guest_run.sh"
cd "$(mktemp -d)" || exit
run "$3" "$KTRACE" record -o "$3" -- ls -l /etc
cat /proc/cpuinfo >"$3.cpuinfo"
sed -n 's/ T _text$//p' /proc/kallsyms >"$3.text"
cp -r . "$RESULTS"
