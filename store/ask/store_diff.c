/* SPDX-License-Identifier: MIT */
#include "store/ask/store_diff.h"

#include "common/error.h"
#include "common/log.h"
#include "store/answer/answer.h"
#include "store/answer/rank_test.h"
#include "store/ask/diff_items.h"
#include "store/ask/recording_filter.h"
#include "store/target/store_target.h"

#include <sqlite3.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
	error = measure_query_ask(target, query, &answer);
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
	error = measure_query_ask(target, query, &comparison->rows[side]);
	return error ? error :
		       diff_items_read(&comparison->items,
				       &comparison->rows[side], side);
}

/* Warns if the number of recordings is too small for any significant result,
 * which the figures alone do not show.
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
