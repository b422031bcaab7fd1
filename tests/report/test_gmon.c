/* SPDX-License-Identifier: MIT */
/* gprof's input of times: histograms of one range, which it adds up. */
#include "report/profile/call_tree.h"
#include "report/profile/profile_report.h"
#include "symbolize/functions/function_table.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 4, HEAD_BYTES = 20, HISTOGRAM = 0, DIMENSION_BYTES = 16 };

/* The own times of four functions, each called by the one before. */
static const struct {
	uint64_t self_ns[FUNCTIONS];
	uint32_t rate; /* units in a second: a nanosecond if there is room */
} profiles[] = {
	{ { 0, 1, 65535, 65536 }, 1000000000 },
	{ { 4194240, 131071, 7, 0 }, 1000000000 },
	{ { 123456789012, 3200000000, 1000000, 1 }, 33973 },
	{ { UINT64_C(100000) * 1000000000, 1000000000, 0, 5 }, 41 },
};

static struct function_table *make_functions(void)
{
	struct function_table *functions = function_table_new();
	const char *module = function_table_module(functions, "", 0);

	for (char name = 'a'; name < 'a' + FUNCTIONS; name++)
		function_table_add(functions, &name, 1, module, 'k');
	return functions;
}

static struct call_tree *make_tree(const uint64_t *self_ns)
{
	struct call_tree *tree = call_tree_new();
	uint32_t node = call_tree_root(tree, -1);

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		node = call_tree_find_child(tree, node, i + 1, false);
		call_tree_at(tree, node)->self_ns = self_ns[i];
		call_tree_at(tree, node)->direct = 1;
	}
	return tree;
}

static char *write_gmon(const uint64_t *self_ns, size_t *size)
{
	struct function_table *functions = make_functions();
	struct call_tree *tree = make_tree(self_ns);
	const struct profile_report report = {
		.functions = functions,
		.tree = tree,
	};
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, size);

	ck_assert_int_eq(render_gmon(&report, out), 0);
	fclose(out);
	call_tree_free(tree);
	function_table_free(functions);
	return bytes;
}

static uint64_t number(const char *bytes, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, bytes, size);
	return value;
}

/* Adds the histogram at @at to @units. Returns the address after it. */
static const char *add_histogram(const char *at, uint32_t rate, uint64_t *units)
{
	uint64_t low = number(at + 1, 8);
	uint64_t high = number(at + 9, 8);

	ck_assert_uint_eq(number(at + 17, 4), FUNCTIONS);
	ck_assert_uint_eq(high - low, FUNCTIONS * 16);
	ck_assert_uint_eq(number(at + 21, 4), rate);
	ck_assert_str_eq(at + 25, "seconds");
	at += 25 + DIMENSION_BYTES;
	for (int i = 0; i < FUNCTIONS; i++, at += 2)
		units[i] += number(at, 2);
	return at;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Rows are in the order of times. */
START_TEST(histograms_add_up_to_the_times)
{
	uint64_t wanted[FUNCTIONS];
	uint64_t units[FUNCTIONS] = { 0 };
	size_t size;
	char *bytes = write_gmon(profiles[_i].self_ns, &size);
	const char *at = bytes + HEAD_BYTES;

	while (at < bytes + size && *at == HISTOGRAM)
		at = add_histogram(at, profiles[_i].rate, units);
	memcpy(wanted, profiles[_i].self_ns, sizeof(wanted));
	qsort(wanted, FUNCTIONS, sizeof(*wanted), compare);
	qsort(units, FUNCTIONS, sizeof(*units), compare);
	for (int i = 0; i < FUNCTIONS; i++) {
		double ns = (double)units[i] * 1e9 / profiles[_i].rate;
		double error = ns - (double)wanted[i];

		ck_assert_double_le(error, 5e8 / profiles[_i].rate + 0.5);
		ck_assert_double_ge(error, -5e8 / profiles[_i].rate - 0.5);
		if (profiles[_i].rate == 1000000000)
			ck_assert_uint_eq(units[i], wanted[i]);
	}
	free(bytes);
}
END_TEST

SUITE("gmon")
{
	TEST_EACH(histograms_add_up_to_the_times, profiles);
}
