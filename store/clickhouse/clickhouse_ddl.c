/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_ddl.h"

#include "common/embed.h"

#include <sqlite3.h>

#include <string.h>

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
