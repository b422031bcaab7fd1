/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_FLAGS_H
#define KT_TABLES_CALL_FLAGS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Names of the numbers in arguments of system calls, as the kernel's headers
 * for programs (include/uapi) have them: they are the same on all architectures
 * but where said.
 */
struct call_flag {
	uint64_t value;
	const char *name;
};

/* Writes the names of @value's bits as "A|B", the longest ones of @flags first
 * in the list; what has no name in hexadecimal.  0 is the flag that is 0, or
 * "0".
 */
void call_flags_write(FILE *out, const struct call_flag *flags, size_t count,
		      uint64_t value);

/* Writes the name of @value, or the number. */
void call_flags_name(FILE *out, const struct call_flag *flags, size_t count,
		     uint64_t value);

#endif
