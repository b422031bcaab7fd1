/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_UPLOAD_RECORDING_H
#define KT_STORE_UPLOAD_RECORDING_H

#include "store/entry/store_entry.h"

#include <stdbool.h>
#include <stdint.h>

struct log;
struct sql_recording;
struct store_target;

/* Uploads the tables of @recording that @entry selects to @target, which must
 * be prepared, in one pass with bounded memory. Fills in the missing fields of
 * @entry.
 *
 * Returns 0, with *@is_there set if the store already had the recording, and
 * the number of sent rows in *@rows; or a negative enum error, logged to @log,
 * after which the store contains nothing of it.
 */
int upload_recording(struct store_target *target,
		     const struct sql_recording *recording,
		     struct store_entry *entry, const struct log *log,
		     bool *is_there, uint64_t *rows);

#endif
