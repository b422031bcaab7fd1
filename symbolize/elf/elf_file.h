/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ELF_FILE_H
#define KT_SYMBOLIZE_ELF_FILE_H

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

struct log;

/* An ELF file on its own, with what belongs to it: its separate debug file
 * (found by build id or .gnu_debuglink under /usr/lib/debug and beside it)
 * and its compressed small symbol table (.gnu_debugdata).
 *
 * An address here is one of the file's own, as its program headers have it.
 */
struct elf_file;

/* Returns NULL if there is no such file or it is no ELF file, said to @log as
 * a warning, or when out of memory.
 */
struct elf_file *elf_file_open(const char *path, const struct log *log);
void elf_file_close(struct elf_file *file);

/* Returns the path of the debug file that belongs to the ELF file @path and is
 * another; NULL if there is none.  Free it.
 */
char *elf_file_debug_path(const char *path);

/* libdwfl's view of the file; it counts addresses from elf_file_bias() on. */
Dwfl_Module *elf_file_module(const struct elf_file *file);
uint64_t elf_file_bias(const struct elf_file *file);

/* Sets *@offset to where in the file the byte of @address is.  Returns false
 * if no loaded segment holds it.
 */
bool elf_file_offset(const struct elf_file *file, uint64_t address,
		     uint64_t *offset);

#endif
