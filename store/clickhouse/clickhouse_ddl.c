/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_ddl.h"

#include "common/embed.h"
#include "sql/tables/sql_tables.h"
#include "store/entry/store_entry.h"

#include <sqlite3.h>
#include <string.h>

const char *clickhouse_schema_table(enum sql_table_id id)
{
	return id == TABLE_RECORDING ? "recording_all" : sql_table_at(id)->name;
}

char *clickhouse_schema_insert(enum sql_table_id id)
{
	const struct sql_table *table = sql_table_at(id);
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendf(text, "INSERT INTO %s (",
			    clickhouse_schema_table(id));
	if (id != TABLE_RECORDING)
		sqlite3_str_appendall(text, "day, recording");
	for (int i = 0; id == TABLE_RECORDING && i < ENTRY_COLUMNS; i++)
		sqlite3_str_appendf(text, "%s%s", i ? ", " : "",
				    store_entry_columns[i].name);
	for (uint32_t i = 0; i < table->column_count; i++)
		if (!sql_column_is_hidden(&table->columns[i]))
			sqlite3_str_appendf(text, ", %s",
					    table->columns[i].name);
	sqlite3_str_appendall(text, ") FORMAT Native");
	return sqlite3_str_finish(text);
}

EMBED(ddl_server, "store/clickhouse/ddl/server.sql");
EMBED(ddl_cluster, "store/clickhouse/ddl/cluster.sql");
EMBED(ddl_server_ttl, "store/clickhouse/ddl/server_ttl.sql");
EMBED(ddl_cluster_ttl, "store/clickhouse/ddl/cluster_ttl.sql");

const char *clickhouse_ddl_text(enum clickhouse_ddl which)
{
	switch (which) {
	case DDL_SERVER:
		return ddl_server;
	case DDL_CLUSTER:
		return ddl_cluster;
	case DDL_SERVER_TTL:
		return ddl_server_ttl;
	case DDL_CLUSTER_TTL:
		break;
	}
	return ddl_cluster_ttl;
}

/* Writes the name for the placeholder "{…" at @text. Returns the text after it.
 */
static const char *write_name(const struct clickhouse_ddl_names *names,
			      const char *text, FILE *out)
{
	static const char cluster[] = "{cluster}";
	static const char database[] = "{database}";

	if (!strncmp(text, cluster, strlen(cluster))) {
		fputs(names->cluster, out);
		return text + strlen(cluster);
	}
	if (!strncmp(text, database, strlen(database))) {
		fputs(names->database, out);
		return text + strlen(database);
	}
	fputc(*text, out);
	return text + 1;
}

void clickhouse_ddl_write(enum clickhouse_ddl which,
			  const struct clickhouse_ddl_names *names, FILE *out)
{
	const char *text = clickhouse_ddl_text(which);

	while (*text) {
		size_t length = strcspn(text, "{");

		fwrite(text, 1, length, out);
		text += length;
		if (*text)
			text = write_name(names, text, out);
	}
}

char *clickhouse_ddl_next(const char **text)
{
	static const char mark[] = ";\n";
	const char *end = strstr(*text, mark);
	char *statement;

	if (!end) {
		*text += strlen(*text);
		return NULL;
	}
	statement = sqlite3_mprintf("%.*s", (int)(end - *text), *text);
	if (statement)
		*text = end + strlen(mark);
	return statement;
}
