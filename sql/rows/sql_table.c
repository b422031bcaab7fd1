/* SPDX-License-Identifier: MIT */
#include "sql/rows/sql_table.h"

#include "common/array.h"
#include "common/error.h"
#include "tables/text/recorded.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int sql_table_role(const struct sql_table *table, enum column_role role)
{
	for (uint32_t i = 0; i < table->column_count; i++)
		if (table->columns[i].role == role)
			return (int)i;
	return -1;
}

struct missing {
	struct array needs; /* struct table_need */
	struct array texts; /* char *: their columns, owned */
};

static bool is_missing(const struct recorded *recorded,
		       const struct sql_need *need)
{
	const struct table_need wanted = {
		.event = need->event,
		.or_event = need->or_event,
	};

	return !recorded_has(recorded, &wanted);
}

/* Returns whether @word is one of @words, which spaces separate. */
static bool has_word(const char *words, const char *word)
{
	size_t size = strlen(word);

	while (*words) {
		size_t next = strcspn(words, " ");

		if (next == size && !memcmp(words, word, size))
			return true;
		words += next + (words[next] == ' ');
	}
	return false;
}

/* Returns SQL_COLUMN() of each column that needs @need. */
static uint64_t columns_of(const struct sql_table *table,
			   const struct sql_need *need)
{
	uint64_t columns = 0;

	for (uint32_t i = 0; need->columns && i < table->column_count; i++)
		if (has_word(need->columns, table->columns[i].name))
			columns |= SQL_COLUMN(i);
	return columns;
}

uint64_t sql_needs_nulls(const struct sql_table *table,
			 const struct recorded *recorded)
{
	uint64_t columns = 0;

	for (uint32_t i = 0; i < table->need_count; i++)
		if (!table->needs[i].rows &&
		    is_missing(recorded, &table->needs[i]))
			columns |= columns_of(table, &table->needs[i]);
	return columns;
}

/* Writes the missing columns as "sleep.fd, sleep.waker_pid". If only some rows
 * need them, writes the first column and the rows: "sleep.fd of ROWS".
 */
static void write_columns(const struct sql_table *table,
			  const struct sql_need *need, uint64_t columns,
			  FILE *out)
{
	const char *comma = "";

	if (!columns)
		fputs(table->name, out);
	for (uint32_t i = 0; i < table->column_count; i++) {
		if (!(columns & SQL_COLUMN(i)) || (need->rows && *comma))
			continue;
		fprintf(out, "%s%s.%s", comma, table->name,
			table->columns[i].name);
		comma = ", ";
	}
	if (need->rows)
		fprintf(out, " of %s", need->rows);
}

static int add_need(struct missing *missing, const struct sql_table *table,
		    const struct sql_need *need, uint64_t columns)
{
	struct table_need *added = array_add(&missing->needs);
	char **text = array_add(&missing->texts);
	size_t size;
	FILE *out = added && text ? open_memstream(text, &size) : NULL;

	if (!out)
		return -ERROR_MEMORY;
	write_columns(table, need, columns, out);
	if (fclose(out) == EOF)
		return -ERROR_MEMORY;
	added->columns = *text;
	added->event = need->event;
	added->or_event = need->or_event;
	return 0;
}

/* Adds the needs of @columns of @table that were not recorded. If something is
 * missing that all rows need, the table has no rows, so its other needs do not
 * matter.
 */
static int add_table(struct missing *missing, const struct sql_table *table,
		     const struct recorded *recorded, uint64_t columns)
{
	int status = 0;

	for (uint32_t i = 0; !status && i < table->need_count; i++) {
		const struct sql_need *need = &table->needs[i];
		uint64_t needing = columns_of(table, need) & columns;
		bool is_of_table = !need->columns;

		if ((!is_of_table && !needing) || !is_missing(recorded, need))
			continue;
		status = add_need(missing, table, need, needing);
		if (is_of_table && !need->rows)
			break;
	}
	return status;
}

static void free_missing(struct missing *missing)
{
	for (size_t i = 0; i < missing->texts.count; i++)
		free(*(char **)array_at(&missing->texts, i));
	array_free(&missing->texts);
	array_free(&missing->needs);
}

int sql_needs_explain(const struct sql_table *const *tables,
		      const struct recorded *recorded,
		      const struct sql_reads *reads, FILE *out)
{
	struct missing missing = {
		.needs = ARRAY_OF(struct table_need),
		.texts = ARRAY_OF(char *),
	};
	int status = 0;

	for (int i = 0; !status && i < SQL_TABLES; i++)
		if (reads->tables[i])
			status = add_table(&missing, tables[i], recorded,
					   reads->columns[i]);
	if (!status)
		recorded_missing_all(recorded, missing.needs.items,
				     missing.needs.count, out);
	free_missing(&missing);
	return status;
}
