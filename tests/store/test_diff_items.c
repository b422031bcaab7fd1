/* SPDX-License-Identifier: MIT */
/* Matching of items on two sides, whichever of them have the item. */
#include "store/answer/answer.h"
#include "store/ask/store_diff.h"
#include "tests/run_suite.h"

#include <check.h>
#include <math.h>
#include <string.h>

struct row {
	const char *item;
	int64_t recording;
	int64_t value;
	int64_t count;
};

static const struct row first[] = {
	{ "close", 1, 10, 1 },
	{ "close", 2, 30, 2 },
	{ "open", 1, 5, 3 },
};

static const struct row second[] = {
	{ "close", 3, 40, 1 },
	{ "read", 3, 7, 1 },
	{ "read", 4, 9, 1 },
};

static void fill(struct answer *answer, const struct row *rows, size_t count)
{
	static const char *const names[] = { "item", "recording", "statistic",
					     "count" };

	ck_assert_int_eq(answer_open(answer), 0);
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(answer_add_column(answer, names[i]), 0);
	for (size_t i = 0; i < count; i++) {
		answer_add_text(answer, rows[i].item);
		answer_add_number(answer, rows[i].recording);
		answer_add_number(answer, rows[i].value);
		answer_add_number(answer, rows[i].count);
	}
}

static const struct diff_item *find(const struct array *items, const char *name)
{
	for (size_t i = 0; i < items->count; i++) {
		const struct diff_item *item = array_at(items, i);

		if (!strcmp(item->name, name))
			return item;
	}
	ck_abort_msg("there is no %s", name);
	return NULL;
}

struct sides {
	struct answer answers[2];
	struct array items;
};

static struct sides read_sides(void)
{
	struct sides sides = { .items = ARRAY_OF(struct diff_item) };

	fill(&sides.answers[0], first, sizeof(first) / sizeof(*first));
	fill(&sides.answers[1], second, sizeof(second) / sizeof(*second));
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(
			diff_items_read(&sides.items, &sides.answers[i], i), 0);
	ck_assert_uint_eq(sides.items.count, 3);
	return sides;
}

static void free_sides(struct sides *sides)
{
	diff_items_free(&sides->items);
	answer_free(&sides->answers[0]);
	answer_free(&sides->answers[1]);
}

START_TEST(medians_and_changes_are_those_of_the_sides)
{
	struct sides sides = read_sides();
	const struct diff_item *item;

	ck_assert_int_eq(diff_items_compare(&sides.items), 0);
	item = find(&sides.items, "close");
	ck_assert_double_eq(item->medians[0], 20);
	ck_assert_double_eq(item->medians[1], 40);
	ck_assert_double_eq(item->change, 1);
	ck_assert_int_eq(item->sides[0].count, 3);
	item = find(&sides.items, "open");
	ck_assert(isnan(item->medians[1]) && isnan(item->p));
	item = find(&sides.items, "read");
	ck_assert_double_eq(item->medians[1], 8);
	ck_assert(isnan(item->medians[0]) && isnan(item->change));
	free_sides(&sides);
}
END_TEST

/* For sums, a recording without the item counts as 0. */
START_TEST(recordings_without_an_item_have_none_of_it)
{
	static const int64_t recordings[2] = { 2, 2 };
	struct sides sides = read_sides();
	const struct diff_item *item;

	ck_assert_int_eq(diff_items_fill(&sides.items, recordings), 0);
	ck_assert_int_eq(diff_items_compare(&sides.items), 0);
	item = find(&sides.items, "open");
	ck_assert_double_eq(item->medians[0], 2.5);
	ck_assert_double_eq(item->medians[1], 0);
	ck_assert_double_eq(item->change, -1);
	ck_assert(item->p > 0 && item->p <= 1 && item->q >= item->p);
	free_sides(&sides);
}
END_TEST

SUITE("diff_items")
{
	TEST(medians_and_changes_are_those_of_the_sides);
	TEST(recordings_without_an_item_have_none_of_it);
}
