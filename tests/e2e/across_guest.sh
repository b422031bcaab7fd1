#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in one of two virtual machines with a network between them, the server or
# the client ($1): agrees with the other one on the time and on an instant at
# which both start to record into the folder $2, by the program $3, $4 requests,
# each $5th of which is slow.
set -euo pipefail
SIDE=$1
RESULTS=$2
KTRACE=$3
COUNT=$4
SLOW=$5
PROGRAMS=${KTRACE%/*}/tests/e2e/programs
hostname "$SIDE"
cd "$(mktemp -d)"
# A third of the requests uses a connection that is older than the recordings.
# Recorders of busy machines may start long after that instant, and one of them
# long after the other: requests are sent only after the commands of both have
# started.
if [[ $SIDE == server ]]; then
	at=$("$PROGRAMS/set_clock" give 30)
	"$PROGRAMS/across" serve "$COUNT" "$SLOW" 20 truth &
	# shellcheck disable=SC2016 # for that shell
	command=(bash -ec '"$0" meet
		tail --pid="$1" -f /dev/null' "$PROGRAMS/across" "$!")
else
	at=$("$PROGRAMS/set_clock" take 10.8.0.2)
	mkfifo both
	"$PROGRAMS/across" late 10.8.0.2 "$COUNT" 200000 truth both &
	# shellcheck disable=SC2016 # for that shell
	command=(bash -ec '"$0" meet 10.8.0.2
		: >both
		"$0" ask 10.8.0.2 "$1" 2000 truth
		tail --pid="$2" -f /dev/null' "$PROGRAMS/across" "$COUNT" "$!")
fi
"$KTRACE" record --events=attribution,all --activate "@$at" -o "$SIDE" -- \
	"${command[@]}"
wait
cp truth "$RESULTS/$SIDE.truth"
cp -r "$SIDE" "$RESULTS"
