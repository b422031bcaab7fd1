/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CONTENT_ID_H
#define KT_STORE_CONTENT_ID_H

#include "store/entry/store_entry.h"

struct log;
struct recording;

/* Computes the ID of a recording: XXH3's 128 bits, as hexadecimal digits, of
 * its trace and of its header (host, kernel, command, first and last time).
 * Copies of a recording, and archives, which omit parts of user stacks, have
 * the same ID. The path does not matter.
 *
 * Returns 0; -ERROR_MEMORY; or -ERROR_SYSTEM, logged to @log.
 */
int content_id_make(const struct recording *recording, const struct log *log,
		    char id[STORE_ID_TEXT]);

#endif
