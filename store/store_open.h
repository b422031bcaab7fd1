/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_OPEN_H
#define KT_STORE_OPEN_H

struct log;
struct store_target;

enum store_open_mode { STORE_OPEN_READ, STORE_OPEN_WRITE };

/* Opens the store that users call @name: "clickhouse://…" (clickhouse_store.h), or
 * a file of SQLite.  Both must outlive it.
 *
 * Returns NULL, having said why to @log.  Close it with its class's close().
 */
struct store_target *store_open(const char *name, enum store_open_mode mode,
				const struct log *log);

#endif
