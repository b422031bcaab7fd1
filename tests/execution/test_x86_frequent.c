/* SPDX-License-Identifier: MIT */
/* The reader of frequent instructions agrees with the library. */
#include "execution/instruction/x86_instruction_internal.h"
#include "tests/assert_each.h"
#include "tests/run_suite.h"

#include <string.h>

#define ADDRESS 0x7fff12345678

/* Prefixes, then REX, 0 for none. */
static const uint8_t prefixes[][3] = {
	{ 0 }, { 0x66 }, { 0x65 }, { 0x3e }, { 0xf3 }, { 0x66, 0x2e },
};
static const uint8_t rexes[] = { 0, 0x40, 0x41, 0x44, 0x48, 0x4f };

/* Bytes after ModR/M: SIB with a displacement and without, and any bytes. */
static const uint8_t ends[][11] = {
	{ 0x24, 0x80, 0xff, 0x7f, 0x80, 1, 2, 3, 4, 5, 6 },
	{ 0x25, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 },
};

struct code {
	uint8_t bytes[24];
	size_t size;
};

static void add(struct code *code, uint8_t byte)
{
	code->bytes[code->size++] = byte;
}

static bool is_same(const struct instruction *a, const struct instruction *b)
{
	return a->target == b->target && a->length == b->length &&
	       a->kind == b->kind && a->may_take_long == b->may_take_long &&
	       a->writes_page_table == b->writes_page_table;
}

/* Returns whether the instruction is a frequent one. */
static bool compare(const struct code *code)
{
	struct instruction frequent = { 0 };
	struct instruction other = { 0 };

	if (!x86_frequent_read(ADDRESS, code->bytes, code->size, &frequent))
		return false;
	assert_each(x86_library_read(INSTRUCTION_X86_64, ADDRESS, code->bytes,
				     code->size, &other) == 1);
	assert_each(is_same(&frequent, &other));
	return true;
}

static struct code begin(const uint8_t *prefix, uint8_t rex, bool is_two)
{
	struct code code = { .size = 0 };

	while (*prefix)
		add(&code, *prefix++);
	if (rex)
		add(&code, rex);
	if (is_two)
		add(&code, 0x0f);
	return code;
}

/* Compares all opcodes after the prefixes in @code, with each ModR/M. */
static size_t compare_opcodes(struct code code)
{
	size_t step = suite_is_brief() ? 7 : 1;
	size_t frequent = 0;

	for (size_t i = 0; i < 0x10000; i += step) {
		struct code next = code;

		add(&next, (uint8_t)(i >> 8));
		add(&next, (uint8_t)i);
		memcpy(next.bytes + next.size, ends[i % 2], sizeof(ends[0]));
		next.size += sizeof(ends[0]);
		frequent += compare(&next);
		/* SIB may be either. */
		memcpy(next.bytes + next.size - sizeof(ends[0]),
		       ends[(i + 1) % 2], sizeof(ends[0]));
		frequent += compare(&next);
	}
	return frequent * step;
}

START_TEST(frequent_instructions_agree_with_the_library)
{
	for (size_t i = 0; i < sizeof(rexes); i++)
		for (int is_two = 0; is_two < 2; is_two++) {
			size_t frequent = compare_opcodes(
				begin(prefixes[_i], rexes[i], is_two));

			if (prefixes[_i][0] == 0xf3)
				ck_assert_uint_eq(frequent, 0);
			else
				ck_assert_uint_gt(frequent, 0x4000);
		}
}
END_TEST

/* A truncated instruction is never decoded. */
START_TEST(cut_ones_are_left_to_the_library)
{
	static const struct code whole[] = {
		{ { 0xe8, 1, 2, 3, 4 }, 5 },
		{ { 0x0f, 0x84, 1, 2, 3, 4 }, 6 },
		{ { 0x48, 0x8b, 0x84, 0x24, 1, 2, 3, 4 }, 8 },
		{ { 0x66, 0x81, 0x7c, 0x24, 1, 2, 3 }, 7 },
		{ { 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 }, 10 },
		{ { 0x41, 0xff, 0xd3 }, 3 },
		{ { 0x74, 0x10 }, 2 },
		{ { 0xc3 }, 1 },
	};

	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		struct instruction found = { 0 };

		for (size_t size = 0; size < whole[i].size; size++)
			ck_assert(!x86_frequent_read(ADDRESS, whole[i].bytes,
						     size, &found));
		ck_assert(x86_frequent_read(ADDRESS, whole[i].bytes,
					    whole[i].size, &found));
		ck_assert_uint_eq(found.length, whole[i].size);
	}
}
END_TEST

/* Sixteen bytes are never an instruction, whatever they encode. */
START_TEST(long_ones_are_left_to_the_library)
{
	struct code code = { .size = 0 };
	struct instruction found;

	for (int i = 0; i < 8; i++)
		add(&code, 0x65);
	for (int i = 0; i < 8; i++)
		add(&code, "\x48\xc7\x44\x24\x01\x01\x02\x03"[i]);
	add(&code, 4);
	ck_assert(!x86_frequent_read(ADDRESS, code.bytes, code.size, &found));
	memmove(code.bytes, code.bytes + 2, code.size - 2);
	ck_assert(x86_frequent_read(ADDRESS, code.bytes, code.size, &found));
	ck_assert_uint_eq(found.length, 15);
}
END_TEST

SUITE("x86_frequent")
{
	LIMIT_S(120);
	TEST_EACH(frequent_instructions_agree_with_the_library, prefixes);
	TEST(cut_ones_are_left_to_the_library);
	TEST(long_ones_are_left_to_the_library);
}
