/* SPDX-License-Identifier: MIT */
#include "store/ask/recording_filter.h"

#include "store/target/store_target.h"

#include <sqlite3.h>

#include <string.h>

static const char *const columns[] = {
	"host",	 "kernel", "arch", "cpu_name", "command",  "trace",
	"clock", "day",	   "id",   "path",     "added_on",
};

bool recording_filter_is_column(const char *name)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (!strcmp(columns[i], name))
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

/* Compares the parts of a release, because no operator that both kinds of
 * database have matches a prefix.
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
		store_target_quote(target, query, begin ? begin : value);
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
		sqlite3_str_appendall(query, ")");
		sqlite3_free(name);
	}
}
