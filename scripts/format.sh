#!/bin/sh
# SPDX-License-Identifier: MIT
# Lists our files that .clang-format would change, and fails if there are any.
# Releases of clang-format differ: ours is Debian 12's; without it, nothing is
# compared.
set -eu

RELEASE=14
tool=$(command -v "clang-format-$RELEASE") || {
	echo "  not compared with .clang-format: no clang-format-$RELEASE here"
	exit 0
}
git ls-files '*.[ch]' | xargs "$tool" --dry-run --Werror
