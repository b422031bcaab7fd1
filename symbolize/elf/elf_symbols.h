/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ELF_ELF_SYMBOLS_H
#define KT_SYMBOLIZE_ELF_ELF_SYMBOLS_H

#include <libelf.h>

struct address_map;
struct function_table;
struct log;

/* Adds the functions of the ELF file @path (from .symtab, its debug file or
 * .gnu_debugdata, else from .dynsym) to @functions, and to @map by their offset
 * in the file. Their addresses in a process follow from the mapping of the
 * file.
 *
 * Returns 0, also for a file without symbols; -ERROR_NOT_FOUND, with a warning
 * to @log, if the file does not exist or is no ELF file; -ERROR_MEMORY.
 */
int elf_symbols_add(const char *path, struct function_table *functions,
		    struct address_map *map, const struct log *log);

#endif
