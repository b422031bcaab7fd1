/* SPDX-License-Identifier: MIT */
#include "sql/rows/sql_table.h"

int sql_table_role(const struct sql_table *table, enum sql_role role)
{
	for (uint32_t i = 0; i < table->column_count; i++)
		if (table->columns[i].role == role)
			return (int)i;
	return -1;
}
