/* SPDX-License-Identifier: MIT */
#include "store/ask/store_diff.h"

#include "common/error.h"
#include "common/log.h"
#include "store/answer/answer.h"
#include "store/answer/rank_test.h"
#include "store/ask/measure_query.h"
#include "store/target/store_target.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_ITEM, COLUMN_RECORDING, COLUMN_VALUE, COLUMN_COUNT };

/* Searches the items from *@from to @end - 1 for @name, and advances *@from.
 * Names are searched in order, and the items are sorted by name.
 */
static struct diff_item *find(const struct array *items, size_t *from,
			      size_t end, const char *name)
{
	struct diff_item *all = items->items;

	for (; *from < end; ++*from) {
		int order = strcmp(all[*from].name, name);

		if (order >= 0)
			return order ? NULL : &all[*from];
	}
	return NULL;
}

static struct diff_item *add(struct array *items, const char *name)
{
	struct diff_item *item = array_add(items);

	if (!item)
		return NULL;
	item->name = name;
	for (int side = 0; side < 2; side++)
		item->sides[side].values = ARRAY_OF(double);
	return item;
}

static int add_value(struct diff_item *item, int side, double value,
		     int64_t count)
{
	if (array_append(&item->sides[side].values, &value) < 0)
		return -ERROR_MEMORY;
	item->sides[side].count += count;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct diff_item *)a)->name,
		      ((const struct diff_item *)b)->name);
}

int diff_items_read(struct array *items, const struct answer *rows, int side)
{
	size_t end = items->count;
	size_t from = 0;
	size_t last = SIZE_MAX; /* index of the last row's item if it is new */
	int error = 0;

	for (size_t i = 0; !error && i < answer_rows(rows); i++) {
		const char *name = answer_text(rows, i, COLUMN_ITEM);
		struct diff_item *item = find(items, &from, end, name);

		if (!item && last != SIZE_MAX)
			item = array_at(items, last);
		if (!item || strcmp(item->name, name)) {
			item = add(items, name);
			last = items->count - 1;
		}
		error = item ? add_value(item, side,
					 answer_real(rows, i, COLUMN_VALUE),
					 answer_number(rows, i, COLUMN_COUNT)) :
			       -ERROR_MEMORY;
	}
	array_sort(items, compare_names);
	return error;
}

void diff_items_free(struct array *items)
{
	for (size_t i = 0; i < items->count; i++) {
		struct diff_item *item = array_at(items, i);

		array_free(&item->sides[0].values);
		array_free(&item->sides[1].values);
	}
	array_free(items);
}

int diff_items_fill(struct array *items, const int64_t recordings[2])
{
	int error = 0;

	for (size_t i = 0; i < items->count; i++) {
		struct diff_item *item = array_at(items, i);

		for (int side = 0; side < 2; side++)
			while (!error &&
			       (int64_t)item->sides[side].values.count <
				       recordings[side])
				error = add_value(item, side, 0, 0);
	}
	return error;
}

static int compare_values(const void *a, const void *b)
{
	double first = *(const double *)a;
	double second = *(const double *)b;

	return (first > second) - (first < second);
}

static double median(struct array *values)
{
	size_t middle = values->count / 2;
	const double *all = values->items;

	if (!values->count)
		return NAN;
	array_sort(values, compare_values);
	return values->count % 2 ? all[middle] :
				   (all[middle - 1] + all[middle]) / 2;
}

static int compare_sides(struct diff_item *item)
{
	struct array *a = &item->sides[0].values;
	struct array *b = &item->sides[1].values;

	item->medians[0] = median(a);
	item->medians[1] = median(b);
	item->change = item->medians[0] > 0 ?
			       item->medians[1] / item->medians[0] - 1 :
			       NAN;
	item->p = NAN;
	item->q = NAN;
	if (!a->count || !b->count)
		return 0;
	item->p = rank_test(a->items, a->count, b->items, b->count);
	return item->p < 0 ? -ERROR_MEMORY : 0;
}

/* Returns the size of the change on a logarithmic scale; 0 if it has none. */
static double distance(const struct diff_item *item)
{
	return isnan(item->change) || item->change <= -1 ?
		       0 :
		       fabs(log(1 + item->change));
}

static int compare_items(const void *a, const void *b)
{
	const struct diff_item *first = a;
	const struct diff_item *second = b;

	if (isnan(first->p) != isnan(second->p))
		return isnan(first->p) - isnan(second->p);
	if (!isnan(first->p) && first->p != second->p)
		return first->p > second->p ? 1 : -1;
	if (distance(first) != distance(second))
		return distance(first) < distance(second) ? 1 : -1;
	return compare_names(a, b);
}

static int adjust(const struct array *items)
{
	double *p = calloc(items->count + 1, sizeof(*p));
	size_t count = 0;

	if (!p)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < items->count; i++) {
		const struct diff_item *item = array_at(items, i);

		if (!isnan(item->p))
			p[count++] = item->p;
	}
	rank_test_adjust(p, count);
	for (size_t i = 0; i < count; i++)
		((struct diff_item *)array_at(items, i))->q = p[i];
	free(p);
	return 0;
}

int diff_items_compare(struct array *items)
{
	int error = 0;

	for (size_t i = 0; !error && i < items->count; i++)
		error = compare_sides(array_at(items, i));
	array_sort(items, compare_items);
	return error ? error : adjust(items);
}

static const struct diff_statistic statistics[] = {
	{ "p50", "percentile(50, value)", true, false },
	{ "p90", "percentile(90, value)", true, false },
	{ "p99", "percentile(99, value)", true, false },
	{ "mean", "avg(value)", true, false },
	{ "max", "max(value)", true, false },
	{ "total", "sum(value)", true, true },
	{ "count", "count(*)", false, true },
};

const struct diff_statistic *diff_statistic_at(size_t index)
{
	return index < sizeof(statistics) / sizeof(*statistics) ?
		       &statistics[index] :
		       NULL;
}

const struct diff_statistic *diff_statistic_find(const char *name)
{
	for (size_t i = 0; diff_statistic_at(i); i++)
		if (!strcmp(statistics[i].name, name))
			return &statistics[i];
	return NULL;
}

/* The rows of both sides, and the items made from them. */
struct comparison {
	const struct store_diff *diff;
	struct store_target *target;
	struct answer rows[2];
	struct array items; /* struct diff_item */
	int64_t recordings[2];
};

static int check_sides(const struct store_diff *diff,
		       struct store_target *target)
{
	sqlite3_str *query = sqlite3_str_new(NULL);
	struct answer answer;
	int64_t both;
	int error;

	sqlite3_str_appendall(query,
			      "SELECT count(*) FROM recording WHERE 1 = 1");
	recording_filter_append(&diff->sides[0], target, query);
	recording_filter_append(&diff->sides[1], target, query);
	error = measure_query_run(target, query, &answer);
	both = error ? 0 : answer_number(&answer, 0, 0);
	answer_free(&answer);
	if (!both)
		return error;
	log_message(target->log, LOG_ERROR, target->name, LOG_NO_OFFSET,
		    "%" PRId64 " recordings are on both sides: narrow --a or "
		    "--b",
		    both);
	return -ERROR_UNSUPPORTED;
}

static int read_side(struct comparison *comparison, int side)
{
	const struct store_diff *diff = comparison->diff;
	struct store_target *target = comparison->target;
	const struct measure_choice choice = {
		.measure = diff->measure,
		.recordings = diff->sides[side],
		.item = diff->item,
	};
	sqlite3_str *query;
	int error = measure_query_count(&choice, target,
					&comparison->recordings[side]);

	if (error)
		return error;
	query = sqlite3_str_new(NULL);
	sqlite3_str_appendf(query,
			    "SELECT item, recording, %s AS statistic, "
			    "count(*) AS count FROM ",
			    diff->statistic->expression);
	measure_query_rows(&choice, target, "", query);
	sqlite3_str_appendall(query, " AS m GROUP BY item, recording "
				     "ORDER BY item, recording");
	error = measure_query_run(target, query, &comparison->rows[side]);
	return error ? error :
		       diff_items_read(&comparison->items,
				       &comparison->rows[side], side);
}

/* Warns if the recordings are so few that no result can be significant, because
 * the figures do not show that.
 */
static void say_least(const struct comparison *comparison)
{
	double least = rank_test_least((size_t)comparison->recordings[0],
				       (size_t)comparison->recordings[1]);

	if (least > 0.05)
		log_message(comparison->target->log, LOG_WARNING,
			    comparison->target->name, LOG_NO_OFFSET,
			    "with %" PRId64 " and %" PRId64
			    " recordings p is never below %.2g: add more "
			    "recordings for significant results",
			    comparison->recordings[0],
			    comparison->recordings[1], least);
}

static int compare(struct comparison *comparison)
{
	int error = read_side(comparison, 0);

	if (!error)
		error = read_side(comparison, 1);
	if (!error && comparison->diff->statistic->is_zero_without)
		error = diff_items_fill(&comparison->items,
					comparison->recordings);
	if (!error)
		error = diff_items_compare(&comparison->items);
	if (!error)
		say_least(comparison);
	return error;
}

static int add_columns(const struct store_diff *diff, struct answer *answer)
{
	const char *const names[] = {
		diff->measure->item_name,
		diff->statistic->is_time ? "a_ns" : "a",
		diff->statistic->is_time ? "b_ns" : "b",
		"change_percent",
		"p",
		"q",
		"n_a",
		"n_b",
		"durations_a",
		"durations_b",
	};
	int error = 0;

	for (size_t i = 0; !error && i < sizeof(names) / sizeof(*names); i++)
		error = answer_add_column(answer, names[i]);
	return error;
}

static int add_time(struct answer *answer, double value)
{
	return isnan(value) ? answer_add_null(answer) :
			      answer_add_number(answer, llround(value));
}

/* Rounds to @digits significant digits, because more would look exact. */
static int add_rounded(struct answer *answer, double value, int digits)
{
	double unit = pow(10, floor(log10(fabs(value))) + 1 - digits);

	if (isnan(value))
		return answer_add_null(answer);
	return answer_add_real(answer,
			       value == 0 ? 0 : round(value / unit) * unit);
}

static int add_row(struct answer *answer, const struct diff_item *item)
{
	int error = answer_add_text(answer, item->name);

	for (int side = 0; !error && side < 2; side++)
		error = add_time(answer, item->medians[side]);
	if (!error)
		error = add_rounded(answer, item->change * 100, 3);
	if (!error)
		error = add_rounded(answer, item->p, 2);
	if (!error)
		error = add_rounded(answer, item->q, 2);
	for (int side = 0; !error && side < 2; side++)
		error = answer_add_number(
			answer, (int64_t)item->sides[side].values.count);
	for (int side = 0; !error && side < 2; side++)
		error = answer_add_number(answer, item->sides[side].count);
	return error;
}

static int fill(const struct comparison *comparison, struct answer *answer)
{
	const struct array *items = &comparison->items;
	int error = answer_open(answer);

	if (!error)
		error = add_columns(comparison->diff, answer);
	for (size_t i = 0;
	     !error && i < items->count && i < comparison->diff->top; i++)
		error = add_row(answer, array_at(items, i));
	return error;
}

int store_diff_ask(const struct store_diff *diff, struct store_target *target,
		   struct answer *answer)
{
	struct comparison comparison = {
		.diff = diff,
		.target = target,
		.items = ARRAY_OF(struct diff_item),
	};
	int error = check_sides(diff, target);

	if (!error)
		error = compare(&comparison);
	if (!error)
		error = fill(&comparison, answer);
	diff_items_free(&comparison.items);
	answer_free(&comparison.rows[0]);
	answer_free(&comparison.rows[1]);
	return error;
}
