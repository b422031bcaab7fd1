/* SPDX-License-Identifier: MIT */
#include "cmd/store/store_option_values.h"

#include "cmd/options/option_lists.h"
#include "common/clocks.h"
#include "sql/tables/sql_tables.h"
#include "store/ask/recording_filter.h"
#include "store/entry/row_threshold.h"

#include <ctype.h>
#include <string.h>

void store_tables_default(bool wanted[SQL_TABLES])
{
	for (int i = 0; i < SQL_TABLES; i++)
		wanted[i] = i != TABLE_FUNCTION;
}

static const char *take_tables(struct store_options *options, char *list)
{
	char *rest = list;
	char *name;

	memset(options->wanted, 0, sizeof(options->wanted));
	while ((name = strsep(&rest, ","))) {
		const struct sql_table *table = sql_table_find(name);

		if (!table)
			return "names of tables in docs/schema.md, separated "
			       "by commas";
		options->wanted[table->id] = true;
	}
	return NULL;
}

/* Tables with a row per occurrence are not sums. */
static void take_sums(struct store_options *options)
{
	static const enum sql_table_id sums[] = {
		TABLE_RECORDING, TABLE_CPU,    TABLE_PROCESS, TABLE_THREAD,
		TABLE_INTERRUPT, TABLE_SERVER, TABLE_PROFILE, TABLE_GAP,
	};

	memset(options->wanted, 0, sizeof(options->wanted));
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		options->wanted[sums[i]] = true;
}

static const char *take_label(struct store_options *options, char *text)
{
	char *equal = strchr(text, '=');
	struct store_label *label;

	if (!equal || equal == text)
		return "NAME=VALUE";
	*equal = '\0';
	if (recording_filter_is_column(text) || !strcmp(text, "item") ||
	    !strcmp(text, "comm"))
		return "a NAME that is not a column of recordings";
	for (size_t i = 0; i < options->labels.count; i++) {
		label = array_at(&options->labels, i);
		if (!strcmp(label->name, text))
			return "another NAME: a recording can have each label "
			       "only once";
	}
	label = array_add(&options->labels);
	if (!label)
		return "fewer: out of memory";
	*label = (struct store_label){ text, equal + 1 };
	return NULL;
}

static const char *take_condition(struct array *list, char *text)
{
	char **added = recording_filter_is(text) ? array_add(list) : NULL;

	if (!added)
		return "KEY=VALUE, such as kernel=6.12, or a label";
	*added = text;
	return NULL;
}

static const char *take_format(struct store_options *options, const char *name)
{
	return record_format_find(name, &options->format) ? NULL :
							    "text, csv or json";
}

static const char *take_measure(struct store_options *options, const char *name)
{
	options->measure = measure_find(name);
	return options->measure ? NULL :
				  "syscall, sleep, runqueue, fault, request or "
				  "call";
}

static const char *take_statistic(struct store_options *options,
				  const char *name)
{
	options->statistic = diff_statistic_find(name);
	return options->statistic ? NULL :
				    "p50, p90, p99, mean, max, total or count";
}

/* The name becomes part of SQL statements. */
static const char *take_name(const char **taken, const char *name)
{
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			return "a name of letters, digits and _";
	*taken = name;
	return *name ? NULL : "a name";
}

static const char *take_number(const char *text, uint64_t *number)
{
	return option_number(text, UINT32_MAX, number) ? NULL : "a number";
}

const char *store_option_take(struct store_options *options,
			      enum store_option option, char *argument)
{
	switch (option) {
	case STORE_TO:
		options->to = argument;
		return NULL;
	case STORE_LABEL:
		return take_label(options, argument);
	case STORE_TABLES:
		return take_tables(options, argument);
	case STORE_MIN_DURATION:
		return duration_read(argument, &options->min_duration_ns) ?
			       NULL :
			       "a duration such as 10us";
	case STORE_SUMS:
		take_sums(options);
		return NULL;
	case STORE_SYMFS:
		options->symfs = argument;
		return NULL;
	case STORE_JOBS:
		return take_number(argument, &options->jobs);
	case STORE_OF:
		return take_measure(options, argument);
	case STORE_BY:
		options->by = argument;
		return NULL;
	case STORE_WHERE:
		return take_condition(&options->where, argument);
	case STORE_ONLY:
		options->only = argument;
		return NULL;
	case STORE_A:
		return take_condition(&options->a, argument);
	case STORE_B:
		return take_condition(&options->b, argument);
	case STORE_STATISTIC:
		return take_statistic(options, argument);
	case STORE_TIMES:
		return take_number(argument, &options->times);
	case STORE_TOP:
		return take_number(argument, &options->top);
	case STORE_FORMAT:
		return take_format(options, argument);
	case STORE_CLUSTER:
		return take_name(&options->cluster, argument);
	case STORE_DATABASE:
		return take_name(&options->database, argument);
	case STORE_TTL:
		options->wants_ttl = true;
		return NULL;
	case STORE_OPTIONS:
		break;
	}
	return "known";
}
