/* SPDX-License-Identifier: MIT */
#include "collector/target/cpu_list.h"
#include "common/array.h"
#include "common/error.h"
#include "tests/run_suite.h"

static const struct {
	const char *text;
	int result;
	size_t count;
	int cpus[8];
} cases[] = {
	{ "0", 0, 1, { 0 } },
	{ "0-3", 0, 4, { 0, 1, 2, 3 } },
	{ "0-1,7\n", 0, 3, { 0, 1, 7 } },
	{ "5,2,2-3", 0, 3, { 2, 3, 5 } },
	{ "", -ERROR_FORMAT, 0, { 0 } },
	{ "3-1", -ERROR_FORMAT, 0, { 0 } },
	{ "1,", -ERROR_FORMAT, 0, { 0 } },
	{ "-1", -ERROR_FORMAT, 0, { 0 } },
	{ "a", -ERROR_FORMAT, 0, { 0 } },
	{ "1x", -ERROR_FORMAT, 0, { 0 } },
	{ "99999999999", -ERROR_FORMAT, 0, { 0 } },
};

START_TEST(test_parse)
{
	struct array cpus = ARRAY_OF(int);
	const int *items;

	ck_assert_int_eq(cpu_list_parse(cases[_i].text, &cpus),
			 cases[_i].result);
	if (!cases[_i].result) {
		ck_assert_uint_eq(cpus.count, cases[_i].count);
		items = cpus.items;
		for (size_t i = 0; i < cpus.count; i++)
			ck_assert_int_eq(items[i], cases[_i].cpus[i]);
	}
	array_free(&cpus);
}
END_TEST

START_TEST(test_online)
{
	struct array cpus = ARRAY_OF(int);

	ck_assert_int_eq(cpu_list_online(&cpus), 0);
	ck_assert_uint_gt(cpus.count, 0);
	array_free(&cpus);
}
END_TEST

SUITE("cpu_list")
{
	TEST_EACH(test_parse, cases);
	TEST(test_online);
}
