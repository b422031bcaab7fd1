/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_OPEN_H
#define KT_STORE_OPEN_H

struct log;
struct store_target;

enum store_open_mode { STORE_OPEN_READ, STORE_OPEN_WRITE };

/* Opens the store @name: "clickhouse://…" (clickhouse_store.h) or an SQLite
 * file. @name and @log must outlive it.
 *
 * Returns NULL after logging the reason to @log. Close it with its class's
 * close().
 */
struct store_target *store_open(const char *name, enum store_open_mode mode,
				const struct log *log);

#endif
