/* SPDX-License-Identifier: MIT */
#include "report/text/digits.h"

#include <string.h>

static const char pairs[] = "00010203040506070809"
			    "10111213141516171819"
			    "20212223242526272829"
			    "30313233343536373839"
			    "40414243444546474849"
			    "50515253545556575859"
			    "60616263646566676869"
			    "70717273747576777879"
			    "80818283848586878889"
			    "90919293949596979899";

size_t digits_count(uint64_t value)
{
	static const uint64_t powers[] = {
		0,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000u,
	};
	/* 1233 / 4096 is slightly more than the decimal logarithm of 2. */
	unsigned int bits = 64 - (unsigned int)__builtin_clzll(value | 1);
	size_t digits = bits * 1233 >> 12;

	return digits + (value >= powers[digits]);
}

/* Both pairs are looked up independently of each other. */
static void put_four(char *text, uint32_t value)
{
	memcpy(text, pairs + value / 100 * 2, 2);
	memcpy(text + 2, pairs + value % 100 * 2, 2);
}

void digits_padded(char *text, uint64_t value, size_t count)
{
	while (count >= 4) {
		count -= 4;
		put_four(text + count, (uint32_t)(value % 10000));
		value /= 10000;
	}
	if (count >= 2) {
		count -= 2;
		memcpy(text + count, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (count)
		*text = (char)('0' + value % 10);
}

size_t digits_many(char *text, uint64_t value)
{
	size_t count = digits_count(value);

	digits_padded(text, value, count);
	return count;
}

size_t digits_signed(char *text, int64_t value)
{
	if (value >= 0)
		return digits_decimal(text, (uint64_t)value);
	*text = '-';
	return 1 + digits_decimal(text + 1, -(uint64_t)value);
}

void digits_hex_padded(char *text, uint64_t value, size_t count)
{
	while (count) {
		text[--count] = "0123456789abcdef"[value & 0xf];
		value >>= 4;
	}
}

size_t digits_hex(char *text, uint64_t value)
{
	size_t count = (67 - (size_t)__builtin_clzll(value | 1)) / 4;

	digits_hex_padded(text, value, count);
	return count;
}
