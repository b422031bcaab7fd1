/* SPDX-License-Identifier: MIT */
#include "store/ask/measure_query.h"

#include "common/error.h"
#include "common/log.h"
#include "sql/tables/sql_tables.h"
#include "store/answer/answer.h"
#include "store/target/store_target.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static const struct measure measures[] = {
	{ "syscall", TABLE_SYSCALL, "call", "call", "wall_ns", "end_ns",
	  "ended = 'returned' AND is_recorder = 0" },
	{ "sleep", TABLE_SLEEP, "function", "coalesce(function, '[unseen]')",
	  "asleep_ns", "end_ns", "is_cut = 0 AND is_recorder = 0" },
	{ "runqueue", TABLE_THREAD_STATE, "comm", "comm", "duration_ns",
	  "end_ns", "class = 'runnable' AND is_recorder = 0" },
	{ "fault", TABLE_FAULT, "function", "function", "wall_ns", "end_ns",
	  "begin_unseen = 0 AND end_unseen = 0 AND is_recorder = 0" },
	{ "request", TABLE_REQUEST, "comm", "coalesce(comm, '?')", "wall_ns",
	  "begin_ns + wall_ns", "is_answered = 1" },
	{ "call", TABLE_CALL, "function", "function", "wall_ns", "end_ns",
	  "begin_unseen = 0 AND end_unseen = 0 AND part = 'work'" },
};

const struct measure *measure_at(size_t index)
{
	return index < sizeof(measures) / sizeof(*measures) ? &measures[index] :
							      NULL;
}

const struct measure *measure_find(const char *name)
{
	for (size_t i = 0; measure_at(i); i++)
		if (!strcmp(measures[i].name, name))
			return &measures[i];
	return NULL;
}

static const char *const filter_columns[] = {
	"host",	 "kernel", "arch", "cpu_name", "command",  "trace",
	"clock", "day",	   "id",   "path",     "added_on",
};

bool recording_filter_is_column(const char *name)
{
	for (size_t i = 0; i < sizeof(filter_columns) / sizeof(*filter_columns);
	     i++)
		if (!strcmp(filter_columns[i], name))
			return true;
	return false;
}

bool recording_filter_is(const char *text)
{
	const char *equal = strchr(text, '=');

	return equal && equal != text;
}

static void append_label(const char *name, const char *value,
			 const struct store_target *target, sqlite3_str *query)
{
	sqlite3_str_appendf(
		query,
		"recording %s (SELECT recording FROM label WHERE name = ",
		target->class->in);
	store_target_quote(target, query, name);
	sqlite3_str_appendall(query, " AND value = ");
	store_target_quote(target, query, value);
	sqlite3_str_appendall(query, ")");
}

/* Compares the start of the release as text, because LIKE ignores case in
 * SQLite only, and would take % and _ of @value as wildcards.
 */
static void append_kernel(const char *value, const struct store_target *target,
			  sqlite3_str *query)
{
	static const char *const ends[] = { ".", "-", "+" };

	sqlite3_str_appendall(query, "kernel = ");
	store_target_quote(target, query, value);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		char *begin = sqlite3_mprintf("%s%s", value, ends[i]);

		sqlite3_str_appendf(query, " OR substr(kernel, 1, %d) = ",
				    (int)strlen(value) + 1);
		if (begin)
			store_target_quote(target, query, begin);
		else
			store_target_fail(query);
		sqlite3_free(begin);
	}
}

static void append_one(const char *name, const char *value,
		       const struct store_target *target, sqlite3_str *query)
{
	if (!strcmp(name, "kernel")) {
		append_kernel(value, target, query);
	} else if (recording_filter_is_column(name)) {
		sqlite3_str_appendf(query, "%s = ", name);
		store_target_quote(target, query, value);
	} else {
		append_label(name, value, target, query);
	}
}

void recording_filter_append(const struct array *conditions,
			     const struct store_target *target,
			     sqlite3_str *query)
{
	for (size_t i = 0; i < conditions->count; i++) {
		const char *text = *(char **)array_at(conditions, i);
		char *name =
			sqlite3_mprintf("%.*s", (int)strcspn(text, "="), text);

		sqlite3_str_appendall(query, " AND (");
		if (name)
			append_one(name, strchr(text, '=') + 1, target, query);
		else
			store_target_fail(query);
		sqlite3_str_appendall(query, ")");
		sqlite3_free(name);
	}
}

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

int measure_query_run(struct store_target *target, sqlite3_str *query,
		      struct answer *answer)
{
	char *text = sqlite3_str_finish(query);
	int error = text ? store_target_query(target, text, answer) :
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
	error = measure_query_run(target, query, &answer);
	*with_table = 0;
	if (!error) {
		*with_table = answer_number(&answer, 0, 1);
		error = judge(choice, target, answer_number(&answer, 0, 0),
			      *with_table, answer_number(&answer, 0, 2));
	}
	answer_free(&answer);
	return error;
}
