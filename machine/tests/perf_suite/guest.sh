#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's side of test_perf_suite.sh.
#
#	guest.sh SUITE	the folder of perf's own tests
set -euo pipefail

readonly SUITE=$1 WORK=/tmp/perf-suite
HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source=machine/tests/guest_perf.sh
source "$HERE/../guest_perf.sh"

# The suite gives perf 5 s to start.  It walks the files of all modules, 4000 of
# them over 9p, which takes 6 to 20 s here.
mkdir -p "$WORK/tests"
make_perf_fast
cp -r "$SUITE" "$WORK/tests/shell"
cp -r "$HERE/util" "$WORK/util"
cd "$WORK/tests/shell"
sh ./test_intel_pt.sh
