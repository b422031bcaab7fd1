/* SPDX-License-Identifier: MIT */
#include "tests/intel_bytes_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { PSB_SIZE = 16 };

static size_t add_psb(uint8_t *bytes)
{
	for (int i = 0; i < PSB_SIZE; i++)
		bytes[i] = i % 2 ? 0x82 : 0x02;
	return PSB_SIZE;
}

size_t fixture_intel_bytes(const char *text, uint8_t *bytes, size_t room)
{
	size_t size = 0;

	while (*text) {
		char *end;

		ck_assert_uint_le(size + PSB_SIZE, room);
		if (!strncmp(text, "psb ", 4)) {
			size += add_psb(bytes + size);
			text += 4;
			continue;
		}
		bytes[size++] = (uint8_t)strtoul(text, &end, 16);
		ck_assert_ptr_ne(text, end);
		text = end + strspn(end, " ");
	}
	return size;
}
