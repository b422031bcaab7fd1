/* SPDX-License-Identifier: MIT */
#include "store/ask/measure_query.h"

#include "common/error.h"
#include "common/log.h"
#include "sql/tables/sql_tables.h"
#include "store/answer/answer.h"
#include "store/ask/recording_filter.h"
#include "store/target/store_target.h"

#include <sqlite3.h>

#include <inttypes.h>
#include <stdio.h>

void measure_query_rows(const struct measure_choice *choice,
			const struct store_target *target, const char *columns,
			sqlite3_str *query)
{
	const struct measure *measure = choice->measure;

	sqlite3_str_appendf(query,
			    "(SELECT recording, %s AS item, %s AS value%s "
			    "FROM \"%s\" WHERE %s",
			    measure->item, measure->value, columns,
			    sql_table_at(measure->table)->name,
			    measure->condition);
	if (choice->item) {
		sqlite3_str_appendf(query, " AND %s = ", measure->item);
		store_target_quote(target, query, choice->item);
	}
	sqlite3_str_appendf(query,
			    " AND recording %s (SELECT recording FROM "
			    "recording WHERE 1 = 1",
			    target->class->in);
	recording_filter_append(&choice->recordings, target, query);
	sqlite3_str_appendall(query, "))");
}

int measure_query_ask(struct store_target *target, sqlite3_str *query,
		      struct answer *answer)
{
	char *text = sqlite3_str_finish(query);
	int error = text ? store_target_ask(target, text, answer) :
			   answer_open(answer);

	if (!text) {
		log_message(target->log, LOG_ERROR, target->name, LOG_NO_OFFSET,
			    "out of memory");
		error = -ERROR_MEMORY;
	}
	sqlite3_free(text);
	return error;
}

static void describe(const struct measure_choice *choice, char *text,
		     size_t room)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < choice->recordings.count && length < room; i++)
		length += (size_t)snprintf(
			text + length, room - length, "%s%s",
			i ? " and " : " with ",
			*(char **)array_at(&choice->recordings, i));
}

static int judge(const struct measure_choice *choice,
		 const struct store_target *target, int64_t all,
		 int64_t with_table, int64_t cut)
{
	const char *table = sql_table_at(choice->measure->table)->name;
	char which[200];

	describe(choice, which, sizeof(which));
	if (!with_table) {
		log_message(target->log, LOG_ERROR, target->name, LOG_NO_OFFSET,
			    all ? "no recording%s was added with the table %s" :
				  "no recording%s in the store",
			    which, table);
		return -ERROR_NOT_FOUND;
	}
	if (with_table < all)
		log_message(target->log, LOG_WARNING, target->name,
			    LOG_NO_OFFSET,
			    "%" PRId64 " of %" PRId64 " recordings%s were "
			    "added without the table %s and do not count",
			    all - with_table, all, which, table);
	if (cut)
		log_message(target->log, LOG_WARNING, target->name,
			    LOG_NO_OFFSET,
			    "in %" PRId64 " of %" PRId64 " recordings%s short "
			    "rows were left out "
			    "(--min-duration): "
			    "percentiles are of "
			    "the others",
			    cut, with_table, which);
	return 0;
}

int measure_query_count(const struct measure_choice *choice,
			struct store_target *target, int64_t *with_table)
{
	sqlite3_str *query = sqlite3_str_new(NULL);
	struct answer answer;
	int error;

	sqlite3_str_appendf(
		query,
		"SELECT count(*), sum(has_table), "
		"sum(has_table * is_cut) FROM (SELECT "
		"CASE WHEN tables LIKE '%%,%s,%%' THEN 1 ELSE 0 END AS "
		"has_table, CASE WHEN min_duration_ns > 0 THEN 1 ELSE 0 END "
		"AS is_cut FROM recording WHERE 1 = 1",
		sql_table_at(choice->measure->table)->name);
	recording_filter_append(&choice->recordings, target, query);
	sqlite3_str_appendall(query, ") AS chosen");
	error = measure_query_ask(target, query, &answer);
	*with_table = 0;
	if (!error) {
		*with_table = answer_number(&answer, 0, 1);
		error = judge(choice, target, answer_number(&answer, 0, 0),
			      *with_table, answer_number(&answer, 0, 2));
	}
	answer_free(&answer);
	return error;
}
