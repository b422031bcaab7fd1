/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_ELF_NAMES_H
#define KT_SYMBOLIZE_ELF_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;

/* The functions of an ELF file, by name. */
struct elf_names;

/* Borrows @file. Returns NULL when out of memory. */
struct elf_names *elf_names_new(const struct elf_file *file);
void elf_names_free(struct elf_names *names);

/* Sets *@address to the start of function @name, in the file's own addresses.
 * Returns false if there is no such function, or more than one.
 */
bool elf_names_find(const struct elf_names *names, const char *name,
		    uint64_t *address);

#endif
