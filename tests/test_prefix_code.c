/* SPDX-License-Identifier: MIT */
#include "report/deflate/prefix_code.h"
#include "tests/run_suite.h"

#include <stdbool.h>

enum { SYMBOLS = 40 };

typedef void fill_counts(uint32_t *counts);

static void nothing(uint32_t *counts)
{
	(void)counts;
}

static void one(uint32_t *counts)
{
	counts[7] = 5;
}

static void equals(uint32_t *counts)
{
	for (int i = 0; i < SYMBOLS; i++)
		counts[i] = 3;
}

/* The counts that make the deepest tree. */
static void fibonacci(uint32_t *counts)
{
	counts[0] = counts[1] = 1;
	for (int i = 2; i < SYMBOLS; i++)
		counts[i] = counts[i - 1] + counts[i - 2];
}

static const struct {
	fill_counts *fill;
	uint32_t longest;
	uint32_t used; /* symbols that have a length */
} cases[] = {
	{ nothing, 15, 2 },	    { one, 15, 2 },
	{ equals, 15, SYMBOLS },    { equals, 6, SYMBOLS },
	{ fibonacci, 15, SYMBOLS }, { fibonacci, 7, SYMBOLS },
};

/* Returns whether the first bits of @b are @a. */
static bool is_prefix(const struct prefix_code *code, int a, int b)
{
	return code->lengths[a] && code->lengths[a] <= code->lengths[b] &&
	       !((code->bits[a] ^ code->bits[b]) &
		 ((1u << code->lengths[a]) - 1));
}

START_TEST(codes_are_complete_and_no_longer_than_asked)
{
	uint32_t counts[SYMBOLS] = { 0 };
	struct prefix_code code;
	uint32_t space = 0;
	uint32_t used = 0;

	cases[_i].fill(counts);
	code = prefix_code_of(counts, SYMBOLS, cases[_i].longest);
	for (int i = 0; i < SYMBOLS; i++) {
		ck_assert_uint_le(code.lengths[i], cases[_i].longest);
		ck_assert(code.lengths[i] || !counts[i]);
		used += code.lengths[i] > 0;
		space += code.lengths[i] ? 1u << (15 - code.lengths[i]) : 0;
		for (int k = 0; k < SYMBOLS; k++)
			ck_assert(i == k || !is_prefix(&code, i, k));
	}
	ck_assert_uint_eq(used, cases[_i].used);
	ck_assert_uint_eq(space, 1u << 15);
}
END_TEST

START_TEST(what_is_more_often_is_not_longer)
{
	uint32_t counts[SYMBOLS];
	struct prefix_code code;

	fibonacci(counts);
	code = prefix_code_of(counts, SYMBOLS, 15);
	for (int i = 1; i < SYMBOLS; i++)
		ck_assert_uint_le(code.lengths[i], code.lengths[i - 1]);
	ck_assert_uint_lt(code.lengths[SYMBOLS - 1], 3);
}
END_TEST

/* The example of RFC 1951, 3.2.2: lengths 2, 1, 3 and 3 are 10, 0, 110 and 111,
 * which are written from the first bit on.
 */
START_TEST(bits_are_as_documented)
{
	static const uint32_t counts[] = { 4, 8, 2, 2 };
	static const uint8_t lengths[] = { 2, 1, 3, 3 };
	static const uint16_t bits[] = { 1, 0, 3, 7 };
	struct prefix_code code = prefix_code_of(counts, 4, 15);

	ck_assert_mem_eq(code.lengths, lengths, sizeof(lengths));
	ck_assert_mem_eq(code.bits, bits, sizeof(bits));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("prefix_code");
	TCase *tcase = tcase_create("all");

	tcase_add_loop_test(tcase, codes_are_complete_and_no_longer_than_asked,
			    0, sizeof(cases) / sizeof(*cases));
	tcase_add_test(tcase, what_is_more_often_is_not_longer);
	tcase_add_test(tcase, bits_are_as_documented);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
