/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_USER_FUNCTION_H
#define KT_COLLECTOR_USER_FUNCTION_H

#include <stdint.h>

/* Finds where in the ELF file @path the function @name begins: what uprobes
 * count by.
 *
 * Returns 0 and *@offset; -ERROR_SYSTEM with errno set if there is no such file;
 * -ERROR_FORMAT if it is no ELF file; -ERROR_NOT_FOUND if it has no such symbol.
 */
int user_function_offset(const char *path, const char *name, uint64_t *offset);

#endif
