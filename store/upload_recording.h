/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_UPLOAD_RECORDING_H
#define KT_STORE_UPLOAD_RECORDING_H

#include "store/entry/store_entry.h"

#include <stdbool.h>
#include <stdint.h>

struct log;
struct sql_recording;
struct store_target;

/* Sends @recording to @target, which is prepared, as @entry says: in one pass,
 * with memory that does not grow with it.  Sets what @entry does not have yet.
 *
 * Returns 0, *@is_there, which says that it was there before, and *@rows, how
 * many were sent; or a negative enum error, said to @log, after which nothing of
 * it is there.
 */
int upload_recording(struct store_target *target,
		     const struct sql_recording *recording,
		     struct store_entry *entry, const struct log *log,
		     bool *is_there, uint64_t *rows);

#endif
