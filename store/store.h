/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_STORE_H
#define KT_STORE_STORE_H

/* A store: many recordings in one database, SQLite's or ClickHouse's.
 *
 *   recording -> sql/scan/ (rows) -> upload_recording() -> store_target_class
 *   question  -> store/ask/ (SQL) -> store_target_query() -> struct answer
 *
 * Only the class of the target (target/store_target.h) differs between
 * databases; queries are written once, in SQL that both support.
 *
 * Invariants:
 * 1. Readers see a recording entirely or not at all: its own row is sent last,
 *    by finish(), and an upload that ends without it is discarded.
 * 2. A recording's id is a hash of its content: a store has it once.
 * 3. Memory does not grow with the recording: rows are sent chunk by chunk.
 *
 * All functions log their errors to the log given at store_open(), and return
 * a negative enum error. A target is used by one thread.
 */

#include "store/entry/store_entry.h"

#include <stdbool.h>
#include <stdint.h>

struct log;
struct sql_recording;
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

/* Uploads the tables of @recording that @entry selects to @target, on which
 * prepare() has succeeded, in one pass with bounded memory. Sets the id, the
 * number and the times of @entry, and deselects the tables that @recording
 * cannot fill.
 *
 * Returns 0, with the number of sent rows in *@rows, and *@is_there set if the
 * store already had the recording; or a negative enum error, logged to @log,
 * after which the store contains nothing of it.
 */
int upload_recording(struct store_target *target,
		     const struct sql_recording *recording,
		     struct store_entry *entry, const struct log *log,
		     bool *is_there, uint64_t *rows);

#endif
