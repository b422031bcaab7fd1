/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_PLACED_NAME_H
#define KT_COMMON_PLACED_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A chosen function: NAME, or NAME@0xPLACE, the form in which reports
 * distinguish functions of the same name.
 */
struct placed_name {
	const char *text; /* borrowed: starts with the name */
	size_t length;	  /* of the name */
	bool has_place;
	uint64_t place;
};

/* Parses the first @size bytes of @text. Returns false if it has "@0x" without
 * a number of up to 16 digits after it.
 */
bool placed_name_read(const char *text, size_t size, struct placed_name *name);

#endif
