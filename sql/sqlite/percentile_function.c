/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/percentile_function.h"

#include "common/error.h"
#include "common/files/output_folder.h"
#include "sql/sqlite/ranked_values_internal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The values so far. SQLite zeroes this struct initially. */
struct percentile {
	struct ranked_values values;
	double percent;
	bool has_begun;
	int error; /* the first error */
};

static void consume(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct percentile *percentile =
		sqlite3_aggregate_context(context, sizeof(*percentile));

	(void)count;
	if (!percentile) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (!percentile->has_begun)
		ranked_values_open(&percentile->values,
				   sqlite3_user_data(context));
	percentile->has_begun = true;
	percentile->percent = sqlite3_value_double(values[0]);
	if (!percentile->error && sqlite3_value_type(values[1]) != SQLITE_NULL)
		percentile->error = ranked_values_add(
			&percentile->values, sqlite3_value_int64(values[1]));
}

/* Sets the error of the query. A failed system call is one of the temporary
 * file; all other errors are lack of memory.
 */
static void fail(sqlite3_context *context, const struct percentile *percentile)
{
	char *text =
		percentile->error == -ERROR_SYSTEM ?
			sqlite3_mprintf("percentile: %s: no temporary file: %s",
					output_temporary_path(),
					strerror(percentile->values.cause)) :
			NULL;

	if (text)
		sqlite3_result_error(context, text, -1);
	else
		sqlite3_result_error_nomem(context);
	sqlite3_free(text);
}

static void give_value(sqlite3_context *context, struct percentile *percentile)
{
	uint64_t count = ranked_values_count(&percentile->values);
	double place = ceil(percentile->percent * (double)count / 100);
	int64_t value = 0;

	if (!percentile->error && count)
		percentile->error = ranked_values_at(
			&percentile->values, (uint64_t)place - 1, &value);
	if (percentile->error)
		fail(context, percentile);
	else if (count)
		sqlite3_result_int64(context, value);
}

static void give(sqlite3_context *context)
{
	struct percentile *percentile = sqlite3_aggregate_context(context, 0);

	if (!percentile || !percentile->has_begun)
		return;
	if (percentile->percent > 0 && percentile->percent <= 100)
		give_value(context, percentile);
	else
		sqlite3_result_error(
			context,
			"percentile(P, X): P is above 0, and at most 100", -1);
	ranked_values_close(&percentile->values);
}

int percentile_function_register(sqlite3 *db, const struct log *log)
{
	return sqlite3_create_function(db, "percentile", 2,
				       SQLITE_UTF8 | SQLITE_DETERMINISTIC,
				       (void *)(uintptr_t)log, NULL, consume,
				       give);
}
