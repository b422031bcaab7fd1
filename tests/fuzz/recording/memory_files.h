/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FUZZ_MEMORY_FILES_H
#define KT_TESTS_FUZZ_MEMORY_FILES_H

#include "tests/fuzz/recording/packed_files.h"

/* The folder that the files of an input seem to lie in. */
#define MEMORY_FOLDER "/input"

/* Linked with --wrap (see the Makefile), the program's ways to files lead to
 * those of an input in memory, and to no others.  What is mapped has its exact
 * size, so that AddressSanitizer sees who reads beyond.
 *
 * Makes @files, which must stay, those that there are; NULL: none.
 */
void memory_files_set(const struct packed_files *files);

#endif
