/* SPDX-License-Identifier: MIT */
#include "cmd/sql/sql_missing.h"

#include "cmd/console/say.h"
#include "common/error.h"
#include "sql/rows/sql_table.h"
#include "sql/scan/table_scan.h"
#include "sql/tables/sql_tables.h"
#include "tables/text/recorded.h"

#include <stdio.h>

void sql_missing_say(const struct sql_recording *recording,
		     const struct sql_reads *reads)
{
	const struct recorded recorded = recorded_of(recording->input.recording,
						     recording->input.events);
	int status =
		sql_needs_explain(sql_tables_all(), &recorded, reads, stderr);

	if (status < 0)
		say("%s", error_text(status));
}

void sql_missing_say_all(const struct sql_recording *recording)
{
	struct sql_reads all;

	for (int i = 0; i < SQL_TABLES; i++) {
		all.tables[i] = true;
		all.columns[i] = UINT64_MAX;
	}
	sql_missing_say(recording, &all);
}
