#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: three short recordings into the folder $1, by the
# program $2, of two kinds.
set -euo pipefail
# shellcheck source=tests/e2e/guest_run.sh
source "$(dirname "$(realpath "$0")")/guest_run.sh"
RESULTS=$1
KTRACE=$2
# In the guest's memory: writing to the host's folder would be recorded, too.
cd "$(mktemp -d)"
hold_symbols
for name in list-1 list-2 pipe; do
	case $name in
	list-*) command='sleep 0.01' ;;
	*) command='sleep 0.02 | cat' ;;
	esac
	"$KTRACE" record --events=attribution -o "$name" -- \
		sh -c "$command" >/dev/null
done
save_results "${KTRACE%/*}" ./*/
