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
EMBED(ddl_server_ttl, "store/clickhouse/ddl/server_ttl.sql");
EMBED(ddl_cluster_head, "store/clickhouse/ddl/cluster.head");
EMBED(ddl_cluster_ttl_head, "store/clickhouse/ddl/cluster_ttl.head");

const char *clickhouse_ddl_server(void)
{
	return ddl_server;
}

/* Writes the head of a file for a cluster, with the names in place of
 * "{cluster}" and "{database}".
 */
static void write_head(const char *text,
		       const struct clickhouse_ddl_names *names, FILE *out)
{
	static const char cluster[] = "{cluster}";
	static const char database[] = "{database}";

	while (*text) {
		if (!strncmp(text, cluster, strlen(cluster))) {
			fputs(names->cluster, out);
			text += strlen(cluster);
		} else if (!strncmp(text, database, strlen(database))) {
			fputs(names->database, out);
			text += strlen(database);
		} else {
			fputc(*text++, out);
		}
	}
}

/* Changes the statements for one server to those for a cluster, line by line: a
 * table becomes the replicated table NAME_local, and a Distributed table NAME
 * over it.
 */
struct cluster_writer {
	const struct clickhouse_ddl_names *names;
	FILE *out;
	char table[64]; /* being created; "": none */
};

/* Returns the text after @start in @line, or NULL if the line starts otherwise. */
static const char *after(const char *line, const char *start)
{
	size_t size = strlen(start);

	return strncmp(line, start, size) ? NULL : line + size;
}

static void write_table(struct cluster_writer *writer, const char *name)
{
	snprintf(writer->table, sizeof(writer->table), "%.*s",
		 (int)strcspn(name, " "), name);
	fprintf(writer->out,
		"CREATE TABLE IF NOT EXISTS %s.%s_local ON CLUSTER '%s' (",
		writer->names->database, writer->table, writer->names->cluster);
}

static void write_engine(const struct cluster_writer *writer)
{
	fprintf(writer->out,
		"ENGINE = ReplicatedMergeTree(\n"
		"  '/clickhouse/tables/{shard}/%s/%s_local', '{replica}')",
		writer->names->database, writer->table);
}

/* All rows of a recording are in one shard. */
static void write_distributed(struct cluster_writer *writer)
{
	const char *database = writer->names->database;
	const char *key = strcmp(writer->table, "store_version") ? "recording" :
								   "rand()";

	fprintf(writer->out,
		"\n\nCREATE TABLE IF NOT EXISTS %s.%s ON CLUSTER '%s'\n"
		"AS %s.%s_local\n"
		"ENGINE = Distributed('%s', %s, %s_local, %s);",
		database, writer->table, writer->names->cluster, database,
		writer->table, writer->names->cluster, database, writer->table,
		key);
	*writer->table = '\0';
}

/* Writes a line that is no part of a table's definition. */
static void write_other(const struct cluster_writer *writer, const char *line)
{
	const struct clickhouse_ddl_names *names = writer->names;
	const char *rest;

	if ((rest = after(line, "CREATE VIEW IF NOT EXISTS recording ")))
		fprintf(writer->out,
			"CREATE VIEW IF NOT EXISTS %s.recording ON CLUSTER "
			"'%s' %s",
			names->database, names->cluster, rest);
	else if ((rest = after(line, "SELECT * FROM ")))
		fprintf(writer->out, "SELECT * FROM %s.%s", names->database,
			rest);
	else if ((rest = after(line, "INSERT INTO ")))
		fprintf(writer->out,
			"SET insert_distributed_sync = 1;\n"
			"INSERT INTO %s.%.*s'%s');",
			names->database, (int)strcspn(rest, "'"), rest,
			names->cluster);
	else if ((rest = after(line, "ALTER TABLE ")))
		fprintf(writer->out,
			"ALTER TABLE %s.%.*s_local ON CLUSTER '%s'%s",
			names->database, (int)strcspn(rest, " "), rest,
			names->cluster, rest + strcspn(rest, " "));
	else
		fputs(line, writer->out);
}

static void write_line(struct cluster_writer *writer, const char *line)
{
	const char *name = after(line, "CREATE TABLE IF NOT EXISTS ");

	if (name)
		write_table(writer, name);
	else if (!strcmp(line, "ENGINE = MergeTree"))
		write_engine(writer);
	else
		write_other(writer, line);
	if (*writer->table && *line && line[strlen(line) - 1] == ';')
		write_distributed(writer);
	fputc('\n', writer->out);
}

/* Writes @head, and the statements of @text, which start after its own head. */
static void write_cluster(const char *head, const char *text,
			  const struct clickhouse_ddl_names *names, FILE *out)
{
	struct cluster_writer writer = { .names = names, .out = out };
	char line[256];

	write_head(head, names, out);
	for (text = strstr(text, "\n\n") + 1; *text;) {
		size_t size = strcspn(text, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)size, text);
		write_line(&writer, line);
		text += size + 1;
	}
}

void clickhouse_ddl_write(enum clickhouse_ddl which,
			  const struct clickhouse_ddl_names *names, FILE *out)
{
	switch (which) {
	case DDL_SERVER:
		fputs(ddl_server, out);
		break;
	case DDL_CLUSTER:
		write_cluster(ddl_cluster_head, ddl_server, names, out);
		break;
	case DDL_SERVER_TTL:
		fputs(ddl_server_ttl, out);
		break;
	case DDL_CLUSTER_TTL:
		write_cluster(ddl_cluster_ttl_head, ddl_server_ttl, names, out);
		break;
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
