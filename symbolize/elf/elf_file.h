/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ELF_ELF_FILE_H
#define KT_SYMBOLIZE_ELF_ELF_FILE_H

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

struct elf_build_id;
struct log;

/* The environment variable by which a user allows queries of debuginfod
 * servers. The queries disclose which programs the user runs.
 */
#define DEBUG_SEARCH_CONSENT "KTRACE_DEBUGINFOD"

/* Returns whether the user consents: the variable is set, and not to 0. */
bool debug_search_has_consent(void);

/* An ELF file, with its separate debug file (found by build id or
 * .gnu_debuglink under /usr/lib/debug and beside the file) and its compressed
 * small symbol table (.gnu_debugdata).
 *
 * Addresses here are the file's own, as in its program headers.
 */
struct elf_file;

/* Opens the ELF file @path. Returns NULL if it does not exist or is no ELF file
 * (with a warning to @log), or when out of memory.
 */
struct elf_file *elf_file_open(const char *path, const struct log *log);
void elf_file_close(struct elf_file *file);

/* Returns the path of the separate debug file of the ELF file @path; NULL if it
 * has none. The caller frees it.
 */
char *elf_file_debug_path(const char *path);

/* Returns the path of the debug data of the file with the build id @id, from
 * debuginfod servers or its client's cache, which the caller frees; NULL if the
 * user has not consented, if no server has it, or without the client's library.
 */
char *elf_file_query_debug(const struct elf_build_id *id);

/* Returns libdwfl's module for the file, whose addresses are the file's own
 * plus elf_file_bias(). @file owns it.
 */
Dwfl_Module *elf_file_module(const struct elf_file *file);
uint64_t elf_file_bias(const struct elf_file *file);

/* Sets *@offset to the file offset of the byte at @address. Returns false if no
 * loaded segment contains it.
 */
bool elf_file_offset(const struct elf_file *file, uint64_t address,
		     uint64_t *offset);

#endif
