/* SPDX-License-Identifier: MIT */
#include "common/placed_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool placed_name_read(const char *text, size_t size, struct placed_name *name)
{
	static const char mark[] = "@0x";
	enum { MOST_DIGITS = 16 };
	const char *place = memmem(text, size, mark, strlen(mark));
	size_t digits;
	char number[MOST_DIGITS + 1];

	*name = (struct placed_name){ .text = text, .length = size };
	if (!place)
		return true;
	name->has_place = true;
	name->length = (size_t)(place - text);
	digits = size - name->length - strlen(mark);
	if (!digits || digits > MOST_DIGITS)
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)digits,
		 place + strlen(mark));
	name->place = strtoull(number, NULL, 16);
	return number[strspn(number, "0123456789abcdefABCDEF")] == '\0';
}
