#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the folder for `qemu-aarch64 -L`, in which QEMU looks up each absolute path
# before it takes the system's.  A program that opens a path folder by folder, as
# common/trusted_path.c does, begins in QEMU's folder instead of "/" and stays in
# it.  Therefore this folder has links to the system's top folders, too.  They are
# relative: an absolute link would lead such a program back here.
#
#	arm64_root.sh ROOT SYSROOT	SYSROOT: the folder with arm64's libraries
set -euo pipefail
mkdir -p "$1"
ROOT=$(realpath "$1")
SYSROOT=$(realpath "$2")

for path in "$SYSROOT"/* /*; do
	name=${path##*/}
	case $name in
	dev | proc | sys) continue ;; # QEMU emulates parts of them by path
	esac
	[[ -e $ROOT/$name ]] ||
		ln -sfn "$(realpath -s --relative-to="$ROOT" "$path")" "$ROOT/$name"
done
