/* SPDX-License-Identifier: MIT */
#include "store/store_open.h"

#include "store/clickhouse/clickhouse_store.h"
#include "store/sqlite/sqlite_store.h"

struct store_target *store_open(const char *name, enum store_open_mode mode,
				const struct log *log)
{
	if (clickhouse_store_is(name))
		return clickhouse_store_open(name, log);
	return sqlite_store_open(name,
				 mode == STORE_OPEN_READ ? SQLITE_STORE_READ :
							   SQLITE_STORE_WRITE,
				 log);
}
