#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the virtual machine: a recording with attribution, for consumers.py, into
# the folder $1, by the program $2. The limit is for machines with two CPUs on a
# busy host: their clock is the host's, so more is recorded.
set -euo pipefail
cd "$(mktemp -d)"
"$2" record -a --events=attribution,switches --max-size=12M -o recording -- \
	sh -c 'echo /etc/apt/* | sort' >/dev/null
cp -r recording "$1"
