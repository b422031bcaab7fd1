/* SPDX-License-Identifier: MIT */
#include "store/entry/store_entry.h"

#include "sql/tables/sql_tables.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const struct sql_column store_entry_columns[ENTRY_COLUMNS] = {
	[ENTRY_RECORDING] = { "recording", SQL_INTEGER, ROLE_NONE, "",
			      "number of the recording in other tables, valid "
			      "for this store only" },
	[ENTRY_DAY] = { "day", SQL_TEXT, ROLE_NONE, "",
			"day of recorded_s in UTC, such as 2026-01-31" },
	[ENTRY_ID] = { "id", SQL_TEXT, ROLE_NONE, "",
		       "hash of its content, the same in all stores" },
	[ENTRY_RECORDED] = { "recorded_s", SQL_INTEGER, ROLE_NONE, "s",
			     "time at which its file was last written, since "
			     "1970" },
	[ENTRY_ADDED] = { "added_s", SQL_INTEGER, ROLE_NONE, "s",
			  "time at which it was added, since 1970" },
	[ENTRY_ADDED_ON] = { "added_on", SQL_TEXT, ROLE_NONE, "",
			     "host that added it, and that has its path" },
	[ENTRY_TABLES] = { "tables", SQL_TEXT, ROLE_NONE, "",
			   "tables that were added, with commas around each "
			   "name" },
	[ENTRY_MIN_DURATION] = { "min_duration_ns", SQL_INTEGER, ROLE_NONE,
				 "ns",
				 "shorter rows were not added; 0: all were" },
};

static void list_tables(const struct store_entry *entry,
			char tables[STORE_TABLES_TEXT])
{
	size_t length = 0;

	tables[0] = '\0';
	for (int i = 0; i < SQL_TABLES; i++)
		if (entry->wanted[i])
			length += (size_t)snprintf(
				tables + length, STORE_TABLES_TEXT - length,
				"%s%s,", length ? "" : ",",
				sql_table_at((enum sql_table_id)i)->name);
}

void store_entry_cells(const struct store_entry *entry,
		       char tables[STORE_TABLES_TEXT],
		       union sql_cell cells[ENTRY_COLUMNS])
{
	list_tables(entry, tables);
	cells[ENTRY_RECORDING].number = entry->number;
	cells[ENTRY_DAY].text = entry->day;
	cells[ENTRY_ID].text = entry->id;
	cells[ENTRY_RECORDED].number = entry->recorded_s;
	cells[ENTRY_ADDED].number = entry->added_s;
	cells[ENTRY_ADDED_ON].text = entry->added_on;
	cells[ENTRY_TABLES].text = tables;
	cells[ENTRY_MIN_DURATION].number = (int64_t)entry->min_duration_ns;
}

void store_entry_set_time(struct store_entry *entry, int64_t recorded_s)
{
	const time_t time = recorded_s;
	struct tm day;

	entry->recorded_s = recorded_s;
	if (!gmtime_r(&time, &day) || day.tm_year < 70 || day.tm_year > 199)
		day = (struct tm){ .tm_year = 70, .tm_mday = 1 };
	strftime(entry->day, sizeof(entry->day), "%Y-%m-%d", &day);
}

int store_path_column(const struct sql_table *table)
{
	for (uint32_t i = 0; i < table->column_count; i++)
		if (!strcmp(table->columns[i].name, "path"))
			return (int)i;
	return -1;
}
