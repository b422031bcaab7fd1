/* SPDX-License-Identifier: MIT */
#include "store/ask/store_report.h"

#include "store/answer/answer.h"
#include "store/ask/measure_query.h"
#include "store/target/store_target.h"

#include <sqlite3.h>

#include <stdbool.h>
#include <string.h>

enum key_kind { KEY_ITEM, KEY_COMM, KEY_RECORDING, KEY_LABEL };

static enum key_kind kind_of(const char *key)
{
	if (!strcmp(key, "item"))
		return KEY_ITEM;
	if (!strcmp(key, "comm"))
		return KEY_COMM;
	return recording_filter_is_column(key) ? KEY_RECORDING : KEY_LABEL;
}

static bool has_kind(const struct store_report *report, enum key_kind kind)
{
	for (size_t i = 0; i < report->key_count; i++)
		if (kind_of(report->keys[i]) == kind)
			return true;
	return false;
}

/* Appends the columns k0, k1… of the keys of kind @kind. */
static void append_keys(const struct store_report *report, enum key_kind kind,
			const struct store_target *target, sqlite3_str *query)
{
	for (size_t i = 0; i < report->key_count; i++) {
		if (kind_of(report->keys[i]) != kind)
			continue;
		if (kind == KEY_RECORDING) {
			sqlite3_str_appendf(query, ", %s AS k%d",
					    report->keys[i], (int)i);
			continue;
		}
		sqlite3_str_appendall(query, ", max(CASE WHEN name = ");
		store_target_quote(target, query, report->keys[i]);
		sqlite3_str_appendf(query, " THEN value ELSE '' END) AS k%d",
				    (int)i);
	}
}

/* Appends a join with the labels. The label table has a row per recording and
 * label; this makes it one row per recording.
 */
static void append_labels(const struct store_report *report,
			  const struct store_target *target, sqlite3_str *query)
{
	sqlite3_str_appendall(query, " JOIN (SELECT recording");
	append_keys(report, KEY_LABEL, target, query);
	sqlite3_str_appendall(query,
			      " FROM (SELECT recording, name, value FROM label "
			      "UNION ALL SELECT recording, '' AS name, '' AS "
			      "value FROM recording) AS said "
			      "GROUP BY recording) AS l USING (recording)");
}

static void append_recordings(const struct store_report *report,
			      const struct store_target *target,
			      sqlite3_str *query)
{
	sqlite3_str_appendall(query, " JOIN (SELECT recording");
	append_keys(report, KEY_RECORDING, target, query);
	for (size_t i = 0; i < report->key_count; i++)
		if (kind_of(report->keys[i]) == KEY_LABEL)
			sqlite3_str_appendf(query, ", k%d", (int)i);
	sqlite3_str_appendall(query, " FROM recording");
	if (has_kind(report, KEY_LABEL))
		append_labels(report, target, query);
	sqlite3_str_appendall(query, ") AS r USING (recording)");
}

/* Appends the name of key @index within the query. */
static void append_key(const struct store_report *report, size_t index,
		       sqlite3_str *query)
{
	switch (kind_of(report->keys[index])) {
	case KEY_ITEM:
		sqlite3_str_appendall(query, "item");
		break;
	case KEY_COMM:
		sqlite3_str_appendall(query, "thread_comm");
		break;
	case KEY_RECORDING:
	case KEY_LABEL:
		sqlite3_str_appendf(query, "k%d", (int)index);
		break;
	}
}

static void append_selected(const struct store_report *report,
			    sqlite3_str *query)
{
	for (size_t i = 0; i < report->key_count; i++) {
		bool is_item = kind_of(report->keys[i]) == KEY_ITEM;

		append_key(report, i, query);
		sqlite3_str_appendf(query, " AS \"%w\", ",
				    is_item ?
					    report->choice.measure->item_name :
					    report->keys[i]);
	}
	sqlite3_str_appendall(query,
			      "count(DISTINCT recording) AS recordings, "
			      "count(*) AS count, sum(value) AS total_ns, "
			      "percentile(50, value) AS p50_ns, "
			      "percentile(90, value) AS p90_ns, "
			      "percentile(99, value) AS p99_ns, "
			      "max(value) AS max_ns FROM ");
}

int store_report_ask(const struct store_report *report,
		     struct store_target *target, struct answer *answer)
{
	sqlite3_str *query = sqlite3_str_new(NULL);
	bool has_comm = has_kind(report, KEY_COMM);

	sqlite3_str_appendall(query, "SELECT ");
	append_selected(report, query);
	measure_query_rows(&report->choice, target,
			   has_comm ? ", comm AS thread_comm" : "", query);
	sqlite3_str_appendall(query, " AS m");
	append_recordings(report, target, query);
	for (size_t i = 0; i < report->key_count; i++) {
		sqlite3_str_appendall(query, i ? ", " : " GROUP BY ");
		append_key(report, i, query);
	}
	sqlite3_str_appendall(query, " ORDER BY total_ns DESC");
	for (size_t i = 0; i < report->key_count; i++) {
		sqlite3_str_appendall(query, ", ");
		append_key(report, i, query);
	}
	if (report->top != UINT64_MAX)
		sqlite3_str_appendf(query, " LIMIT %llu",
				    (unsigned long long)report->top);
	return measure_query_run(target, query, answer);
}
