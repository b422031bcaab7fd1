#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes another kind of build and runs its unit tests, on one CPU: ./test runs
# both kinds in parallel with the tests that start the virtual machine.
#	scripts/suites.sh sanitized		with ASan and UBSan
#	scripts/suites.sh arm64 [long|full]	cross-built, in QEMU: the recorder's
#						suites, built without optimization;
#						full builds like a release, runs all
#						suites, and the long ones with
#						Debian 13's libraries
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."

case ${1:-} in
sanitized)
	make -s SAN=1 check
	;;
arm64)
	scripts/arm64_sysroot.sh
	suites=(check)
	[[ ${2:-long} == full ]] || suites=(DRAFT=1 check-recorder)
	make -s ARCH=arm64 all e2e-programs "${suites[@]}"
	scripts/arm64_debian13.sh "${2:-long}"
	;;
*)
	echo "usage: ${0##*/} sanitized|arm64 [long|full]" >&2
	exit 2
	;;
esac
