/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ELF_SYMBOLS_H
#define KT_SYMBOLIZE_ELF_SYMBOLS_H

struct address_map;
struct function_table;
struct log;

/* Adds the functions of the ELF file @path (from .symtab, its debug file or
 * .gnu_debugdata, else from .dynsym) to @functions, and to @map by their
 * offset in the file: the address that a mapping of the file gives them
 * follows from the mapping.
 *
 * Returns 0, also for a file without symbols; -ERROR_NOT_FOUND if there is no
 * such file or it is no ELF file, said to @log as a warning; -ERROR_MEMORY.
 */
int elf_symbols_add(const char *path, struct function_table *functions,
		    struct address_map *map, const struct log *log);

#endif
