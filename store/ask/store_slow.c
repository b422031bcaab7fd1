/* SPDX-License-Identifier: MIT */
#include "store/ask/store_slow.h"

#include "common/error.h"
#include "store/answer/answer.h"
#include "store/target/store_target.h"

#include <sqlite3.h>

#include <string.h>

/* The columns of the query. */
enum {
	SLOW_ITEM,
	SLOW_VALUE,
	SLOW_MEDIAN,
	SLOW_COMM,
	SLOW_TID,
	SLOW_BEGIN,
	SLOW_END,
	SLOW_HOST,
	SLOW_KERNEL,
	SLOW_ID,
	SLOW_ADDED_ON,
	SLOW_PATH,
	SLOW_COLUMNS,
};

static char *make_query(const struct store_slow *slow,
			const struct store_target *target)
{
	sqlite3_str *query = sqlite3_str_new(NULL);
	char *columns = sqlite3_mprintf(
		", comm AS thread_comm, tid, begin_ns, %s AS end_ns",
		slow->choice.measure->end);

	sqlite3_str_appendall(
		query, "SELECT item, value, p50, thread_comm, tid, begin_ns, "
		       "end_ns, host, kernel, id, added_on, path FROM "
		       "(SELECT recording, item, value, p50, thread_comm, tid, "
		       "begin_ns, end_ns FROM ");
	measure_query_rows(&slow->choice, target, columns ? columns : "",
			   query);
	sqlite3_free(columns);
	sqlite3_str_appendall(
		query, " AS m JOIN (SELECT item, percentile(50, value) AS p50 "
		       "FROM ");
	measure_query_rows(&slow->choice, target, "", query);
	sqlite3_str_appendf(query,
			    " AS n GROUP BY item) AS p USING (item) "
			    "WHERE value >= p50 * %llu) AS o JOIN "
			    "(SELECT recording, host, kernel, id, added_on, "
			    "path FROM recording) AS r USING (recording) "
			    "ORDER BY value DESC, item, begin_ns, tid, id",
			    (unsigned long long)slow->times);
	if (slow->top != UINT64_MAX)
		sqlite3_str_appendf(query, " LIMIT %llu",
				    (unsigned long long)slow->top);
	return sqlite3_str_finish(query);
}

/* Appends @word quoted for a shell. */
static void append_word(sqlite3_str *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._-+:@%,=";

	if (*word && !word[strspn(word, plain)]) {
		sqlite3_str_appendall(text, word);
		return;
	}
	sqlite3_str_appendchar(text, 1, '\'');
	for (; *word; word++)
		if (*word == '\'')
			sqlite3_str_appendall(text, "'\\''");
		else
			sqlite3_str_appendchar(text, 1, *word);
	sqlite3_str_appendchar(text, 1, '\'');
}

static void append_seconds(sqlite3_str *text, const char *option,
			   int64_t time_ns)
{
	sqlite3_str_appendf(text, " --%s @%lld.%09lld", option,
			    (long long)(time_ns / 1000000000),
			    (long long)(time_ns % 1000000000));
}

/* Adds the command that shows the call. Its window ends after the call's end,
 * because a window excludes its end.
 */
static int add_command(struct answer *answer, const struct answer *rows,
		       size_t row)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	char *made;
	int error;

	sqlite3_str_appendall(text, "ktrace-hw timeline -i ");
	append_word(text, answer_text(rows, row, SLOW_PATH));
	append_seconds(text, "since", answer_number(rows, row, SLOW_BEGIN));
	append_seconds(text, "until", answer_number(rows, row, SLOW_END) + 1);
	made = sqlite3_str_finish(text);
	error = made ? answer_add_text(answer, made) : -ERROR_MEMORY;
	sqlite3_free(made);
	return error;
}

static int add_row(struct answer *answer, const struct answer *rows, size_t row)
{
	int error = 0;

	for (size_t i = 0; !error && i < SLOW_PATH; i++)
		error = answer_add(answer, answer_at(rows, row, i));
	return error ? error : add_command(answer, rows, row);
}

static int fill(const struct store_slow *slow, const struct answer *rows,
		struct answer *answer)
{
	const char *const names[SLOW_COLUMNS] = {
		[SLOW_ITEM] = slow->choice.measure->item_name,
		[SLOW_VALUE] = "took_ns",
		[SLOW_MEDIAN] = "p50_ns",
		[SLOW_COMM] = "comm",
		[SLOW_TID] = "tid",
		[SLOW_BEGIN] = "begin_ns",
		[SLOW_END] = "end_ns",
		[SLOW_HOST] = "host",
		[SLOW_KERNEL] = "kernel",
		[SLOW_ID] = "id",
		[SLOW_ADDED_ON] = "added_on",
		[SLOW_PATH] = "open",
	};
	int error = answer_open(answer);

	/* For some measures the item is the thread's name. */
	for (size_t i = 0; !error && i < SLOW_COLUMNS; i++)
		error = answer_add_column(
			answer,
			i && !strcmp(names[i], names[0]) ? "thread" : names[i]);
	for (size_t i = 0; !error && i < answer_rows(rows); i++)
		error = add_row(answer, rows, i);
	return error;
}

int store_slow_ask(const struct store_slow *slow, struct store_target *target,
		   struct answer *answer)
{
	char *query = make_query(slow, target);
	struct answer rows;
	int error;

	if (!query)
		return -ERROR_MEMORY;
	error = store_target_query(target, query, &rows);
	sqlite3_free(query);
	if (!error)
		error = fill(slow, &rows, answer);
	answer_free(&rows);
	return error;
}
