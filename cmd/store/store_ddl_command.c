/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/store/store_commands.h"
#include "store/clickhouse/clickhouse_ddl.h"

#include <stdio.h>

static int run(const struct store_options *options)
{
	const struct clickhouse_ddl_names names = {
		.cluster = options->cluster,
		.database = options->database,
	};
	enum clickhouse_ddl which =
		options->wants_ttl ?
			(options->cluster ? DDL_CLUSTER_TTL : DDL_SERVER_TTL) :
			(options->cluster ? DDL_CLUSTER : DDL_SERVER);

	clickhouse_ddl_write(which, &names, stdout);
	return store_flush_output();
}

const struct store_command store_ddl_command = {
	.name = "ddl",
	.summary = "Prints the statements that create a store in ClickHouse.",
	.words = "[OPTION]...",
	.options = 1 << STORE_CLUSTER | 1 << STORE_DATABASE | 1 << STORE_TTL,
	.run = run,
};
