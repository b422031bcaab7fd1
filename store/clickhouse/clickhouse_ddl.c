/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_ddl.h"

#include "common/embed.h"
#include "common/error.h"
#include "sql/tables/sql_tables.h"
#include "store/clickhouse/native_block_internal.h"
#include "store/entry/store_entry.h"

#include <sqlite3.h>
#include <stdlib.h>
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
		if (!column_is_hidden(&table->columns[i]))
			sqlite3_str_appendf(text, ", %s",
					    table->columns[i].name);
	sqlite3_str_appendall(text, ") FORMAT Native");
	return sqlite3_str_finish(text);
}

EMBED(ddl_server_head, "store/clickhouse/ddl/server.head");
EMBED(ddl_server_tail, "store/clickhouse/ddl/server.tail");
EMBED(ddl_server_ttl, "store/clickhouse/ddl/server_ttl.sql");
EMBED(ddl_cluster_head, "store/clickhouse/ddl/cluster.head");
EMBED(ddl_cluster_ttl_head, "store/clickhouse/ddl/cluster_ttl.head");

/* Writes a text with the version of the schema and the names in place of
 * "{version}", "{cluster}" and "{database}".
 */
static void write_text(const char *text,
		       const struct clickhouse_ddl_names *names, FILE *out)
{
	char version[16];
	const char *const values[][2] = {
		{ "{version}", version },
		{ "{cluster}", names->cluster },
		{ "{database}", names->database },
	};

	snprintf(version, sizeof(version), "%d", STORE_SCHEMA_VERSION);
	while (*text) {
		size_t i = 0;

		while (i < 3 &&
		       strncmp(text, values[i][0], strlen(values[i][0])) != 0)
			i++;
		if (i < 3) {
			fputs(values[i][1], out);
			text += strlen(values[i][0]);
		} else {
			fputc(*text++, out);
		}
	}
}

/* Writes @text as lines of a comment, each at most @width bytes. */
static void write_comment(const char *text, int width, FILE *out)
{
	while (*text) {
		int size = (int)strlen(text);

		if (size > width)
			for (size = width; text[size] != ' ';)
				size--;
		fprintf(out, "-- %.*s\n", size, text);
		text += size + (text[size] == ' ');
	}
}

/* Writes the columns before the recording's own columns. */
static void write_first_columns(enum sql_table_id id, FILE *out)
{
	if (id != TABLE_RECORDING) {
		fputs("  day Date,\n  recording Int64", out);
		return;
	}
	for (int i = 0; i < ENTRY_COLUMNS; i++)
		fprintf(out, "%s  %s %s", i ? ",\n" : "",
			store_entry_columns[i].name,
			i == ENTRY_DAY ?
				"Date" :
				native_type_name(store_entry_columns[i].type,
						 false));
}

/* Rows are sorted by the time at which they start, if they have one. */
static void write_order(const struct sql_table *table, FILE *out)
{
	int begin = sql_table_role(table, ROLE_BEGIN);
	int column = begin < 0 ? sql_table_role(table, ROLE_TIME) : begin;

	if (table->id == TABLE_RECORDING)
		fputs("PARTITION BY toYYYYMM(day) ORDER BY (id, recording);\n",
		      out);
	else
		fprintf(out, "PARTITION BY day ORDER BY (recording%s%s);\n",
			column < 0 ? "" : ", ",
			column < 0 ? "" : table->columns[column].name);
}

static void write_definition(const struct sql_table *table, FILE *out)
{
	fputc('\n', out);
	write_comment(
		table->id == TABLE_RECORDING ?
			"One row for each recording. It is written last: "
			"rows of other tables count only once it exists." :
			table->meaning,
		82, out);
	fprintf(out, "CREATE TABLE IF NOT EXISTS %s (\n",
		clickhouse_schema_table(table->id));
	write_first_columns(table->id, out);
	for (uint32_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (!column_is_hidden(column))
			fprintf(out, ",\n  %s %s", column->name,
				native_type_name(column->type,
						 native_may_be_null(column)));
	}
	fputs("\n)\nENGINE = MergeTree\n", out);
	write_order(table, out);
}

char *clickhouse_ddl_server(void)
{
	const struct clickhouse_ddl_names no_names = { "", "" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool is_whole;

	if (!out)
		return NULL;
	write_text(ddl_server_head, &no_names, out);
	for (int i = 0; i < SQL_TABLES; i++)
		write_definition(sql_table_at((enum sql_table_id)i), out);
	write_text(ddl_server_tail, &no_names, out);
	is_whole = !ferror(out);
	if (!fclose(out) && is_whole)
		return text;
	free(text);
	return NULL;
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

/* Returns the text after @start in @line, or NULL if the line starts otherwise.
 */
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

/* Writes the Distributed table. Its sharding key puts all rows of a recording
 * into one shard.
 */
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

/* Writes a line that is not part of a table's definition. */
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

/* Writes @head, and the statements of @text after its first blank line, which
 * ends the head for one server.
 */
static void write_cluster(const char *head, const char *text,
			  const struct clickhouse_ddl_names *names, FILE *out)
{
	struct cluster_writer writer = { .names = names, .out = out };
	char line[256];

	write_text(head, names, out);
	for (text = strstr(text, "\n\n") + 1; *text;) {
		size_t size = strcspn(text, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)size, text);
		write_line(&writer, line);
		text += size + 1;
	}
}

int clickhouse_ddl_write(enum clickhouse_ddl which,
			 const struct clickhouse_ddl_names *names, FILE *out)
{
	char *server = clickhouse_ddl_server();

	if (!server)
		return -ERROR_MEMORY;
	switch (which) {
	case DDL_SERVER:
		fputs(server, out);
		break;
	case DDL_CLUSTER:
		write_cluster(ddl_cluster_head, server, names, out);
		break;
	case DDL_SERVER_TTL:
		fputs(ddl_server_ttl, out);
		break;
	case DDL_CLUSTER_TTL:
		write_cluster(ddl_cluster_ttl_head, ddl_server_ttl, names, out);
		break;
	}
	free(server);
	return 0;
}

/* Returns the semicolon at the end of the first statement, or NULL. A semicolon
 * at the end of a comment, which is a line of its own, does not count.
 */
static const char *find_end(const char *text)
{
	for (const char *line = text; *line;) {
		const char *end = strchrnul(line, '\n');

		if (!after(line, "--") && end > line && end[-1] == ';')
			return end - 1;
		line = *end ? end + 1 : end;
	}
	return NULL;
}

char *clickhouse_ddl_next(const char **text)
{
	const char *end = find_end(*text);
	char *statement;

	if (!end) {
		*text += strlen(*text);
		return NULL;
	}
	statement = sqlite3_mprintf("%.*s", (int)(end - *text), *text);
	if (statement)
		*text = end + 1 + (end[1] == '\n');
	return statement;
}
