/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_store.h"

#include "common/log.h"

#include <string.h>

/* The functions of clickhouse_store.h in builds without libcurl: only SQLite
 * stores are available.
 */

bool clickhouse_store_is(const char *name)
{
	static const char begin[] = "clickhouse";

	return !strncmp(name, begin, strlen(begin)) && strstr(name, "://");
}

struct store_target *clickhouse_store_open(const char *name,
					   const struct log *log)
{
	(void)name;
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "this ktrace-hw was built without libcurl: it supports "
		    "stores in files, but not clickhouse://");
	return NULL;
}
