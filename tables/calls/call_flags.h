/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_FLAGS_H
#define KT_TABLES_CALL_FLAGS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Names of the numbers in arguments of system calls, as in the kernel's headers
 * for programs (include/uapi). They are the same on all architectures unless
 * noted.
 */
struct call_flag {
	uint64_t value;
	const char *name;
};

/* Writes the names of @value's bits as "A|B", bits without a name in
 * hexadecimal. Flags with several bits must be first in @flags. 0 is written as
 * the flag whose value is 0, or "0".
 */
void call_flags_write(FILE *out, const struct call_flag *flags, size_t count,
		      uint64_t value);

/* Writes the name of @value, or the number if it has none. */
void call_flags_name(FILE *out, const struct call_flag *flags, size_t count,
		     uint64_t value);

#endif
