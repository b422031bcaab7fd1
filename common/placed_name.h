/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_PLACED_NAME_H
#define KT_COMMON_PLACED_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function as it is chosen: NAME, or NAME@0xPLACE, as reports tell those of one
 * name apart.
 */
struct placed_name {
	const char *text; /* borrowed: it begins with the name */
	size_t length;	  /* of the name */
	bool has_place;
	uint64_t place;
};

/* Reads the first @size bytes of @text.  Returns whether what is behind "@0x", if
 * that is there, is a number of up to 16 digits.
 */
bool placed_name_read(const char *text, size_t size, struct placed_name *name);

#endif
