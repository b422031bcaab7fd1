/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CONTENT_ID_H
#define KT_STORE_CONTENT_ID_H

#include "store/entry/store_entry.h"

struct log;
struct recording;

/* Makes the id of a recording: XXH3's 128 bits, in hexadecimal digits, of its
 * trace, and of what its header says (host, kernel, command, first and last
 * time).  It is the same for a copy and for an archive, which leaves out parts
 * of users' stacks, and wherever the recording lies.
 *
 * Returns 0; -ERROR_MEMORY; -ERROR_SYSTEM, said to @log.
 */
int content_id_make(const struct recording *recording, const struct log *log,
		    char id[STORE_ID_TEXT]);

#endif
