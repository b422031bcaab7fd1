/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FUZZ_MEMORY_FILES_H
#define KT_TESTS_FUZZ_MEMORY_FILES_H

#include "tests/fuzz/recording/packed_files.h"

/* The folder that contains the files of an input, for the program. */
#define MEMORY_FOLDER "/input"

/* Linked with --wrap (see the Makefile), the program's file functions access
 * only the files of an input in memory. Mappings have the file's exact size, so
 * that AddressSanitizer detects reads past the end.
 *
 * Sets the existing files to @files, which is borrowed; NULL: none.
 */
void memory_files_set(const struct packed_files *files);

#endif
