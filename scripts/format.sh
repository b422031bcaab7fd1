#!/bin/sh
# SPDX-License-Identifier: MIT
# Says which of our files .clang-format would change, and fails if it would any.
# Each release of clang-format has ideas of its own: ours is Debian 12's, and
# without that one nothing is compared.
set -eu

RELEASE=14
tool=$(command -v "clang-format-$RELEASE") || {
	echo "  not compared with .clang-format: no clang-format-$RELEASE here"
	exit 0
}
git ls-files '*.[ch]' | xargs "$tool" --dry-run --Werror
