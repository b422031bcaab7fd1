#!/bin/sh
# SPDX-License-Identifier: MIT
# Asks another shell by pipes, and waits for its answers: requests.
set -eu
folder=$(mktemp -d)
mkfifo "$folder/ask" "$folder/answer"
while read -r number; do
	echo "$number"
done <"$folder/ask" >"$folder/answer" &
exec 3>"$folder/ask" 4<"$folder/answer"
for number in 1 2 3; do
	echo "$number" >&3
	read -r number <&4
done
exec 3>&-
wait
