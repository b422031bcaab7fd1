/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_CLICKHOUSE_STORE_H
#define KT_STORE_CLICKHOUSE_CLICKHOUSE_STORE_H

#include <stdbool.h>

struct log;
struct store_target;

/* Returns whether @name is a server's address (clickhouse_http_internal.h). */
bool clickhouse_store_is(const char *name);

/* Opens the store in the database with address @name. @log must outlive it.
 * Sends nothing.
 *
 * Returns NULL after logging the reason to @log, and always in builds without
 * libcurl. Close it with its class's close().
 */
struct store_target *clickhouse_store_open(const char *name,
					   const struct log *log);

#endif
